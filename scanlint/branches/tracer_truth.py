"""Where Python asks for the truth of a tracer outside of tests: operators and builtins that give a value."""

from __future__ import annotations

import ast

from scanlint.trace.unit import Unit

EXTREMES = frozenset(["builtins.min", "builtins.max"])
QUANTIFIERS = frozenset(["builtins.any", "builtins.all"])
SORTED = "builtins.sorted"
Asking = ast.BoolOp | ast.UnaryOp | ast.Compare | ast.Call


def asks(unit: Unit, node: ast.AST) -> bool:
    """Whether an expression fails for want of the truth of a tracer that it is made of."""
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            value = unit.value(operand)
            return value.traced and value.container is None
        case ast.BoolOp():
            return first_asked(unit, node) is not None
        case ast.Compare(ops=[ast.In() | ast.NotIn()]):
            return unit.value(node).traced
        case ast.Compare(ops=[_, _, *_], left=left, comparators=comparators):
            linked = not any(isinstance(op, ast.In | ast.NotIn | ast.Is | ast.IsNot) for op in node.ops)
            return linked and unit.value(node).traced and any(unit.value(s).traced for s in [left, *comparators[:-1]])
        case ast.Call(func=function, args=[_, *_] as args):
            return _builtin(unit, node, unit.resolve(function), args)
    return False


def first_asked(unit: Unit, node: ast.BoolOp) -> int | None:
    """The place of the first traced operand that `and` or `or` has to decide on: the last one is only handed on."""
    for place, operand in enumerate(node.values[:-1]):
        value = unit.value(operand)
        if value.traced:
            return place
        if not (value.static or value.array):
            return None
    return None


def _builtin(unit: Unit, node: ast.Call, name: str | None, args: list[ast.expr]) -> bool:
    if name in EXTREMES or name in QUANTIFIERS:
        return unit.value(node).traced and (len(args) == 1 or name in EXTREMES)
    if name != SORTED:
        return False
    given = unit.value(args[0])
    inside = (*(given.items or ()), *([given.element] if given.element is not None else []))
    return (given.traced and given.array) or (len(given.items or (0, 0)) > 1 and any(v.traced for v in inside))


def operand_of_another(unit: Unit, node: ast.AST) -> bool:
    """Whether an expression is part of a larger one of its kind, or of a test, which is spelled anew as a whole."""
    part, outer = node, unit.parents.get(node)
    while isinstance(outer, ast.BoolOp) or (isinstance(outer, ast.UnaryOp) and isinstance(outer.op, ast.Not)):
        if asks(unit, outer):
            return True
        part, outer = outer, unit.parents.get(outer)
    tested = isinstance(outer, ast.If | ast.IfExp | ast.While | ast.Assert) and outer.test is part
    return tested and unit.value(part).traced
