"""Comparisons of one name with numbers, and expressions that are a line in it."""

from __future__ import annotations

import ast


def linear(node: ast.expr) -> tuple[str, float, float] | None:
    """`a * x + b` as the text of x, a and b."""
    match node:
        case ast.Name() | ast.Attribute() | ast.Subscript():
            return ast.unparse(node), 1.0, 0.0
        case ast.UnaryOp(op=ast.USub(), operand=operand) if (line := linear(operand)) is not None:
            return line[0], -line[1], -line[2]
        case ast.BinOp(left=left, op=op, right=right):
            return _combined(left, op, right)
    return None


def _combined(left: ast.expr, op: ast.operator, right: ast.expr) -> tuple[str, float, float] | None:
    first, second = _number(left), _number(right)
    if first is None and second is not None and (line := linear(left)) is not None:
        name, slope, offset = line
        match op:
            case ast.Add():
                return name, slope, offset + second
            case ast.Sub():
                return name, slope, offset - second
            case ast.Mult():
                return name, slope * second, offset * second
            case ast.Div() if second:
                return name, slope / second, offset / second
    if second is None and first is not None and (line := linear(right)) is not None:
        name, slope, offset = line
        match op:
            case ast.Add():
                return name, slope, offset + first
            case ast.Sub():
                return name, -slope, first - offset
            case ast.Mult():
                return name, slope * first, offset * first
    return None


def _number(node: ast.expr) -> float | None:
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return float(value)
        case ast.UnaryOp(op=ast.USub(), operand=operand) if (number := _number(operand)) is not None:
            return -number
    return None


def holds_at(test: ast.expr, name: str, point: float) -> bool | None:
    """The outcome of a comparison of a name with a number at a point; None where it compares something else."""
    match test:
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            number = _number(right)
            bound = number if number is not None else _number(left)
            line = linear(left if number is not None else right)
            if bound is None or line is None or line[0] != name:
                return None
            value = line[1] * point + line[2]
            first, second = (value, bound) if number is not None else (bound, value)
            match op:
                case ast.Gt():
                    return first > second
                case ast.GtE():
                    return first >= second
                case ast.Lt():
                    return first < second
                case ast.LtE():
                    return first <= second
                case ast.Eq():
                    return first == second
                case ast.NotEq():
                    return first != second
    return None


def boundary(test: ast.expr, name: str) -> float | None:
    """Where a comparison of a name with a number changes its result."""
    match test:
        case ast.Compare(left=left, comparators=[right]):
            number = _number(right)
            bound = number if number is not None else _number(left)
            line = linear(left if number is not None else right)
            if bound is not None and line is not None and line[0] == name and line[1]:
                return (bound - line[2]) / line[1]
    return None
