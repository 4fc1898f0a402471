"""Names that count: the loop variables of ranges over all trips, and statements that add a number to a name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from scanlint.loops.numbers import number as numbers
from scanlint.loops.numbers.number import MOST_TRIPS, Number
from scanlint.loops.streams import Stream, range_length, streams_of
from scanlint.trace.unit import Unit


def added(statement: ast.stmt, name: str) -> ast.expr | None:
    """What `k = k + 2` or `k -= 2` adds to a name, or what it takes away: negated; also as a part of `x, k = ...`."""
    match given_to(statement, name):
        case ast.BinOp(left=ast.Name(id=read), op=ast.Add(), right=step) if read == name:
            return step
        case ast.BinOp(left=ast.Name(id=read), op=ast.Sub(), right=step) if read == name:
            return ast.copy_location(ast.UnaryOp(ast.USub(), step), step)
        case ast.BinOp(left=step, op=ast.Add(), right=ast.Name(id=read)) if read == name:
            return step
    return None


def given_to(statement: ast.stmt, name: str) -> ast.expr | None:
    """The expression that an assignment gives to a name: `k + 2` where it is `k += 2`."""
    match statement:
        case ast.Assign(targets=[ast.Name()], value=value):
            return value
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(targets) == len(values):
            found = [v for t, v in zip(targets, values, strict=True) if isinstance(t, ast.Name) and t.id == name]
            return found[0] if len(found) == 1 else None
        case ast.AugAssign(target=ast.Name(), op=op, value=value):
            before = ast.copy_location(ast.Name(name, ast.Load()), statement)
            return ast.copy_location(ast.BinOp(before, op, value), statement)
    return None


def counters_around(unit: Unit, node: ast.stmt) -> Iterator[tuple[str, Number]]:
    """The loop variables of the ranges around a loop: Python ints that none of its trips changes."""
    for loop in unit.around(node):
        if isinstance(loop, ast.For):
            for stream in streams_of(unit, loop.target, loop.iter):
                for name, number in counted(unit, stream).items():
                    yield name, replace(number, moving=False)


def counted(unit: Unit, stream: Stream) -> dict[str, Number]:
    """The range of values that the loop variable of a `range` takes over all trips."""
    if stream.kind != "range" or not isinstance(stream.target, ast.Name):
        return {}

    def bound(node: ast.expr | None, otherwise: int) -> Number:
        if node is None:
            return numbers.constant(otherwise)
        value = unit.value(node)
        constant = value.constant if value.certain else None
        return numbers.constant(constant) if type(constant) is int else numbers.size()

    start, step = bound(stream.start, 0), bound(stream.step, 1)
    if stream.counted is not None:
        trips = trips_of_rows(unit, stream)
        return {stream.target.id: Number(start.low, start.high + trips - 1, True, 0, moving=True)}
    stop = bound(stream.stop, 0)
    known = range_length(stream, lambda node: unit.value(node).constant if unit.value(node).certain else None)
    if known and step.low == step.high:
        last = start.low + step.low * (known - 1)
        return {stream.target.id: Number(min(start.low, last), max(start.low, last), True, 0, moving=True)}
    if stop.low == -MOST_TRIPS and step.low > 0:
        stop = replace(stop, low=start.low)
    low, high = min(start.low, stop.low), max(start.high, stop.high)
    if step.low > 0:
        low, high = start.low, max(start.low, stop.high - 1)
    elif step.high < 0:
        low, high = min(start.high, stop.low + 1), start.high
    return {stream.target.id: Number(low, high, True, 0, moving=True)}


def trips_of_rows(unit: Unit, stream: Stream) -> int:
    """How many rows are counted, at most."""
    from scanlint.loops.sizes.lengths import rows_written

    known = rows_written(unit, stream.counted) if stream.counted is not None else None
    return known if known is not None else MOST_TRIPS
