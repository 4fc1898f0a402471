"""Jaxprs whose sizes may be symbols, as terms."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import jax
import numpy as np

from ...runtime.jax_functions import is_key
from ..equations import (
    branches,
    name_of,
    parameters,
    scan,
    while_loop,
)
from ..jaxpr_walk import JaxprWalk
from .moved_places import MovedPlaces
from .open_loops import OpenLoop
from .polynomials import NotProved, Polynomial
from .python.same_values import SAME
from .relations import FOREVER
from .substitution import name_of as state_name
from .term_table import BOOL, Shape, Term

if TYPE_CHECKING:
    from jax.extend.core import Jaxpr, JaxprEqn


MOST_EQUATIONS = 4_000


@dataclass
class Programs(MovedPlaces, JaxprWalk[Term]):
    """Turns programs into terms of one algebra."""

    duties: int = 0

    def spend(self, equations: int) -> None:
        self.spent += equations
        if self.spent > MOST_EQUATIONS:
            raise NotProved("too many equations to be compared for all sizes")

    def enter(self, jaxpr: Jaxpr) -> Sequence[JaxprEqn]:
        super().enter(jaxpr)
        return live(jaxpr)

    def literal(self, value: object, aval: object) -> Term:
        dtype = aval.dtype  # type: ignore[attr-defined]
        if is_key(dtype):
            data = np.asarray(jax.random.key_data(value))  # type: ignore[arg-type]
            return self.algebra.term("key", data.tobytes(), (), self.shape(aval), dtype)
        return self.algebra.constant(np.asarray(value), dtype)

    def shape(self, aval: object) -> Shape:
        return self.sizes.shape(aval.shape)  # type: ignore[attr-defined]

    def primitive(self, equation: JaxprEqn, x: list[Term]) -> list[Term]:
        name = name_of(equation)
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
        par = self.frozen_parameters(equation)
        several = len(avals) > 1
        return [
            self.algebra.make(name, (par, k) if several else par, x, self.shape(a), a.dtype)  # type: ignore[attr-defined]
            for k, a in enumerate(avals)
        ]

    def frozen_parameters(self, equation: JaxprEqn) -> tuple[tuple[str, Hashable], ...]:
        return tuple((k, v) for k, v in super().frozen_parameters(equation) if k != "weak_type")

    def frozen(self, value: object) -> Hashable:
        return self.sizes.polynomial(value) if hasattr(value, "scope") else super().frozen(value)

    def hole(self, at: int, aval: object) -> Term:
        return self.algebra.term("hole", (self.depth, at), (), self.shape(aval), aval.dtype)  # type: ignore[attr-defined]

    def told_apart(self, value: Term) -> Hashable:
        if value.free:
            raise NotProved("a program that is a parameter depends on the trip")
        return value.number

    def unhashable(self, value: object) -> Hashable:
        raise NotProved("a parameter that cannot be compared")

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
        """The carry before a trip: counters are known beforehand, so that places are known to be inside."""
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
