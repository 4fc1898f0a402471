"""A twin of both versions whose long loops are cut short: what depends on the number of trips is tried on both."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

LONG = 20
FIRST = 5


def long_trips(tree: ast.Module, first: int = FIRST) -> dict[int, int]:
    """Whole numbers of the source that bound loops, from LONG on, with the short ones that replace them."""
    named: dict[str, set[int]] = {}
    for name, value in _bindings(tree):
        match value:
            case ast.Constant(value=int() as number) if not isinstance(number, bool):
                named.setdefault(name, set()).add(number)
    found: set[int] = set()
    for bound in _bounds(tree):
        for inner in ast.walk(bound):
            match inner:
                case ast.Constant(value=int() as number) if not isinstance(number, bool):
                    found.add(number)
                case ast.Name(id=name) | ast.Attribute(attr=name):
                    found |= named.get(name, set())
    first = max([first, *(2 * n + 1 for n in _awaited(tree))]) if first == FIRST else first
    shorter = {number: first + k for k, number in enumerate(sorted(n for n in found if n >= LONG))}
    return {number: short for number, short in shorter.items() if short < number}


def _awaited(tree: ast.AST) -> Iterator[int]:
    """The small numbers of trips after which a test of a loop variable turns: `if t % 10 == 0`, `if t > 7`."""
    for loop in ast.walk(tree):
        if isinstance(loop, ast.For):
            counted = {n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)}
            tests = (n.test for s in loop.body for n in ast.walk(s) if isinstance(n, ast.If | ast.IfExp))
            for test in tests:
                inside = list(ast.walk(test))
                if any(isinstance(n, ast.Name) and n.id in counted for n in inside):
                    numbers = (n.value for n in inside if isinstance(n, ast.Constant))
                    yield from (n for n in numbers if type(n) is int and 0 < n < LONG)


def _bounds(tree: ast.AST) -> Iterator[ast.expr]:
    """What says how often a loop runs: arguments of `range`, conditions of `while`."""
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
                positional = [*node.posonlyargs, *node.args]
                yield from zip((a.arg for a in positional[::-1]), node.defaults[::-1], strict=False)
                for argument, default in zip(node.kwonlyargs, node.kw_defaults, strict=True):
                    if default is not None:
                        yield argument.arg, default


def shortened(tree: ast.Module, table: Mapping[int, int]) -> ast.Module:
    """The tree with these numbers replaced wherever they stand, so that sizes and bounds still fit."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and type(node.value) is int:
            node.value = table.get(node.value, node.value)
    return tree
