"""Normal forms of what moves elements: shapes, slices, reversals, concatenations, products; and single rows."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import cast

import numpy as np

from .elementwise import ELEMENTWISE, Elementwise
from .polynomials import Polynomial, number, symbol
from .python.doubles import evaluated, polynomials
from .term_table import Shape, Term, trip_at, without

RESHAPES = frozenset(["reshape", "squeeze", "expand_dims"])
ONE = number(1)


class Structure(Elementwise):
    """Terms in normal form; a row of an array is the same term whatever the array was made by."""

    def make(self, op: str, par: Hashable, args: Sequence[Term], shape: Shape, dtype: object) -> Term:
        if op in ELEMENTWISE:
            return self.elementwise(op, par, args, shape, dtype)
        found: Term | None = None
        if op in RESHAPES:
            return self._reshaped(args[0], shape)
        match op:
            case "broadcast_in_dim":
                found = self._broadcast(cast("tuple[int, ...]", par), args[0], shape)
            case "slice":
                found = self._sliced(cast("Slice", par), args[0], shape)
            case "rev":
                found = self._reversed(cast("tuple[int, ...]", par), args[0])
            case "concatenate":
                found = self._joined(cast("int", par), args, shape, dtype)
            case "double_of" if all(p.constant is not None for p in polynomials(par)):
                return self.constant(evaluated(par), dtype)
            case "transpose" if par == tuple(range(len(shape))):
                found = args[0]
            case "dot_general":
                args, par = self._product(args, cast("Parameters", par))
        return found if found is not None else self.term(op, par, args, shape, dtype, within=within(par))

    def _reshaped(self, x: Term, shape: Shape) -> Term:
        if x.shape == shape:
            return x
        if not x.shape or (x.op == "broadcast_in_dim" and not x.args[0].shape):
            return self.broadcast(x.args[0] if x.shape else x, shape)
        if x.op == "reshape":
            return self._reshaped(x.args[0], shape)
        if x.op == "rows" and len(shape) > 1 and shape[0] == x.shape[0] != ONE:
            return self.mapped(x, lambda row: self._reshaped(row, shape[1:]))
        return self.term("reshape", (), [x], shape, x.dtype)

    def _broadcast(self, axes: tuple[int, ...], x: Term, shape: Shape) -> Term | None:
        if x.shape == shape:
            return x
        if x.op == "broadcast_in_dim" and not x.args[0].shape:
            return self.broadcast(x.args[0], shape)
        added = [size for k, size in enumerate(shape) if k not in axes]
        kept = all(x.shape[j] == shape[k] for j, k in enumerate(axes))
        if x.shape and kept and all(size == ONE for size in added):
            return self._reshaped(x, shape)
        if x.op == "reshape":
            core = [size for size in x.shape if size != ONE]
            if list(x.args[0].shape) == core:
                left = tuple(k for k, size in zip(axes, x.shape, strict=True) if size != ONE)
                return self.make("broadcast_in_dim", left, [x.args[0]], shape, x.dtype)
        return None

    def _sliced(self, par: Slice, x: Term, shape: Shape) -> Term:
        starts, _, steps = par
        if x.op == "slice":
            first, _, by = cast("Slice", x.par)
            starts = tuple(a + c * b for a, b, c in zip(first, starts, by, strict=True))
            steps = tuple(a * b for a, b in zip(by, steps, strict=True))
            x = x.args[0]
        if shape == x.shape and all(a.constant == 0 and c == ONE for a, c in zip(starts, steps, strict=True)):
            return x
        stops = tuple(a + c * (size - 1) + 1 for a, c, size in zip(starts, steps, shape, strict=True))
        for axis, (start, stop) in enumerate(zip(starts, stops, strict=True)):
            if stop - start == ONE and x.shape[axis] != ONE:
                rest = self.make(
                    "slice",
                    (without(starts, axis), without(stops, axis), without(steps, axis)),
                    [self.row(x, axis, start)],
                    without(shape, axis),
                    x.dtype,
                )
                return self._reshaped(rest, shape)
        return self.term("slice", (starts, stops, steps), [x], shape, x.dtype, within=within((starts, stops, steps)))

    def _reversed(self, axes: tuple[int, ...], x: Term) -> Term | None:
        if not axes:
            return x
        if x.op == "rows" and axes == (0,):
            count = cast("Polynomial", x.par)
            return self.by_rows(count, lambda t: self.row(x, 0, count - 1 - t))
        return x.args[0] if x.op == "rev" and x.par == axes else None

    def _joined(self, axis: int, args: Sequence[Term], shape: Shape, dtype: object) -> Term | None:
        filled = [a for a in args if a.shape[axis].constant != 0]
        if len(filled) < len(args):
            return self.make("concatenate", axis, filled or args[:1], shape, dtype)
        if len(args) == 1:
            return args[0]
        if axis and all(a.op == "rows" and a.par == args[0].par for a in args):
            count = cast("Polynomial", args[0].par)
            return self.by_rows(
                count, lambda t: self.make("concatenate", axis - 1, [self.row(a, 0, t) for a in args], shape[1:], dtype)
            )
        if any(a.op == "concatenate" and a.par == axis for a in args):
            flat = [b for a in args for b in (a.args if a.op == "concatenate" and a.par == axis else [a])]
            return self.make("concatenate", axis, flat, shape, dtype)
        return None

    def _product(self, args: Sequence[Term], par: Parameters) -> tuple[Sequence[Term], Parameters]:
        """Each element is a sum of the same products, whichever operand is first, and however it lies."""
        named = dict(par)
        (left, right), (left_batch, right_batch) = cast("Contraction", named["dimension_numbers"])
        if left_batch or right_batch or len(left) != 1 or args[0].dtype != args[1].dtype or "precision" in named:
            return args, par
        axes, operands = [left, right], list(args)
        for k, x in enumerate(operands):
            if x.op == "transpose":
                if len(x.args[0].shape) != 2:
                    return args, par
                order = cast("tuple[int, ...]", x.par)
                axes[k], operands[k] = tuple(order[j] for j in axes[k]), x.args[0]
        ranks = [len(x.shape) for x in operands]
        if ranks[0] == 1 and (ranks[1] > 1 or operands[0].number > operands[1].number):
            operands.reverse()
            axes.reverse()
        named["dimension_numbers"] = tuple(axes), (left_batch, right_batch)
        return operands, tuple(sorted(named.items()))

    def mapped(self, x: Term, change: Callable[[Term], Term]) -> Term:
        """The array whose rows are those of x, changed."""
        return self.by_rows(x.shape[0], lambda t: change(self.row(x, 0, t)))

    def rows(self, trip: str, count: Polynomial, body: Term) -> Term:
        """The array whose row `trip` is `body`; the name is bound anew by the height of what is inside."""
        shape = (count, *body.shape)
        if count.constant == 0:
            return self.term("empty", (), (), shape, body.dtype)
        if trip not in body.free:
            return self.make("broadcast_in_dim", tuple(range(1, len(shape))), [body], shape, body.dtype)
        if body.op == "row" and body.par == (0, symbol(trip)):
            (whole,) = body.args
            if trip not in whole.free and whole.shape[0] == count:
                return whole
        inner, name = body, ""
        while (bound := trip_at(max(inner.height, self.height_of(count)) + 1)) != name:
            name = bound
            with self.integers.within(name, count):
                inner = self.substituted(body, {trip: symbol(name)})
        return self.term("rows", count, (inner,), shape, body.dtype, within=[count], binds=name)

    def row(self, term: Term, axis: int, place: Polynomial) -> Term:
        """The array without an axis, at a place of it that is known to be inside; of two places the last axis first."""
        if term.op == "row":
            outer, at = cast("tuple[int, Polynomial]", term.par)
            if axis >= outer:
                return self.row(self.row(term.args[0], axis + 1, place), outer, at)
        if (found := self._row(term, axis, place)) is not None:
            return found
        return self.term("row", (axis, place), (term,), without(term.shape, axis), term.dtype, within=[place])

    def _row(self, x: Term, axis: int, place: Polynomial) -> Term | None:
        shape = without(x.shape, axis)
        match x.op:
            case "rows":
                return self._row_of_rows(x, axis, place)
            case "broadcast_in_dim":
                return self._row_of_broadcast(x, axis, place, shape)
            case "iota" if x.par == axis:
                counted = self.elementwise("convert_element_type", (), [self.integer(place, np.int32)], (), x.dtype)
                return self.shaped(counted, shape)
            case "iota":
                return self.term("iota", cast("int", x.par) - (cast("int", x.par) > axis), (), shape, x.dtype)
            case "rev":
                axes = cast("tuple[int, ...]", x.par)
                inner = self.row(x.args[0], axis, x.shape[axis] - 1 - place if axis in axes else place)
                return self.make("rev", tuple(k - (k > axis) for k in axes if k != axis), [inner], shape, x.dtype)
            case "slice":
                starts, stops, steps = cast("Slice", x.par)
                inner = self.row(x.args[0], axis, starts[axis] + steps[axis] * place)
                rest = without(starts, axis), without(stops, axis), without(steps, axis)
                return self.make("slice", rest, [inner], shape, x.dtype)
            case "transpose":
                order = cast("tuple[int, ...]", x.par)
                k = order[axis]
                left = tuple(j - (j > k) for j in order if j != k)
                return self.make("transpose", left, [self.row(x.args[0], k, place)], shape, x.dtype)
            case "concatenate":
                return self._row_of_joined(x, axis, place, shape)
            case "reshape":
                return self._row_of_reshaped(x, axis, place, shape)
            case "set_row":
                return self._row_of_set(x, axis, place)
            case "dot_general":
                return self._row_of_product(x, axis, place, shape)
            case "const" if place.constant is not None:
                sizes = [size.constant for size in x.shape]
                array = np.frombuffer(cast("bytes", x.par), cast("np.dtype[np.generic]", x.dtype)).reshape(sizes)  # type: ignore[arg-type]
                return self.constant(array.take(place.constant, axis), x.dtype)
            case op if op in ELEMENTWISE:
                parts = [self.row(b, axis, place) if b.shape else b for b in x.args]
                return self.elementwise(op, x.par, parts, shape, x.dtype)
            case op if op.startswith("reduce_") and "axes" in parameters(x.par) and len(x.args) == 1:
                return self._row_of_reduced(x, axis, place, shape)
        return None

    def _row_of_reduced(self, x: Term, axis: int, place: Polynomial, shape: Shape) -> Term:
        named = parameters(x.par)
        summed = cast("tuple[int, ...]", named["axes"])
        k = [j for j in range(len(x.args[0].shape)) if j not in summed][axis]
        others = {**named, "axes": tuple(j - (j > k) for j in summed)}
        return self.make(x.op, tuple(sorted(others.items())), [self.row(x.args[0], k, place)], shape, x.dtype)

    def _row_of_rows(self, x: Term, axis: int, place: Polynomial) -> Term:
        if axis == 0:
            return self.substituted(x.args[0], {trip_at(x.height): place})
        return self.mapped(x, lambda row: self.row(row, axis - 1, place))

    def _row_of_broadcast(self, x: Term, axis: int, place: Polynomial, shape: Shape) -> Term:
        inner = x.args[0]
        axes = cast("tuple[int, ...]", x.par) if inner.shape else ()
        if axis not in axes:
            return self.make("broadcast_in_dim", tuple(k - (k > axis) for k in axes), [inner], shape, x.dtype)
        j = axes.index(axis)
        part = self.row(inner, j, place if inner.shape[j] == x.shape[axis] else number(0))
        left = tuple(k - (k > axis) for k in axes if k != axis)
        return self.make("broadcast_in_dim", left, [part], shape, x.dtype)

    def _row_of_joined(self, x: Term, axis: int, place: Polynomial, shape: Shape) -> Term | None:
        along = cast("int", x.par)
        if along != axis:
            parts = [self.row(a, axis, place) for a in x.args]
            return self.make("concatenate", along - (along > axis), parts, shape, x.dtype)
        start, inside = number(0), self.integers.at_least_zero
        for part in x.args:
            if inside(place - start) and inside(start + part.shape[axis] - 1 - place):
                return self.row(part, axis, place - start)
            start = start + part.shape[axis]
        return None

    def _row_of_reshaped(self, x: Term, axis: int, place: Polynomial, shape: Shape) -> Term | None:
        (inner,) = x.args
        core = [k for k, size in enumerate(inner.shape) if size != ONE]
        mine = [k for k, size in enumerate(x.shape) if size != ONE]
        if [inner.shape[k] for k in core] == [x.shape[k] for k in mine]:
            if axis not in mine:
                return self._reshaped(inner, shape)
            return self._reshaped(self.row(inner, core[mine.index(axis)], place), shape)
        if axis == 0 and inner.shape and inner.shape[0] == x.shape[0]:
            return self._reshaped(self.row(inner, 0, place), shape)
        return None

    def _row_of_set(self, x: Term, axis: int, place: Polynomial) -> Term | None:
        along, at = cast("tuple[int, Polynomial]", x.par)
        if along != axis:
            return None
        if at == place:
            return x.args[1]
        inside = self.integers.at_least_zero
        apart = inside(place - at - 1) or inside(at - place - 1)
        return self.row(x.args[0], axis, place) if apart else None

    def _row_of_product(self, x: Term, axis: int, place: Polynomial, shape: Shape) -> Term | None:
        named = parameters(x.par)
        (left, right), (left_batch, right_batch) = cast("Contraction", named["dimension_numbers"])
        if left_batch or right_batch:
            return None
        summed = left, right
        kept = [[k for k in range(len(x.args[s].shape)) if k not in summed[s]] for s in (0, 1)]
        side = int(axis >= len(kept[0]))
        k = kept[side][axis - side * len(kept[0])]
        operands, axes = list(x.args), [left, right]
        operands[side] = self.row(operands[side], k, place)
        axes[side] = tuple(j - (j > k) for j in axes[side])
        named["dimension_numbers"] = tuple(axes), (left_batch, right_batch)
        return self.make("dot_general", tuple(sorted(named.items())), operands, shape, x.dtype)

    def set_row(self, x: Term, axis: int, place: Polynomial, value: Term) -> Term:
        return self.term("set_row", (axis, place), (x, value), x.shape, x.dtype, within=[place])


Slice = tuple[Shape, Shape, Shape]
Parameters = tuple[tuple[str, object], ...]
Contraction = tuple[tuple[tuple[int, ...], tuple[int, ...]], tuple[tuple[int, ...], tuple[int, ...]]]


def parameters(par: Hashable) -> dict[str, object]:
    return dict(cast("Parameters", par)) if isinstance(par, tuple) and all(isinstance(p, tuple) for p in par) else {}


def within(par: object) -> list[object]:
    """The polynomials among the parameters."""
    if isinstance(par, Polynomial):
        return [par]
    return [found for part in par for found in within(part)] if isinstance(par, tuple) else []
