"""The parameters that are arrays where the user says that a function is to be jitted: what it goes over."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.policy.names import PYTREES
from scanlint.syntax.bindings import Function, reads, targets
from scanlint.syntax.walk import Kinds, kinds_inside, walk
from scanlint.trace.calls.jax_results import ARRAY_METHODS
from scanlint.trace.hints.array_uses import SHAPES, counter, gone_over, read_at

_TESTS = (ast.If, ast.While, ast.IfExp)


def asked_arrays(function: Function) -> Iterator[str]:
    """The names that a function goes over, or reads by a counter, and that it does not take apart as a pytree.

    What an element decides is a number: it is one of an array, whatever the name.
    """
    inside = kinds_inside(function)
    opened = frozenset(_opened(inside))
    tests = (node.test for kind in _TESTS for node in inside.of(kind))  # type: ignore[attr-defined]
    tested = reads(*tests)
    keys = dict[str, set[str]]()
    for part in inside.of(ast.Subscript):
        if isinstance(part.value, ast.Name) and isinstance(part.slice, ast.Name):
            keys.setdefault(part.value.id, set()).add(part.slice.id)
    loops = [*inside.of(ast.For), *(g for kind in (ast.ListComp, ast.GeneratorExp) for g in _generators(inside, kind))]
    for name, target in (pair for loop in loops for pair in gone_over(loop)):
        elements = frozenset(targets(target))
        plain = isinstance(target, ast.Name) and not PYTREES(name)
        if not opened & {name, *elements} and not elements & keys.get(name, set()) and (plain or elements & tested):
            yield name
    for loop in inside.of(ast.For):
        index = counter(loop)
        for node in (n for s in loop.body if index for n in walk(s) if isinstance(n, ast.Subscript)):
            read = read_at(node, str(index))
            if read is not None and read not in opened and not PYTREES(read):
                yield read


def _generators(inside: Kinds, kind: type[ast.ListComp | ast.GeneratorExp]) -> list[ast.comprehension]:
    return [generator for node in inside.of(kind) for generator in node.generators]


def _opened(inside: Kinds) -> Iterator[str]:
    """The names that a function calls, unpacks, or whose attributes and keys it asks for, also of their elements."""
    for call in inside.of(ast.Call):
        yield from _root(call.func)
    for attribute in inside.of(ast.Attribute):
        if attribute.attr not in SHAPES | ARRAY_METHODS:
            yield from _root(attribute.value)
    for subscript in inside.of(ast.Subscript):
        if isinstance(subscript.slice, ast.Constant) and isinstance(subscript.slice.value, str):
            yield from _root(subscript.value)
    for compared in inside.of(ast.Compare):
        if any(isinstance(n, ast.Constant) and isinstance(n.value, str) for n in walk(compared)):
            yield from reads(compared)
    for assignment in inside.of(ast.Assign):
        if any(isinstance(t, ast.Tuple | ast.List) for t in assignment.targets):
            yield from _root(assignment.value)
    for starred in inside.of(ast.Starred):
        yield from _root(starred.value)


def _root(node: ast.expr) -> Iterator[str]:
    while isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id
