"""Rows by their number: `for i in range(len(xs)): x = xs[i]` as `for x in xs`, which says that `xs` has rows."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.rewrite.emit.snippets import fresh, row_name
from scanlint.rewrite.normalize.meaning.changes import Change, alone, drop, function_of, names_in, spoken, within_loops
from scanlint.syntax.bindings import binds, stores
from scanlint.trace.unit import Unit


def rows(unit: Unit) -> Iterator[Change]:
    """The loop over the rows of what is only known by its length."""
    for node in within_loops(unit):
        match node:
            case ast.For(
                target=ast.Name(id=index),
                iter=ast.Call(
                    func=ast.Name(id="range"),
                    args=[ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=whole) as array])],
                    keywords=[],
                ),
            ) if not unit.value(array).array and unit.value(array).container is None:
                made = _by_rows(unit, node, index, whole)
                if made is not None:
                    yield made


def _by_rows(unit: Unit, node: ast.For, index: str, whole: str) -> Change | None:
    if not alone(unit, index, function_of(unit, node)) or {index, whole} & (binds(*node.body) | stores(*node.body)):
        return None
    inside = {id(n) for s in node.body for n in ast.walk(s)}
    places = [n for n in spoken(unit, index) if n is not node.target]
    reads = [p for n in places if id(n) in inside and _row(p := unit.parents[n], whole, n)]
    others = [n for n in places if id(n) in inside and not _row(unit.parents[n], whole, n)]
    if not reads or any(id(n) not in inside for n in places):
        return None
    sheet = unit.source
    match node.body[0]:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Subscript() as value) if (
            value in reads and name not in binds(*node.body[1:]) and len(node.body) > 1
        ):
            first = [drop(unit, node.body[0])]
            reads = [r for r in reads if r is not value]
        case _:
            name, first = fresh(set(unit.names), row_name(whole, index)), []
    if name in names_in(node.iter):
        return None
    rest = [sheet.put(r, name) for r in reads]
    if others:
        target, over = f"{index}, {name}", f"enumerate({whole})"
    else:
        target, over = name, whole
    return (sheet.put(node.target, target), sheet.put(node.iter, over), *first, *rest)


def _row(node: ast.AST, whole: str, index: ast.Name) -> bool:
    match node:
        case ast.Subscript(value=ast.Name(id=name), slice=at, ctx=ast.Load()):
            return name == whole and at is index
    return False
