"""What binds a name is found once, and found again when the tree is another one."""

from __future__ import annotations

import ast
import gc
import weakref

import pytest

from scanlint.syntax.binders import binders_of
from scanlint.syntax.walk import by_kind, kinds_inside, walk

TEXT = """
def f(a, *rest, key=None):
    global total
    b, (c, *d) = a
    b += 1
    e: int = 2
    for i, j in rest:
        with open(i) as handle:
            g = [k for k in handle if (m := k)]
    try:
        pass
    except ValueError as error:
        total = error
    match a:
        case [first, *others]:
            h = lambda n: n
        case {"x": whole}:
            pass
    def inner(p):
        return p
    class Local:
        q = 1
"""
BINDERS = {
    "a": ["arg"],
    "rest": ["arg"],
    "key": ["arg"],
    "total": ["Global", "Assign"],
    "b": ["Assign", "AugAssign"],
    "c": ["Assign"],
    "d": ["Assign"],
    "e": ["AnnAssign"],
    "i": ["For"],
    "handle": ["withitem"],
    "g": ["Assign"],
    "k": ["comprehension"],
    "m": ["NamedExpr"],
    "error": ["ExceptHandler"],
    "first": ["MatchAs"],
    "others": ["MatchStar"],
    "n": ["arg"],
    "inner": ["FunctionDef"],
    "p": ["FunctionDef", "arg"],
    "Local": ["ClassDef"],
    "q": ["Assign"],
    "f": [],
    "open": [],
}


@pytest.mark.parametrize(("name", "kinds"), BINDERS.items(), ids=BINDERS)
def test_the_nodes_that_bind_a_name(name: str, kinds: list[str]) -> None:
    function = ast.parse(TEXT).body[0]
    assert [type(part).__name__ for part in binders_of(function, name)] == kinds


def test_what_is_kept_of_a_tree_does_not_keep_it() -> None:
    function = ast.parse(TEXT).body[0]
    assert isinstance(function, ast.FunctionDef)
    assert binders_of(function, "b") and kinds_inside(function).of(ast.For)
    alive = weakref.ref(function)
    del function
    gc.collect()
    assert alive() is None


def test_the_body_of_a_function_is_walked_once() -> None:
    function = ast.parse(TEXT).body[0]
    assert isinstance(function, ast.FunctionDef)
    inside = kinds_inside(function)
    assert kinds_inside(function) is inside
    assert inside == by_kind(*function.body)
    assert {node for nodes in inside.values() for node in nodes} == {n for s in function.body for n in walk(s)}
