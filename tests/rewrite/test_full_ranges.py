"""Inner loops that go as far as the outer one has come: over the full range with a test, which has a way back."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

A = jnp.cos(jnp.arange(64.0)).reshape(8, 8) + 8 * jnp.eye(8)
HEADERS = {
    "up to the outer one": ("range(30)", "range(i)", "fori_loop(0, 29", "j < i"),
    "with the outer one": ("range(30)", "range(i + 1)", "fori_loop(0, 30", "j <= i"),
    "from the outer one on": ("range(n)", "range(i, n)", "fori_loop(0, n", "j >= i"),
    "after the outer one": ("range(n)", "range(i + 1, n)", "fori_loop(1, n", "j > i"),
    "down from the outer one": ("range(1, n)", "range(i, -1, -1)", "jnp.arange(n), reverse=True", "j <= i"),
    "between two ends that move": ("range(2, 20)", "range(i - 2, i + 3)", "22", "i - 2"),
    "what is left of a length": ("range(n)", "range(n - i)", "fori_loop(0, n", "j < n - i"),
    "in steps from a fixed start": ("range(20)", "range(1, i, 2)", "range(1, 19, 2)", "j < i"),
    "from the end of the outer one": ("reversed(range(n))", "reversed(range(i))", "n - 1", "j < i"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("outer", "inner", "bound", "test"), HEADERS.values(), ids=HEADERS)
def test_the_full_range_has_a_test(rewrite, outer: str, inner: str, bound: str, test: str) -> None:
    code = (
        f"@jax.jit\ndef f(a):\n    n = a.shape[0]\n    s = a[0, 0]\n    for i in {outer}:\n        for j in {inner}:\n"
        "            s = jnp.sin(s) + a[j % 8, i % 8] * 0.5\n    return s\n"
    )
    sample = rewrite(code, plainest=True)
    assert bound in sample.new and test in sample.new, sample.new
    sample.agree("f", [lambda: A])
    assert gradient(sample.new, A).shape == A.shape


def gradient(text: str, *args: jax.Array) -> jax.Array:
    space: dict[str, object] = {}
    exec(compile(text, "sample.py", "exec"), space)
    function = space["f"]
    assert callable(function)
    return jax.grad(lambda *a: jnp.sum(function(*a)))(*args)


CHOLESKY = """@jax.jit
def f(a):
    n = a.shape[0]
    low = jnp.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s = s - low[i, k] * low[j, k]
            if i == j:
                low = low.at[i, j].set(jnp.sqrt(s))
            else:
                low = low.at[i, j].set(s / low[j, j])
    return low
"""


def test_three_loops_in_each_other_and_the_gradient_is_that_of_the_library(rewrite) -> None:
    sample = rewrite(CHOLESKY, plainest=True)
    assert sample.new.count("fori_loop(") == 3 and "for " not in sample.body, sample.new
    square = A + A.T
    found = gradient(sample.new, square)
    assert jnp.allclose(found, gradient(CHOLESKY_EAGER, square), rtol=1e-4, atol=1e-6)


CHOLESKY_EAGER = "import jax\nimport jax.numpy as jnp\n" + CHOLESKY.removeprefix("@jax.jit\n")
LEFT = {
    "the variable is read afterwards": "        for j in range(i):\n            s = jnp.sin(s) + a[j, i]\n        s = s * j\n",
    "a bound that the body moves": "        m = i\n        for j in range(m):\n            s = jnp.sin(s) + a[j, i]\n            m = 3\n",
    "a step whose start moves": "        for j in range(i, 8, 2):\n            s = jnp.sin(s) + a[j, i]\n",
}  # fmt: skip


@pytest.mark.parametrize("loop", LEFT.values(), ids=LEFT)
def test_other_inner_loops_have_no_full_range(rewrite, loop: str) -> None:
    code = f"@jax.jit\ndef f(a):\n    s = a[0, 0]\n    for i in range(8):\n{loop}    return s\n"
    assert "lax.cond" not in rewrite(code, plainest=True).new
