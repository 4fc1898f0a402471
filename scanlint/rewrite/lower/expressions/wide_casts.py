"""Python ints made of tracers: what is worked out of them has no bounds, `.astype(int)` stays at the ends of int32."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from scanlint.syntax.bindings import targets
from scanlint.trace.unit import Unit

RING = ast.Add | ast.Sub | ast.Mult
OF_NUMBERS = ("builtins.abs", "builtins.min", "builtins.max")
"""What gives one of the Python numbers that it gets, or one as large."""
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
    left, met = [(cast, True)], set[ast.expr]()
    while left:
        use, direct = left.pop(0)
        if use in met:
            continue
        met.add(use)
        found = _operation(unit, use, direct)
        if found is not None:
            return found
        left += [(read, False) for read in _named(unit, use)]
    return None


def _named(unit: Unit, node: ast.expr) -> Iterator[ast.Name]:
    """The mentions of the names that an int is bound to, or what is made of it."""
    while (outer := _around(unit, node)) is not None:
        node = outer
    match unit.parents.get(node):
        case ast.Assign(targets=bound, value=value) if value is node:
            names = [name for target in bound for name in targets(target)]
        case ast.AugAssign(target=ast.Name(id=name)) if _begins_in_python(unit, name):
            names = [name]
        case _:
            return
    for name in names:
        yield from unit.mentions.get(name, [])


def _begins_in_python(unit: Unit, name: str) -> bool:
    """All that the name is bound to, but for what is added to it, are Python numbers."""
    statements = (unit.parents.get(mention) for mention in unit.mentions.get(name, []))
    values = [s.value for s in statements if isinstance(s, ast.Assign)]
    return bool(values) and all(_python(unit, value) for value in values)


def _around(unit: Unit, node: ast.expr) -> ast.expr | None:
    """The Python number that an operation makes of this one, if all else that it takes is Python's too."""
    match unit.parents.get(node):
        case ast.BinOp(left=left, right=right) as outer:
            return outer if _python(unit, right if left is node else left) else None
        case ast.UnaryOp(op=ast.USub()) as outer:
            return outer
        case ast.Call(func=function, args=args) as outer if unit.resolve(function) in OF_NUMBERS:
            return outer if all(argument is node or _python(unit, argument) for argument in args) else None
    return None


def _operation(unit: Unit, node: ast.expr, direct: bool) -> Unbounded | None:
    while (outer := _around(unit, node)) is not None:
        if isinstance(outer, ast.BinOp) and not isinstance(outer.op, RING):
            return Unbounded(outer, direct)
        node, direct = outer, direct and isinstance(outer, ast.UnaryOp)
    match unit.parents.get(node):
        case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value) if not isinstance(op, RING):
            made = ast.BinOp(ast.Name(name, ast.Load()), op, value)
            return Unbounded(made, False) if target is node and _python(unit, value) else None
        case ast.Compare(left=left, comparators=rest) as compared if not direct:
            return Unbounded(compared, direct) if all(_python(unit, p) for p in (left, *rest)) else None
    return None


def _python(unit: Unit, node: ast.expr) -> bool:
    """The expression is a number of Python, be it made of a tracer."""
    if isinstance(node, ast.BinOp):
        return _python(unit, node.left) and _python(unit, node.right)
    cast = isinstance(node, ast.Call) and unit.resolve(node.func) in ("builtins.int", "math.floor", "math.ceil")
    return cast or isinstance(node, ast.Constant) or (unit.value(node).static and not unit.value(node).array)
