"""Mistakes that usual inputs do not show: names read early, lost ways to differentiate."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from scanlint.finding import Verification

Compare = Callable[..., Verification]

UNIT = "UNIT = 2.0\ndef f(x):\n    return x * UNIT\n"
BAD = "BAD = 2\ndef f(xs):\n    bad, out = 0, []\n    for i in range(xs.shape[0]):\n        bad = jnp.where(xs[i] < 0, 0, bad + 1)\n        out.append(bad > BAD)\n    return jnp.stack(out)\n"
BADLY = "BAD = 2\ndef f(xs):\n    def step(bad, x):\n        bad = jnp.where(x < 0, 0, bad + 1)\n        return bad, bad > BAD\n    return lax.scan(step, jnp.asarray(0), xs)[1]\n"
MOVES = "MOVES = ((0, 1), (1, 0))\ndef f(xs):\n    return xs[:, None] * jnp.asarray(MOVES)[0]\n"
SINE = "def f(x):\n    return jnp.sin(x)\n"
TAGGED = "def f(x):\n    @jax.custom_vjp\n    def tagged(y):\n        return y\n    tagged.defvjp(lambda y: (y, None), lambda _, g: (g,))\n    return tagged(jnp.sin(x))\n"
CALLED = "def f(x):\n    return jax.pure_callback(np.sin, jax.ShapeDtypeStruct(x.shape, x.dtype), x)\n"

REFUTED = {
    "a constant is read where the function is defined": (UNIT, UNIT.replace("f(x)", "f(x, _unit=UNIT)").replace("x * UNIT", "x * _unit")),
    "one that few inputs depend on": (BAD, BADLY.replace("f(xs)", "f(xs, BAD=BAD)")),
    "a table of numbers": (MOVES, MOVES.replace("f(xs)", "f(xs, MOVES=MOVES)")),
    "forward mode is lost by a rule for reverse mode": (SINE, TAGGED),
    "each derivative is lost by a callback": (SINE, CALLED),
}  # fmt: skip
ACCEPTED = {
    "a constant that both read late": (BAD, BADLY, "proved"),
    "a table that both read late": (MOVES, MOVES.replace("xs[:, None] *", "xs[:, None] * 1 *"), "tested"),
    "rules for reverse mode in both": (TAGGED, TAGGED.replace("tagged(jnp.sin(x))", "tagged(jnp.sin(x) + 0)"), "tested"),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new"), REFUTED.values(), ids=REFUTED)
def test_a_rare_mistake_is_refuted(old: str, new: str, compare: Compare) -> None:
    found = compare(old, new)
    assert found.verdict == "refuted", (found.verdict, found.reason, found.notes)


@pytest.mark.parametrize(("old", "new", "verdict"), ACCEPTED.values(), ids=ACCEPTED)
def test_what_does_the_same_is_accepted(old: str, new: str, verdict: str, compare: Compare) -> None:
    found = compare(old, new)
    assert found.verdict in ("proved", verdict), (found.verdict, found.reason, found.counterexample)
