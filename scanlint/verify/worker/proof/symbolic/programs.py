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
    parameters,
    scan,
    while_loop,
)
from ..jaxpr_numbers import IDENTITY
from .moved_places import MovedPlaces
from .open_loops import OpenLoop
from .polynomials import NotProved, Polynomial
from .python.same_values import SAME
from .relations import FOREVER
from .substitution import name_of as state_name
from .term_table import BOOL, Shape, Term

if TYPE_CHECKING:
    from jax.extend.core import Jaxpr, JaxprEqn

    from ..equations import ClosedJaxpr

SAYS_NOTHING = frozenset(["weak_type", "sharding", "out_sharding"])
MOST_EQUATIONS = 4_000


@dataclass
class Programs(MovedPlaces):
    """Turns programs into terms of one algebra."""

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
            known.update(
                zip(equation.outvars, self.equation(equation, [read(a) for a in equation.invars]), strict=True)
            )
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
            return self.closed(inner, x) if is_closed(inner) else self.run(inner, [], x)  # type: ignore[arg-type,unused-ignore]
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
        if any(callable(p) and not isinstance(p, type) for p in parameters(equation).values()):
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
        return value

    def function(self, program: ClosedJaxpr) -> Hashable:
        """A program that is a parameter: what it gives for arguments of which nothing is known."""
        jaxpr = program.jaxpr if is_closed(program) else program
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

    def branch(self, equation: JaxprEqn, x: list[Term]) -> list[Term]:
        algebra, which, cases = self.algebra, x[0], branches(equation)
        if which.op == "convert_element_type" and which.args[0].dtype == BOOL:
            which = which.args[0]
        arms = [self.closed(case, x[1:]) for case in cases]
        if which.dtype != BOOL and len(arms) == 2 and which.op == "int":
            which = algebra.make("eq", (), [which, algebra.integer(1, which.dtype)], (), BOOL)
        avals = [v.aval for v in equation.outvars]
        return [
            algebra.make("select_n", (), [which, *values], self.shape(aval), aval.dtype)  # type: ignore[attr-defined,unused-ignore]
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
                found[k] = self.algebra.integer(value, inits[k].dtype)
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
        ended = algebra.loop(OpenLoop(name, count, states, inits, out[: loop.carries], out[loop.carries :]))
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
        kept = [v is out for v, out in zip(invars, inner.outvars, strict=True)]
        fixed = {state_name(s): i for s, i, same in zip(states, inits, kept, strict=True) if same}
        largest = algebra.integers.most

        def tested(trips: Polynomial) -> Term:
            with self.trip(name, trips) as trip:
                begun = self.begun(inner, loop.body_consts, states, inits, trip)
                (test,) = self.closed(loop.test, [*x[:a], *begun])
                return algebra.substituted(test, fixed)

        test = tested(FOREVER)
        most = algebra.span_of(None, test, name, states)
        counted = test.op == "below" and most is not FOREVER and algebra.integers.at_least_zero(most)
        if counted:  # what is tested has to have a place on these trips, and before the one that is not made
            lowered, algebra.integers.most = algebra.integers.most, largest
            if tested(most + 1) is not test:
                algebra.integers.most, counted = lowered, False
        with self.trip(name, most) as trip:
            begun = self.begun(inner, loop.body_consts, states, inits, trip)
            steps = self.closed(loop.body, [*x[a:b], *begun])
        count, ends = (most, None) if counted else (None, test)
        return algebra.loop(OpenLoop(name, count, states, inits, steps, [], ends)).last


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
