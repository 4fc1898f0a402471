"""Python ints made of tracers: what is worked out of them has no bounds, `.astype(int)` stays at the ends of int32."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from scanlint.syntax.bindings import targets
from scanlint.trace.unit import Unit

RING = ast.Add | ast.Sub | ast.Mult
LARGEST = 2**24
"""Remainders by more than this are not exact in single precision."""


class Unbounded(NamedTuple):
    """An operation on a Python int that gives another result where the int is not what it was.

    `direct`: the cast itself is what it is done with, nothing was added or multiplied before.
    """

    operation: ast.expr
    direct: bool

    @property
    def remainder(self) -> int | None:
        """The number that is divided by, where that is all that is done with the cast: `int(t) % 7`."""
        match self.operation:
            case ast.BinOp(op=ast.Mod(), right=ast.Constant(value=int(by))) if self.direct and 0 < by <= LARGEST:
                return by
        return None


def unbounded_use(unit: Unit, cast: ast.expr) -> Unbounded | None:
    """The first operation after which it matters how large a Python int is, though no array meets it before.

    Where it meets an array instead, JAX refuses what does not fit.
    """
    for use, direct in [(cast, True), *_named(unit, cast)]:
        found = _operation(unit, use, direct)
        if found is not None:
            return found
    return None


def _named(unit: Unit, cast: ast.expr) -> Iterator[tuple[ast.expr, bool]]:
    """The reads of a name that the cast, or a sum or product with it, is bound to."""
    node: ast.AST = cast
    while isinstance(outer := unit.parents.get(node), ast.BinOp | ast.UnaryOp):
        node = outer
    statement = unit.parents.get(node)
    if isinstance(statement, ast.Assign) and statement.value is node:
        for name in (n for target in statement.targets for n in targets(target)):
            yield from ((n, False) for n in unit.mentions.get(name, []) if isinstance(n.ctx, ast.Load))


def _operation(unit: Unit, node: ast.expr, direct: bool) -> Unbounded | None:
    while True:
        match unit.parents.get(node):
            case ast.BinOp(left=left, op=op, right=right) as outer:
                other = right if left is node else left
                if not _python(unit, other):
                    return None
                if not isinstance(op, RING):
                    return Unbounded(outer, direct)
                node, direct = outer, False
            case ast.UnaryOp(op=ast.USub()) as outer:
                node = outer
            case ast.Compare(left=left, comparators=rest) as outer:
                return Unbounded(outer, direct) if not direct and all(_python(unit, p) for p in (left, *rest)) else None
            case _:
                return None


def _python(unit: Unit, node: ast.expr) -> bool:
    """Whether an expression is a number of Python, be it made of a tracer."""
    if isinstance(node, ast.BinOp):
        return _python(unit, node.left) and _python(unit, node.right)
    cast = isinstance(node, ast.Call) and unit.resolve(node.func) in ("builtins.int", "math.floor", "math.ceil")
    return cast or isinstance(node, ast.Constant) or (unit.value(node).static and not unit.value(node).array)
