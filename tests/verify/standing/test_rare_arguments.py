"""Mistakes that only rare arguments show: many further ones, far numbers of either sign, floats, lists of other kinds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from scanlint.finding import Verification

pytestmark = pytest.mark.many(3)

Compare = Callable[..., Verification]

NOISE = "def f(x, *noise):\n    for extra in noise{}:\n        x = x + extra\n    return 2 * x\n"
DRAIN = "def f(level, inflow, floor: float = 0.0):\n    for i in range(inflow.shape[0]):\n        level = level + inflow[i]\n        if level < floor:\n            level = level * 0 + floor\n    return level\n"
DRAINS = "def f(level, inflow, floor: float = 0.0):\n    def step(level, x):\n        level = level + x\n        return lax.cond(level < {}, lambda: level * 0 + floor, lambda: level), None\n    return lax.scan(step, level, inflow)[0]\n"
STEPS = "def f(n):\n    n = jnp.asarray(n, jnp.int32)\n    steps = 0\n    while n > 1:\n        n = n // 2 if n % 2 == 0 else 3 * n + 1\n        steps = steps + 1\n    return jnp.asarray(steps, jnp.int32)\n"
STEPPED = "def f(n):\n    def step(state):\n        n, steps = state\n        return jnp.where(n % 2 == 0, n // 2, 3 * n + 1), steps + 1\n    return lax.while_loop(lambda state: state[0] > 1, step, ({}, jnp.int32(0)))[1]\n"
BOWLED = 'def f(rolls):\n    """rolls: (N,) ints"""\n    score, i = jnp.zeros((), rolls.dtype), 0\n    for _ in range(6):\n        score = score + jnp.where((rolls[i] + rolls[i + 1] == 10){}, 10 + rolls[i + 2], rolls[i] + rolls[i + 1])\n        i += 2\n    return score\n'
WRAPS = "def f(xs):\n    return jnp.where(xs == 97, 0, xs * 3) % 7\n"
WRAPPED = "def f(xs):\n    return (jnp.where(xs == 97, 0, xs.astype({}) * 3) % 7).astype(xs.dtype)\n"
ALARMS = "def f(x, limit: float):\n    alarms = []\n    for t in range(x.shape[0]):\n        if x[t] > limit:\n            alarms.append(t)\n    return alarms\n"
RATIO = "def f(a, b):\n    if b == 0:\n        return a * 0.0\n    return a / b\n"
RATIOS = "def f(a, b):\n    return jnp.where(b == 0, {}, a / jnp.where(b == 0, 1, b))\n"
KINDS = "def f(x, kind: int):\n    if kind == 2:\n        return x / (1 + jnp.abs(x))\n    return {}\n"
CHOSEN = "def f(x, kind: int):\n    return lax.cond(kind == 2, lambda: {}, lambda: x)\n"
FOUND = "def f(x, limit: float):\n    return {}\n"

PAIRS = {
    "further arguments than the text tells apart": (NOISE.format(""), NOISE.format("{}"), "[:2]", ""),
    "a negative limit that a number is compared with": (DRAIN, DRAINS, "jnp.maximum(floor, -100.0)", "floor"),
    "a number of Python beyond a narrow type": (STEPS, STEPPED, "jnp.asarray(n, jnp.int16).astype(jnp.int32)", "jnp.asarray(n, jnp.int32)"),
    "a mark that stands alone": (BOWLED.format(""), BOWLED, " & (rolls[i + 1] < 10)", ""),
    "an infinity beside zero": (RATIO, RATIOS, "0.0", "a * 0.0"),
    "an infinity in one mode": (KINDS.format("x"), CHOSEN, "jnp.where(jnp.isinf(x), jnp.sign(x), x / (1 + jnp.abs(x)))", "x / (1 + jnp.abs(x))"),
    "a list of arrays for numbers": (ALARMS, FOUND, "list(jnp.flatnonzero(x > limit))", "[int(t) for t in jnp.flatnonzero(x > limit)]"),
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
def test_what_rare_arguments_show_refutes(name: str, compare: Compare) -> None:
    old, new, wrong, _ = PAIRS[name]
    found = compare(old, new.format(wrong))
    assert found.verdict == "refuted", (found.verdict, found.notes)


@pytest.mark.parametrize(("dtype", "verdict"), [("jnp.int32", "tested"), ("xs.dtype", "proved")])
def test_floats_for_whole_numbers_are_told(dtype: str, verdict: str, compare: Compare) -> None:
    found = compare(WRAPS, WRAPPED.format(dtype))
    assert found.verdict == verdict, (found.reason, found.counterexample, found.notes)
    assert any(note.startswith("with floats for whole numbers: ") for note in found.notes) == (verdict == "tested")


@pytest.mark.parametrize("name", PAIRS)
def test_the_right_version_of_it_is_accepted(name: str, compare: Compare) -> None:
    old, new, _, right = PAIRS[name]
    found = compare(old, new.format(right))
    assert found.verdict in ("proved", "tested"), (found.reason, found.counterexample)
