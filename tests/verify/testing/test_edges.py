"""Versions that agree on usual inputs and differ at edges: signs, ties, limits, sizes, dtypes, sums that cancel."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow

ROWS = "def f(xs):\n    out = []\n    for i in range(xs.shape[0]):\n        out.append({})\n    return jnp.stack(out)\n"
MAPPED = "def f(xs):\n    return jax.vmap(lambda x: {})(xs)\n"
ADDED = "def f(xs):\n    s = jnp.zeros((), xs.dtype)\n    for i in range(xs.shape[0]):\n        s = s + xs[i]\n    return s\n"
LOOPED = "def f(xs):\n    return lax.fori_loop(0, {}, lambda i, s: s + xs[i], jnp.zeros((), {}))\n"
TAKEN = "def f(t, ks):\n    return jnp.stack([t[ks[i]] for i in range(ks.shape[0])])\n"
TAKE = "def f(t, ks):\n    return jax.vmap(lambda k: {})(ks)\n"
INDICES = {"given": (("t: f32[5], ks: i32[4]", "module.py:1"),)}
SPREAD = "def f(xs):\n    m = jnp.mean(xs)\n    s = jnp.zeros_like(m)\n    for i in range(xs.shape[0]):\n        s = s + (xs[i] - m) ** 2\n    return s / xs.shape[0]\n"
STEPS = "def f(x, n: int):\n    for _ in range(n):\n        x = x * 0.99\n    return x\n"
STEPPED = "def f(x, n: int):\n    return lax.fori_loop(0, {}, lambda _, x: x * 0.99, x)\n"
SCALED = "def f(xs, a: float):\n    s = jnp.zeros((), xs.dtype)\n    for i in range(xs.shape[0]):\n        s = s + a * xs[i]\n    return s\n"
POWERS = "def f(x):\n    y = x\n    for _ in range(3):\n        y = y * x\n    return y\n"
WALK = "def f(key, x):\n    for i in range(3):\n        x = x + jax.random.normal(jax.random.fold_in(key, i), x.shape)\n    return x\n"
WALKED = "def f(key, x):\n    return lax.fori_loop(0, 3, lambda i, x: x + jax.random.normal(jax.random.fold_in(key, i), x.shape), x)\n"
CHOSEN = "def f(k):\n    if k == 4:\n        return 1\n    return 0\n"

WRONG = {
    "halves are rounded up": (ROWS.format("jnp.round(xs[i])"), MAPPED.format("jnp.floor(x + 0.5)"), {}),
    "an infinity is cut off": (ROWS.format("xs[i] * 1.0"), MAPPED.format("jnp.maximum(x, -3e38)"), {}),
    "a large value is cut off by a number of the new text": (ROWS.format("xs[i] * 2"), MAPPED.format("jnp.minimum(x, 5e6) * 2"), {}),
    "a value of one whole number": (CHOSEN, "def f(k):\n    return jnp.where((k == 4) | (k == 38), 1, 0)\n", {}),
    "a negative whole number": (TAKEN.replace("t[ks[i]]", "t[ks[i] % 5]"), TAKE.format("t[lax.rem(jnp.abs(k), 5)]"), INDICES),
    "an index out of range": (TAKEN, TAKE.format("jnp.take(t, k)"), INDICES),
    "rows beyond a limit of the new text": (ADDED, LOOPED.format("min(xs.shape[0], 128)", "xs.dtype"), {}),
    "more rows than usual": (ADDED, LOOPED.format("min(xs.shape[0], 20)", "xs.dtype"), {}),
    "trips beyond a limit of the new text": (STEPS, STEPPED.format("jnp.minimum(n, 400)"), {}),
    "half precision is lost": (ADDED, LOOPED.format("xs.shape[0]", "jnp.float32"), {}),
    "whole numbers become floats": (ROWS.format("xs[i] + xs[0]"), MAPPED.format("1.0 * (x + xs[0])"), {}),
    "squares are subtracted": (SPREAD, "def f(xs):\n    return jnp.mean(xs**2) - jnp.mean(xs) ** 2\n", {}),
    "the derivative by a Python float": (SCALED, "def f(xs, a: float):\n    return lax.fori_loop(0, xs.shape[0], lambda i, s: s + lax.stop_gradient(a) * xs[i], jnp.zeros((), xs.dtype))\n", {}),
    "the second derivative": (POWERS, "def f(x):\n    return lax.fori_loop(0, 3, lambda i, y: y * x, x) + (x - lax.stop_gradient(x)) ** 2\n", {}),
}  # fmt: skip
RIGHT = {
    "halves": (ROWS.format("jnp.round(xs[i])"), MAPPED.format("jnp.round(x)"), {}),
    "indices": (TAKEN, TAKE.format("t[k]"), INDICES),
    "rows": (ADDED, LOOPED.format("xs.shape[0]", "xs.dtype"), {}),
    "trips": (STEPS, STEPPED.format("n"), {}),
    "a sum in another order": (ADDED, "def f(xs):\n    return jnp.sum(xs, axis=0, dtype=xs.dtype)\n", {}),
    "a mean of squares": (SPREAD, "def f(xs):\n    return jnp.mean((xs - jnp.mean(xs)) ** 2, axis=0)\n", {}),
    "a choice": (CHOSEN, "def f(k):\n    return jnp.where(k == 4, 1, 0)\n", {}),
    "a carry of half precision that the old version leaves": (WALK, WALKED, {}),
    "what NumPy makes of other floats": ("import numpy as np\ndef f(x):\n    return x / np.maximum(np.linalg.norm(x), 1e-6)\n", "def f(x):\n    return x / jnp.maximum(jnp.linalg.norm(x), 1e-6)\n", {}),
    "a zero of the other sign": (ROWS.format("xs[i] * 1.0"), MAPPED.format("x + 0.0"), {}),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "options"), WRONG.values(), ids=WRONG.keys())
def test_what_differs_at_an_edge_is_refuted(judge, old: str, new: str, options: dict[str, object]) -> None:
    found = judge(old, new, **options)
    assert found.verdict == "refuted", found


@pytest.mark.parametrize(("old", "new", "options"), RIGHT.values(), ids=RIGHT.keys())
def test_what_is_the_same_at_edges_is_accepted(judge, old: str, new: str, options: dict[str, object]) -> None:
    found = judge(old, new, **options)
    assert found.verdict in ("proved", "tested"), found


def test_a_carry_that_whole_numbers_do_not_fit_is_named_in_the_verdict(judge) -> None:
    old = "def f(xs):\n    s = xs[0]\n    for i in range(xs.shape[0]):\n        s = 0.5 * (s + xs[i])\n    return s\n"
    new = "def f(xs):\n    return lax.fori_loop(0, xs.shape[0], lambda i, s: 0.5 * (s + xs[i]), xs[0])\n"
    found = judge(old, new)
    assert found.verdict in ("proved", "tested"), found
    assert any(note.startswith("holds for float16, bfloat16, float32") for note in found.notes), found.notes
