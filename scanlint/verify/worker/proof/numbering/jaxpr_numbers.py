"""Walk a jaxpr with value numbers in place of arrays: loops unrolled, calls inlined, structure resolved."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import jax
import numpy as np

from ...runtime.jax_functions import is_key
from ..equations import (
    NotUnderstood,
    branches,
    name_of,
    parameters,
    scan,
    while_loop,
)
from ..jaxpr_facts import dtype_of, in_arm, is_narrow
from ..jaxpr_walk import JaxprWalk
from . import reductions  # noqa: F401
from .induction import Loop, Loops, Trip
from .primitives import ELEMENTWISE, acting, singular
from .value_numbers import FOLD, Called, Ids, Key, Numbering, TooLarge, Unprovable, stacked, type_name

if TYPE_CHECKING:
    from jax.extend.core import JaxprEqn

    from ..equations import ClosedJaxpr

MAX_EQUATIONS = 20_000
MAX_UNROLLED = 8
FAULTS = (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""Exceptions of reading a jaxpr that is not as it was in the JAX that is known."""
PLAIN = frozenset([*FOLD, "select_n", "and", "or", "not"]) - {"convert_element_type"}
"""Primitives that are numbered as operations without parameters."""


def joined(arrays: Sequence[Ids]) -> tuple[int, ...]:
    """The elements of some arrays, one after the other."""
    return tuple(n for x in arrays for n in x.reshape(-1).tolist())


def parted(numbers: Sequence[int], shapes: Sequence[tuple[int, ...]]) -> list[Ids]:
    """Arrays of these shapes, from their elements."""
    sizes = [int(np.prod(shape, dtype=np.int64)) for shape in shapes]
    ends = np.cumsum([0, *sizes])
    flat = np.array(numbers, np.int64)
    return [flat[a : a + n].reshape(shape) for a, n, shape in zip(ends, sizes, shapes, strict=False)]


class JaxprNumberer(JaxprWalk[Ids]):
    """Evaluates jaxprs in value numbers, over one Numbering."""

    def __init__(self, numbering: Numbering, loops: Loops, *, rolled: bool = False) -> None:
        self.numbering = numbering
        self.loops = loops
        self.rolled = rolled
        self.opaque_keys: list[object] = []
        self.begin()

    def begin(self) -> None:
        """`exposed` are numbers of unconditional computations whose derivative is not finite everywhere.

        `narrow` are the types of 8 and 16 bits in which whole numbers that no input decides were computed: they wrap
        for other trip counts.
        """
        self.spent = self.depth = self.guarded = 0
        self.exposed: set[int] = set()
        self.narrow: set[str] = set()

    def closed(self, program: ClosedJaxpr, arguments: Sequence[Ids]) -> list[Ids]:
        """The results of a program; what either version has called with these operands is not gone through again."""
        calls, guarded = self.numbering.functions if self.depth else self.numbering.calls, self.guarded > 0
        key = (id(program), guarded, *((x.shape, x.tobytes()) for x in arguments))
        known = calls.get(key)
        if known is None:
            before, exposed, narrow = self.spent, self.exposed, self.narrow
            self.exposed, self.narrow = set(), set()
            results = super().closed(program, arguments)
            known = Called(program, results, self.spent - before, self.exposed, self.narrow)
            self.spent, self.exposed, self.narrow = before, exposed, narrow
            calls[key] = known
        self.spend(known.equations)
        self.exposed |= known.exposed
        self.narrow |= known.narrow
        return known.results

    def spend(self, equations: int) -> None:
        self.spent += equations
        if self.spent > MAX_EQUATIONS:
            raise TooLarge("the unrolled programs have too many equations to compare symbolically")

    def literal(self, value: object, aval: object) -> Ids:
        """Numbers of a constant array or key."""
        dtype = aval.dtype  # type: ignore[attr-defined]
        if is_key(dtype):
            data = np.asarray(jax.random.key_data(value))  # type: ignore[arg-type]
            flat = data.reshape(-1, data.shape[-1])
            numbers = [self.numbering.node(("wrap", str(dtype), *self.numbering.constant(d).tolist())) for d in flat]
            return np.array(numbers, np.int64).reshape(data.shape[:-1])
        array = np.asarray(value)
        if array.size > 50_000:
            raise TooLarge("a constant is too large to compare symbolically")
        if array.dtype.hasobject:
            raise NotUnderstood("a constant that is no array")
        return self.numbering.constant(array, dtype)

    def equation(self, equation: JaxprEqn, operands: list[Ids]) -> Sequence[Ids]:
        """The results of an equation, of the shapes that they have to have."""
        arm = in_arm(equation)
        self.guarded += arm
        try:
            outputs = super().equation(equation, operands)
        except FAULTS as error:
            raise NotUnderstood(f"`{name_of(equation)}`") from error
        self.guarded -= arm
        shapes = [tuple(v.aval.shape) for v in equation.outvars]  # type: ignore[attr-defined]
        if [x.shape for x in outputs] != shapes:
            raise NotUnderstood(f"`{name_of(equation)}`")
        return outputs

    def primitive(self, equation: JaxprEqn, operands: list[Ids]) -> Sequence[Ids]:
        name = name_of(equation)
        if is_narrow(dtype_of(equation)) and all(x.size == 0 or self.numbering.known(x) is not None for x in operands):
            self.narrow.add(type_name(dtype_of(equation)))
        if name in ELEMENTWISE and not (name in PLAIN and parameters(equation)):
            numbers = self.elementwise(equation, operands)
            if singular(equation) and not self.guarded and self.numbering.known(operands[-1]) is None:
                self.exposed.update(joined([numbers]))
            return [numbers]
        act = acting(equation)
        if act is not None:
            result = act(self.numbering, equation, operands, self.frozen_parameters(equation))
            if result is not None:
                return result
        return self.opaque(equation, operands)

    def elementwise(self, equation: JaxprEqn, operands: list[Ids]) -> Ids:
        name, aval = name_of(equation), equation.outvars[0].aval
        dtype = aval.dtype if isinstance(aval.dtype, np.dtype) else None  # type: ignore[attr-defined]
        if name == "convert_element_type":
            source = equation.invars[0].aval.dtype  # type: ignore[attr-defined]
            if source == dtype:
                return operands[0]
            if source == np.bool_:
                self.numbering.truths.update(operands[0].reshape(-1).tolist())
            return self.numbering.elementwise(name, (type_name(source),), operands, dtype)
        if name == "select_n":
            return self.numbering.select(operands[0], operands[1:])
        if name in ("ne", "eq", "lt", "le", "gt", "ge"):
            dtype = np.dtype(bool)
        source = getattr(equation.invars[0].aval, "dtype", None)
        parameters = (type_name(source), self.frozen_parameters(equation))
        return self.numbering.elementwise(name, parameters if name not in ("and", "or", "not") else (), operands, dtype)

    def scan(self, equation: JaxprEqn, operands: list[Ids]) -> list[Ids]:
        loop = scan(equation)
        ends = loop.consts, loop.consts + loop.carries
        consts, carry, inputs = operands[: ends[0]], operands[ends[0] : ends[1]], operands[ends[1] :]
        if loop.length < 0:  # JAX accepts a negative length
            raise Unprovable("a loop of less than no trips")
        if self.rolled and loop.length > MAX_UNROLLED:
            return self.trips(equation, consts, carry, inputs)
        outputs: list[list[Ids]] = []
        order = range(loop.length - 1, -1, -1) if loop.reverse else range(loop.length)
        for i in order:
            result = self.closed(loop.body, [*consts, *carry, *(x[i] for x in inputs)])
            carry = result[: loop.carries]
            outputs.append(result[loop.carries :])
        if loop.reverse:
            outputs.reverse()
        shapes = [v.aval.shape for v in equation.outvars[loop.carries :]]  # type: ignore[attr-defined]
        return [*carry, *(stacked((o[k] for o in outputs), shape) for k, shape in enumerate(shapes))]

    def while_loop(self, equation: JaxprEqn, operands: list[Ids]) -> list[Ids]:
        """Unroll while the condition is known; then compare by induction."""
        loop = while_loop(equation)
        a, b = loop.test_consts, loop.body_consts
        tests, bodies, carry = operands[:a], operands[a : a + b], operands[a + b :]
        while True:
            test = self.closed(loop.test, [*tests, *carry])[0]
            held = self.numbering.known(test)
            if held is None and test.shape:
                raise Unprovable("the examples of a batch make trips that their values decide")
            if held is None:
                break
            if not held.any():
                return carry
            after = self.closed(loop.body, [*bodies, *carry])
            # Some examples of a batch are done: JAX makes the trip and keeps their carries.
            carry = [np.where(_spread(held, new.ndim), new, old) for new, old in zip(after, carry, strict=True)]
        shapes = [x.shape for x in carry]

        def trip(numbers: Sequence[int]) -> Trip:
            held = parted(numbers, shapes)
            self.guarded += 1
            test = self.closed(loop.test, [*tests, *held])
            after = self.closed(loop.body, [*bodies, *held])
            self.guarded -= 1
            return Trip(joined(test), joined(after))

        return parted(self.loops.ended(Loop(("while",), joined(carry), trip)).carried, shapes)

    def trips(self, equation: JaxprEqn, consts: list[Ids], carry: list[Ids], inputs: list[Ids]) -> list[Ids]:
        """A scan that is not unrolled: one trip as a function of the carry and of the rows of the inputs."""
        loop = scan(equation)
        count, length = loop.carries, loop.length
        columns, shapes = [self.column(x) for x in inputs], [x.shape for x in carry]

        def trip(numbers: Sequence[int]) -> Trip:
            self.guarded += 1
            result = self.closed(loop.body, [*consts, *parted(numbers, shapes), *columns])
            self.guarded -= 1
            return Trip((), joined(result[:count]), joined(result[count:]))

        ended = self.loops.ended(Loop(("scan", length, loop.reverse), joined(carry), trip))
        self.numbering.spend(length * len(ended.given))
        rows = [[self.numbering.node(("at", x, t)) for x in ended.given] for t in range(length)]
        given = [v.aval.shape[1:] for v in equation.outvars[count:]]  # type: ignore[attr-defined]
        outputs = [np.stack(column) for column in zip(*(parted(row, given) for row in rows), strict=True)]
        return [*parted(ended.carried, shapes), *outputs]

    def column(self, x: Ids) -> Ids:
        """Numbers for the elements of an arbitrary row of an array."""
        self.numbering.spend(x.size)
        flat = np.ascontiguousarray(x.reshape(x.shape[0], -1).T)
        found = [int(c[0]) if (c == c[0]).all() else self.numbering.node(("column", c.tobytes())) for c in flat]
        return np.array(found, np.int64).reshape(x.shape[1:])

    def branch(self, equation: JaxprEqn, operands: list[Ids]) -> list[Ids]:
        arms, which = branches(equation), operands[0]
        known = self.numbering.known(which)
        if known is not None:
            return self.closed(arms[min(max(int(known), 0), len(arms) - 1)], operands[1:])
        form = self.numbering.forms.get(int(which))
        if len(arms) == 2 and form and form[0] == "convert_element_type":
            source = np.asarray(form[1], np.int64)
            which = source if int(source) in self.numbering.truths else which
        self.guarded += 1
        results = [self.closed(arm, operands[1:]) for arm in arms]
        self.guarded -= 1
        return [self.numbering.select(which, list(cases)) for cases in zip(*results, strict=True)]

    def hole(self, at: int, aval: object) -> Ids:
        shape: tuple[int, ...] = aval.shape  # type: ignore[attr-defined]
        return self.numbering.block(("placeholder", self.depth, at, shape), shape)

    def told_apart(self, value: Ids) -> Hashable:
        return value.shape, value.tobytes()

    def unhashable(self, value: object) -> Hashable:
        self.opaque_keys.append(value)  # kept, so that nothing else gets its identity
        return ("identity", id(value))

    def opaque(self, equation: JaxprEqn, operands: list[Ids]) -> list[Ids]:
        """A primitive whose elements are not told apart: the same operands give the same result."""
        self.numbering.whole.add(name_of(equation))
        types = tuple(
            (type_name(getattr(a.aval, "dtype", "")), x.shape, x.tobytes())
            for a, x in zip(equation.invars, operands, strict=False)
        )
        key: Key = ("opaque", name_of(equation), self.frozen_parameters(equation), types)
        shapes = [v.aval.shape for v in equation.outvars]  # type: ignore[attr-defined]
        return [self.numbering.block(key, shape, k) for k, shape in enumerate(shapes)]


def _spread(held: np.ndarray, axes: int) -> np.ndarray:
    """Truths of the examples of a batch beside what has so many axes, those of the batch first."""
    return held.reshape(held.shape + (1,) * (axes - held.ndim))
