"""The least and the most that index arithmetic is over all trips of the loops around it, without their variables."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.loops.sizes.affine import Polynomial, add, polynomial, scale
from scanlint.loops.streams import Stream, streams_of
from scanlint.syntax.bindings import reads
from scanlint.trace.unit import Unit

ONE: Polynomial = {(): 1}


def ranges_around(unit: Unit, node: ast.stmt) -> dict[str, Stream]:
    """The loop variables of the ranges that enclose a statement, the innermost first."""
    found: dict[str, Stream] = {}
    for loop in unit.ancestors(node):
        if isinstance(loop, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            break
        for stream in streams_of(unit, loop.target, loop.iter) if isinstance(loop, ast.For) else ():
            if isinstance(stream.target, ast.Name) and stream.kind == "range" and stream.stop is not None:
                found.setdefault(stream.target.id, stream)
    return found


def extreme(unit: Unit, part: ast.expr, around: dict[str, Stream], *, most: bool) -> Polynomial | None:
    """The most (or least) that an expression is, or a bound of it; None where that is not evident."""
    match part:
        case ast.Call(func=ast.Name(id=name), args=parts) if name == ("min" if most else "max"):
            bounds = (extreme(unit, one, around, most=most) for one in parts)
            return next((bound for bound in bounds if bound is not None), None)
    value: Polynomial | None = polynomial(part)
    for name, stream in around.items():
        if value is None:
            return None
        value = _without(unit, value, name, stream, most=most)
    return value if value is not None and not set(_names(value)) & set(around) else None


def _without(unit: Unit, value: Polynomial, name: str, stream: Stream, *, most: bool) -> Polynomial | None:
    factor = value.get((name,), 0)
    rest = {term: f for term, f in value.items() if term != (name,)}
    if name in _names(rest):
        return None
    if not factor:
        return value
    end = _end(unit, stream, last=(factor > 0) is most)
    return add(rest, scale(end, factor)) if end is not None else None


def _end(unit: Unit, stream: Stream, *, last: bool) -> Polynomial | None:
    """The largest number of a range, or the least one: a bound of them, where it has a step."""
    step = unit.value(stream.step).constant if stream.step is not None else 1
    if not isinstance(step, int) or not step or stream.stop is None:
        return None
    start = polynomial(stream.start) if stream.start is not None else {}
    beyond = add(polynomial(stream.stop), scale(ONE, -1 if step > 0 else 1))
    return beyond if last is (step > 0) else start


def _names(value: Polynomial) -> Iterator[str]:
    for term in value:
        for factor in term:
            yield from reads(ast.parse(factor, mode="eval").body)


def spelled(value: Polynomial) -> str:
    """The source of a polynomial, what is added first."""
    terms = sorted(value.items(), key=lambda item: (item[1] < 0, not item[0], item[0]))
    code = ""
    for term, factor in terms:
        parts = [*([str(abs(factor))] if abs(factor) != 1 or not term else []), *term]
        sign = ("-" if factor < 0 else "") if not code else (" - " if factor < 0 else " + ")
        code += sign + " * ".join(parts)
    return code or "0"
