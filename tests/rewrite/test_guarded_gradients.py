"""Guards of what cannot be computed everywhere: the gradient is that of the branch taken, in batches too."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytest

pytestmark = pytest.mark.slow
POINTS = jnp.array([-2.0, -0.5, 0.0, 0.25, 1.0, 3.0])
SCALARS = {
    "a quotient": "if x != 0:\n        return 1.0 / x\n    return 0.0",
    "a quotient, the other way round": "if x == 0:\n        return 0.0\n    return jnp.sin(x) / x",
    "a quotient of the distance": "d = jnp.abs(x)\n    if d > 0.1:\n        return x / d\n    return x * 10.0",
    "a logarithm": "if x > 0:\n        return jnp.log(x)\n    return -10.0",
    "a logarithm, else the number": "return jnp.log(x) if x > 0 else x",
    "a logarithm of more": "return jnp.log1p(x) if x > -1 else -5.0",
    "entropy": "if x > 0:\n        y = -x * jnp.log(x)\n    else:\n        y = 0.0\n    return y",
    "a root": "if x > 0:\n        return jnp.sqrt(x)\n    return 0.0",
    "a root, else a line": "return jnp.sqrt(x) if x > 0 else x * 0.5",
    "a root after a test that is turned": "if not x > 0:\n        return x * 0.0\n    return jnp.sqrt(x) * 2",
    "a root of one below": "if x * x < 1:\n        return jnp.sqrt(1 - x * x)\n    return 0.0",
    "a power": "if x > 0:\n        return x**0.5\n    return 0.0",
    "a power by name": "return jnp.power(x, 1.5) if x > 0 else -x",
    "a power of minus one": "if x != 0:\n        x = x**-1.0\n    return x",
    "a power with a moving exponent": "if x > 0:\n        return x**x\n    return 1.0",
    "an arc": "if x >= 1:\n        return 0.0\n    if x <= -1:\n        return 3.0\n    return jnp.arccos(x)",
    "an arc of a hyperbola": "return jnp.arctanh(x) if jnp.abs(x) < 1 else 0.0",
    "a reciprocal root": "if x > 0:\n        return jax.lax.rsqrt(x)\n    return 0.0",
    "an exponential that would overflow": "if x < 2:\n        return jnp.exp(x * 60)\n    return x",
    "a softplus": "return jnp.log(1 + jnp.exp(x * 90)) if x < 0.9 else x * 90",
    "a guard inside a guard": "if x > 0:\n        if x > 0.5:\n            return jnp.log(x)\n        return jnp.sqrt(x)\n    return 0.0",
    "a guard of a guard's result": "y = jnp.log(x) if x > 0 else 0.0\n    return 1 / y if y != 0 else y",
    "two tests joined": "if x != 0 and 1 / x > 0.5:\n        return jnp.sqrt(x) * 2\n    return x",
    "a chain": "if x == 0:\n        y = 0.0\n    elif x > 0:\n        y = jnp.log(x)\n    else:\n        y = 1 / x\n    return y",
    "huber's loss": "a = jnp.abs(x)\n    if a < 1:\n        return 0.5 * x * x\n    return a - 0.5",
    "an assignment in place": "y = x * 1.0\n    if x > 0:\n        y /= jnp.sqrt(x)\n    return y",
}  # fmt: skip
VECTORS = {
    "a norm": "s = jnp.sum(v * v)\n    if s > 0:\n        return v / jnp.sqrt(s)\n    return v",
    "a norm of the library": "s = jnp.sum(v * v)\n    if s > 0:\n        return v / jnp.linalg.norm(v)\n    return v",
    "clipping by the norm": "s = jnp.sum(v * v)\n    if s > 1:\n        v = v / jnp.sqrt(s)\n    return v",
    "a mean of what there is": "w = jnp.abs(v)\n    if jnp.sum(w) > 0:\n        return jnp.sum(v * w) / jnp.sum(w)\n    return 0.0",
    "an angle": "d = jnp.sum(v * v)\n    if d == 0:\n        return 0.0\n    return jnp.arctan2(v[0], v[1]) + jnp.log(d)",
}  # fmt: skip


@pytest.mark.parametrize("body", SCALARS.values(), ids=SCALARS)
def test_the_gradient_of_a_number_is_that_of_the_branch_taken(rewrite, body: str) -> None:
    old, new = versions(rewrite, f"def f(x):\n    {body}\n")
    check(old, new, POINTS)


@pytest.mark.parametrize("body", VECTORS.values(), ids=VECTORS)
def test_the_gradient_of_a_vector_is_that_of_the_branch_taken(rewrite, body: str) -> None:
    old, new = versions(rewrite, f"def f(v):\n    {body}\n")
    check(old, new, jnp.array([[0.0, 0.0], [0.5, -0.25], [3.0, 4.0], [0.0, 2.0]]))


Numeric = Callable[[jax.Array], jax.Array]


def versions(rewrite, code: str) -> tuple[Numeric, Numeric]:
    """The function as it was written, and as it is written for `jit`; their results as one number."""
    sample = rewrite(f"@jax.jit\n{code}")
    assert sample.new != sample.old, sample.reasons
    return total(code), total(sample.body)


def total(code: str) -> Numeric:
    space: dict[str, object] = {"jax": jax, "jnp": jnp, "lax": jax.lax}
    exec(compile(code, "sample.py", "exec"), space)
    function = space["f"]
    assert callable(function)
    return lambda x: jnp.sum(jnp.asarray(function(x)) + 0.0 * jnp.sum(x))


def check(old: Numeric, new: Numeric, points: jax.Array) -> None:
    wanted = jnp.stack([jax.grad(old)(p) for p in points])
    assert np.isfinite(wanted).all()
    alone = jnp.stack([jax.grad(new)(p) for p in points])
    mapped = jax.vmap(jax.grad(new))(points)
    summed = jax.grad(lambda p: jnp.sum(jax.vmap(new)(p)))(points)
    for found in (alone, mapped, summed):
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
