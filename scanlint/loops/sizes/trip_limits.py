"""The least and the most that index arithmetic is over all trips of the loops around it, without their variables."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from scanlint.loops.sizes.affine import Polynomial, add, multiply, polynomial, scale, surely_at_most
from scanlint.loops.streams import Stream, streams_of
from scanlint.syntax.regex import regex
from scanlint.trace.unit import Unit

ONE: Polynomial = {(): 1}
NAME = regex(r"\b[A-Za-z_]\w*")


def ranges_around(unit: Unit, node: ast.stmt) -> dict[str, Stream]:
    """The loop variables of the ranges that enclose a statement, the innermost first."""
    found: dict[str, Stream] = {}
    for loop in unit.around(node):
        for stream in streams_of(unit, loop.target, loop.iter) if isinstance(loop, ast.For) else ():
            if isinstance(stream.target, ast.Name) and stream.kind == "range" and stream.stop is not None:
                found.setdefault(stream.target.id, stream)
    return found


def extreme(
    unit: Unit,
    part: ast.expr,
    around: Mapping[str, Stream],
    *,
    most: bool,
    measure: Callable[[ast.expr], Polynomial | None] = polynomial,
    sizes: bool = False,
) -> Polynomial | None:
    """The most (or least) that an expression is, or a bound of it; None where that is not evident.

    `around` are the ranges that its loop variables go through, the innermost first. `sizes`: other factors of these
    are not negative where they are Python values.
    """
    match part:
        case ast.Call(func=ast.Name(id=name), args=parts) if name == ("min" if most else "max"):
            bounds = (extreme(unit, one, around, most=most, measure=measure, sizes=sizes) for one in parts)
            return next((bound for bound in bounds if bound is not None), None)
    value, risky = measure(part), _negative(unit, part, around, measure) if sizes else None
    for name, stream in around.items():
        if value is None:
            return None
        factor = {_without(term, name): by for term, by in value.items() if name in term}
        rest = {term: by for term, by in value.items() if name not in term}
        signs = {by > 0 for by in factor.values()}
        others = _names(factor)
        if name in _names(rest) | others or len(signs) > 1 or (others and (risky is None or others & risky)):
            return None
        end = _end(unit, stream, measure, last=signs.pop() is most) if factor else {}
        value = add(rest, multiply(factor, end)) if end is not None else None
    return value if value is not None and not _names(value) & set(around) else None


def _without(term: tuple[str, ...], name: str) -> tuple[str, ...]:
    place = term.index(name)
    return (*term[:place], *term[place + 1 :])


def _negative(
    unit: Unit, part: ast.expr, around: Mapping[str, Stream], measure: Callable[[ast.expr], Polynomial | None]
) -> frozenset[str] | None:
    """The loop variables that may be below 0; None where other names of an expression may: no Python values."""
    sizes = {n for p in ast.walk(part) if isinstance(p, ast.Call | ast.Attribute) for n in ast.walk(p)}
    names = [n for n in ast.walk(part) if isinstance(n, ast.Name) and n.id not in around and n not in sizes]
    if not all(unit.value(n).static for n in names):
        return None
    least = {name: _end(unit, stream, measure, last=False) for name, stream in around.items()}
    return frozenset(name for name, end in least.items() if end is None or not surely_at_most({}, end))


def _end(
    unit: Unit, stream: Stream, measure: Callable[[ast.expr], Polynomial | None], *, last: bool
) -> Polynomial | None:
    """The largest number of a range, or the least one: a bound of them, where it has a step."""
    step = unit.value(stream.step).constant if stream.step is not None else 1
    stop = stream.stop if stream.counted is None else ast.Call(ast.Name("len", ast.Load()), [stream.counted], [])
    if not isinstance(step, int) or not step or stop is None:
        return None
    start = measure(stream.start) if stream.start is not None else {}
    if last is not (step > 0) or start is None:
        return start
    beyond = measure(stop)
    if beyond is not None and stream.counted is not None:
        beyond = add(beyond, start)
    return add(beyond, scale(ONE, -1 if step > 0 else 1)) if beyond is not None else None


def _names(value: Polynomial) -> set[str]:
    return {name for term in value for factor in term for name in NAME.findall(factor)}


def spelled(value: Polynomial) -> str:
    """The source of a polynomial, what is added first."""
    terms = sorted(value.items(), key=lambda item: (item[1] < 0, not item[0], item[0]))
    code = ""
    for term, factor in terms:
        parts = [*([str(abs(factor))] if abs(factor) != 1 or not term else []), *term]
        sign = ("-" if factor < 0 else "") if not code else (" - " if factor < 0 else " + ")
        code += sign + " * ".join(parts)
    return code or "0"
