"""Functions that are handed in, of which nothing is known but that they are run with tracers."""

from __future__ import annotations

import jax.numpy as jnp
import pytest

from tests.rewrite.conftest import Sample

STATIC = "from functools import partial\n\n\n@partial(jax.jit, static_argnums={})\n"
BISECTION = """    for _ in range(40):
        mid = 0.5 * (low + high)
        if g(low) * g(mid) <= 0:
            high = mid
        else:
            low = mid
        if high - low < 1e-3:
            break
    return low
"""
SIMPSON = """    h = (high - low) / 50
    total = g(low) + g(high)
    for i in range(1, 50):
        if i % 2 == 0:
            total += 2 * g(low + i * h)
        else:
            total += 4 * g(low + i * h)
    return total * h / 3
"""
ROOTS = [(lambda: jnp.cos, 0.0, 2.0), (lambda: jnp.sin, 3.0, 4.0), (lambda: jnp.tanh, -1.0, 3.0)]


@pytest.mark.parametrize(("body", "gone"), [(BISECTION, "if "), (SIMPSON, "for ")], ids=["bisection", "Simpson"])
def test_what_a_static_function_gives_is_traced(rewrite, body: str, gone: str) -> None:
    sample: Sample = rewrite(f"{STATIC.format(0)}def f(g, low, high):\n{body}")
    assert gone not in sample.body, sample.new
    sample.agree("f", *ROOTS)


def test_so_is_what_a_parameter_of_the_function_around_gives(rewrite) -> None:
    inner = BISECTION.replace("\n    ", "\n        ")
    code = f"def f(g, low, high):\n    @jax.jit\n    def solve(low, high):\n    {inner}    return solve(low, high)\n"
    sample: Sample = rewrite(code.replace("return low\n    return", "return low\n\n    return"))
    assert "for " not in sample.body and "lax.while_loop(" in sample.body, sample.new
    sample.agree("f", *ROOTS)


@pytest.mark.parametrize(
    "test", ["g(x) is None", "g is None", "g(x)", "g(x).ndim > 2", "len(g(x)) > 2", "g(n) > 2", "g(x) == 'sum'"]
)
def test_what_may_be_no_number_is_not_said_to_be_traced(rewrite, test: str) -> None:
    code = f"{STATIC.format((0, 2))}def f(g, x, n):\n    if {test}:\n        return x\n    return -x\n"
    sample: Sample = rewrite(code)
    assert sample.codes == []


@pytest.mark.parametrize("name", ["energy", "rank_loss", "num_rows"])
def test_what_a_handed_in_function_is_called_decides_nothing(rewrite, name: str) -> None:
    code = f"{STATIC.format(0)}def f({name}, x):\n    if {name}(x) > 2:\n        return x\n    return -x\n"
    assert rewrite(code).codes == ["traced-if"]


def test_a_function_that_is_found_by_its_import_may_give_anything(rewrite) -> None:
    code = "from somewhere import g\n\n\n@jax.jit\ndef f(x):\n    if g(x) > 2:\n        return x\n    return -x\n"
    assert rewrite(code).codes == []
