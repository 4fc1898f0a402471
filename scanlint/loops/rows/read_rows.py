"""Rows of an array that the numbers of a range serve to read: by the numbers that an index goes through."""

from __future__ import annotations

import ast
from typing import NamedTuple

from scanlint.loops.sizes.affine import Polynomial, add, scale
from scanlint.loops.sizes.lengths import exactly, rows, size
from scanlint.loops.streams import Stream, is_array
from scanlint.syntax.bindings import Names, reads
from scanlint.trace.unit import Unit


class ReadRow(NamedTuple):
    """One read of a row on each trip, `cut` the slice that leaves the rows of all trips (empty for all of the array).

    The trips go through them from the last to the first where `backward`. `distance`: how far the index is from the
    loop variable, if that is a number.
    """

    place: ast.Subscript
    cut: str
    backward: bool
    distance: int | None


class Range(NamedTuple):
    """The numbers from `lower` to before `upper`, gone through from the last one down where `backward`."""

    lower: Polynomial
    upper: Polynomial
    backward: bool


def read_row(unit: Unit, stream: Stream, use: ast.Name, changing: Names) -> ReadRow | None:
    """The row of an array that a use of a range's number reads: by `i`, by `i - 1`, by `len(xs) - i`.

    An index is a sum with the number in it. What it goes through decides, not its spelling: it lies within the array,
    and the next trip reads the next row, or the one before. `changing` are the names that the trips bind.
    """
    place = _place(unit, use)
    if place is None or not is_array(unit, place.value):
        return None
    if reads(place.value) & changing or (reads(place.slice) - {use.id}) & changing:
        return None
    index, have, numbers = size(unit, place.slice, free={use.id}), rows(unit, place.value), _numbers(unit, stream)
    reached = _reached(numbers, index, use.id) if index is not None and numbers is not None else None
    cut = _cut(reached, have) if reached is not None and have is not None else None
    if index is None or reached is None or cut is None:
        return None
    distance = add(index, {(use.id,): -1})
    return ReadRow(place, cut, reached.backward, None if distance.keys() - {()} else distance.get((), 0))


def _place(unit: Unit, use: ast.Name) -> ast.Subscript | None:
    """The read of one row by a sum that a use of a number is in."""
    index: ast.AST = use
    while isinstance(around := unit.parents[index], ast.BinOp | ast.UnaryOp):
        index = around
    match around:
        case ast.Subscript(value=ast.Name() | ast.Attribute(), slice=at, ctx=ast.Load()) if at is index:
            return around
    return None


def _numbers(unit: Unit, stream: Stream) -> Range | None:
    """The numbers of a range by 1 up or down."""
    by = unit.value(stream.step).constant if stream.step is not None else 1
    start = size(unit, stream.start) if stream.start is not None else {}
    stop = size(unit, stream.stop) if stream.stop is not None else None
    if start is None or stop is None or by not in (1, -1):
        return None
    if by == 1:
        return Range(start, stop, stream.reverse)
    return Range(add(stop, exactly(1)), add(start, exactly(1)), not stream.reverse)


def _reached(numbers: Range, index: Polynomial, name: str) -> Range | None:
    """The numbers that an index goes through; None where it does not move by 1 from trip to trip."""
    rest = {term: factor for term, factor in index.items() if term != (name,)}
    if any(name in term for term in rest):
        return None
    match index.get((name,)):
        case 1:
            return Range(add(numbers.lower, rest), add(numbers.upper, rest), numbers.backward)
        case -1:
            above = add(rest, exactly(1))
            lower, upper = add(above, scale(numbers.upper, -1)), add(above, scale(numbers.lower, -1))
            return Range(lower, upper, not numbers.backward)
    return None


def _cut(numbers: Range, have: Polynomial) -> str | None:
    """The slice that leaves the rows at these numbers, if they all lie within the array, or count from its end."""
    for whole in ({}, have):
        first, rest = add(numbers.lower, whole), add(have, scale(add(numbers.upper, whole), -1))
        if not (first.keys() | rest.keys()) - {()}:
            skipped, left = first.get((), 0), rest.get((), 0)
            if skipped >= 0 and left >= 0:
                stop = -left if have.keys() - {()} else max(have.get((), 0) - left, 0)
                cut = f"{skipped or ''}:{stop if left else ''}"
                return "" if cut == ":" else f"[{cut}]"
    return None
