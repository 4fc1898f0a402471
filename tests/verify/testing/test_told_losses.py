"""What callers may have relied on, and a rewrite does otherwise, is said in its verdict."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from scanlint.finding import Verification

Judge = Callable[..., Verification]

HUBER = "@jax.jit\ndef f(x):\n    if x <= 1:\n        return 0.5 * x * {}\n    return x - 0.5\n"
CHOSEN = "@jax.jit\ndef f(x):\n    return jnp.where(x <= 1, 0.5 * x * {}, x - 0.5)\n"
AT_NAN = "where an argument is NaN the gradient is NaN, and that of the old version is finite"
PAIRS = "def f(xs, ys):\n    out = []\n    for i in range(len(xs)):\n        out.append(xs[i] * ys[i])\n    return {}(out)\n"
MAPPED = "def f(xs, ys):\n    return jax.vmap(lambda x, y: x * y)(xs, ys)\n"
SHARES = "def f(xs):\n    out = []\n    for i in range(len(xs)):\n        out.append(xs[i] * 2)\n    return 1 / len(out) + jnp.array(out)\n"
SHARED = "def f(xs):\n    return 1 / max(len(xs), 1) + jax.vmap(lambda x: x * 2)(xs)\n"
NO_SHARE = "where there are no elements only the old version raises ZeroDivisionError"
NOTHING = "where there are no elements only the old version raises ValueError"
ABOVE = "@jax.jit\ndef f(n):\n    if n > 2.5:\n        return n - {}\n    return n\n"
WHERE = "@jax.jit\ndef f(n):\n    return jnp.where(n > 2.5, n - {}, n)\n"
WHOLE = "the result has one type whichever path is taken, where arguments differ in dtype: for int32 (with x64 int64) in `n`"
DAMPED = "@jax.jit\ndef f(x, rate):\n    for k in range(50):\n        x = x - rate * jnp.sqrt(x)\n        if jnp.isnan(x):\n            break\n    return x, k\n"
LOOP = """
@jax.jit
def f(x, rate):
    def body(state):
        x, k, done = state
        x = x - rate * jnp.sqrt(x)
        return x, k + 1, jnp.isnan(x)

    x, k, _ = lax.while_loop(lambda state: (state[1] < 49) & ~state[2], body, (x, -1, jnp.array(False)))
    return x, k
"""
MEAN = "@jax.jit\ndef f(x):\n    return 1 if x.sum() > 0 else x.mean()\n"
MEANS = "@jax.jit\ndef f(x):\n    return lax.cond(x.sum() > 0, lambda: jnp.asarray(1, jnp.result_type(x, float)), lambda: x.mean())\n"
WIDE = "holds for float32, float64, int64; the new version raises for int8, uint8, int32"
BACK = "the new version has no reverse-mode gradient; the old one has"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        pytest.param(HUBER.format("x"), CHOSEN.format("x"), AT_NAN, id="an arm that is not taken has a gradient of NaN"),
        pytest.param(SHARES, SHARED, NO_SHARE, id="no rows are divided by their number"),
        pytest.param(ABOVE.format("2.5"), WHERE.format("2.5"), WHOLE, id="a whole number that is a float on one path"),
        pytest.param(MEAN, MEANS, WIDE, id="narrow whole numbers with x64"),
        pytest.param(DAMPED, LOOP, BACK, id="a twin with short loops that was left"),
    ],
)  # fmt: skip
def test_what_a_rewrite_loses_is_told(old: str, new: str, told: str, judge: Judge) -> None:
    found = judge(old, new)
    assert found.verdict in ("proved", "tested"), (found.reason, found.counterexample)
    assert told in found.notes, found.notes


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        pytest.param(HUBER.format("2"), CHOSEN.format("2"), AT_NAN, id="arms of constant slope"),
        pytest.param(PAIRS.format("jnp.array"), MAPPED, NOTHING, id="no rows are an array"),
        pytest.param(PAIRS.format("jnp.stack"), MAPPED, NOTHING, id="no rows are stacked"),
        pytest.param(ABOVE.format("2"), WHERE.format("2"), WHOLE, id="a whole number on both paths"),
    ],
)
def test_what_is_not_lost_is_not_told(old: str, new: str, told: str, judge: Judge) -> None:
    found = judge(old, new)
    assert found.verdict in ("proved", "tested"), (found.reason, found.counterexample)
    assert told not in found.notes, found.notes
