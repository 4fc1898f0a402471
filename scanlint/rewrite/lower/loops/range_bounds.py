"""What loops over ranges and rows give, as source: how many trips, the loop variable of each, its last value."""

from __future__ import annotations

import ast

from scanlint.loops.loop import LoopModel
from scanlint.loops.streams import Stream
from scanlint.rewrite.emit.shortened import shortest
from scanlint.rewrite.emit.snippets import ARITHMETIC, atom
from scanlint.syntax.bindings import binds, reads

NUMBERS = frozenset(["jax.numpy.arange", "jax.numpy.linspace"])


def last_target(model: LoopModel, name: str) -> str | None:
    """The value that a loop variable has after the last trip, as source; None where it is not evident."""
    stream = next((s for s in model.streams if isinstance(s.target, ast.Name) and s.target.id == name), None)
    others = [s for s in model.streams if s is not stream]
    alone = not others or (len(others) == 1 and stream is not None and stream.counted is others[0].array)
    if stream is None or not (alone or _enumerated(model, stream)):
        return None
    parts = (stream.array, stream.counted, stream.start, stream.stop, stream.step)
    if (reads(*parts) | {name}) & binds(*model.node.body):
        return None
    if name in model.flow.bound_before(model.node) and not model.trips:
        return None  # where there is no trip it keeps what it is
    return _row(model, stream) if stream.kind == "rows" else _number(model, stream)


def _enumerated(model: LoopModel, stream: Stream) -> bool:
    """Whether a stream is the rows of an array that the other one counts."""
    return len(model.streams) == 2 and any(s.counted is not None and s.counted is stream.array for s in model.streams)


def _row(model: LoopModel, stream: Stream) -> str | None:
    match stream.array:
        case ast.Name() | ast.Attribute() | ast.Subscript() as array:
            return f"{model.unit.source.segment(array)}[{'0' if stream.reverse else '-1'}]"
        case ast.Call(func=func) as made if model.unit.resolve(func) in NUMBERS:
            return f"{model.unit.source.segment(made)}[{'0' if stream.reverse else '-1'}]"
    return None


def _number(model: LoopModel, stream: Stream) -> str | None:
    code = model.unit.source.segment
    if stream.counted is not None:
        first = first_count(model, stream.start)
        last = shortest(model.unit, [stream.counted, *stream.beside]) + (
            f" {'-' if first < 1 else '+'} {abs(first - 1)}" if first != 1 else ""
        )
        return last if not stream.reverse else str(first)
    known = final(model, stream, reverse=not stream.reverse)
    if known is not None:
        return str(known)
    assert stream.stop is not None
    if stream.step is None:
        if stream.reverse:
            return code(stream.start) if stream.start is not None else "0"
        match stream.stop:
            case ast.BinOp(left=left, op=ast.Add(), right=ast.Constant(value=1)):
                return code(left)
        return f"{_term(code(stream.stop))} - 1"
    if any(model.unit.value(p).traced for p in model.bounds):
        return None
    start = code(stream.start) if stream.start is not None else "0"
    return f"range({start}, {code(stream.stop)}, {code(stream.step)})[{'0' if stream.reverse else '-1'}]"


def first_count(model: LoopModel, start: ast.expr | None) -> int:
    """The number at which `enumerate` starts to count."""
    known = model.unit.value(start).constant if start is not None else 0
    assert isinstance(known, int)
    return known


def _term(code: str) -> str:
    """The expression as the left side of a minus."""
    node = ast.parse(code, mode="eval").body
    return code if isinstance(node, ast.BinOp) and isinstance(node.op, ARITHMETIC) else atom(code)


def final(model: LoopModel, stream: Stream, *, reverse: bool = True) -> int | None:
    """The number at the end of a range (at its begin if not `reverse`), where it is written in numbers."""
    parts = (stream.start, stream.stop, stream.step)
    numbers = [model.unit.value(p) for p in parts if p is not None]
    if not model.trips or not all(v.certain for v in numbers):
        return None
    start = model.unit.value(stream.start).constant if stream.start is not None else 0
    step = model.unit.value(stream.step).constant if stream.step is not None else 1
    if not isinstance(start, int) or not isinstance(step, int):
        return None
    return start + step * (model.trips - 1) if reverse else start


def length(model: LoopModel, stream: Stream) -> str:
    """How many trips a range makes."""
    code = model.unit.source.segment
    if stream.counted is not None:
        return shortest(model.unit, [stream.counted, *stream.beside])
    if model.trips is not None and all(
        isinstance(p, ast.Constant | ast.UnaryOp | None) for p in (stream.start, stream.stop, stream.step)
    ):
        return str(model.trips)
    assert stream.stop is not None
    if stream.start is None and stream.step is None:
        return code(stream.stop)
    match stream.start, model.unit.value(stream.stop).constant, model.unit.value(stream.step).constant:
        case ast.BinOp(left=left, op=ast.Sub(), right=ast.Constant(value=1)), -1, -1:
            return code(left)
    parts = [code(p) if p is not None else "0" for p in (stream.start, stream.stop)]
    return f"len(range({', '.join([*parts, *([code(stream.step)] if stream.step is not None else [])])}))"


def counts_evenly(model: LoopModel, stream: Stream) -> bool:
    """Whether the loop variable is told by the trip: a range with a step is reversed from its end, if that is known."""
    return not stream.reverse or stream.step is None or final(model, stream) is not None


def nth(model: LoopModel, stream: Stream, counter: str) -> str:
    """The loop variable of trip number `counter`."""
    code = model.unit.source.segment
    step = model.unit.value(stream.step).constant if stream.step is not None else 1
    first = _term(code(stream.start)) if stream.start is not None else "0"
    if stream.reverse and stream.step is None:
        assert stream.stop is not None
        return f"{_term(code(stream.stop))} - 1 - {counter}"
    if stream.reverse:
        last = final(model, stream)
        assert isinstance(last, int) and isinstance(step, int)
        return f"{last} {'-' if step > 0 else '+'} {abs(step)} * {counter}"
    match step:
        case -1:
            return f"{first} - {counter}"
        case int() if step < 0:
            return f"{first} - {-step} * {counter}"
    scaled = f"{atom(code(stream.step))} * {counter}" if stream.step is not None else counter
    return scaled if first == "0" else f"{first} + {scaled}"
