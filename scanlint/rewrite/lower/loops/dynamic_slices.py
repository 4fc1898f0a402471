"""Slices of constant length at a moving start, which a tracer cannot bound."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, TypeGuard

from scanlint.finding import Withheld
from scanlint.loops.loop import LoopModel
from scanlint.loops.sizes.affine import Polynomial, surely_at_most, window
from scanlint.loops.sizes.lengths import along, size
from scanlint.loops.sizes.masked_reductions import masked
from scanlint.loops.sizes.padded_sums import open_ended, summed
from scanlint.loops.sizes.trip_limits import extreme
from scanlint.loops.streams import Stream, is_array, streams_of
from scanlint.rewrite.draft import Snippet
from scanlint.rewrite.emit.snippets import atom
from scanlint.rewrite.normalize.range_masks import use_mask
from scanlint.syntax.bindings import parameters, reads, targets, walk_scope

Spell = Callable[[str], str]
SUMS = ast.Add | ast.Sub | ast.Mult | ast.FloorDiv


class Window(NamedTuple):
    """A slice along one axis: where it starts, and its length as source."""

    axis: int
    cut: ast.Slice
    low: ast.expr
    length: str


def use_windows(model: LoopModel, snippet: Snippet, spell: Spell) -> Withheld | None:
    """`x[i : i + 3]` becomes `lax.dynamic_slice_in_dim(x, i, 3)`, for a tracer cannot bound a slice."""
    done: set[ast.AST] = set()
    if problem := _use_masks(model, snippet, spell, done):
        return problem
    for part in ast.walk(ast.Module(model.node.body, [])):
        match part:
            case ast.Subscript(value=array, slice=index, ctx=ast.Load()) if index not in done:
                parts = index.elts if isinstance(index, ast.Tuple) else [index]
                if not any(_moves(model, p) for p in parts):
                    continue
                done.add(index)
                placed = isinstance(array, ast.Attribute) and array.attr == "at"
                code = (_placed if placed else _read)(model, snippet, spell, array, parts)
                if isinstance(code, Withheld):
                    filled = None if placed else _filled(model, snippet, spell, array, parts)
                    if filled is None:
                        return code
                    code = filled
                snippet.replace(part, code)
            case ast.Tuple(elts=parts) if part not in done and any(_moves(model, p) for p in parts):
                return Withheld("slice-in-tuple", f"a moving slice stands among other indices at line {part.lineno}")
    return None


def _use_masks(model: LoopModel, snippet: Snippet, spell: Spell, done: set[ast.AST]) -> Withheld | None:
    """Slices whose length changes as whole rows, in sums and products; their indices are `done` then."""
    for part in ast.walk(ast.Module(model.node.body, [])):
        if not isinstance(part, ast.Slice) or not _moves(model, part) or window(part, model.staged) is not None:
            continue
        found = masked(model.unit, part)
        if found is None or found.slices[0].slice in done:
            continue
        for bound in (part.lower, part.upper):
            if bound is not None and not _never_negative(model, bound):
                return Withheld("negative-start", f"a bound of the slice at line {part.lineno} can be below 0")
        done |= {one.slice for one in found.slices}
        use_mask(model.unit, found, snippet, spell)
    return None


def _read(
    model: LoopModel, snippet: Snippet, spell: Spell, array: ast.expr, parts: Sequence[ast.expr]
) -> str | Withheld:
    """The source of a read of the same rows by slices whose length is known when tracing."""
    line = array.lineno
    windows: list[Window] = []
    for axis, part in enumerate(parts):
        found = window(part, model.staged) if isinstance(part, ast.Slice) else None
        if found is not None and isinstance(part, ast.Slice):
            windows.append(Window(axis, part, *found))
        elif _moves(model, part):
            return Withheld("index-needs-int", f"the length of a slice changes with the index (line {line})")
        elif not (isinstance(part, ast.Slice) or _one(model, part)):
            return Withheld("slice-in-tuple", f"a moving slice stands among other indices at line {line}")
    if not is_array(model.unit, array):
        return Withheld("index-needs-int", f"`{ast.unparse(array)}` is not known to be an array (line {line})")
    whole = len(windows) > 1 and _whole(model, array, parts, windows)
    taken = windows if whole else [w for w in windows if _moves(model, w.cut)]
    for one in taken:
        if not _never_negative(model, one.low):
            return Withheld("negative-start", f"the slice at line {line} can start below 0")
        if not _within(model, array, one):
            return Withheld("slice-may-run-over", f"the slice at line {line} is not known to end within its array")
    name = snippet.expression(array)
    if whole:
        at = {w.axis: w for w in windows}
        starts = [snippet.expression(at[k].low) if k in at else "0" for k in range(len(parts))]
        lengths = [at[k].length if k in at else f"{name}.shape[{k}]" for k in range(len(parts))]
        return f"{spell('jax.lax.dynamic_slice')}({name}, ({', '.join(starts)}), ({', '.join(lengths)}))"
    moving = {w.axis for w in taken}
    others = [":" if axis in moving else model.unit.source.segment(part) for axis, part in enumerate(parts)]
    while others and others[-1] == ":":
        others.pop()
    code = f"{name}[{', '.join(others)}]" if others else name
    for one in taken:
        axis = one.axis - sum(not isinstance(part, ast.Slice) for part in parts[: one.axis])
        last = f", axis={axis}" if axis else ""
        start = snippet.expression(one.low)
        code = f"{spell('jax.lax.dynamic_slice_in_dim')}({code}, {start}, {one.length}{last})"
    return code


def _filled(model: LoopModel, snippet: Snippet, spell: Spell, array: ast.expr, parts: Sequence[ast.expr]) -> str | None:
    """A slice that may run over the end and is only summed: `x.at[rows].get(mode="fill", fill_value=0)`."""
    codes, neutral, name = list[str](), "", snippet.expression(array)
    for axis, part in enumerate(parts):
        match part:
            case ast.Slice() if _moves(model, part):
                found, counts = window(part, model.staged), summed(model.unit, part)
                if found is None and part.lower is not None and open_ended(model.unit, part):
                    found = part.lower, f"{name}.shape[{axis}]" if axis else f"len({name})"
                if found is None or counts is None or neutral or not _never_negative(model, found[0]):
                    return None
                neutral = counts
                codes.append(_places(snippet, spell, *found))
            case ast.Slice(lower=None, upper=None, step=None):
                codes.append(":")
            case ast.Constant(value=int(number)) if not isinstance(number, bool):
                codes.append(str(number))
            case _:
                return None
    while codes[-1] == ":":
        codes.pop()
    if not is_array(model.unit, array):
        return None
    return f'{name}.at[{", ".join(codes)}].get(mode="fill", fill_value={neutral})'


def _places(snippet: Snippet, spell: Spell, low: ast.expr, length: str) -> str:
    """The places of a window in an array: `i + jnp.arange(3)`."""
    start, sums = snippet.expression(low), isinstance(low, ast.BinOp) and isinstance(low.op, SUMS)
    return f"{start if sums else atom(start)} + {spell('jax.numpy.arange')}({length})"


def _placed(
    model: LoopModel, snippet: Snippet, spell: Spell, array: ast.expr, parts: Sequence[ast.expr]
) -> str | Withheld:
    """`y.at[i : i + 3]` as `y.at[i + jnp.arange(3)]`; what lies past the end is left out by both."""
    line, codes = array.lineno, []
    for part in parts:
        found = window(part, model.staged) if isinstance(part, ast.Slice) else None
        if found is not None:
            if not _never_negative(model, found[0]):
                return Withheld("negative-start", f"the slice at line {line} can start below 0, from the end")
            codes.append(_places(snippet, spell, *found))
        elif _moves(model, part):
            return Withheld("index-needs-int", f"the length of a slice changes with the index (line {line})")
        elif not isinstance(part, ast.Slice) or ast.unparse(part) != ":":
            return Withheld("slice-in-tuple", f"a moving slice stands among other indices at line {line}")
        else:
            codes.append(":")
    while codes[-1] == ":":
        codes.pop()
    if sum(code != ":" for code in codes) > 1:
        return Withheld("slice-in-tuple", f"a moving slice stands among other indices at line {line}")
    return f"{snippet.expression(array)}[{', '.join(codes)}]"


def _one(model: LoopModel, part: ast.expr) -> bool:
    """Whether an index is one whole number, which takes its axis away."""
    if isinstance(part, ast.Name) and any(part.id in targets(s.target) for s in _streams(model) if s.kind == "range"):
        return True
    return isinstance(model.unit.value(part).constant, int)


def _whole(model: LoopModel, array: ast.expr, parts: Sequence[ast.expr], windows: Sequence[Window]) -> bool:
    """Whether there is one slice for each axis of an array: a window, or all of it."""
    left = [p for at, p in enumerate(parts) if at not in {w.axis for w in windows}]
    return _axes(model, array) == len(parts) and all(isinstance(p, ast.Slice) and ast.unparse(p) == ":" for p in left)


def _axes(model: LoopModel, array: ast.expr) -> int | None:
    """How many axes an array has, where it is known, or its shape, or that of what it pads, is unpacked into names."""
    array = _unpadded(model, array)
    for part in walk_scope(getattr(model.flow.function, "body", [])):
        match part:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Attribute(value=unpacked, attr="shape")):
                if ast.dump(unpacked) == ast.dump(array) and not any(isinstance(n, ast.Starred) for n in names):
                    return len(names)
    return model.unit.value(array).ndim


def _unpadded(model: LoopModel, array: ast.expr) -> ast.expr:
    """The array `x` that a name bound to `jnp.pad(x, ...)` was made from: it has as many axes."""
    once = bound_once(model)
    if isinstance(array, ast.Name) and array.id in once:
        for part in walk_scope(getattr(model.flow.function, "body", [])):
            match part:
                case ast.Assign(
                    targets=[ast.Name(id=array.id)], value=ast.Call(func=made, args=[ast.Name(id=name) as x, *_])
                ):
                    if name in once and model.unit.resolve(made) == "jax.numpy.pad":
                        return x
    return array


def _streams(model: LoopModel) -> list[Stream]:
    """The streams of the loop, and of the loops around it and in it, the innermost first."""
    inner = [part for part in walk_scope(model.node.body) if isinstance(part, ast.For)][::-1]
    loops = [*inner, *(around for around in _around(model) if isinstance(around, ast.For))]
    own = {model.node: model.streams}
    return [s for loop in loops for s in own.get(loop) or streams_of(model.unit, loop.target, loop.iter)]


def _around(model: LoopModel) -> list[ast.For | ast.While]:
    """The loop and those around it in its function."""
    return [model.node, *(a for a in model.unit.around(model.node) if isinstance(a, ast.For | ast.While))]


def _moves(model: LoopModel, part: ast.expr) -> bool:
    return isinstance(part, ast.Slice) and bool(reads(part.lower, part.upper, part.step) & model.staged)


def _limit(model: LoopModel, part: ast.expr, *, most: bool) -> Polynomial | None:
    """The most (or least) that an index expression is over all trips; None where that is not evident."""
    streams = [(s.target.id, s) for s in _streams(model) if s.kind == "range" and isinstance(s.target, ast.Name)]
    around, counts = dict(streams), Counter(name for name, _ in streams)
    if any(counts[name] > 1 for name in reads(part)):
        return None
    measure = partial(size, model.unit, free=around)
    return extreme(model.unit, part, around, most=most, measure=measure, sizes=True)


def _never_negative(model: LoopModel, low: ast.expr) -> bool:
    """Whether the start of a window is surely 0 or more on every trip."""
    least = _limit(model, low, most=False)
    return least is not None and surely_at_most({}, least)


def _within(model: LoopModel, array: ast.expr, one: Window) -> bool:
    """Whether a window surely ends within its array: `dynamic_slice` would move one that does not."""
    assert one.cut.upper is not None
    last, length = _limit(model, one.cut.upper, most=True), along(model.unit, array, one.axis)
    return last is not None and length is not None and isinstance(array, ast.Name) and surely_at_most(last, length)


def bound_once(model: LoopModel) -> set[str]:
    """Names with one binding in the whole function, parameters included."""
    function = model.flow.function
    stores = [n.id for n in walk_scope(getattr(function, "body", [])) if _is_store(n)]
    counts = Counter([*parameters(function.args), *stores])
    return {name for name, count in counts.items() if count == 1}


def _is_store(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
