"""Arrays and lists made full size before a loop that sets place `i` of them on trip `i`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scanlint.loops.sizes.affine import Polynomial
from scanlint.loops.sizes.extents import SHAPED
from scanlint.loops.sizes.lengths import along, exactly, size
from scanlint.loops.streams import Stream, streams_of, trips_of
from scanlint.syntax.bindings import binds, reads, targets
from scanlint.trace.unit import Unit

_ALIKE = ("zeros_like", "ones_like", "empty_like", "full_like")
ALIKE = frozenset(f"{library}.{name}" for library in ("jax.numpy", "numpy") for name in _ALIKE)
NUMPY = frozenset(f"numpy.{name}" for name in ("zeros", "ones", "empty", "full", *_ALIKE))
MADE = SHAPED | NUMPY


class Fill(NamedTuple):
    """`ys = ys.at[at].set(element)`; an `item` is set by `ys[at] = element`, or by an operator: `ys[at] += element`."""

    name: str
    statement: ast.stmt
    at: tuple[ast.expr, ...]
    element: ast.expr
    item: bool = False
    op: ast.operator | None = None

    def axis(self, target: ast.expr) -> int | None:
        """The axis that a loop variable counts, where all of every other one is meant."""
        found = [k for k, part in enumerate(self.at) if is_name(part, target)]
        return found[0] if len(found) == 1 and all(map(whole, _without(self.at, found[0]))) else None


def fill_of(statement: ast.stmt) -> Fill | None:
    """What a statement sets of one array or list."""
    match statement:
        case ast.Assign(
            targets=[ast.Name(id=name)],
            value=ast.Call(
                func=ast.Attribute(
                    value=ast.Subscript(value=ast.Attribute(value=ast.Name(id=array), attr="at"), slice=at), attr="set"
                ),
                args=[element],
                keywords=[],
            ),
        ) if name == array:
            return Fill(name, statement, _places(at), element)
        case (
            ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name), slice=at)], value=element)
            | ast.AugAssign(target=ast.Subscript(value=ast.Name(id=name), slice=at), value=element)
        ):
            op = statement.op if isinstance(statement, ast.AugAssign) else None
            return Fill(name, statement, _places(at), element, True, op)
    return None


def _places(at: ast.expr) -> tuple[ast.expr, ...]:
    return tuple(at.elts) if isinstance(at, ast.Tuple) and at.elts else (at,)


def _without(parts: Sequence[ast.expr], place: int) -> list[ast.expr]:
    return [part for at, part in enumerate(parts) if at != place]


def is_name(part: ast.expr, target: ast.expr) -> bool:
    """Both are one name."""
    return isinstance(part, ast.Name) and isinstance(target, ast.Name) and part.id == target.id


def whole(part: ast.expr) -> bool:
    """An index that means all of an axis."""
    return isinstance(part, ast.Slice) and part.lower is part.upper is part.step is None


def fills(unit: Unit, node: ast.For | ast.While) -> Iterator[Fill]:
    """`ys[i] = y` in a loop that counts `i`."""
    found = [fill for statement in node.body if (fill := fill_of(statement)) is not None and fill.item]
    found = [fill for fill in found if len(fill.at) == 1 and fill.op is None and isinstance(fill.at[0], ast.Name)]
    if found and isinstance(node, ast.For):
        stream = counting(unit, node, tuple(streams_of(unit, node.target, node.iter)))
        yield from (fill for fill in found if stream is not None and is_name(fill.at[0], stream.target))


def counting(unit: Unit, node: ast.For | ast.While, streams: Sequence[Stream]) -> Stream | None:
    """The range that counts trips from 0 by 1, or down to 0, where nothing ends it early or moves its index."""
    stream = next((s for s in streams if s.kind == "range"), None)
    if stream is None or not isinstance(node, ast.For) or not isinstance(stream.target, ast.Name):
        return None
    alone = len(streams) == 1 and _count(unit, stream) is not None
    counts = stream.counted is not None and stream.start is None and not stream.reverse
    still = not {n for s in streams for n in targets(s.target)} & binds(*node.body)
    return stream if still and (alone or counts) else None


def _count(unit: Unit, stream: Stream) -> ast.expr | None:
    """The number before which a range ends, or begins, that goes from 0, or down to it."""
    if stream.start is None:
        return stream.stop if stream.step is None else None
    bounds = [unit.value(bound).constant for bound in (stream.stop, stream.step) if bound is not None]
    if stream.reverse or bounds != [-1, -1]:
        return None
    match stream.start:
        case ast.BinOp(left=left, op=ast.Sub(), right=ast.Constant(value=1)):
            return left
        case ast.Constant(value=int(last)):
            return ast.Constant(last + 1)
    return ast.BinOp(stream.start, ast.Add(), ast.Constant(1))


def made_full(
    unit: Unit, node: ast.stmt, streams: Sequence[Stream], stream: Stream, name: str, axis: int = 0
) -> ast.Assign | None:
    """The statement of the same block that makes it, with as many places along an axis as the loop makes trips.

    What says how many is as it was when the loop begins.
    """
    block, between = unit.block(node), list[ast.stmt]()
    bounds = [bound for bound in (stream.start, stream.stop, stream.step) if bound is not None]
    for statement in reversed(block[: block.index(node)]):
        match statement:
            case ast.Assign(targets=[ast.Name(id=bound)], value=value) if bound == name:
                still = not binds(*between) & reads(value, *bounds)
                return statement if still and fits(unit, streams, stream, value, axis) else None
        if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(statement)):
            return None
        between.append(statement)
    return None


def made_once(unit: Unit, function: ast.AST, name: str) -> ast.expr | None:
    """What makes an array of a function of which only parts are set since, `d = d.at[...].set(...)`."""
    made = []
    for place in ast.walk(function):
        if isinstance(place, ast.Name) and place.id == name and not isinstance(place.ctx, ast.Load):
            match unit.parents[place]:
                case ast.Assign(
                    value=ast.Call(
                        func=ast.Attribute(value=ast.Subscript(value=ast.Attribute(value=ast.Name(id=own), attr="at")))
                    )
                ) if own == name:
                    continue
                case ast.Assign(targets=[ast.Name()], value=value):
                    made.append(value)
                case _:
                    return None
    return made[0] if len(made) == 1 else None


def fits(unit: Unit, streams: Sequence[Stream], stream: Stream, made: ast.expr, axis: int) -> bool:
    """An array or list has as many places along an axis as the loop makes trips."""
    have = _along(unit, made, axis)
    if have is None:
        return False
    number = trips_of(unit, tuple(streams)) if len(streams) <= 2 else None
    count = _count(unit, stream)
    trips = along(unit, stream.counted, 0) if stream.counted is not None else count and size(unit, count)
    return have == trips or (number is not None and have == exactly(number))


def _along(unit: Unit, made: ast.expr, axis: int) -> Polynomial | None:
    """How many places along an axis an expression makes."""
    if (places := places_of(unit, made)) is not None:
        return size(unit, places[1]) if axis == 0 else None
    match made:
        case ast.Call(keywords=keywords) if any(k.arg in ("shape", None) for k in keywords):
            return None
        case ast.Call(func=function, args=[array, *_]) if unit.resolve(function) in ALIKE:
            return along(unit, array, axis)
        case ast.Call(func=function, args=[shape, *_]) if unit.resolve(function) in MADE:
            match shape:
                case (
                    ast.Tuple(elts=sizes) | ast.List(elts=sizes) | ast.BinOp(left=ast.Tuple(elts=sizes), op=ast.Add())
                ) if axis < len(sizes) and not any(isinstance(one, ast.Starred) for one in sizes[: axis + 1]):
                    return size(unit, sizes[axis])
                case ast.Attribute(value=array, attr="shape"):
                    return along(unit, array, axis)
            return size(unit, shape) if axis == 0 else None
    return None


def places_of(unit: Unit, made: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """What `[None] * n` or `[0.0 for _ in range(n)]` is full of, a constant, and how many places it has."""
    match made:
        case (
            ast.BinOp(left=ast.List(elts=[filling]), op=ast.Mult(), right=count)
            | ast.BinOp(left=count, op=ast.Mult(), right=ast.List(elts=[filling]))
        ):
            pass
        case ast.ListComp(
            elt=filling, generators=[ast.comprehension(iter=ast.Call(args=[count], keywords=[]) as call, ifs=[])]
        ) if unit.resolve(call.func) == "builtins.range":
            pass
        case _:
            return None
    match filling:
        case ast.Constant() | ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            return filling, count
    return None
