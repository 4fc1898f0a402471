"""Operands that a rewrite needs twice: written twice where they are short, or given a name before the statement."""

from __future__ import annotations

import ast

from scanlint.rewrite.emit.snippets import claimed
from scanlint.trace.unit import Unit

LONGEST = 20
"""Characters of an expression that is still clear when it is written twice."""
PURE = ("jax.numpy.", "builtins.abs", "builtins.len")
SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Expr)


def again(unit: Unit, node: ast.expr) -> bool:
    """Whether an expression may be written twice: it is short, and its value the same each time."""
    if len(ast.unparse(node)) > LONGEST:
        return False
    return all(_pure(unit, part) for part in ast.walk(node) if isinstance(part, ast.expr))


def _pure(unit: Unit, part: ast.expr) -> bool:
    match part:
        case ast.Call(func=ast.Attribute(value=value)) if unit.resolve(part.func) is None:
            return unit.value(value).array
        case ast.Call(func=function):
            return (unit.resolve(function) or "").startswith(PURE)
        case ast.NamedExpr() | ast.Await() | ast.Yield() | ast.YieldFrom() | ast.Lambda():
            return False
    return True


def untouched(unit: Unit, node: ast.expr) -> bool:
    """Whether an expression needs no parentheses where it stands, however loosely it binds."""
    outer = unit.parents.get(node)
    if isinstance(outer, ast.Call):
        return outer.func is not node
    return isinstance(outer, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Return | ast.Expr | ast.keyword)


class Naming:
    """Names given to operands in statements before the one that a node stands in, where that is possible."""

    def __init__(self, unit: Unit, node: ast.expr) -> None:
        self.unit = unit
        self.before: list[str] = []
        self.taken = set(unit.names)
        self.possible = _may_precede(unit, node)

    def __call__(self, code: str, wanted: str) -> str:
        """The name that an expression is given."""
        name = claimed(self.taken, wanted)
        self.before.append(f"{name} = {code}")
        return name


def _may_precede(unit: Unit, node: ast.expr) -> bool:
    """Whether a node is computed just once, with its statement, so that a part of it may be computed before that."""
    for around in unit.ancestors(node):
        if isinstance(around, ast.stmt):
            alone = isinstance(around, SIMPLE) and not any(isinstance(n, ast.NamedExpr) for n in ast.walk(around))
            return alone and around in unit.block(around)
        if isinstance(around, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp | ast.BoolOp):
            return False
        if isinstance(around, ast.IfExp):
            return False
    return False
