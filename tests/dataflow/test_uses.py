"""Webs, loops, aliases, escapes and effects."""

from __future__ import annotations

import ast
import time

import pytest
from marked import flow_of, function_of, resolve

from scanlint.dataflow.defuse import DefUse
from scanlint.dataflow.heap.accesses import Role
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


def test_names_of_one_variable_are_the_same() -> None:
    flow = flow_of(body("F = [a]\nu = F\nF = [b]\nreturn u, F"))
    first, read, second, last = [n for n in ast.walk(flow.function) if isinstance(n, ast.Name) and n.id == "F"]
    pairs = {
        (a.lineno, b.lineno)
        for a in (first, read, second, last)
        for b in (first, read, second, last)
        if flow.same(a, b)
    }
    assert pairs == {(2, 2), (2, 3), (3, 2), (3, 3), (4, 4), (4, 5), (5, 4), (5, 5)}


def loop_of(flow: DefUse) -> ast.For | ast.While:
    return next(n for n in ast.walk(flow.function) if isinstance(n, ast.For | ast.While))


def carried(code: str) -> dict[str, tuple[list[int], list[int], list[int], list[int]]]:
    flow = flow_of(body(code))

    def lines(nodes: list[ast.AST]) -> list[int]:
        return sorted(n.lineno - 1 for n in nodes)  # type: ignore[attr-defined]

    return {
        str(c.location): (
            lines([d.node for d in c.before if not d.missing]),
            lines([d.node for d in c.trip]),
            lines([*c.reads]),
            lines([*c.after]),
        )
        for c in (*flow.carried(loop_of(flow)), *flow.carried_cells(loop_of(flow)))
    }


@pytest.mark.parametrize(
    ("code", "found"),
    [
        pytest.param("y = 0\nfor x in xs:\n    y = y + x\nreturn y", {"y": ([1], [3], [3], [4])}, id="a sum is carried"),
        pytest.param("for x in xs:\n    y = x\n    u = y\nreturn a", {}, id="a temporary is not carried"),
        pytest.param("y = 0\nfor x in xs:\n    y = x\nreturn y", {"y": ([1], [3], [], [4])}, id="a last value is carried to what comes after"),
        pytest.param("y = u = 0\nfor x in xs:\n    u = y\n    y = x\nreturn u", {"y": ([1], [4], [3], []), "u": ([1], [3], [], [5])}, id="the value of the trip before"),
        pytest.param("y = 0\nfor x in xs:\n    if x:\n        y = x\n    g(y)\nreturn a", {"y": ([1], [4], [5], [])}, id="what is bound on some trips is carried"),
        pytest.param("for x in xs:\n    if a:\n        u = y\n    y = x\nreturn a", {"y": ([], [4], [3], [])}, id="what is missing on the first trip is carried"),
        pytest.param("y = 0\nwhile y < a:\n    y = y + 1\nreturn y", {"y": ([1], [3], [2, 3], [4])}, id="the test of a while reads what is carried"),
        pytest.param("h = {'k': 0}\nfor x in xs:\n    h['k'] = h['k'] + x\nreturn a", {"<{'k': 0}>['k']": ([1], [3], [3], [])}, id="an item is carried"),
        pytest.param("for x in xs:\n    h = {'k': x}\n    h['k'] = h['k'] + 1\n    g(1)\nreturn a", {}, id="an item of what each trip makes is not carried"),
        pytest.param("p = q = r = 0\nfor x in xs:\n    p, q, r = q, r, x\nreturn p", {"p": ([1], [3], [], [4]), "q": ([1], [3], [3], []), "r": ([1], [3], [3], [])}, id="a shift register"),
    ],
)  # fmt: skip
def test_what_goes_from_trip_to_trip(
    code: str, found: dict[str, tuple[list[int], list[int], list[int], list[int]]]
) -> None:
    assert carried(code) == found


def test_what_is_read_after_a_loop() -> None:
    flow = flow_of(body("y = u = 0\nfor x in xs:\n    y = x\n    u = y\nreturn u, x"))
    found = {str(d.location): [n.lineno - 1 for n in nodes] for d, nodes in flow.leaving(loop_of(flow)).items()}  # type: ignore[attr-defined]
    assert found == {"x": [5], "u": [5]}


@pytest.mark.parametrize(
    ("code", "sure"),
    [
        pytest.param("y = a\nreturn (y, a)", True, id="a name bound to another"),
        pytest.param("y = a\nu = y\nreturn (u, a)", True, id="a name bound to a copy"),
        pytest.param("y = a\ny = b\nreturn (y, a)", False, id="a name bound anew"),
        pytest.param("y = a\na = b\nreturn (y, a)", False, id="the other name bound anew"),
        pytest.param("if b:\n    y = a\nelse:\n    y = b\nreturn (y, a)", False, id="either of two"),
        pytest.param("y = a\ny += 1\nreturn (y, a)", False, id="a changed number"),
    ],
)
def test_names_that_are_surely_one_value(code: str, sure: bool) -> None:
    flow = flow_of(body(code))
    returned = flow.function.body[-1]
    assert isinstance(returned, ast.Return) and isinstance(returned.value, ast.Tuple)
    left, right = returned.value.elts
    assert isinstance(left, ast.Name) and isinstance(right, ast.Name)
    assert flow.must_alias(left, right) is sure


@pytest.mark.parametrize(
    ("code", "may"),
    [
        pytest.param("y = []\nu = []\nreturn (y, u)", False, id="two lists"),
        pytest.param("y = []\nu = []\nif a:\n    u = y\nreturn (y, u)", True, id="one list on some paths"),
        pytest.param("return (a, b)", True, id="two parameters"),
        pytest.param("y = []\nreturn (y, a)", False, id="a list of its own and a parameter"),
        pytest.param("y = []\ng(y)\nu = g()\nreturn (y, u)", True, id="a list that got away"),
    ],
)
def test_expressions_that_may_be_one_object(code: str, may: bool) -> None:
    flow = flow_of(body(code))
    returned = flow.function.body[-1]
    assert isinstance(returned, ast.Return) and isinstance(returned.value, ast.Tuple)
    assert flow.may_alias(*returned.value.elts) is may


@pytest.mark.parametrize(
    ("code", "how"),
    [
        pytest.param("y = []\ny.append(a)\nreturn a", None, id="a list that stays"),
        pytest.param("y = []\nreturn jnp.stack(y)", None, id="a list that is stacked"),
        pytest.param("y = []\nreturn y", (2, "returned"), id="a list that is returned"),
        pytest.param("y = []\nreturn {'k': y}", (2, "returned"), id="a list in what is returned"),
        pytest.param("y = []\ng(y)\nreturn y", (2, "passed to `g`"), id="a list that is handed on first"),
        pytest.param("y = []\na.y = y", (2, "stored in `a.y`"), id="a list stored in a parameter"),
        pytest.param("y = []\nh = {'k': y}\ng(h)", (3, "passed to `g`"), id="a list in a dict that is handed on"),
        pytest.param("y = []\nyield y", (2, "yielded"), id="a list that is yielded"),
        pytest.param("global z\ny = []\nz = y", (3, "bound to `z` of an outer scope"), id="a list bound to a global"),
        pytest.param("y = []\nreturn lambda: y", (2, "captured by `a lambda`, which escapes"), id="a list that a lambda takes along"),
        pytest.param("y = []\nh = lambda x: y.append(x)\nh(a)\nreturn a", (3, "passed to `h`"), id="a list whose method a lambda calls, of which it knows no more"),
        pytest.param("y = []\ndef h(d):\n    d.append(1)\nh(y)\nreturn a", (4, "passed to `h`"), id="a list whose method an inner function calls, of which it knows no more"),
        pytest.param("y = []\ndef h(d):\n    return d[0]\nh(y)\nreturn a", None, id="a list that an inner function reads"),
        pytest.param("y = []\ndef h(d):\n    g(d)\nh(y)", (4, "passed to `h`"), id="a list that an inner function hands on"),
        pytest.param("y = [x for x in xs]\nb = y\nreturn b", (3, "returned"), id="a comprehension under another name"),
        pytest.param("y = jnp.zeros(3)\nreturn y", (2, "returned"), id="an array that is returned"),
    ],
)  # fmt: skip
def test_where_an_object_first_gets_out(code: str, how: tuple[int, str] | None) -> None:
    flow = flow_of(body(code))
    made = next(s.value for s in flow.function.body if isinstance(s, ast.Assign))
    escape = flow.escape(made)
    assert (None if escape is None else (escape.node.lineno - 1, escape.how)) == how  # type: ignore[attr-defined]


def done(code: str) -> tuple[list[str], list[str], list[str], bool]:
    flow = flow_of(body(code))
    statement = [s for s in flow.function.body if isinstance(s, ast.Expr)][-1]
    assert isinstance(statement.value, ast.Call)
    found = flow.call(statement.value)
    return sorted(map(str, found.changes)), sorted(map(str, found.binds)), sorted(found.worlds), found.unknown


@pytest.mark.parametrize(
    ("code", "effects"),
    [
        pytest.param("jnp.sin(a)", ([], [], [], False), id="a function of jax is pure"),
        pytest.param("print(a)", ([], [], ["io"], False), id="print is input and output"),
        pytest.param("np.random.rand(3)", ([], [], ["random"], False), id="numpy's random numbers change their generator"),
        pytest.param("ys = []\nys.append(a)", (["<[]>"], [], [], False), id="append changes the list"),
        pytest.param("ys = []\npush = ys.append\npush(a)", (["<[]>"], [], [], False), id="a bound method changes its list"),
        pytest.param("h = {'y': []}\nh['y'].append(a)", (["<[]>"], [], [], False), id="append to a list in a dict changes the list"),
        pytest.param("ys = []\nys.index(a)", ([], [], [], False), id="index changes nothing"),
        pytest.param("np.copyto(a, b)", (["a"], [], [], False), id="copyto changes its first argument"),
        pytest.param("g(a)", (["a"], [], [], True), id="a call that is not known may change what it is given"),
        pytest.param("a.append(b)", (["a", "b"], [], [], True), id="a method of an object that is not known"),
        pytest.param("h = lambda x: x + 1\nh(a)", ([], [], [], False), id="a lambda that computes is pure"),
        pytest.param("ys = []\ndef h(x):\n    ys.append(x)\nh(a)", (["<[]>", "a"], [], [], True), id="an inner function changes what it takes along"),
        pytest.param("n = 0\ndef h():\n    nonlocal n\n    n = n + 1\nh()", ([], ["n"], [], False), id="an inner function binds a name"),
        pytest.param("def h(d, n):\n    if n:\n        h(d, n - 1)\n    d['k'] = n\nu = {}\nh(u, 3)", (["<{}>"], [], [], False), id="an inner function that calls itself changes its parameter"),
        pytest.param("def p(d):\n    q(d)\ndef q(d):\n    d['k'] = 1\n    print(d)\nu = {}\np(u)", (["<{}>"], [], ["io"], False), id="effects go through inner functions that call each other"),
    ],
)  # fmt: skip
def test_effects_of_calls(code: str, effects: tuple[list[str], list[str], list[str], bool]) -> None:
    assert done(code) == effects


def test_accesses_tell_what_is_done_with_a_list() -> None:
    flow = flow_of(
        body(
            "ys = [a]\nfor x in xs:\n    ys.append(ys[-1] + x)\nzs = ys\nfor z in zs:\n    b = z\nreturn jnp.stack(ys)"
        )
    )
    made = next(n for n in ast.walk(flow.function) if isinstance(n, ast.List))
    found = [(a.role, a.place.lineno - 1, flow.inside(a, loop_of(flow))) for a in flow.accesses(made)]  # type: ignore[attr-defined]
    assert found == [
        (Role.READ, 3, True),
        (Role.METHOD, 3, True),
        (Role.ITERATED, 5, False),
        (Role.ARGUMENT, 7, False),
    ]


def test_uses_of_a_definition_of_an_item() -> None:
    flow = flow_of(body("h = {'k': a}\ny = h\nu = y['k']\nh['k'] = 2\nreturn u, h['k']"))
    (store,) = [n for n in ast.walk(flow.function) if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)]
    (definition,) = flow.made(store)
    assert [n.lineno - 1 for n in flow.uses(definition)] == [5]  # type: ignore[attr-defined]


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
    "1,000 items of one dict": "    h = {}\n"
    + "".join(f"    h['{i}'] = a[{i}]; a.x{i} = h['{i}']; g(h)\n" for i in range(1000)),
}


@pytest.mark.parametrize("code", [pytest.param(code, id=name) for name, code in LONG.items()])
def test_long_functions_are_done_in_bounded_time(code: str) -> None:
    function = function_of("def f(a, g):\n" + code)
    began = time.process_time()
    flow = DefUse(function, resolve)
    reads = [n for n in ast.walk(function) if isinstance(n, ast.Name | ast.Subscript | ast.Attribute)]
    for node in reads[:500]:
        flow.definitions(node)
    flow.facts.memory.definitions(function)
    for loop in flow.facts.graph.loops:
        flow.carried(loop)
    assert time.process_time() - began < 10
