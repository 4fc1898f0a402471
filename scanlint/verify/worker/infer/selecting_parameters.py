"""Uses that tell of a parameter: the keys of a dict that it selects an item of, and that its truth is asked."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping


def indexed_keys(function: ast.AST, names: Mapping[str, object]) -> dict[str, set[str]]:
    """For each name that indexes a dict: the keys of those that the function writes, or that its module holds."""
    written = dict(_written(function))
    found: dict[str, set[str]] = {}
    for node in ast.walk(function):
        match node:
            case ast.Subscript(value=table, slice=ast.Name(id=name)):
                pass
            case ast.Call(func=ast.Attribute(value=table, attr="get"), args=[ast.Name(id=name), *_]):
                pass
            case ast.Compare(left=ast.Name(id=name), ops=[ast.In() | ast.NotIn()], comparators=[table]):
                pass
            case _:
                continue
        found.setdefault(name, set()).update(_keys(table, written, names))
    return {name: keys for name, keys in found.items() if keys}


def _written(function: ast.AST) -> Iterator[tuple[str, set[str]]]:
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict() as table):
                yield name, _texts(table)


def _keys(table: ast.expr, written: Mapping[str, set[str]], names: Mapping[str, object]) -> set[str]:
    match table:
        case ast.Dict():
            return _texts(table)
        case ast.Name(id=name) if name in written:
            return written[name]
        case ast.Name(id=name):
            held = names.get(name)
            return {key for key in held if isinstance(key, str)} if isinstance(held, dict) else set()
    return set()


def _texts(table: ast.Dict) -> set[str]:
    return {key.value for key in table.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)}


def asked_for_truth(function: ast.AST) -> Iterator[str]:
    """The parameters whose truth a function asks for: `if rows:`, `not rows`, `rows and rows[0]`."""
    if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
        return
    names = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)}
    for node in ast.walk(function):
        match node:
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.UnaryOp(ast.Not(), operand=test):
                asked = [test]
            case ast.BoolOp(values=values):
                asked = values
            case _:
                continue
        yield from (part.id for part in asked if isinstance(part, ast.Name) and part.id in names)
