"""Inner loops whose range changes from trip to trip, over the full range: loops of unknown trips have no way back."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from scanlint.finding import Edit, Next, Position, Rewrite
from scanlint.loops.loop import LoopModel
from scanlint.loops.sizes.trip_limits import extreme, ranges_around, spelled
from scanlint.loops.streams import Stream, streams_of
from scanlint.rewrite.emit.snippets import side
from scanlint.rewrite.normalize.meaning.changes import movable
from scanlint.syntax.bindings import binds, reads
from scanlint.trace.unit import Unit


class FullRange(NamedTuple):
    """A loop with the bounds that its range gets, and the test that tells which of the numbers it went over."""

    node: ast.For
    bounds: tuple[tuple[ast.expr, str], ...]
    test: str


def with_full_ranges(model: LoopModel) -> Rewrite | None:
    """The first step: full ranges for the loop itself, or for those inside it that go as far as it has come."""
    node = model.node
    if not isinstance(node, ast.For):
        return None
    wanted = [loop for loop in ast.walk(node) if isinstance(loop, ast.For)]
    found = [full for loop in wanted if (full := _full(model.unit, loop, node)) is not None]
    if not found:
        return None
    edits = [edit for full in found for edit in _bounds(model.unit, full)]
    return Rewrite((*edits, *_bodies(model.unit, found)), "fori_loop", next=(Next(node, reported=True),))


def _full(unit: Unit, loop: ast.For, outer: ast.For) -> FullRange | None:
    """The full range of a loop, where the loops around it tell how far it may go."""
    around = ranges_around(unit, loop)
    match list(streams_of(unit, loop.target, loop.iter)):
        case [Stream(kind="range", target=ast.Name(id=name), counted=None) as stream] if stream.stop is not None:
            pass
        case _:
            return None
    own = binds(*loop.body)
    changing = [p for p in (stream.start, stream.stop) if p is not None and reads(p) & set(around)]
    if not changing or (reads(*changing) | {name}) & own or not movable(unit.source, loop, loop):
        return None
    if loop is not outer and not reads(*changing) & _targets_within(outer, around):
        return None
    if name in LoopModel(unit, loop).live_targets:
        return None
    step = unit.value(stream.step).constant if stream.step is not None else 1
    if not isinstance(step, int) or not step or (abs(step) > 1 and stream.start in changing):
        return None
    bounds = []
    for part in changing:
        limit = extreme(unit, part, around, most=(part is stream.stop) is (step > 0))
        if limit is None:
            return None
        bounds.append((part, spelled(limit)))
    tests = [_test(unit, name, part, first=part is stream.start, up=step > 0) for part in changing]
    return FullRange(loop, tuple(bounds), " and ".join(tests))


def _targets_within(outer: ast.For, around: dict[str, Stream]) -> set[str]:
    """The loop variables of a loop and of those inside it."""
    inside = set(ast.walk(outer))
    return {name for name, stream in around.items() if stream.target in inside}


def _test(unit: Unit, name: str, bound: ast.expr, *, first: bool, up: bool) -> str:
    """Whether a number is on the right side of a bound that it had."""
    sign = ("<", ">")[first is up] + ("=" if first else "")
    match bound:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=ast.Constant(value=1)):
            if isinstance(op, ast.Add) is up:
                sign, bound = (sign[0] if first else f"{sign}="), left
    return f"{name} {sign} {side(unit.source.segment(bound))}"


def _bounds(unit: Unit, full: FullRange) -> Iterator[Edit]:
    for part, code in full.bounds:
        yield unit.source.put(part, code)


def _bodies(unit: Unit, found: list[FullRange]) -> Iterator[Edit]:
    """Indent each line of the bodies, and put the tests above them."""
    lines, shifts, tests = unit.source.lines, dict[int, int](), dict[int, list[str]]()
    for full in found:
        first = full.node.body[0].lineno
        margin = lines[first - 1][: full.node.body[0].col_offset]
        tests.setdefault(first, []).append(f"{margin}{unit.indent * shifts.get(first, 0)}if {full.test}:\n")
        for line in range(first, (full.node.end_lineno or first) + 1):
            shifts[line] = shifts.get(line, 0) + 1
    for line, count in shifts.items():
        text = "".join(tests.get(line, [])) + (unit.indent * count if lines[line - 1].strip() else "")
        yield Edit(Position(line, 1), Position(line, 1), text)
