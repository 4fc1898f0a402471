"""Equations that move elements, or take and set them at places, as terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from ..equations import integer, integers, name_of, parameter, parameters, sequence
from .loops import Algebra
from .polynomials import NotProved, Polynomial, number
from .python.doubles import NAME as DOUBLE
from .python.doubles import with_trips
from .sizes import SymbolicSizes
from .structure import ONE, RESHAPES
from .term_table import Shape, Term

if TYPE_CHECKING:
    from jax.extend.core import JaxprEqn


@dataclass
class MovedPlaces:
    """What is known of where elements go."""

    algebra: Algebra
    sizes: SymbolicSizes

    def shape(self, aval: object) -> Shape:
        raise NotImplementedError

    def moved(self, equation: JaxprEqn, x: list[Term]) -> Term | None:
        """What moves elements; None: nothing is known of where they go."""
        name, algebra = name_of(equation), self.algebra
        aval = equation.outvars[0].aval
        if not hasattr(aval, "shape"):
            return None
        shape, dtype = self.shape(aval), aval.dtype  # type: ignore[attr-defined]
        match name:
            case _ if name in RESHAPES:
                ordered = name == "reshape" and "dimensions" in parameters(equation)
                order = integers(equation, "dimensions") if ordered else None
                return algebra.make("reshape", (), [self.turned(x[0], order)], shape, dtype)
            case "broadcast_in_dim":
                return algebra.make(name, integers(equation, "broadcast_dimensions"), x[:1], shape, dtype)
            case "slice":
                steps = parameter(equation, "strides") or (1,) * len(shape)
                ends = (sequence(equation, "start_indices"), sequence(equation, "limit_indices"), steps)
                known = tuple(self.sizes.shape(cast("Sequence[object]", e)) for e in ends)
                return algebra.make(name, known, x, shape, dtype)
            case "concatenate":
                return algebra.make(name, integer(equation, "dimension"), x, shape, dtype)
            case "rev":
                return algebra.make(name, integers(equation, "dimensions"), x, shape, dtype)
            case "transpose":
                return algebra.make(name, integers(equation, "permutation"), x, shape, dtype)
            case "iota":
                return algebra.term(name, integer(equation, "dimension"), (), shape, dtype)
            case _:
                return self.named(equation, x, shape, dtype) or self.at_place(equation, x, shape, dtype)

    def turned(self, x: Term, order: Sequence[int] | None) -> Term:
        """The array as a reshape reads it: its axes in another order, if it has one."""
        if order is None:
            return x
        return self.algebra.make("transpose", tuple(order), [x], tuple(x.shape[k] for k in order), x.dtype)

    def named(self, equation: JaxprEqn, x: list[Term], shape: Shape, dtype: object) -> Term | None:
        """What is known by other names: floats of Python, sizes, stacks."""
        name, algebra = name_of(equation), self.algebra
        match name:
            case _ if name == DOUBLE:
                names = cast("Sequence[str]", parameter(equation, "names"))
                meant = dict(zip(names, map(algebra.polynomial, x[1:]), strict=True))
                tree = with_trips(parameter(equation, "tree"), meant)
                return algebra.make(name, tree, (), shape, dtype)
            case "dim_as_value":
                size = self.sizes.polynomial(parameter(equation, "dim"))
                if not algebra.integers.fits(size, dtype):
                    raise NotProved("a size that may leave the type of whole numbers")
                return algebra.integer(size, dtype)
            case "stack":
                axis = integer(equation, "axis")
                alone = (*x[0].shape[:axis], ONE, *x[0].shape[axis:])
                rows = [algebra.make("reshape", (), [a], alone, dtype) for a in x]
                return algebra.make("concatenate", axis, rows, shape, dtype)
        return None

    def at_place(self, equation: JaxprEqn, x: list[Term], shape: Shape, dtype: object) -> Term | None:
        """What takes or sets a part at a place that is computed."""
        match name_of(equation):
            case "dynamic_slice":
                return self._dynamic_slice(x, shape, dtype)
            case "dynamic_update_slice":
                return self._update(x, shape)
            case "gather":
                return self._gather(equation, x, shape)
            case "scatter" | "scatter-add" | "scatter_add":
                return self._scatter(equation, x, shape)
        return None

    def place(self, place: Polynomial, size: Polynomial) -> Polynomial | None:
        """A place that is known to be inside; None where data decide. Raises NotProved where a trip may be outside."""
        inside = self.algebra.integers.at_least_zero
        if inside(place) and inside(size - 1 - place):
            return place
        if any(name[0] == "t" for name in self.algebra.integers.free(place)):
            raise NotProved("a place that may be out of bounds")
        return None

    def _dynamic_slice(self, x: list[Term], shape: Shape, dtype: object) -> Term | None:
        algebra, found = self.algebra, x[0]
        for axis, (at, size) in reversed([*enumerate(zip(x[1:], shape, strict=False))]):
            if size == x[0].shape[axis]:
                continue
            inside = self.place(algebra.exact(at), x[0].shape[axis] - size + 1)
            if inside is None:
                return None
            found = self._window(found, axis, inside, size)
        return algebra.make("reshape", (), [found], shape, dtype)

    def _update(self, x: list[Term], shape: Shape) -> Term | None:
        algebra = self.algebra
        if not shape or x[1].shape != (ONE, *shape[1:]):
            return None
        at = self.place(algebra.exact(x[2]), shape[0])
        row = algebra.make("reshape", (), [x[1]], shape[1:], x[0].dtype)
        return algebra.set_row(x[0], 0, at, row) if at is not None else None

    def _gather(self, equation: JaxprEqn, x: list[Term], shape: Shape) -> Term | None:
        numbers = parameter(equation, "dimension_numbers")
        batch = x[1].shape[:-1]
        offsets = tuple(range(len(batch), len(shape)))
        if getattr(numbers, "operand_batching_dims", ()) or len(batch) > 1 or numbers.offset_dims != offsets:  # type: ignore[attr-defined]
            return None
        sizes = self.sizes.shape(sequence(equation, "slice_sizes"))
        starts = tuple(numbers.start_index_map)  # type: ignore[attr-defined]
        collapsed = tuple(numbers.collapsed_slice_dims)  # type: ignore[attr-defined]
        if not batch:
            return self._part(x[0], x[1], starts, collapsed, sizes, shape)
        name = self.algebra.fresh("t")
        with self.algebra.integers.within(name, batch[0]) as trip:
            index = self.algebra.row(x[1], 0, trip)
            try:
                made = self._part(x[0], index, starts, collapsed, sizes, shape[1:])
            except NotProved:  # the gather stays a gather
                return None
            return self.algebra.rows(name, batch[0], made) if made is not None else None

    def _part(
        self, x: Term, index: Term, starts: Sequence[int], collapsed: Sequence[int], sizes: Shape, shape: Shape
    ) -> Term | None:
        """The part of an array at the place that a vector of whole numbers tells."""
        algebra, found = self.algebra, x
        for axis in reversed(range(len(x.shape))):
            if axis not in starts:
                if sizes[axis] != x.shape[axis]:
                    return None
                continue
            at = algebra.exact(algebra.row(index, 0, number(list(starts).index(axis))))
            inside = self.place(at, x.shape[axis] - sizes[axis] + 1)
            if inside is None:
                return None
            if sizes[axis] == x.shape[axis] != ONE:
                continue
            found = self._window(found, axis, inside, sizes[axis])
        return algebra.make("reshape", (), [found], shape, x.dtype)

    def _window(self, x: Term, axis: int, start: Polynomial, size: Polynomial) -> Term:
        """The row at a place that is not out of bounds, or the rows from there on."""
        if size == ONE:
            return self.algebra.row(x, axis, start)
        starts, steps = [number(0)] * len(x.shape), [ONE] * len(x.shape)
        stops = list(x.shape)
        starts[axis], stops[axis] = start, start + size
        shape = (*x.shape[:axis], size, *x.shape[axis + 1 :])
        return self.algebra.make("slice", (tuple(starts), tuple(stops), tuple(steps)), [x], shape, x.dtype)

    def _scatter(self, equation: JaxprEqn, x: list[Term], shape: Shape) -> Term | None:
        """One place that is set or added to."""
        numbers, adds = parameter(equation, "dimension_numbers"), name_of(equation) != "scatter"
        axes = tuple(numbers.scatter_dims_to_operand_dims)  # type: ignore[attr-defined]
        inserted = tuple(numbers.inserted_window_dims)  # type: ignore[attr-defined]
        window = tuple(numbers.update_window_dims)  # type: ignore[attr-defined]
        if getattr(numbers, "operand_batching_dims", ()) or len(x[1].shape) != 1 or inserted != tuple(sorted(axes)):
            return None
        if not adds and "update_jaxpr" in parameters(equation):  # `x.at[i].apply(f)`: the updates are not read
            return None
        if len(x[2].shape) != len(shape) - len(inserted) or window != tuple(range(len(x[2].shape))):
            return None
        if tuple(s for k, s in enumerate(shape) if k not in inserted) != x[2].shape:
            return None
        places: list[tuple[int, Polynomial]] = []
        for j, axis in enumerate(axes):
            at = self.place(self.algebra.exact(self.algebra.row(x[1], 0, number(j))), shape[axis])
            if at is None:
                return None
            places.append((axis, at))
        return self._put(x[0], sorted(places, key=lambda p: p[0]), x[2], adds=adds)

    def _put(self, x: Term, places: Sequence[tuple[int, Polynomial]], value: Term, *, adds: bool) -> Term:
        algebra = self.algebra
        if not places:
            return algebra.make("add", (), [x, value], x.shape, x.dtype) if adds else value
        (axis, at), *rest = places
        inner = self._put(algebra.row(x, axis, at), [(k - 1, p) for k, p in rest], value, adds=adds)
        return algebra.set_row(x, axis, at, inner)
