"""What names stand for while shapes are solved, and what operations require of them."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .dims import ONE, Dim, Dims, Shape

Leaves = frozenset[int]
NO_LEAVES: Leaves = frozenset()
IMPOSSIBLE = 50.0  # operands do not fit
UNSTEADY = 6.0  # what a loop carries changes its rank
NO_MATRIX = 4.0  # `.T` of a vector
INNER, OWN = 3.0, 0.5  # a product of two vectors; of a row, or of a vector with what is computed from it
ON_THE_RIGHT = 1e-3  # a matrix right of a vector, where nothing else tells which is which
UNMET = 3.0  # a new axis, and only a number to broadcast with it
MIXED = 2.5  # arrays of different ranks
POINTLESS = 2.0  # what a number is reduced to is itself
ADDED = 2.2  # a number to an array
TRUTH = 6.0  # of an array with axes
UPDATED = 1.5  # a number becomes an array by `p = p - ...`


@dataclass(frozen=True, slots=True)
class Arr:
    """An array; `by` are the parameters that its rank depends on, `mask` whether it holds truth values.

    `row`: it is a row or column, or a part of one, that is read where another axis is named: `m[i, :k]`. `trip`: it is
    computed from what a loop reads at its variable.
    """

    shape: Shape
    by: Leaves = NO_LEAVES
    mask: bool = False
    row: bool = False
    trip: bool = False


@dataclass(frozen=True, slots=True)
class Num:
    """A Python number; `below` is the size that a loop's variable stays below, `trip`: it is computed from one."""

    size: Dim | None = None
    below: Dim | None = None
    trip: bool = False


@dataclass(frozen=True, slots=True)
class ItemValues:
    """A tuple or list of known length."""

    parts: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class ManyValues:
    """A list of unknown length."""

    element: Value


@dataclass(frozen=True)
class NamedValues:
    """A dict, or an object with attributes."""

    held: Mapping[str, Value]


@dataclass(frozen=True)
class LocalFunction:
    """A function with the names around it."""

    node: ast.FunctionDef | ast.Lambda
    names: dict[str, Value]


@dataclass(frozen=True, slots=True)
class ChangedFunction:
    """A function changed by `vmap` or by one that differentiates; `axes` are those of `vmap`."""

    kind: str
    function: Value
    axes: Value = None


Value = Arr | Num | ItemValues | ManyValues | NamedValues | LocalFunction | ChangedFunction | str | None
"""None is what nothing is known of."""


@dataclass
class ShapeRules:
    """Makes sizes equal as operations require, and adds up what speaks against the ranks; `blamed` by parameter.

    `read`: along how many axes loops read a parameter at their variables; `named`: how many axes numbers index at once.
    """

    dims: Dims = field(default_factory=Dims)
    cost: float = 0.0
    blamed: dict[int, float] = field(default_factory=dict)
    read: dict[int, int] = field(default_factory=dict)
    named: dict[int, int] = field(default_factory=dict)

    def against(self, cost: float, by: Leaves) -> None:
        self.cost += cost
        for leaf in by:
            self.blamed[leaf] = self.blamed.get(leaf, 0.0) + cost

    def same(self, a: Dim, b: Dim, by: Leaves) -> None:
        if not self.dims.unify(a, b):
            self.against(IMPOSSIBLE, by)

    def broadcast(self, values: Sequence[Value], *, mask: bool = False) -> Value:
        """An elementwise operation."""
        arrays = [v for v in values if isinstance(v, Arr)]
        if any(v is None for v in values):
            return None
        if not arrays:
            return Num()
        by = NO_LEAVES.union(*(a.by for a in arrays))
        ranks = {len(a.shape) for a in arrays} - {0}
        if len(ranks) > 1:
            self.against(MIXED, by)
        if any(ONE in a.shape for a in arrays) and any(a.by and not a.shape for a in arrays):
            self.against(UNMET, by)
        shape: Shape = ()
        for array in arrays:
            shape = self.joined(shape, array.shape, by)
        return Arr(shape, by, mask, trip=any(isinstance(v, Arr | Num) and v.trip for v in values))

    def added(self, left: Value, right: Value) -> None:
        """What is added to an array most likely has its rank."""
        for one, other in ((left, right), (right, left)):
            if isinstance(one, Arr) and isinstance(other, Arr) and one.by and other.shape and not one.shape:
                self.against(ADDED, one.by)

    def truth(self, value: Value) -> None:
        """An array with axes has no truth."""
        if isinstance(value, Arr) and value.shape:
            self.against(TRUTH, value.by)

    def joined(self, a: Shape, b: Shape, by: Leaves) -> Shape:
        if len(a) < len(b):
            a, b = b, a
        found = list(a)
        for at in range(1, len(b) + 1):
            one, other = self.dims.of(a[-at]), self.dims.of(b[-at])
            if one == ONE:
                found[-at] = other
            elif other != ONE:
                self.same(one, other, by)
        return tuple(found)

    def product(self, a: Value, b: Value) -> Value:
        """A product of matrices or vectors."""
        if not (isinstance(a, Arr) and isinstance(b, Arr)):
            return None
        by = a.by | b.by
        if not a.shape or not b.shape:
            self.against(IMPOSSIBLE, by)
            return None
        if len(a.shape) == len(b.shape) == 1:
            self.against(OWN if a.by & b.by or a.row or b.row else INNER, by)
        self.cost += ON_THE_RIGHT if len(a.shape) < len(b.shape) else 0.0
        self.same(a.shape[-1], b.shape[-2 if len(b.shape) > 1 else -1], by)
        rows, columns = a.shape[:-1][-1:], b.shape[-1:] if len(b.shape) > 1 else ()
        return Arr((*self.joined(a.shape[:-2], b.shape[:-2], by), *rows, *columns), by)

    def transposed(self, a: Arr) -> Arr:
        if len(a.shape) < 2:
            self.against(NO_MATRIX, a.by)
        return Arr(a.shape[::-1], a.by, a.mask)

    def square(self, a: Arr) -> None:
        if len(a.shape) < 2:
            self.against(IMPOSSIBLE, a.by)
        else:
            self.same(a.shape[-1], a.shape[-2], a.by)

    def reduced(self, a: Arr, axis: object, keep: bool = False) -> Value:
        """Without one axis, or without any where `axis` is None."""
        if axis is None:
            self.against(0.0 if a.shape else POINTLESS, a.by)
            return Arr(tuple(ONE for _ in a.shape) if keep else (), a.by)
        if not isinstance(axis, int):
            return None
        if not -len(a.shape) <= axis < len(a.shape):
            self.against(IMPOSSIBLE, a.by)
            return None
        at = axis % len(a.shape)
        return Arr((*a.shape[:at], *([ONE] if keep else []), *a.shape[at + 1 :]), a.by)

    def steady(self, before: Value, after: Value) -> None:
        """What a loop carries keeps its shape; a number or a constant without axes may become an array."""
        match before, after:
            case Arr(shape=first, by=by), Arr(shape=last, by=others):
                if not by and not first:
                    return
                fits = len(first) == len(last) and False not in [*map(self.dims.unify, first, last)]
                if not fits:
                    self.against(UNSTEADY, by | others)
            case ItemValues(parts=old), ItemValues(parts=new) if len(old) == len(new):
                for a, b in zip(old, new, strict=True):
                    self.steady(a, b)
            case NamedValues(held=old_fields), NamedValues(held=new_fields):
                for name in old_fields.keys() & new_fields.keys():
                    self.steady(old_fields[name], new_fields[name])

    def updated(self, before: Value, after: Value) -> None:
        """A number that is bound to what is computed from it stays one."""
        if isinstance(before, Arr) and isinstance(after, Arr) and before.by and not before.shape and after.shape:
            self.against(UPDATED, before.by)

    def first(self, value: Value) -> Value:
        """One entry of what is iterated over."""
        match value:
            case Arr(shape=shape, by=by):
                if not shape:
                    self.against(IMPOSSIBLE, by)
                    return None
                return Arr(shape[1:], by)
            case ItemValues(parts=parts):
                return parts[0] if parts else None
            case ManyValues(element=element):
                return element
        return None

    def noted(self, axes: dict[int, int], value: Value, count: int) -> None:
        """Note so many axes of a parameter, or of what is computed from it alone."""
        if isinstance(value, Arr) and len(value.by) == 1:
            (leaf,) = value.by
            axes[leaf] = max(axes.get(leaf, 0), count)

    def length(self, value: Value) -> Dim | None:
        match value:
            case Arr(shape=[first, *_]):
                return first
            case ItemValues(parts=parts):
                return Dim(len(parts))
        return None

    def stacked(self, value: Value, *, join: bool, axis: int) -> Value:
        """`stack` or `concatenate` of a list."""
        if isinstance(value, ManyValues) and isinstance(value.element, Arr) and not join:
            return self.with_axis(value.element, axis, self.dims.fresh())
        parts = value.parts if isinstance(value, ItemValues) else ()
        arrays = [p for p in parts if isinstance(p, Arr)]
        if not arrays or len(arrays) != len(parts):
            return None
        by = NO_LEAVES.union(*(a.by for a in arrays))
        rank = len(arrays[0].shape)
        if any(len(a.shape) != rank for a in arrays) or (join and not -rank <= axis < rank):
            self.against(IMPOSSIBLE, by)
            return None
        total = Dim()
        for array in arrays:
            for at, (a, b) in enumerate(zip(arrays[0].shape, array.shape, strict=True)):
                if not (join and at == axis % rank):
                    self.same(a, b, by)
            total = total.plus(array.shape[axis]) if join else total
        if not join:
            return self.with_axis(Arr(arrays[0].shape, by), axis, Dim(len(parts)))
        at = axis % rank
        return Arr((*arrays[0].shape[:at], total, *arrays[0].shape[at + 1 :]), by)

    def with_axis(self, array: Arr, axis: int, size: Dim) -> Arr:
        at = axis % (len(array.shape) + 1)
        return Arr((*array.shape[:at], size, *array.shape[at:]), array.by)
