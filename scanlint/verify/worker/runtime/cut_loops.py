"""Twins of both versions with short loops: behaviour that depends on the trip count is compared on them as well."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from .free_names import defaults_of

LONG = 20
FIRST = 5
APART = 3  # trips between two limits: those behind `t >= burn` are more than one


def long_trips(tree: ast.Module, first: int = FIRST) -> dict[int, int]:
    """The long trip counts in the source, each with the short one that replaces it."""
    named: dict[str, set[int]] = {}
    for name, value in _bindings(tree):
        match value:
            case ast.Constant(value=int() as number) if not isinstance(number, bool):
                named.setdefault(name, set()).add(number)

    def numbers(node: ast.AST) -> Iterator[int]:
        for inner in ast.walk(node):
            match inner:
                case ast.Constant(value=int() as number) if not isinstance(number, bool):
                    yield number
                case ast.Name(id=name) | ast.Attribute(attr=name):
                    yield from named.get(name, ())

    awaited = {n for test in _awaiting(tree) for n in numbers(test) if n > 0}
    found = {n for bound in bounds(tree) for n in numbers(bound)}
    if first == FIRST:
        first = max([first, *(2 * n + 1 for n in awaited if n < LONG)])
    table: dict[int, int] = {}
    before, short = 0, first - 1
    for number in sorted(n for n in found | awaited if n >= LONG):
        short += min(number - before, APART) if table else 1
        table[number] = short
        before = number
    return {number: short for number, short in table.items() if short < number} if max(found, default=0) >= LONG else {}


def _awaiting(tree: ast.AST) -> Iterator[ast.expr]:
    """Tests of a loop variable whose outcome changes after some trips: `if t % 10 == 0`, `if t >= burn`."""
    for loop in ast.walk(tree):
        if isinstance(loop, ast.For):
            counted = {n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)}
            tests = (n.test for s in loop.body for n in ast.walk(s) if isinstance(n, ast.If | ast.IfExp))
            yield from (t for t in tests if any(isinstance(n, ast.Name) and n.id in counted for n in ast.walk(t)))


def bounds(tree: ast.AST) -> Iterator[ast.expr]:
    """Expressions that determine trip counts: arguments of `range`, conditions of `while`."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="range"), args=arguments):
                yield from arguments
            case ast.While(test=test):
                yield test


def _bindings(tree: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    if isinstance(target, (ast.Name, ast.Attribute)):
                        yield target.id if isinstance(target, ast.Name) else target.attr, value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value
            case ast.keyword(arg=str() as name, value=value):
                yield name, value
            case ast.arguments():
                yield from defaults_of(node).items()


def shortened(tree: ast.Module, table: Mapping[int, int]) -> ast.Module:
    """The tree with these numbers replaced wherever they occur, so that sizes still match trip counts."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and type(node.value) is int:
            node.value = table.get(node.value, node.value)
    return tree
