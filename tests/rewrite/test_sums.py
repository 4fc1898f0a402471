"""Sums over independent examples in traced code: the examples are computed together, and added at once."""

from __future__ import annotations

from textwrap import dedent

import jax.numpy as jnp
import pytest

XS = jnp.cos(jnp.arange(80.0)).reshape(20, 4)
YS = jnp.sin(jnp.arange(20.0))
W = jnp.linspace(-1.0, 1.0, 4)
HEAD = "import jax\nimport jax.numpy as jnp\n\n\ndef loss(w, x, y):\n    return (jnp.tanh(x @ w) - y) ** 2\n\n\n"
BATCHES = {
    "a loss over the rows of two arrays": (
        "total = 0.0\nfor i in range(xs.shape[0]):\n    total = total + loss(w, xs[i], ys[i])\nreturn total / len(xs)",
        "total = jnp.sum(jax.vmap(loss, in_axes=(None, 0, 0))(w, xs, ys), axis=0)",
    ),
    "the same on the other side, over pairs": (
        "total = 0.0\nfor x, y in zip(xs, ys):\n    total = loss(w, x, y) + total\nreturn total",
        "(w, xs[: len(ys)], ys[: len(xs)])",
    ),
    "pairs that a docstring says are as many": (
        '"""\nA loss.\n\nxs: rows, of shape (n, 4)\nys : array, (n,)\n"""\ntotal = 0.0\nfor x, y in zip(xs, ys):\n    total += loss(w, x, y)\nreturn total',
        "(w, xs, ys)",
    ),
    "what begins as an array keeps its dtype": (
        "total = jnp.zeros(4)\nfor x in xs:\n    total += jnp.sin(x) * w\nreturn total",
        "total = total + jnp.sum(jax.vmap(lambda x: jnp.sin(x) * w)(xs), axis=0, dtype=total.dtype)",
    ),
    "rows as they are": (
        "total = jnp.zeros(4)\nfor i in range(len(xs)):\n    total = total + xs[i]\nreturn total",
        "total = total + jnp.sum(xs, axis=0, dtype=total.dtype)",
    ),
    "rows beside those before them": (
        "n = len(ys)\ntotal = 0.0\nfor i in range(1, n):\n    total += (ys[i] - ys[i - 1]) ** 2\nreturn total",
        "total = jnp.sum((ys[1:] - ys[:-1]) ** 2, axis=0)",
    ),
    "rows but for some": (
        "total = jnp.zeros(4)\nfor i in range(1, len(xs) - 2):\n    total += xs[i + 1]\nreturn total",
        "total = total + jnp.sum(xs[2:-1], axis=0, dtype=total.dtype)",
    ),
    "what is taken away": (
        "left = 10.0\nfor x in xs:\n    left = left - jnp.sum(x * w) ** 2\nreturn left",
        "left = left - jnp.sum(jax.vmap(lambda x: jnp.sum(x * w) ** 2)(xs), axis=0)",
    ),
    "the largest of all": (
        "best = -jnp.inf\nfor x in xs:\n    best = jnp.maximum(best, jnp.sum(x * w))\nreturn best",
        "best = jnp.max(jax.vmap(lambda x: jnp.sum(x * w))(xs), axis=0, initial=-jnp.inf)",
    ),
    "the largest of all and of a fraction, which whole numbers would cut off": (
        "best = -1.5\nfor i in range(20):\n    best = jnp.maximum(best, jnp.sum(xs[i] * w))\nreturn best",
        "best, jnp.max(jax.vmap(lambda x: jnp.sum(x * w))(xs[:20]), axis=0)",
    ),
    "the least, beside what was there": (
        "low = w\nfor i in range(20):\n    low = jnp.minimum(jnp.sin(xs[i]), low)\nreturn low",
        "low = jnp.minimum(low, jnp.min(jnp.sin(xs[:20]), axis=0))",
    ),
    "whether any is, and whether all are": (
        "some, every = False, True\nfor x in xs:\n    r = jnp.sum(x * w)\n    some = some | (r > 1)\n"
        "    every = jnp.logical_and(every, r < 2)\nreturn some, every",
        "every = jnp.logical_and(every, jnp.all(every_terms, axis=0))",
    ),
    "two sums of one body": (
        "a = 0.0\nb = 0.0\nfor i in range(xs.shape[0]):\n    h = jnp.tanh(xs[i] @ w)\n    a += (h - ys[i]) ** 2\n"
        "    b += jnp.abs(h)\nreturn a, b",
        "a_terms, b_terms = jax.vmap(per_example)(xs, ys)",
    ),
}  # fmt: skip


def jitted(body: str) -> str:
    return f"{HEAD}@jax.jit\ndef f(w, xs, ys):\n" + "".join(f"    {line}\n" for line in dedent(body).split("\n"))


@pytest.mark.parametrize(("body", "line"), BATCHES.values(), ids=BATCHES)
def test_a_reduction_over_examples_is_a_batch(rewrite, body: str, line: str) -> None:
    sample = rewrite(jitted(body), head="")
    assert line in sample.new and "for " not in sample.new.partition("def f")[2], sample.new
    sample.agree("f", [lambda: W, lambda: XS, lambda: YS])


LEFT = {
    "a trip that needs what was added so far": "s = 0.0\nfor x in xs:\n    s = s + jnp.sum(x * w) * s\nreturn s",
    "state beside the sum": "s = 0.0\nh = w\nfor x in xs:\n    h = jnp.tanh(h + x)\n    s = s + jnp.sum(h)\nreturn s",
    "a key that is split in the loop": "s = 0.0\nk = jax.random.key(0)\nfor x in xs:\n    k, u = jax.random.split(k)\n    s += jnp.sum(x * jax.random.normal(u, 4))\nreturn s",
    "an effect": "s = 0.0\nfor x in xs:\n    jax.debug.print('{}', s)\n    s = s + jnp.sum(x * w)\nreturn s",
    "an outer product of each example": "s = jnp.zeros((4, 4))\nfor x in xs:\n    s = s + jnp.outer(x, x)\nreturn s",
    "a gradient for each example": "g = jnp.zeros(4)\nfor i in range(len(xs)):\n    g = g + jax.grad(loss)(w, xs[i], ys[i])\nreturn g",
    "an example beside all of them": "s = 0.0\nfor i in range(len(xs)):\n    s = s + jnp.sum(jnp.abs(xs - xs[i]) ** 2)\nreturn s",
    "numbers instead of examples": "s = jnp.zeros(4)\nfor i in range(90):\n    s = s + jnp.sin(w * i)\nreturn s",
    "the largest of rows that may be none": "best = ys[0]\nfor i in range(1, len(ys)):\n    best = jnp.maximum(best, ys[i])\nreturn best",
    "bits of numbers": "s = jnp.int32(0)\nfor x in xs:\n    s = s | jnp.sum(x).astype(jnp.int32)\nreturn s",
}  # fmt: skip


@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT)
def test_other_loops_stay_loops(rewrite, body: str) -> None:
    sample = rewrite(jitted(body), head="")
    assert "vmap" not in sample.new and "lax." in sample.new, sample.new


def test_the_configuration_keeps_sums_as_loops(rewrite) -> None:
    sample = rewrite(jitted(next(iter(BATCHES.values()))[0]), head="", sums_as_batches=False)
    assert "vmap" not in sample.new and "lax.fori_loop" in sample.new, sample.new
