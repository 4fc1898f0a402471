"""What is nested too deep to be rewritten: each level is written anew, and analysed again, for each one around it."""

from __future__ import annotations

import ast

from scanlint.finding import Withheld
from scanlint.syntax.walk import levels, nested
from scanlint.trace.unit import Unit

DEEPEST = 10
"""Loops and branches inside one another in a statement; people write up to six."""
DEEPEST_UNIT = 20
"""The same with those around the statement."""
DEEPEST_EXPRESSION = 400
"""Nodes below one another: LibCST takes the third power of that in time, and at some thousands its stack overflows."""


def too_deep(unit: Unit, node: ast.For | ast.While | ast.If) -> Withheld | None:
    """Why a statement is left alone, where too many loops and branches stand inside one another."""
    inside = max(nested(node.body), nested(node.orelse))
    around = _around(unit, node)
    if inside <= DEEPEST and inside + around <= DEEPEST_UNIT:
        if levels(node) <= DEEPEST_EXPRESSION:
            return None
        return Withheld("too-deep", f"an expression in it is nested too deeply to be rewritten (line {node.lineno})")
    most = DEEPEST if inside > DEEPEST else DEEPEST_UNIT
    return Withheld("too-deep", f"more than {most} loops and branches stand inside one another (line {node.lineno})")


def _around(unit: Unit, node: ast.AST) -> int:
    """How many loops and branches a statement stands in; an `elif` stands beside its `if`."""
    count, inner = 0, node
    for outer in unit.ancestors(node):
        match outer:
            case ast.If(orelse=[ast.If() as beside]) if beside is inner:
                pass
            case ast.For() | ast.While() | ast.If():
                count += 1
        inner = outer
    return count
