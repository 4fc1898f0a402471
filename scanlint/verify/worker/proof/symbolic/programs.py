"""Jaxprs whose sizes may be symbols, as terms."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import jax
import numpy as np

from ...runtime.jax_functions import is_key
from ..equations import (
    INLINE,
    branches,
    called,
    is_closed,
    is_jaxpr,
    name_of,
    parameter,
    parameters,
    scan,
    sequence,
    while_loop,
)
from ..jaxpr_numbers import IDENTITY
from .loops import FOREVER, Algebra, Body, name_of as state_name
from .polynomials import NotProved, Polynomial, number
from .python.same_values import SAME
from .sizes import Sizes
from .structure import ONE, RESHAPES
from .terms import BOOL, Shape, Term

if TYPE_CHECKING:
    from jax.extend.core import Jaxpr, JaxprEqn

    from ..equations import ClosedJaxpr

SAYS_NOTHING = frozenset(["weak_type", "sharding", "out_sharding"])
MOST_EQUATIONS = 4_000


@dataclass
class Programs:
    """Turns programs into terms of one algebra."""

    algebra: Algebra
    sizes: Sizes
    spent: int = 0
    duties: int = 0
    within: int = 0

    def closed(self, program: ClosedJaxpr, arguments: Sequence[Term]) -> list[Term]:
        constants = [
            self.literal(value, var.aval) for value, var in zip(program.consts, program.jaxpr.constvars, strict=True)
        ]
        return self.run(program.jaxpr, constants, arguments)

    def run(self, jaxpr: Jaxpr, constants: Sequence[Term], arguments: Sequence[Term]) -> list[Term]:
        if jaxpr.effects:
            raise NotProved("the program has side effects")
        known: dict[object, Term] = dict(zip([*jaxpr.constvars, *jaxpr.invars], [*constants, *arguments], strict=True))

        def read(atom: object) -> Term:
            return self.literal(atom.val, atom.aval) if hasattr(atom, "val") else known[atom]  # type: ignore[attr-defined]

        for equation in live(jaxpr):
            self.spent += 1
            if self.spent > MOST_EQUATIONS:
                raise NotProved("too many equations to be compared for all sizes")
            known.update(zip(equation.outvars, self.equation(equation, [read(a) for a in equation.invars]), strict=True))
        return [read(atom) for atom in jaxpr.outvars]

    def literal(self, value: object, aval: object) -> Term:
        dtype = aval.dtype  # type: ignore[attr-defined]
        if is_key(dtype):
            data = np.asarray(jax.random.key_data(value))  # type: ignore[arg-type]
            return self.algebra.term("key", data.tobytes(), (), self.shape(aval), dtype)
        return self.algebra.constant(np.asarray(value), dtype)

    def shape(self, aval: object) -> Shape:
        return self.sizes.shape(aval.shape)  # type: ignore[attr-defined]

    def equation(self, equation: JaxprEqn, x: list[Term]) -> list[Term]:
        name = name_of(equation)
        if name in INLINE:
            inner = called(equation)
            return self.closed(cast("ClosedJaxpr", inner), x) if is_closed(inner) else self.run(cast("Jaxpr", inner), [], x)
        if name in IDENTITY:
            return x
        match name:
            case "scan":
                return self.scan(equation, x)
            case "while":
                return self.while_loop(equation, x)
            case "cond":
                return self.branch(equation, x)
        avals = [v.aval for v in equation.outvars]
        if name == SAME:
            self.duties += 1
            if x[0] is not x[1]:
                raise NotProved("a number of Python is carried, and the first trip may round it otherwise")
            return x[:1]
        made = self.moved(equation, x) if len(avals) == 1 else None
        if made is not None:
            if made.shape != self.shape(avals[0]):
                raise NotProved(f"the shape that `{name}` gives")
            return [made]
        if any(callable(p) and not isinstance(p, type) for p in equation.params.values()):
            raise NotProved(f"`{name}` holds a function")
        par = self.key(equation)
        several = len(avals) > 1
        return [
            self.algebra.make(name, (par, k) if several else par, x, self.shape(a), a.dtype)  # type: ignore[attr-defined]
            for k, a in enumerate(avals)
        ]

    def key(self, equation: JaxprEqn) -> Hashable:
        found = tuple((k, self.frozen(v)) for k, v in parameters(equation).items() if k not in SAYS_NOTHING)
        hash(found)
        return found

    def frozen(self, value: object) -> Hashable:
        """A parameter that is equal where it says the same: True is not 1, 0.0 is not -0.0."""
        if isinstance(value, bool):
            return ("bool", value)
        if isinstance(value, int | np.integer):
            return int(value)
        if isinstance(value, float | complex):
            return (type(value).__name__, repr(value))
        if isinstance(value, tuple | list):
            return tuple(map(self.frozen, value))
        if is_closed(value) or is_jaxpr(value):
            return self.function(cast("ClosedJaxpr", value))
        if hasattr(value, "scope"):
            return self.sizes.polynomial(value)
        if isinstance(value, np.ndarray) or value is None:
            return None if value is None else (str(value.dtype), value.shape, value.tobytes())
        if isinstance(value, str | np.dtype | type):
            return value
        try:
            hash(value)
        except TypeError:
            raise NotProved("a parameter that cannot be compared") from None
        return cast("Hashable", value)

    def function(self, program: ClosedJaxpr) -> Hashable:
        """A program that is a parameter: what it gives for arguments of which nothing is known."""
        jaxpr = program.jaxpr if is_closed(program) else cast("Jaxpr", program)
        self.within += 1
        holes = [
            self.algebra.term("hole", (self.within, k), (), self.shape(v.aval), v.aval.dtype)  # type: ignore[attr-defined]
            for k, v in enumerate(jaxpr.invars)
        ]
        results = self.closed(program, holes) if is_closed(program) else self.run(jaxpr, [], holes)
        self.within -= 1
        if any(result.free for result in results):
            raise NotProved("a program that is a parameter depends on the trip")
        return ("function", *(result.number for result in results))

    def moved(self, equation: JaxprEqn, x: list[Term]) -> Term | None:
        """What moves elements; None: nothing is known of where they go."""
        name, algebra = name_of(equation), self.algebra
        aval = equation.outvars[0].aval
        if not hasattr(aval, "shape"):
            return None
        shape, dtype = self.shape(aval), aval.dtype  # type: ignore[attr-defined]
        match name:
            case "dim_as_value":
                return algebra.int(self.sizes.polynomial(parameter(equation, "dim")), dtype)
            case _ if name in RESHAPES:
                return algebra.make("reshape", (), x[:1], shape, dtype) if parameters(equation).get("dimensions") is None or name != "reshape" else None
            case "broadcast_in_dim":
                axes = tuple(cast("Sequence[int]", sequence(equation, "broadcast_dimensions")))
                return algebra.make(name, axes, x[:1], shape, dtype)
            case "slice":
                steps = parameter(equation, "strides") or (1,) * len(shape)
                ends = (sequence(equation, "start_indices"), sequence(equation, "limit_indices"), steps)
                return algebra.make(name, tuple(self.sizes.shape(cast("Sequence[object]", e)) for e in ends), x, shape, dtype)
            case "stack":
                axis = cast("int", parameter(equation, "axis"))
                alone = (*x[0].shape[:axis], ONE, *x[0].shape[axis:])
                return algebra.make("concatenate", axis, [algebra.make("reshape", (), [a], alone, dtype) for a in x], shape, dtype)
            case "concatenate":
                return algebra.make(name, cast("int", parameter(equation, "dimension")), x, shape, dtype)
            case "rev":
                return algebra.make(name, tuple(cast("Sequence[int]", sequence(equation, "dimensions"))), x, shape, dtype)
            case "transpose":
                return algebra.make(name, tuple(cast("Sequence[int]", sequence(equation, "permutation"))), x, shape, dtype)
            case "iota":
                return algebra.term(name, cast("int", parameter(equation, "dimension")), (), shape, dtype)
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
            inside = self.place(algebra.exact(at), x[0].shape[axis]) if size == ONE else None
            if inside is None:
                return None
            found = algebra.row(found, axis, inside)
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
            except NotProved:
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
            found = algebra.row(found, axis, inside) if sizes[axis] == ONE else self._window(found, axis, inside, sizes[axis])
        return algebra.make("reshape", (), [found], shape, x.dtype)

    def _window(self, x: Term, axis: int, start: Polynomial, size: Polynomial) -> Term:
        """So many rows from a place on, which is not out of bounds."""
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

    def branch(self, equation: JaxprEqn, x: list[Term]) -> list[Term]:
        algebra, which, cases = self.algebra, x[0], branches(equation)
        if which.op == "convert_element_type" and which.args[0].dtype == BOOL:
            which = which.args[0]
        arms = [self.closed(case, x[1:]) for case in cases]
        if which.dtype != BOOL and len(arms) == 2 and which.op == "int":
            which = algebra.make("eq", (), [which, algebra.int(1, which.dtype)], (), BOOL)
        avals = [v.aval for v in equation.outvars]
        return [
            algebra.make("select_n", (), [which, *values], self.shape(aval), aval.dtype)  # type: ignore[attr-defined]
            for aval, *values in zip(avals, *arms, strict=True)
        ]

    def states(self, avals: Sequence[object]) -> list[Term]:
        algebra = self.algebra
        return [algebra.state(algebra.fresh("s"), self.shape(a), a.dtype) for a in avals]  # type: ignore[attr-defined]

    def begun(self, jaxpr: Jaxpr, skip: int, states: list[Term], inits: Sequence[Term], trip: Polynomial) -> list[Term]:
        """What is carried before a trip: counters are known beforehand, so that places are known to be inside."""
        found = list(states)
        for k, step in counters(jaxpr, skip, len(inits)):
            value = self.algebra.polynomial(inits[k]) + trip * step
            if self.algebra.integers.fits(value, inits[k].dtype):
                found[k] = self.algebra.int(value, inits[k].dtype)
        return found

    def scan(self, equation: JaxprEqn, x: list[Term]) -> list[Term]:
        loop, algebra = scan(equation, symbolic=True), self.algebra
        a, b = loop.consts, loop.consts + loop.carries
        count, inits, over = self.sizes.polynomial(loop.dimension), x[a:b], x[b:]
        if count.constant is not None and count.constant < 1:
            raise NotProved("a loop of no trips")
        inner = loop.body.jaxpr
        states, name = self.states([v.aval for v in inner.invars[a:b]]), algebra.fresh("t")
        with self.trip(name, count) as trip:
            at = count - 1 - trip if loop.reverse else trip
            rows = [algebra.row(xs, 0, at) for xs in over]
            begun = self.begun(inner, a, states, inits, trip)
            out = self.closed(loop.body, [*x[:a], *begun, *rows])
        ended = algebra.loop(Body(name, count, states, inits, out[: loop.carries], out[loop.carries :]))
        stacked = [ended.stacked(k, loop.reverse) for k in range(len(out) - loop.carries)]
        return [*ended.last, *stacked]

    def trip(self, name: str, count: Polynomial) -> AbstractContextManager[Polynomial]:
        return self.algebra.integers.within(name, count)

    def while_loop(self, equation: JaxprEqn, x: list[Term]) -> list[Term]:
        """A loop that data end; or one that counts by one to a bound that is known before it."""
        loop, algebra = while_loop(equation), self.algebra
        a, b = loop.test_consts, loop.test_consts + loop.body_consts
        inits, inner = x[b:], loop.body.jaxpr
        invars = inner.invars[loop.body_consts :]
        states, name = self.states([v.aval for v in invars]), algebra.fresh("t")
        with self.trip(name, FOREVER):
            (test,) = self.closed(loop.test, [*x[:a], *states])
        kept = [v is out for v, out in zip(invars, inner.outvars, strict=True)]
        fixed = {state_name(s): i for s, i, same in zip(states, inits, kept, strict=True) if same}
        test = algebra.substituted(test, fixed)
        count = self._counted(test, states, inits, dict(counters(inner, loop.body_consts, len(inits))))
        with self.trip(name, count if count is not None else FOREVER) as trip:
            begun = self.begun(inner, loop.body_consts, states, inits, trip) if count is not None else states
            steps = self.closed(loop.body, [*x[a:b], *begun])
        return algebra.loop(Body(name, count, states, inits, steps, [], None if count is not None else test)).last

    def _counted(
        self, test: Term, states: Sequence[Term], inits: Sequence[Term], steps: dict[int, int]
    ) -> Polynomial | None:
        """The number of trips of a loop that goes on while a counter of step one is below a bound."""
        if test.op != "below" or not isinstance(test.par, Polynomial):
            return None
        for k, step in steps.items():
            counter = self.algebra.polynomial(states[k])
            end = counter - test.par
            if step == 1 and not self.algebra.free_of(end) & {state_name(s) for s in states}:
                count = end - self.algebra.exact(inits[k])
                if not self.algebra.integers.at_least_zero(count):
                    raise NotProved("a number of trips that may be negative")
                return count
        return None


def live(jaxpr: Jaxpr) -> list[JaxprEqn]:
    """The equations that the results depend on, in order."""
    needed = {id(var) for var in jaxpr.outvars}
    found = []
    for equation in reversed(jaxpr.eqns):
        if name_of(equation) == SAME or any(id(var) in needed for var in equation.outvars):
            needed |= {id(atom) for atom in equation.invars}
            found.append(equation)
    return found[::-1]


def counters(jaxpr: Jaxpr, skip: int, count: int) -> Iterator[tuple[int, int]]:
    """The carried whole numbers that grow by the same literal on each trip."""
    made = {equation.outvars[0]: equation for equation in jaxpr.eqns if equation.outvars}
    pairs = zip(jaxpr.invars[skip : skip + count], jaxpr.outvars, strict=False)
    for k, (var, out) in enumerate(pairs):
        equation = None if hasattr(out, "val") else made.get(out)
        aval = var.aval
        whole = not aval.shape and getattr(aval.dtype, "kind", "") in "iu"  # type: ignore[attr-defined]
        if equation is None or name_of(equation) != "add" or not whole:
            continue
        for one, other in (equation.invars, equation.invars[::-1]):
            if one is var and hasattr(other, "val"):
                yield k, int(np.asarray(other.val))

