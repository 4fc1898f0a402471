"""Loops and calls are interpreted until nothing changes, and what would change for ever is unknown."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from scanlint.engine.session import check_text
from scanlint.settings import Settings
from scanlint.trace.domain import environment
from scanlint.trace.domain.environment import Widening
from scanlint.trace.domain.values import DEPTH, STATIC, UNKNOWN, Kind, Value, constant, contents, gathered, shallow
from scanlint.trace.program import call_graph

HEADER = "import jax\nimport jax.numpy as jnp\nfrom functools import partial\n\n"
TRACED = Value(Kind.TRACED, array=True)


def found(text: str) -> list[str]:
    """What is found in a program: the rule and the line of each finding, the first line behind the header being 1."""
    outcome = check_text((HEADER + textwrap.dedent(text).lstrip()).encode(), Path("program.py"), Settings())
    assert not outcome.problems
    return [f"{f.code}:{f.start.line - HEADER.count(chr(10))}" for f in outcome.findings]


def register(length: int) -> str:
    """A value that a loop hands from name to name, with a test of the last."""
    names = [f"n{i}" for i in range(length)]
    return (
        f"@jax.jit\ndef f(x):\n    {' = '.join(names)} = 0.0\n    for _ in range(9):\n"
        f"        {', '.join(names)} = {', '.join(['x * 1.0', *names[:-1]])}\n"
        f"    if {names[-1]} > 0:\n        x = x + 1\n    return x\n"
    )


def nest(depth: int) -> str:
    """Loops in each other, with a test of what the innermost makes behind them."""
    lines = [f"{'    ' * (i + 1)}for i{i} in range(2):\n" for i in range(depth)]
    inside = "    " * (depth + 1)
    return f"@jax.jit\ndef f(x):\n    y = 0.0\n{''.join(lines)}{inside}y = x\n    if y > 0:\n        x = x + 1\n    return x\n"


@pytest.mark.parametrize("length", [2, 3, 4, 5, 8, 40])
def test_a_value_is_followed_through_a_register_of_any_length(length: int) -> None:
    assert found(register(length)) == ["SCN201:6"]


@pytest.mark.parametrize("depth", [1, 5, 15])
def test_the_work_on_nested_loops_is_not_exponential(depth: int) -> None:
    assert f"SCN201:{depth + 5}" in found(nest(depth))


def calls(depth: int) -> str:
    """Functions that call each other, with a test of what comes back through all of them."""
    steps = "".join(f"def f{i}(x):\n    return f{i + 1}(x) * 2.0\n" for i in range(depth))
    last = f"def f{depth}(x):\n    return jnp.ones(()) + x.sum()\n"
    return f"{steps}{last}@jax.jit\ndef f(x):\n    if f0(x) > 0:\n        return x\n    return -x\n"


@pytest.mark.parametrize("depth", [1, 13, 14, 15, 40])
def test_calls_are_followed_at_any_depth(depth: int) -> None:
    assert found(calls(depth)) == [f"SCN201:{2 * depth + 5}"]


def test_a_function_may_be_called_in_any_number_of_ways() -> None:
    parameters = [f"p{i}" for i in range(20)]
    ways = "".join(f"    step({', '.join('x' if i == j else '1.0' for i in range(20))})\n" for j in range(20))
    text = (
        f"@jax.jit\ndef f(x):\n    def step({', '.join(parameters)}):\n        y = jnp.sin(p0)\n        if y > 0:\n"
        f"            return y\n        return p19\n\n{ways}    return x\n"
    )
    assert found(text) == ["SCN201:5"]


PROGRAMS = [
    pytest.param(
        """
        @jax.jit
        def f(x):
            window = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
            for _ in range(9):
                window = (x * 1.0, window[0], window[1], window[2], window[3], window[4])
            if window[5] > 0:
                x = x + 1
            return x
        """,
        ["SCN201:6"],
        id="a register that is one tuple",
    ),
    pytest.param(
        """
        @jax.jit
        def f(x):
            a = b = c = d = e = 0.0
            i = 0
            while i < 9:
                a, b, c, d, e, i = x * 1.0, a, b, c, d, i + 1
            if e > 0:
                x = x + 1
            return x
        """,
        ["SCN201:7"],
        id="a register in a while",
    ),
    pytest.param(
        """
        @jax.jit
        def f(x):
            box = []
            for _ in range(9):
                box = [box]
            if x > 0:
                x = x + 1
            return x
        """,
        ["SCN201:6"],
        id="a list that is put into itself",
    ),
    pytest.param(
        """
        @jax.jit
        def f(x):
            g = jnp.sin
            for _ in range(9):
                g = partial(lambda h, v: h(v), g)
            if x > 0:
                x = g(x)
            return x
        """,
        ["SCN201:6"],
        id="a function around a function around a function",
    ),
    pytest.param(
        """
        @jax.jit
        def f(x):
            a = b = c = d = 0.0
            for _ in range(9):
                for _ in range(9):
                    d = c
                    c = b
                b = a
                a = x
            if d > 0:
                x = x + 1
            return x
        """,
        ["SCN201:10"],
        id="names that two loops hand on",
    ),
    pytest.param(
        """
        @jax.jit
        def f(x):
            def go(v, a, b, c, d, n):
                if n == 0:
                    return d
                return go(v, v, a, b, c, n - 1)

            y = go(x * 1.0, x, x, x, x, 9)
            if y > 0:
                x = x + 1
            return x
        """,
        ["SCN201:9"],
        id="a recursion that hands its arguments on",
    ),
    pytest.param(
        """
        @jax.jit
        def f(x):
            def go(v, n):
                if n == 0:
                    return jnp.sin(v)
                y = go(v, n - 1)
                if y > 0:
                    return y + 1
                return y

            return go(x, 4)
        """,
        ["SCN201:7"],
        id="a recursion that tests what it gives itself",
    ),
    pytest.param(
        """
        @jax.jit
        def f(x):
            def go(v):
                y = go(v)
                if y > 0:
                    return y
                return go(y)

            if x > 0:
                x = x + 1
            return go(x)
        """,
        ["SCN201:9"],
        id="a recursion that never ends",
    ),
]


@pytest.mark.parametrize(("text", "expected"), PROGRAMS)
def test_a_program_is_interpreted_until_nothing_changes(text: str, expected: list[str]) -> None:
    assert [f for f in found(text) if f.startswith("SCN201")] == expected


@pytest.mark.parametrize("text", [register(5), nest(3), *(p.values[0] for p in PROGRAMS)])
@pytest.mark.parametrize("most", [0, 1, 2])
def test_a_limit_finds_less_and_never_more(text: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    everything = set(found(text))
    monkeypatch.setattr(environment, "MOST_STEPS", most)
    assert set(found(text)) <= everything
    monkeypatch.undo()
    monkeypatch.setattr(call_graph, "MOST_RUNS", most)
    assert set(found(text)) <= everything
    monkeypatch.undo()
    monkeypatch.setattr(call_graph, "MOST_DEEPER", most)
    assert set(found(text)) <= everything


def pairs(depth: int) -> Value:
    """Pairs of pairs of one value: twice as many parts with each level, though each level is one object."""
    value = TRACED
    for _ in range(depth):
        value = gathered("tuple", (value, value))
    return value


def test_what_is_nested_as_deep_as_values_are_joined_is_kept() -> None:
    assert shallow(TRACED) is TRACED
    kept = pairs(DEPTH + 1)
    assert shallow(kept) is kept


def test_what_is_nested_deeper_is_unknown_there_however_deep_it_is() -> None:
    value = shallow(pairs(60))
    for _ in range(DEPTH + 1):
        assert len(contents(value)) == 2
        value = contents(value)[1]
    assert value is UNKNOWN


def test_a_name_that_takes_too_many_steps_is_given_up_for_good() -> None:
    widened = Widening()
    head = {"x": constant(0)}
    for step in range(environment.MOST_STEPS):
        head = widened(head, {"x": gathered("tuple", (STATIC,) * (step + 1))})
        assert head["x"] != UNKNOWN
    assert widened(head, {"x": TRACED}) == {"x": UNKNOWN}
    assert widened({"x": UNKNOWN}, {"x": TRACED}) == {"x": UNKNOWN}


def test_a_name_that_does_not_change_is_kept() -> None:
    widened = Widening()
    for _ in range(2 * environment.MOST_STEPS):
        assert widened({"x": TRACED}, {"x": TRACED}) == {"x": TRACED}


RECURSIVE = [
    pytest.param("return jax.grad(f)(t, i - 1)", id="under grad"),
    pytest.param("return jax.value_and_grad(f)(t, i - 1)[0]", id="under value_and_grad"),
    pytest.param("return jax.vmap(f, (0, None))(t, i - 1)", id="under vmap"),
    pytest.param("return jax.jit(f, static_argnums=1)(t, i - 1)", id="under jit with a static number"),
    pytest.param("return jax.checkpoint(f, static_argnums=1)(t, i - 1)", id="under checkpoint"),
    pytest.param("return jax.grad(partial(f, i=i - 1))(t)", id="with the number given beforehand"),
    pytest.param("return jax.grad(lambda s: f(s, i - 1))(t)", id="in a lambda under grad"),
    pytest.param(
        "def g(s):\n                    return f(s, i - 1)\n                return jax.grad(g)(t)",
        id="in a function of its own",
    ),
    pytest.param("return jax.grad(jax.grad(f))(t, i - 1)", id="under grad twice"),
    pytest.param("return jax.jvp(lambda s: f(s, i - 1), (t,), (t,))[0]", id="under jvp"),
    pytest.param("return f(t, i - 1) + jax.grad(f)(t, i - 2)", id="called plainly and under grad"),
    pytest.param("return jax.lax.cond(i > 5, lambda s: f(s, i - 1), lambda s: jax.grad(f)(s, i), t)", id="in an arm"),
    pytest.param("return jax.grad(f)(t, (i,))", id="with a number in ever more tuples"),
    pytest.param("return jax.grad(f)(t, [i, i])", id="with a number in ever larger trees"),
    pytest.param("return jax.grad(f)(t, lambda: i)", id="with a number in ever more functions"),
    pytest.param("return jax.grad(f)(t, partial(f, i=i))", id="with itself in ever more partials"),
    pytest.param("return jax.grad(f)(t, jax.grad(i))", id="with ever more transforms"),
]
STARTS = [
    pytest.param("self.n", id="a number of which nothing is known"),
    pytest.param("7", id="a known number"),
    pytest.param("x.ndim", id="a number of axes"),
]


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("step", RECURSIVE)
def test_a_function_that_transforms_itself_is_followed_to_an_end(step: str, start: str) -> None:
    text = f"""
    @jax.jit
    def after(x):
        return x if x > 0 else -x
    class Kernel:
        @jax.jit
        def weight(self, x):
            def f(t, i):
                if i == 0:
                    return jnp.sin(t)
                {step}
            return f(x, {start})
    """
    assert "SCN201:3" in found(text)
