"""Slices whose length changes from trip to trip, in sums and products: whole rows under a mask."""

from __future__ import annotations

import jax.numpy as jnp
import pytest

pytestmark = pytest.mark.slow

A = jnp.cos(jnp.arange(49.0)).reshape(7, 7) + 8 * jnp.eye(7)
B = jnp.linspace(-1.0, 2.0, 7)

MASKED = {
    "forward substitution": (
        "n = b.shape[0]\n    x = jnp.zeros(n)\n    for i in range(n):\n        x = x.at[i].set((b[i] - a[i, :i] @ x[:i]) / a[i, i])\n    return x\n",
        "(b[i] - jnp.where(jnp.arange(n) < i, a[i], 0) @ x) / a[i, i]",
    ),
    "back substitution": (
        "n = len(b)\n    x = jnp.zeros_like(b)\n    for i in reversed(range(n)):\n        x = x.at[i].set((b[i] - jnp.dot(a[i, i + 1 :], x[i + 1 :])) / a[i, i])\n    return x\n",
        "jnp.dot(jnp.where(jnp.arange(n) > i, a[i], 0), x)",
    ),
    "a row of a matrix on the right": (
        "s = jnp.zeros(30)\n    for i in range(30):\n        s = jnp.sin(s) + jnp.vdot(-a[2, :i] * 2, a[:i, i % 7])\n    return s\n",
        "jnp.where(jnp.arange(a.shape[1]) < i, -a[2] * 2, 0), a[:, i % 7]",
    ),
    "a sum over a vector that the function makes": (
        "t = jnp.zeros(50)\n    for i in range(50):\n        t = t.at[i].set(b[i % 7] + jnp.sum(jnp.abs(t[:i] ** 2)) * 0.1)\n    return t\n",
        "jnp.sum(jnp.abs(t**2), where=jnp.arange(len(t)) < i) * 0.1",
    ),
    "a method, and both ends": (
        "t = jnp.linspace(0.0, 1.0, 60)\n    s = jnp.zeros(())\n    for i in range(20):\n        s = jnp.tanh(s) + t[i : 2 * i + 1].mean()\n    return s * b\n",
        "t.mean(where=(jnp.arange(len(t)) >= i) & (jnp.arange(len(t)) <= 2 * i))",
    ),
    "a test": (
        "t = jnp.linspace(0.0, 1.0, 60)\n    s = jnp.zeros(7)\n    for i in range(20):\n        s = jnp.tanh(s) + b * jnp.any(t[i:] < 0.5) + jnp.cos(b)\n    return s\n",
        "jnp.any(t < 0.5, where=jnp.arange(len(t)) >= i)",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("body", "piece"), MASKED.values(), ids=MASKED)
def test_a_slice_that_grows_is_a_row_under_a_mask(rewrite, body: str, piece: str) -> None:
    sample = rewrite(f"@jax.jit\ndef f(a, b):\n    {body}")
    assert piece in sample.new, sample.new
    sample.agree("f", [lambda: A, lambda: B])


def test_a_nest_of_loops_with_sums_of_rows_so_far(rewrite) -> None:
    sample = rewrite(
        "@jax.jit\ndef f(a, b):\n    n = a.shape[0]\n    low = jnp.zeros((n, n))\n    for j in range(n):\n"
        "        low = low.at[j, j].set(jnp.sqrt(a[j, j] - jnp.sum(low[j, :j] ** 2)))\n"
        "        for i in range(j + 1, n):\n"
        "            low = low.at[i, j].set((a[i, j] - jnp.sum(low[i, :j] * low[j, :j])) / low[j, j])\n    return low @ b\n"
    )
    assert sample.new.count("fori_loop(") == 2, sample.new
    sample.agree("f", [lambda: A + A.T, lambda: B])


LEFT = {
    "an array of unknown rank": "jnp.sum(a[:i])",
    "a bound that can be negative": "a[1, : i - 3] @ b[: i - 3]",
    "other bounds": "a[1, :i] @ b[1 : i + 1]",
    "more than a sum": "jnp.sort(b[:i]).sum()",
    "a step": "a[1, :i:2] @ b[:i:2]",
}


@pytest.mark.parametrize("read", LEFT.values(), ids=LEFT)
def test_other_slices_that_grow_are_left(rewrite, read: str) -> None:
    body = f"s = jnp.zeros(7)\n    for i in range(1, 40):\n        s = jnp.tanh(s) * b + jnp.cos(s) * {read} + jnp.sin(s)\n    return s\n"
    sample = rewrite(f"@jax.jit\ndef f(a, b):\n    {body}")
    assert sample.new == sample.old and sample.reasons[0] in ("index-needs-int", "negative-start")
