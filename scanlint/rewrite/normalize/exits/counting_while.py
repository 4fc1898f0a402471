"""A `for` as the `while` that counts as it does, for loops that are left from inside."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import NamedTuple

from scanlint.finding import Withheld
from scanlint.loops.jumps import jumps_in
from scanlint.loops.loop import LoopModel
from scanlint.loops.streams import Stream, is_array
from scanlint.rewrite.emit.snippets import on_one_line, shifted, side
from scanlint.rewrite.lower.branches.predicates import predicate
from scanlint.rewrite.lower.loops.range_bounds import counts_evenly, first_count, length, nth
from scanlint.rewrite.normalize.exits.flagged_body import negated
from scanlint.syntax.bindings import binds, reads, targets

Fresh = Callable[..., str]


class Counting(NamedTuple):
    """What stands before the loop, its test, and what stands first and last in its body.

    `counter`: the loop variable is what is counted, and is the same in the test as at the start of the body.
    """

    before: tuple[str, ...]
    test: str
    first: tuple[str, ...]
    last: tuple[str, ...]
    counter: str | None = None


def counting(model: LoopModel, kept: frozenset[str], fresh: Fresh) -> Counting | Withheld:
    """The parts of the `while`; `kept` are loop variables that must hold afterwards what they hold in Python."""
    node = model.node
    assert isinstance(node, ast.For)
    moving = binds(*node.body) | frozenset(model.targets)
    unread = {t for t in model.targets if t.startswith("_") and not model.used(t)} - kept
    anew = set(model.targets) & binds(*node.body)
    if clash := sorted(anew - unread if len(model.streams) == 1 else anew):  # `_` may stand for other things inside
        return Withheld("target-rebound", f"`{clash[0]}` is bound anew in the body (line {node.lineno})")
    if clash := sorted(reads(*model.bounds) & moving):
        return Withheld("bound-changes", f"the loop rebinds `{clash[0]}`, by which it counts (line {node.lineno})")
    if not model.streams:
        return opaque(model)
    match model.streams:
        case (Stream(kind="range", target=ast.Name(), counted=None, reverse=False) as stream,):
            if (step := _step(model, stream)) is not None:
                return _alone(model, stream, step, kept, fresh)
    return _rows(model, moving, kept, fresh)


def opaque(model: LoopModel) -> Withheld:
    """The message for a loop over an iterable that is not understood."""
    node, unit = model.node, model.unit
    parts = [node.iter] if isinstance(node, ast.For) else []
    while parts:
        part = parts.pop(0)
        match part, unit.resolve(part.func) if isinstance(part, ast.Call) else None:
            case ast.Call(args=args), "builtins.enumerate" | "builtins.reversed" | "builtins.zip":
                parts += args[:1] if unit.resolve(part.func) != "builtins.zip" else args
            case ((ast.Name() | ast.Attribute()), _) if unit.value(part).traced and not is_array(unit, part):
                code = unit.source.segment(part)
                return Withheld(
                    "iterable", f"nothing shows that `{code}` is an array (line {node.lineno}): annotate it"
                )
    return Withheld("iterable", f"what the loop goes over is not understood (line {node.lineno})")


def _step(model: LoopModel, stream: Stream) -> int | None:
    """The step of a range, where it is known."""
    step = model.unit.value(stream.step).constant if stream.step is not None else 1
    return step if isinstance(step, int) and step and (stream.step is None or _certain(model, stream.step)) else None


def _certain(model: LoopModel, node: ast.expr) -> bool:
    return model.unit.value(node).certain


def _alone(model: LoopModel, stream: Stream, step: int, kept: frozenset[str], fresh: Fresh) -> Counting | Withheld:
    """Count over a single `range`."""
    code = model.unit.source.segment
    assert isinstance(stream.target, ast.Name) and stream.stop is not None
    name, sign = stream.target.id, "<" if step > 0 else ">"
    start = code(stream.start) if stream.start is not None else "0"
    if name in kept:
        if name in model.flow.bound_before(model.node) and not model.trips:
            return Withheld("target-read-after-loop", f"`{name}` is read after the loop, which may make no trip")
        begin, end = shifted(start, -step), shifted(code(stream.stop), -step)
        return Counting((f"{name} = {begin}",), f"{name} {sign} {end}", (_moved(name, step),), ())
    name = name if model.used(name) or not name.startswith("_") else fresh("i", "trip", "k")
    test = f"{name} {sign} {side(code(stream.stop))}"
    return Counting((f"{name} = {start}",), test, (), (_moved(name, step),), name)


def _moved(name: str, step: int) -> str:
    return f"{name} += {step}" if step > 0 else f"{name} -= {-step}"


def _rows(model: LoopModel, moving: frozenset[str], kept: frozenset[str], fresh: Fresh) -> Counting | Withheld:
    """Rows of arrays, ranges beside them, ranges that step by what is not known: all by the number of the trip.

    A loop variable that is what `enumerate` counts from 0 is that number; one that is read afterwards moves first.
    """
    code, node = model.unit.source.segment, model.node
    counter, base = _counted(model, kept) or (fresh("k", "trip"), 0)
    late = counter in kept
    if late and counter in model.flow.bound_before(node) and not model.trips:
        return Withheld("target-read-after-loop", f"`{counter}` is read after the loop, which may make no trip")
    before: list[str] = []
    first: list[str] = []
    lengths: list[str] = []
    for stream in model.streams:
        if stream.kind == "range":
            if not counts_evenly(model, stream):
                return opaque(model)
            if stream.counted is None:
                lengths.append(length(model, stream))
            if code(stream.target) != counter:
                first.append(f"{code(stream.target)} = {nth(model, stream, counter)}")
            continue
        assert stream.array is not None
        read = not isinstance(stream.target, ast.Name) or stream.target.id in kept or model.used(stream.target.id)
        if not read and (count := written_out(stream.array)) is not None:
            lengths.append(str(count))
            continue
        array, skipped, dropped = _cut(stream.array)
        if not isinstance(array, ast.Name) or array.id in moving:
            before.append(f"{fresh('rows', 'all_rows')} = {code(stream.array)}")
            rows, skipped, dropped = before[-1].partition(" ")[0], 0, 0
        else:
            rows = array.id
        last = base - dropped - 1
        place = (f"{last} - {counter}" if last else f"-{counter}") if stream.reverse else counter
        if skipped != base and not stream.reverse:
            place += f" + {skipped - base}" if skipped > base else f" - {base - skipped}"
        lengths.append(f"len({rows})" + (f" - {skipped + dropped}" if skipped + dropped else ""))
        if read:
            first.append(f"{code(stream.target)} = {rows}[{place}]")
            names = set(targets(stream.target))
            if model.trips and names & kept and not names & model.flow.bound_before(node):
                before.append(f"{code(stream.target)} = {rows}[{-1 - dropped if stream.reverse else skipped}]")
    lengths = list(dict.fromkeys(lengths))
    stop = lengths[0] if len(lengths) == 1 else f"min({', '.join(lengths)})"
    if late:
        test = f"{counter} < {shifted(stop, base - 1) if base != 1 else stop}"
        return Counting((*before, f"{counter} = {base - 1}"), test, (f"{counter} += 1", *first), ())
    return Counting((*before, f"{counter} = 0"), f"{counter} < {stop}", tuple(first), (f"{counter} += 1",))


def written_out(array: ast.expr | None) -> int | None:
    """How many elements a list has that is written out, and that binds no names."""
    if not isinstance(array, ast.List | ast.Tuple):
        return None
    return None if any(isinstance(n, ast.Starred | ast.NamedExpr) for n in ast.walk(array)) else len(array.elts)


def _counted(model: LoopModel, kept: frozenset[str]) -> tuple[str, int] | None:
    """The loop variable that `enumerate` counts, and its first number, which is 0 unless it is read afterwards."""
    for stream in model.streams:
        if stream.counted is not None and isinstance(stream.target, ast.Name) and not stream.reverse:
            base = first_count(model, stream.start)
            if not base or (stream.target.id in kept and len(model.streams) == 2):
                return stream.target.id, base
    return None


def _cut(array: ast.expr) -> tuple[ast.expr, int, int]:
    """The array that the rows are a slice of, and how many rows the slice leaves out before and after.

    The rows are read from the whole then: of a slice without rows none could be read, not even in a trip never made.
    """
    match array:
        case ast.Subscript(value=ast.Name() as whole, slice=ast.Slice(lower=lower, upper=upper, step=None)):
            pass
        case _:
            return array, 0, 0
    match lower:
        case None:
            skipped = 0
        case ast.Constant(value=int(skipped)):
            pass
        case _:
            return array, 0, 0
    match upper:
        case None:
            return whole, skipped, 0
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(dropped))) if dropped:
            return whole, skipped, dropped
    return array, 0, 0


def leading_test(model: LoopModel, count: Counting) -> str | None:
    """The test of the new loop that stands for `if test: break` first in each trip, if that is all there is."""
    node, unit = model.node, model.unit
    match node.body[0]:
        case ast.If(test=test, body=[ast.Break() | ast.Return()], orelse=[]):
            pass
        case _:
            return None
    rest = [j for j in jumps_in(*node.body[1:]) if not isinstance(j, ast.Continue)]
    local = {name for line in count.first for name in targets_of(line)}
    fixed = isinstance(node, ast.While) or count.counter is not None or not reads(test) & set(model.targets)
    if rest or local & reads(test) or not fixed or any(isinstance(n, ast.NamedExpr) for n in ast.walk(test)):
        return None
    if isinstance(predicate(unit, test, lambda name: name), Withheld):
        return None
    code = on_one_line(negated(unit, test))
    made = ast.parse(code, mode="eval").body
    return f"({code})" if loose(made) else code


def targets_of(line: str) -> list[str]:
    """The names that a line of source binds."""
    return [n for s in ast.parse(line).body for n in binds(s)]


def loose(test: ast.expr) -> bool:
    """Whether a test has to stand in parentheses beside `and`."""
    spread = isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or)
    return spread or isinstance(test, ast.IfExp | ast.NamedExpr | ast.Lambda)
