"""One walk over the equations of a jaxpr, whatever stands in the place of its arrays: numbers, terms, intervals."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from .equations import INLINE, called, is_closed, is_jaxpr, name_of, parameters
from .numbering.value_numbers import Unprovable

if TYPE_CHECKING:
    from jax.extend.core import Jaxpr, JaxprEqn

    from .equations import ClosedJaxpr

T = TypeVar("T")
IDENTITY = frozenset(
    ["copy", "copy_p", "device_put", "sharding_constraint", "optimization_barrier", "pvary", "random_clone"]
)


class JaxprWalk(Generic[T]):
    """Evaluates programs on values of a kind T: calls are inlined, and each equation that is met is counted.

    A subclass says what a constant is, what the primitives do, loops and branches among them, and what bounds the
    number of equations.
    """

    spent = 0
    depth = 0
    """How many programs that are parameters of primitives stand around the equation that is looked at."""

    def literal(self, value: object, aval: object) -> T:
        """A constant of a program, of the type that the program gives it."""
        raise NotImplementedError

    def primitive(self, equation: JaxprEqn, operands: list[T]) -> Sequence[T]:
        """The results of an equation that is no call, loop or branch."""
        raise NotImplementedError

    scan = while_loop = branch = primitive

    def spend(self, equations: int) -> None:
        """Count equations; a subclass raises when there were too many."""
        self.spent += equations

    def enter(self, jaxpr: Jaxpr) -> Sequence[JaxprEqn]:
        """The equations of a program that are walked; raises Unprovable where it does more than to give results."""
        if jaxpr.effects:
            raise Unprovable("the program has side effects")
        return jaxpr.eqns

    def closed(self, program: ClosedJaxpr, arguments: Sequence[T]) -> list[T]:
        held = zip(program.consts, program.jaxpr.constvars, strict=True)
        return self.run(program.jaxpr, [self.literal(value, var.aval) for value, var in held], arguments)

    def run(self, jaxpr: Jaxpr, constants: Sequence[T], arguments: Sequence[T]) -> list[T]:
        equations = self.enter(jaxpr)
        known: dict[object, T] = dict(zip([*jaxpr.constvars, *jaxpr.invars], [*constants, *arguments], strict=True))

        def read(atom: object) -> T:
            return self.literal(atom.val, atom.aval) if hasattr(atom, "val") else known[atom]  # type: ignore[attr-defined]

        for equation in equations:
            self.spend(1)
            results = self.equation(equation, [read(atom) for atom in equation.invars])
            known.update(zip(equation.outvars, results, strict=True))
        return [read(atom) for atom in jaxpr.outvars]

    def equation(self, equation: JaxprEqn, operands: list[T]) -> Sequence[T]:
        name = name_of(equation)
        if name in INLINE:
            return self.applied(called(equation), operands)
        if name in IDENTITY:
            return operands
        match name:
            case "scan":
                return self.scan(equation, operands)
            case "while":
                return self.while_loop(equation, operands)
            case "cond":
                return self.branch(equation, operands)
        return self.primitive(equation, operands)

    def applied(self, program: ClosedJaxpr | Jaxpr, operands: Sequence[T]) -> list[T]:
        """The results of a program with or without constants."""
        return self.closed(program, operands) if is_closed(program) else self.run(program, [], operands)  # type: ignore[arg-type,unused-ignore]

    # -- parameters, as parts of a key

    def hole(self, at: int, aval: object) -> T:
        """An argument of which nothing is known, of a program that is a parameter."""
        raise NotImplementedError

    def told_apart(self, value: T) -> Hashable:
        """A key that is equal for equal values."""
        raise NotImplementedError

    def unhashable(self, value: object) -> Hashable:
        """A key for a parameter that has no hash; or raises Unprovable."""
        raise NotImplementedError

    def frozen_parameters(self, equation: JaxprEqn) -> tuple[tuple[str, Hashable], ...]:
        return tuple((name, self.frozen(value)) for name, value in parameters(equation).items())

    def frozen(self, value: object) -> Hashable:
        """A parameter that is equal only where it says the same: True is not 1, 0.0 is not -0.0."""
        if is_closed(value) or is_jaxpr(value):
            return self.function(value)  # type: ignore[arg-type]
        if isinstance(value, bool):
            return ("bool", value)
        if isinstance(value, int | np.integer):
            return int(value)
        if isinstance(value, float | complex | np.inexact):
            return (type(value).__name__, repr(value))
        if isinstance(value, tuple | list):
            return tuple(map(self.frozen, value))
        if isinstance(value, dict):
            return tuple((k, self.frozen(v)) for k, v in sorted(value.items()))
        if isinstance(value, np.ndarray):
            return (str(value.dtype), value.shape, value.tobytes())
        try:
            hash(value)
        except TypeError:
            return self.unhashable(value)
        return value

    def function(self, program: ClosedJaxpr | Jaxpr) -> Hashable:
        """A program that is a parameter: what it gives for arguments of which nothing is known."""
        jaxpr: Jaxpr = program.jaxpr if is_closed(program) else program  # type: ignore[union-attr,assignment,unused-ignore]
        self.depth += 1
        results = self.applied(program, [self.hole(k, var.aval) for k, var in enumerate(jaxpr.invars)])
        self.depth -= 1
        return ("function", *map(self.told_apart, results))
