"""Mistakes that show for other types, strides and lengths of lists than those that guesses have."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from scanlint.finding import Verification

pytestmark = pytest.mark.many(3)

Compare = Callable[..., Verification]

SUM = "def f(xs):\n    s = {}\n    for x in xs[1:]:\n        s = s + x\n    return s.astype(xs.dtype)\n"
SINGLE = "xs[0].astype(jnp.float32) if xs.dtype in (jnp.float16, jnp.bfloat16) else xs[0]"
LAGS = "def f(xs, lag: int = 1):\n    return jnp.sin(xs[::-lag])\n"
LAYERS = "def f(layers: list, x):\n    for w in layers:\n        x = x + w\n    return x\n"
TURN = "def f(z, n: int = 3):\n    for _ in range(n):\n        z = z * z + 1\n    return jnp.abs(z)\n"
TURNED = "def f(z, n: int = 3):\n    return jnp.abs(lax.fori_loop(0, n, lambda _, z: {} + 1, z))\n"
MODES = "def f(xs, mode: str = 'mean'):\n    if mode == 'mean':\n        return xs.mean()\n    if mode.startswith('last'):\n        return xs[{}]\n    raise ValueError(mode)\n"

WRONG = {
    "a sum in half precision": (SUM.format(SINGLE), SUM.format("xs[0]")),
    "a sum in one half precision of two": (SUM.format(SINGLE), SUM.format(SINGLE.replace(", jnp.bfloat16", ","))),
    "a stride beyond a number of the new text": (LAGS, LAGS.replace("xs[::-lag]", "xs[::-lag] if lag < 9 else xs[::-9]")),
    "more items than a number of the new text says": (LAYERS, LAYERS.replace("in layers", "in layers[:8]")),
    "complex numbers whose conjugates are taken": (TURN, TURNED.format("jnp.conj(z) * z")),
    "complex numbers of which a part is taken": (TURN, TURNED.format("z * z").replace("jnp.abs(lax", "jnp.abs(jnp.real(lax").rstrip() + ")\n"),
    "a text that begins so": (MODES.format(-1), MODES.format(0)),
}  # fmt: skip
RIGHT = {
    "a sum in single precision": (SUM.format(SINGLE), SUM.format(SINGLE.replace("jnp.float16, jnp.bfloat16", "jnp.bfloat16, jnp.float16"))),
    "a stride": (LAGS, LAGS.replace("xs[::-lag]", "xs[::-lag] if lag < 9 else xs[::-lag]")),
    "all items": (LAYERS, LAYERS.replace("in layers", "in list(layers)")),
    "complex numbers": (TURN, TURNED.format("jnp.conj(jnp.conj(z)) * z")),
    "a text": (MODES.format(-1), MODES.format("len(xs) - 1")),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new"), WRONG.values(), ids=WRONG)
def test_a_mistake_for_other_types_and_lengths_is_refuted(old: str, new: str, compare: Compare) -> None:
    found = compare(old, new)
    assert found.verdict == "refuted", (found.verdict, found.reason, found.notes)


@pytest.mark.parametrize(("old", "new"), RIGHT.values(), ids=RIGHT)
def test_what_is_right_for_these_is_accepted(old: str, new: str, compare: Compare) -> None:
    found = compare(old, new)
    assert found.verdict in ("proved", "tested"), (found.verdict, found.reason, found.counterexample)
