"""Where traced code needs the truth or the value of a tracer: what is reported, once, and what is not."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from scanlint.engine.session import check_text
from scanlint.settings import Settings

HEADER = """
import math
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


"""
JITTED = "@jax.jit\ndef f(x, y):\n"


def found(text: str) -> list[str]:
    """The codes that are found in a program."""
    outcome = check_text((HEADER + textwrap.dedent(text)).encode(), Path("program.py"), Settings())
    assert not outcome.problems
    return [f.code for f in outcome.findings]


def in_function(body: str) -> list[str]:
    return found(JITTED + textwrap.indent(body, "    "))


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("return x > 0 and y > 0", id="and of comparisons"),
        pytest.param("return not x > 0", id="not of a comparison"),
        pytest.param("return 0 < x < 1", id="a chained comparison"),
        pytest.param("return max(x, y)", id="max of two"),
        pytest.param("return min(jnp.sin(x))", id="min over an array"),
        pytest.param("return any(v > 0 for v in jnp.sin(x))", id="any over a generator"),
        pytest.param("return sorted([x, y * 2])", id="sorted of a list of tracers"),
        pytest.param("return jnp.sum(x) or 1.0", id="or of a number and its default"),
        pytest.param("return x in (1, 2)", id="in among numbers"),
        pytest.param("return (x > 0 and not y > 0) or 0 < y < 1", id="one expression of several operators, once"),
        pytest.param("ok = False\nok = ok or x > 0 or y > 0\nreturn ok", id="or behind a constant"),
    ],
)
def test_what_needs_the_truth_of_a_tracer_is_one_finding(body: str) -> None:
    assert in_function(body) == ["SCN203"]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("return x.ndim > 1 and x.shape[0] > 2", id="shapes"),
        pytest.param("return True and x > 0", id="a constant before one tracer"),
        pytest.param("return max(x.shape[0], 1) * x", id="max of a shape"),
        pytest.param("return sum(jnp.sin(x)), abs(x), round(x), pow(x, 2), divmod(x, y)", id="builtins that work"),
        pytest.param("return x is not y and x is not None", id="identity"),
        pytest.param(
            "try:\n    return float(x)\nexcept TypeError:\n    return 0.0", id="a cast whose failure is caught"
        ),
        pytest.param(
            "try:\n    host = np.asarray(jnp.sin(x))\nexcept TypeError:\n    return x\n"
            "if host > 0:\n    return int(y)\nreturn bool(x)",
            id="what only a run without tracers comes to",
        ),
        pytest.param("return x.shape if hasattr(jnp.sin(x), 'shape') else int(x)", id="an array has a shape"),
        pytest.param("return np.sqrt(x.shape[0]) * math.pi * x", id="numbers of the host"),
        pytest.param("return np.mean(x) + np.sum(y)", id="NumPy's functions that call a method"),
        pytest.param("print(f'tracing for {x.shape}')\nreturn x", id="a print of a shape"),
        pytest.param("assert x.shape == y.shape\nreturn x", id="an assert of shapes"),
        pytest.param("return (x.shape, 'a' in ('a', 'b'), x.ndim in (1, 2))", id="in among static values"),
    ],
)
def test_what_is_known_when_tracing_is_silent(body: str) -> None:
    assert in_function(body) == []


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param("if x > 0 and y > 0:\n    x = -x\nreturn x", ["SCN201"], id="an operator in the test of an if"),
        pytest.param("while not (x < 1 or y > 3):\n    x = x / 2\nreturn x", ["SCN103"], id="operators of a while"),
        pytest.param("return x if 0 < x < 1 else y", ["SCN201"], id="a chained comparison of a ternary"),
        pytest.param("assert x > 0 and y > 0\nreturn x", ["SCN205"], id="an assert of an operator"),
        pytest.param("assert jnp.all(x > 0)\nreturn x", ["SCN205"], id="an assert of an array"),
        pytest.param("if float(x) > 1:\n    x = -x\nreturn x", ["SCN201", "SCN206"], id="a cast in a test, both"),
        pytest.param("for i in range(int(y)):\n    x = x + i\nreturn x", ["SCN104", "SCN206"], id="a cast in a range"),
        pytest.param(
            "try:\n    n = int(jnp.sin(x))\nexcept TypeError:\n    n = 3\nif y > n:\n    return x\nreturn y",
            ["SCN201"],
            id="a test behind a cast whose failure is caught",
        ),
        pytest.param(
            "try:\n    n = np.asarray(jnp.sin(x))\nexcept ValueError:\n    return x\nreturn int(y)",
            ["SCN206", "SCN206"],
            id="an error that nothing catches",
        ),
        pytest.param("return x if hasattr(jnp.sin(x), 'mode') else int(x)", ["SCN206"], id="an array has no mode"),
    ],
)
def test_a_test_and_what_is_in_it(body: str, expected: list[str]) -> None:
    assert in_function(body) == expected


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("return int(x) * y", id="int"),
        pytest.param("return complex(x) * y", id="complex"),
        pytest.param("return jnp.max(x).item()", id="item"),
        pytest.param("return jnp.sin(x).tolist()", id="tolist"),
        pytest.param("return math.sin(x)", id="math"),
        pytest.param("return np.sin(x)", id="NumPy"),
        pytest.param("return np.array([x, y])", id="an array of NumPy from tracers"),
        pytest.param("z = jnp.sin(x)\nname = f'{z:.3f}'\nreturn z", id="a format"),
        pytest.param("z = jnp.sin(x)\nprint('z', z)\nreturn z", id="a print of a tracer"),
    ],
)
def test_what_needs_the_value_of_a_tracer_is_found(body: str) -> None:
    assert in_function(body) == ["SCN206"]


def test_a_static_argument_and_host_code_are_silent() -> None:
    text = """
    @partial(jax.jit, static_argnames="n")
    def f(x, n):
        return x * max(n, 1) * float(n) * math.sqrt(n) if n > 2 and n < 9 else x


    def report(losses):
        mean = float(jnp.mean(losses))
        print(f"{mean:.3f}", np.asarray(losses), max(losses))
        return mean > 0 and mean < 1
    """
    assert found(text) == []


CHOSEN = {
    "an arm beside one of JAX": "if LIBRARY == 'numpy':\n    z = np.matmul(x, y)\nelse:\n    z = jnp.matmul(x, y)\nreturn z",
    "before what JAX does": "if LIBRARY == 'numpy':\n    return np.sin(x)\nreturn jnp.sin(x)",
}


@pytest.mark.parametrize("body", CHOSEN.values(), ids=CHOSEN)
def test_numpy_that_a_setting_chooses_beside_jax_is_silent(body: str) -> None:
    assert in_function(f"global LIBRARY\n{body}") == []


def test_numpy_that_a_setting_chooses_for_tracers_is_found() -> None:
    assert in_function("global LIBRARY\nif LIBRARY == 'sine':\n    return np.sin(x)\nreturn x") == ["SCN206"]


def test_values_under_grad_alone_are_concrete() -> None:
    text = "def f(x):\n    return x * max(x, 0.0) if x > 0 and x < 9 else x\n\n\ng = jax.grad(f)\n"
    assert found(text) == []
