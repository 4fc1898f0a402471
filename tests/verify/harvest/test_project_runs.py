"""Where no input can be guessed, the project's own callers say what a function is called with."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from tests.verify.conftest import HEADER, Judge

pytestmark = pytest.mark.slow

PICKY = """
def rows_of(layout):
    if layout[:1] != "R" or not layout[1:].isdigit():
        raise ValueError("no such layout")
    return int(layout[1:]) + (2 if int(layout[1:]) < 2 else 1)
def f(x, layout):
    rows = rows_of(layout)
    total = jnp.zeros(x.shape[1:])
    for i in range(rows):
        total = total * 0.5 + x[i]
    return total
"""
ROLLED = """
def rows_of(layout):
    if layout[:1] != "R" or not layout[1:].isdigit():
        raise ValueError("no such layout")
    return int(layout[1:]) + (2 if int(layout[1:]) < 2 else 1)
def f(x, layout):
    rows = rows_of(layout)
    return lax.fori_loop(0, rows, lambda i, total: total * 0.5 + x[i], jnp.zeros(x.shape[1:]))
"""
FIXTURES = """
import jax.numpy as jnp
import pytest
import module

@pytest.fixture(params=[4, 6])
def columns(request):
    return request.param

@pytest.fixture
def x(columns):
    yield jnp.ones((5, columns))

@pytest.mark.parametrize("layout, rows", [("R1", 3), ("R4", 5)])
def test_f(x, layout, rows):
    assert module.f(x, layout).shape == x.shape[1:]
    assert rows
"""
CASES = """
import unittest
import jax
import numpy as np
from module import f

class TestF(unittest.TestCase):
    def setUp(self):
        self.x = np.ones((5, 2))

    def test_shape(self):
        self.assertEqual(jax.jit(f, static_argnames="layout")(self.x, layout="R4").shape, (2,))
"""
SCRIPT = """
import jax.numpy as jnp
from module import f

def main():
    try:
        open("/scanlint-report.txt", "w").close()
    except OSError:
        pass
    print(f(jnp.ones((5, 2)), "R4"))

if __name__ == "__main__":
    main()
"""


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(dedent(text), encoding="utf-8")


@pytest.mark.parametrize(
    "caller",
    [
        pytest.param(FIXTURES, id="a test with parameters and a fixture of fixtures"),
        pytest.param(CASES, id="a test of a class that sets itself up, through jit"),
        pytest.param(SCRIPT, id="a script that tries to write"),
    ],
)
def test_arguments_come_from_other_files(judge: Judge, tmp_path: Path, caller: str) -> None:
    alone = judge(PICKY, ROLLED)
    assert alone.verdict == "unknown", alone
    write(tmp_path, module=HEADER + PICKY, test_module=caller)
    found = judge(PICKY, ROLLED)
    assert (found.verdict, found.inputs) == ("proved", "harvested"), found


def test_a_wrong_rewrite_is_refuted_with_them(judge: Judge, tmp_path: Path) -> None:
    write(tmp_path, module=HEADER + PICKY, test_module=FIXTURES)
    found = judge(PICKY, ROLLED.replace("* 0.5", "* 0.25"))
    assert (found.verdict, found.inputs) == ("refuted", "harvested"), found


def test_arguments_come_through_callers_of_callers(judge: Judge) -> None:
    between = """
    def both(rates):
        return jnp.array([f(rates, "R1")[0], f(rates, "R4")[0]])
    def main():
        print(both(jnp.ones((5, 2))))
    """
    found = judge(PICKY + dedent(between), ROLLED + dedent(between))
    assert (found.verdict, found.inputs) == ("proved", "harvested"), found


def test_arguments_that_a_transformation_holds_are_made_concrete(judge: Judge) -> None:
    source = """
    def f(times, rate, discount):
        total = jnp.zeros(())
        for i in range(times.shape[0]):
            total = total + discount(times[i]) * rate
        return total
    def main():
        price = lambda p: f(jnp.linspace(0.5, 5.0, 6), p[1], lambda t: jnp.exp(-p[0] * t))
        print(jax.jit(jax.hessian(price))(jnp.array([0.03, 0.02])))
    """
    rolled = source.replace("for i in range(times.shape[0]):\n", "def body(i, total):\n").replace(
        "            total = total + discount(times[i]) * rate\n        return total",
        "            return total + discount(times[i]) * rate\n"
        "        return lax.fori_loop(0, times.shape[0], body, total)",
    )
    found = judge(source, rolled)
    assert (found.verdict, found.inputs) == ("proved", "harvested"), found


def test_what_a_factory_makes_is_called_as_others_call_it(judge: Judge, tmp_path: Path) -> None:
    source = """
    from typing import NamedTuple
    class Config(NamedTuple):
        steps: int
        rate: float
        name: str
    def make_step(config):
        if len(config.name) != 11:
            raise ValueError("not a configuration")
        def step(x):
            for i in range(config.steps):
                x = x - config.rate * jnp.sin(x)
            return x
        return jax.jit(step)
    """
    rolled = source.replace("for i in range(config.steps):\n", "def body(i, x):\n").replace(
        "                x = x - config.rate * jnp.sin(x)\n            return x",
        "                return x - config.rate * jnp.sin(x)\n"
        "            return lax.fori_loop(0, config.steps, body, x)",
    )
    caller = """
    import jax.numpy as jnp
    from module import Config, make_step
    def test_step():
        step = make_step(Config(40, 0.1, "eleven long"))
        assert step(jnp.ones(3)).shape == (3,)
    """
    write(tmp_path, module=HEADER + dedent(source), test_module=caller)
    found = judge(source, rolled, "make_step", traced=False)
    assert (found.verdict, found.inputs) == ("proved", "harvested"), found
    wrong = judge(source, rolled.replace("config.steps, body", "config.steps - 1, body"), "make_step", traced=False)
    assert wrong.verdict == "refuted", wrong


def test_a_method_is_called_through_what_it_inherits(judge: Judge, tmp_path: Path) -> None:
    source = """
    from base import Base
    class Walk(Base):
        def __init__(self, kind, dtype):
            if kind not in ("short", "long"):
                raise ValueError("unknown kind")
            self.steps = 10 if kind == "short" else 30
            self.dtype = dtype
        def step(self, state, dtype):
            for i in range(self.steps):
                state = state * 0.5 + i
            return state.astype(dtype)
    """
    rolled = source.replace("for i in range(self.steps):\n", "def body(i, state):\n").replace(
        "                state = state * 0.5 + i\n            return state.astype",
        "                return state * 0.5 + i\n            state = lax.fori_loop(0, self.steps, body, state)\n"
        "            return state.astype",
    )
    base = """
    class Base:
        def run(self, state):
            return self.step(state, self.dtype)
    """
    caller = """
    import jax.numpy as jnp
    from module import Walk
    def test_run():
        assert Walk("long", jnp.dtype("float32")).run(jnp.ones(3)).shape == (3,)
    """
    write(tmp_path, module=HEADER + dedent(source), base=base, test_module=caller)
    found = judge(source, rolled, "Walk.step")
    assert (found.verdict, found.inputs) == ("proved", "harvested"), found


def test_a_new_version_without_end_is_unknown(judge: Judge) -> None:
    source = "def f(x):\n    n = int(x * 2)\n    for i in range(n):\n        x = x + i\n    return x\n"
    found = judge(source, source.replace("    for", "    while n > 1000:\n        pass\n    for"))
    assert (found.verdict, found.reason) == ("unknown", "the code under test takes too long"), found
