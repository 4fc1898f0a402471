"""Webs: the definitions and reads of one variable; and functions too long for recursion."""

from __future__ import annotations

import ast
import time

import pytest
from marked import flow_of, function_of, resolve

from scanlint.dataflow.defuse import DefUse
from scanlint.dataflow.locations import Variable


def body(code: str) -> str:
    return "def f(a, b, xs, g):\n" + "\n".join(f"    {line}" for line in code.split("\n"))


def webs(code: str, name: str) -> list[tuple[list[int], list[int]]]:
    flow = flow_of(body(code))
    return [
        (sorted(d.node.lineno - 1 for d in web.definitions), sorted(n.lineno - 1 for n in web.reads))  # type: ignore[attr-defined]
        for web in flow.webs(flow.named(name))
    ]


@pytest.mark.parametrize(
    ("code", "name", "groups"),
    [
        pytest.param("y = a\nreturn y", "y", [([1], [2])], id="one definition is one variable"),
        pytest.param("F = []\nF.append(a)\nu = F\nF = []\nF.append(b)\nreturn u, F", "F", [([1], [2, 3]), ([4], [5, 6])], id="two lists of one name are two variables"),
        pytest.param("u = a\na = b\nreturn u, a", "a", [([0], [1]), ([2], [3])], id="a parameter that is used again is another variable"),
        pytest.param("if a:\n    y = 1\nelse:\n    y = 2\nreturn y", "y", [([2, 4], [5])], id="definitions that meet at a read are one variable"),
        pytest.param("y = 1\nu = y\nif a:\n    y = 2\nelse:\n    y = 3\nreturn u, y", "y", [([1], [2]), ([4, 6], [7])], id="what is bound anew in both arms is another variable"),
        pytest.param("y = 0\nfor x in xs:\n    y = y + x\nreturn y", "y", [([1, 3], [3, 4])], id="what goes from trip to trip is one variable"),
        pytest.param("y = a\nu = y\nfor x in xs:\n    y = x\n    u = u + y\nreturn u", "y", [([1], [2]), ([4], [5])], id="what each trip makes anew is another variable"),
        pytest.param("i = 0\nfor i in xs:\n    a = i\nfor i in xs:\n    b = i\nreturn a, b", "i", [([1], []), ([2], [3]), ([4], [5])], id="two loops with one index are two variables"),
        pytest.param("y = 1\ny += a\nreturn y", "y", [([1, 2], [2, 3])], id="an augmented assignment goes on with its variable"),
        pytest.param("y = 1\nh = lambda: y\ny = 2\nreturn h()", "y", [([1], []), ([3], [2])], id="an inner function reads the variable of its calls"),
        pytest.param("try:\n    y = g()\n    y = g(y)\nexcept ValueError:\n    return y", "y", [([2, 3], [3, 5])], id="a handler joins what it may see"),
    ],
)  # fmt: skip
def test_webs(code: str, name: str, groups: list[tuple[list[int], list[int]]]) -> None:
    assert webs(code, name) == groups


def test_a_variable_knows_its_scope() -> None:
    flow = flow_of("def f(x):\n    return [x for x in x]")
    assert flow.named("x") == Variable(flow.function, "x")


LONG = {
    "3,000 assignments": "".join(f"    x{i} = g(x{max(i - 1, 0)}) + a * {i}\n" for i in range(3000)),
    "1,500 branches": "".join(f"    if g(a): a = a + {i}\n" for i in range(1500)),
    "an elif chain of 1,000": "    if a == 0: y = 1\n" + "".join(f"    elif a == {i}: y = {i}\n" for i in range(1000)),
    "95 loops in one another": "".join(f"{' ' * (i + 4)}for i{i} in a:\n" for i in range(95)) + " " * 99 + "y = a\n",
    "a sum of 2,500 terms": "    return " + " + ".join(["a"] * 2500) + "\n",
    "a chain of 2,500 attributes": "    return a" + ".b" * 2500 + "\n",
    "a try of 2,000 statements": "    try:\n"
    + "".join(f"        x{i} = g(a)\n" for i in range(2000))
    + "    except E: return x3\n",
}


@pytest.mark.parametrize("code", [pytest.param(code, id=name) for name, code in LONG.items()])
def test_long_functions_are_done_in_bounded_time(code: str) -> None:
    function = function_of("def f(a, g):\n" + code)
    began = time.process_time()
    flow = DefUse(function, resolve)
    for node in [n for n in ast.walk(function) if isinstance(n, ast.Name)][:500]:
        flow.definitions(node)
        flow.web(node)
    assert time.process_time() - began < 10
