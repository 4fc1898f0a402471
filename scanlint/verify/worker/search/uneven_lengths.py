"""Arrays of different lengths where a loop goes over several side by side: Python stops at the end of the shortest."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..infer.specs import Array, Specs
from .case_values import Case, Filling, make

UNEVEN = "arrays of different lengths"
MORE = 2
"""How many rows an array gets that the other does not have."""


def uneven(specs: Specs, function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Case]:
    """Cases in which one of the arrays that a loop reads side by side has more rows than it needs."""
    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    said = {a.arg for a in arguments if isinstance(a.annotation, ast.Subscript)}
    for name in dict.fromkeys(side_by_side(function)):
        spec = specs.get(name)
        if isinstance(spec, Array) and spec.shape and name not in said:
            longer = Array((spec.shape[0] + MORE, *spec.shape[1:]), spec.dtype)
            changed: Specs = {**specs, name: longer}
            yield Case(f"{UNEVEN}: {name}", lambda changed=changed: make(changed, Filling("ordinary values"), ()))  # type: ignore[misc]


def side_by_side(function: ast.AST) -> Iterator[str]:
    """The names of what `zip` goes over, and of what is read at the numbers of the rows of something else."""
    for node in ast.walk(function):
        match node:
            case ast.Call(func=ast.Name(id="zip"), args=[_, _, *_] as args, keywords=[]):
                yield from (name for a in args if (name := _name(a)) is not None)
            case ast.For(target=ast.Name(id=index), iter=ast.Call(func=ast.Name(id="range"), args=[stop])):
                yield from _read_beside(node, index, _counted(stop))
            case ast.ListComp(
                generators=[
                    ast.comprehension(target=ast.Name(id=index), iter=ast.Call(func=ast.Name(id="range"), args=[stop]))
                ]
            ):
                yield from _read_beside(node, index, _counted(stop))


def _name(node: ast.expr) -> str | None:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Call(func=ast.Name(id="reversed" | "enumerate"), args=[ast.Name(id=name)]):
            return name
    return None


def _counted(stop: ast.expr) -> str | None:
    """The array whose rows a range counts."""
    match stop:
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]):
            return name
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id=name), attr="shape"), slice=ast.Constant(value=0)):
            return name
    return None


def _read_beside(loop: ast.AST, index: str, counted: str | None) -> Iterator[str]:
    for node in ast.walk(loop):
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Name(id=at)) if at == index and counted is not None:
                if name != counted:
                    yield name
