"""Names through a function: liveness, definite assignment, what closures read."""

from __future__ import annotations

import ast
import textwrap

import pytest

from scanlint.dataflow.control.builder import FlowBuilder
from scanlint.dataflow.liveness import Flow
from scanlint.syntax.bindings import binds, free, reads


def flow_of(code: str) -> tuple[Flow, ast.FunctionDef]:
    function = ast.parse(textwrap.dedent(code)).body[0]
    assert isinstance(function, ast.FunctionDef)
    return Flow(function, FlowBuilder(function, lambda node: None).graph), function


def statement(code: str) -> ast.stmt:
    return ast.parse(textwrap.dedent(code)).body[0]


@pytest.mark.parametrize(
    ("code", "names"),
    [
        pytest.param("x = a + b", {"a", "b"}, id="an assignment reads its right side"),
        pytest.param("x += a", {"x", "a"}, id="an augmented assignment reads its target"),
        pytest.param("x[i] = a", {"x", "i", "a"}, id="a store into an item reads the container"),
        pytest.param("y = [x * a for x in xs]", {"a", "xs"}, id="a comprehension's own variable is not free"),
        pytest.param("y = lambda x: x * a", {"a"}, id="a lambda's parameter is not free"),
        pytest.param("y = lambda x=a: x", {"a"}, id="a default is read when the lambda is made"),
        pytest.param("del x", {"x"}, id="a deletion needs its name"),
    ],
)
def test_reads(code: str, names: set[str]) -> None:
    assert reads(statement(code)) == names


@pytest.mark.parametrize(
    ("code", "names"),
    [
        pytest.param("(a, *b), c = x", {"a", "b", "c"}, id="nested and starred targets"),
        pytest.param("y = [(t := x) for x in xs]", {"y", "t"}, id="a walrus leaks out of a comprehension"),
        pytest.param("for i in x: j = i", {"i", "j"}, id="a loop binds its target and what its body binds"),
        pytest.param("with f() as g: h = 1", {"g", "h"}, id="a with statement binds its name"),
        pytest.param("import a.b as c, d.e", {"c", "d"}, id="imports bind their alias or first part"),
        pytest.param("x.y = 1", set(), id="an attribute store binds no name"),
    ],
)
def test_binds(code: str, names: set[str]) -> None:
    assert binds(statement(code)) == names


def test_a_nested_function_is_free_in_what_it_does_not_bind() -> None:
    code = "def f(x, y=d):\n    z = x\n    return z + w"
    assert free(statement(code)) == {"w", "d"}


def test_a_name_read_on_the_next_trip_is_live_at_the_loop_body() -> None:
    flow, function = flow_of(
        """
        def f(xs):
            h = 0
            for x in xs:
                t = x + h
                h = t * 2
            return h
        """
    )
    loop = function.body[1]
    assert flow.live_at_body(loop) == {"h", "x", "xs"} - {"xs"}
    assert flow.live_after(loop) == {"h"}


def test_a_name_written_on_some_paths_is_live_at_the_body_when_read_after() -> None:
    flow, function = flow_of(
        """
        def f(xs, best):
            for x in xs:
                if x > 0:
                    best = x
            return best
        """
    )
    assert "best" in flow.live_at_body(function.body[0])


def test_break_carries_what_is_live_after_the_loop() -> None:
    flow, function = flow_of(
        """
        def f(xs):
            found = None
            for x in xs:
                found = x
                if x > 0:
                    break
                found = None
            return found
        """
    )
    loop = function.body[1]
    assert isinstance(loop, ast.For)
    assert flow.live_after(loop.body[0]) >= {"found", "x"}


def test_calling_a_local_function_reads_what_it_closes_over() -> None:
    flow, function = flow_of(
        """
        def f(x):
            scale = 2
            def g(y):
                return y * scale
            scale = 3
            return g(x)
        """
    )
    assert "scale" in flow.live_after(function.body[2])
    assert flow.closures == {"g": frozenset({"scale"})}


@pytest.mark.parametrize(
    ("body", "bound"),
    [
        pytest.param("if c:\n    y = 1", False, id="one arm only"),
        pytest.param("if c:\n    y = 1\nelse:\n    y = 2", True, id="both arms"),
        pytest.param("if c:\n    y = 1\nelse:\n    raise ValueError", True, id="the other arm does not come back"),
        pytest.param("for _ in c:\n    y = 1", False, id="a loop may make no trip"),
        pytest.param("with c:\n    y = 1", True, id="a with block runs"),
        pytest.param("try:\n    y = 1\nexcept ValueError:\n    pass", False, id="the handler does not bind it"),
        pytest.param("try:\n    pass\nfinally:\n    y = 1", True, id="a finally block always runs"),
    ],
)
def test_bound_before(body: str, bound: bool) -> None:
    code = "def f(c):\n" + textwrap.indent(body + "\nreturn y\n", "    ")
    flow, function = flow_of(code)
    assert ("y" in flow.bound_before(function.body[-1])) is bound


def test_a_name_bound_by_a_walrus_is_not_read_before() -> None:
    flow, function = flow_of(
        """
        def f(xs, s):
            for x in xs:
                s += (d := x + 1) * d
            return s
        """
    )
    assert flow.live_at_body(function.body[0]) == {"s", "x"}


def test_a_walrus_behind_an_and_binds_on_some_paths_only() -> None:
    flow, function = flow_of(
        """
        def f(x, y):
            if x and (d := y):
                pass
            return d
        """
    )
    assert "d" not in flow.bound_before(function.body[1])


def test_statements_that_are_never_run_have_their_names_too() -> None:
    flow, function = flow_of(
        """
        def f(xs, x):
            return xs
            if x is not None:
                with open(xs) as h:
                    for x in xs:
                        y = h
            while x:
                break
                for z in xs:
                    y = z
        """
    )
    statements = [n for n in ast.walk(function) if isinstance(n, ast.stmt) and n is not function]
    assert all({"xs", "x"} <= flow.bound_before(s) and flow.live_after(s) is not None for s in statements)
