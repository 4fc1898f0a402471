"""Loops of callers end early: a training loop has told what it calls after a few trips."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

TRIPS = 1  # that told nothing new
EACH, MORE = "__scanlint_each__", "__scanlint_more__"
Place = tuple[str, int]
Definition = ast.FunctionDef | ast.AsyncFunctionDef
T = TypeVar("T")


@dataclass
class TripGate:
    """What loops ask before each trip: how often wanted functions were called so far, and how many of them."""

    calls: Callable[[], int]
    functions: Callable[[], int]
    active: bool = True

    def each(self, iterable: Iterable[T]) -> Iterator[T]:
        """The items of a `for`, until another trip would tell nothing."""
        more = self.more()
        for item in iterable:
            if not more():
                return
            yield item

    def more(self) -> Callable[[], bool]:
        """Asked before each trip of one loop, whether it goes on: the last trips called something for the first time,
        or the loop calls nothing that is wanted."""
        before, known = self.calls(), [self.functions()]

        def again() -> bool:
            known.append(self.functions())
            called = self.calls() > before
            return not (self.active and called and len(known) > TRIPS + 1 and known[-1] == known[-1 - TRIPS])

        return again


class _Shortened(ast.NodeTransformer):
    def __init__(self, wanted: Mapping[Place, int]) -> None:
        self.wanted = wanted
        self.prefix = ""
        self.count = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self.definition(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self.definition(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self.within(node, node.name)

    def definition(self, node: Definition) -> ast.AST:
        """What is wanted itself keeps its loops, and with them the shapes of its results."""
        wanted = (self.prefix + node.name, node.lineno) in self.wanted
        return node if wanted else self.within(node, node.name)

    def within(self, node: Definition | ast.ClassDef, name: str) -> ast.AST:
        outside, self.prefix = self.prefix, f"{self.prefix}{name}."
        self.generic_visit(node)
        self.prefix = outside
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        node.iter = ast.copy_location(ast.Call(ast.Name(EACH, ast.Load()), [node.iter], []), node.iter)
        return node

    def visit_While(self, node: ast.While) -> list[ast.stmt]:
        self.generic_visit(node)
        self.count += 1
        name = f"{MORE}{self.count}"
        begin = ast.Assign([ast.Name(name, ast.Store())], ast.Call(ast.Name(MORE, ast.Load()), [], []))
        asked = ast.Call(ast.Name(name, ast.Load()), [], [])
        node.test = ast.copy_location(ast.BoolOp(ast.And(), [node.test, asked]), node.test)
        return [ast.copy_location(begin, node), node]


def shortened_loops(tree: ast.Module, wanted: Mapping[Place, int]) -> ast.Module:
    """The tree with the loops outside of the wanted functions asking whether they go on."""
    changed: ast.Module = _Shortened(wanted).visit(tree)
    return ast.fix_missing_locations(changed)
