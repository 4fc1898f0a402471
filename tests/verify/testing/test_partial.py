"""Rewrites of functions that still do not trace, and gradients of outputs that one version gives as Python numbers."""

from __future__ import annotations

from textwrap import dedent

import pytest

pytestmark = pytest.mark.many(5)

OLD = """
@jax.jit
def f(x, y):
    a = x * 2
    if x > 0:
        a = a * 0.7
    if y > 1:
        a = a + 1
    else:
        a = a - 1
    return a
"""
HALF = OLD.replace("    if x > 0:\n        a = a * 0.7\n", "    a = lax.cond(x > 0, lambda: a * 0.7, lambda: a)\n")
SWITCH = """
def f(y, k):
    a = y * 2.0
    if k == 0:
        a = 1.5
    b = y * 3.0
    return a, b
"""


def test_a_right_part_of_a_function_that_does_not_trace_is_unknown(judge) -> None:
    verdict = judge(OLD, HALF)
    assert verdict.verdict == "unknown", verdict
    told = "the versions agree, but other places still keep the function from being traced: `if y > 1`"
    assert verdict.reason == told


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(HALF.replace("a + 1", "a + 2"), id="a value in the other branch"),
        pytest.param(HALF.replace("x > 0", "x < 0"), id="the predicate turned round"),
        pytest.param(HALF.replace("y > 1", "y > 2"), id="the other predicate"),
    ],
)
def test_a_wrong_part_is_refuted(judge, wrong: str) -> None:
    assert judge(OLD, wrong).verdict == "refuted"


CHECKED = """
@jax.jit
def f(x, y):
    assert jnp.all(x > 0), "x is positive"
    if jnp.sum(x) < y:
        a = x * 2.0
    else:
        a = x - 1.0
    print(f"{jnp.sum(a):.3f}")
    assert a.ndim == x.ndim
    return a
"""
CHOSEN = """
@jax.jit
def f(x, y):
    assert jnp.all(x > 0), "x is positive"
    a = jnp.where(jnp.sum(x) < y, x * 2.0, x - 1.0)
    print(f"{jnp.sum(a):.3f}")
    assert a.ndim == x.ndim
    return a
"""


def test_assertions_and_prints_of_tracers_do_not_withhold_the_rest(judge) -> None:
    verdict = judge(CHECKED, CHOSEN)
    assert verdict.verdict == "tested", verdict
    assert any(note.startswith("compared without assertions and prints") for note in verdict.notes)


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(CHOSEN.replace("x - 1.0", "x - 2.0"), id="a value"),
        pytest.param(CHOSEN.replace("jnp.sum(x) < y", "jnp.sum(x) > y"), id="the predicate"),
        pytest.param(CHOSEN.replace("jnp.sum(x) < y", "x < y"), id="a predicate for each element"),
        pytest.param(CHOSEN.replace('    assert jnp.all(x > 0), "x is positive"\n', ""), id="an assertion is gone"),
        pytest.param(CHOSEN.replace("jnp.all(x > 0)", "jnp.any(x > 0)"), id="another assertion"),
    ],
)
def test_a_wrong_part_between_assertions_is_never_accepted(judge, wrong: str) -> None:
    assert judge(CHECKED, wrong).verdict in ("refuted", "unknown")


def test_a_function_that_stops_tracing_is_refuted(judge) -> None:
    old = "@jax.jit\ndef f(x):\n    return jnp.where(x > 0, x, -x)\n"
    new = "@jax.jit\ndef f(x):\n    return x if x > 0 else -x\n"
    verdict = judge(old, new)
    assert verdict.verdict == "refuted"
    assert "TracerBoolConversionError" in (verdict.counterexample or "")


def test_an_output_that_was_a_python_number_does_not_shift_the_gradients_of_others(judge) -> None:
    new = dedent(SWITCH).replace(
        "    if k == 0:\n        a = 1.5\n", "    a = lax.cond(k == 0, lambda: jnp.asarray(1.5, a.dtype), lambda: a)\n"
    )
    verdict = judge(SWITCH, new)
    assert verdict.verdict in ("proved", "tested"), verdict
