"""The names that a function binds: its parameters for a call, and those that its statements bind."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from ..polynomials import NotProved
from .python_values import PythonFunction, Value


def bound(closure: PythonFunction, arguments: Sequence[Value], named: Mapping[str, Value]) -> dict[str, Value]:
    """The parameters of a call by name."""
    a = closure.node.args
    places = [x.arg for x in (*a.posonlyargs, *a.args)]
    if a.kwarg is not None or (a.vararg is None and len(arguments) > len(places)):
        raise NotProved("arguments that have no parameter")
    found = dict(zip(places[len(places) - len(closure.defaults) :], closure.defaults, strict=True)) | closure.named
    found |= dict(zip(places, arguments, strict=False))
    if named.keys() - {x.arg for x in (*a.args, *a.kwonlyargs)} or named.keys() & set(places[: len(arguments)]):
        raise NotProved("arguments that have no parameter")
    found |= named
    if set(places) | {x.arg for x in a.kwonlyargs} != found.keys():
        raise NotProved("a parameter without an argument")
    return found | ({a.vararg.arg: tuple(arguments[len(places) :])} if a.vararg is not None else {})


def bound_in(node: ast.FunctionDef | ast.Lambda) -> frozenset[str]:
    """The names that a function binds for itself."""
    if isinstance(node, ast.Lambda):
        return frozenset()
    found: set[str] = set()
    todo: list[ast.AST] = list(node.body)
    while todo:
        part = todo.pop()
        if isinstance(part, ast.FunctionDef | ast.ClassDef):
            found.add(part.name)
        elif isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load):
            found.add(part.id)
        if not isinstance(
            part, ast.FunctionDef | ast.Lambda | ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp
        ):
            todo += ast.iter_child_nodes(part)
    return frozenset(found)
