"""Walk a jaxpr with value numbers in place of arrays: loops unrolled, calls inlined, structure resolved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

import jax
import numpy as np

from ..runtime.jax_functions import is_key
from . import reductions  # noqa: F401
from .induction import Loop, Loops, Trip
from .primitives import ELEMENTWISE, RULES, singular
from .unfold import ARM
from .value_numbers import Called, Ids, Key, Numbering, TooLarge, Unprovable, stacked, type_name

if TYPE_CHECKING:
    from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn

INLINE = frozenset(
    [
        "pjit",
        "jit",
        "closed_call",
        "core_call",
        "core_closed_call",
        "custom_jvp_call",
        "custom_vjp_call",
        "custom_vjp_call_jaxpr",
        "remat",
        "remat2",
        "checkpoint",
        "xla_call",
    ]
)
RULED = frozenset(
    ["custom_jvp_call", "custom_vjp_call", "custom_vjp_call_jaxpr", "custom_lin", "stop_gradient", "while"]
)
"""What has a derivative of its own, or none in reverse mode."""
IDENTITY = frozenset(
    ["copy", "copy_p", "device_put", "sharding_constraint", "optimization_barrier", "pvary", "random_clone"]
)
MAX_EQUATIONS = 20_000
MAX_UNROLLED = 8


def count(jaxpr: Jaxpr) -> int:
    """Equations with those of inner jaxprs."""
    total = 0
    for equation in jaxpr.eqns:
        total += 1 + sum(count(inner) for inner in inner_jaxprs(equation.params.values()))
    return total


def inner_jaxprs(values: object) -> list[Jaxpr]:
    found: list[Jaxpr] = []
    for value in values if hasattr(values, "__iter__") else (values,):
        if hasattr(value, "jaxpr") and hasattr(value, "consts"):
            found.append(value.jaxpr)
        elif hasattr(value, "eqns"):
            found.append(value)
        elif isinstance(value, (tuple, list)):
            found += inner_jaxprs(value)
    return found


def unrolled(jaxpr: Jaxpr) -> int:
    """Equations once the scans are unrolled."""
    total = 0
    for equation in jaxpr.eqns:
        trips = equation.params["length"] if equation.primitive.name == "scan" else 1
        total += 1 + trips * sum(unrolled(inner) for inner in inner_jaxprs(equation.params.values()))
    return total


def dtype_of(equation: JaxprEqn) -> object:
    """The dtype of the first result."""
    return getattr(equation.outvars[0].aval, "dtype", None) if equation.outvars else None


def is_narrow(dtype: object) -> bool:
    """Whether whole numbers of a type wrap before loops and arrays reach their usual lengths."""
    return isinstance(dtype, np.dtype) and dtype.kind in "iu" and dtype.itemsize < 4


def narrow_types(jaxpr: Jaxpr) -> set[str]:
    """The types of 8 and 16 bits of whole numbers that a program computes, inner programs included."""
    found = {str(dtype_of(e)) for e in jaxpr.eqns if is_narrow(dtype_of(e))}
    return found.union(*(narrow_types(inner) for e in jaxpr.eqns for inner in inner_jaxprs(e.params.values())))


def ruled(jaxpr: Jaxpr) -> bool:
    """Whether what a program computes does not tell its derivative."""
    return any(e.primitive.name in RULED or any(map(ruled, inner_jaxprs(e.params.values()))) for e in jaxpr.eqns)


def joined(arrays: Sequence[Ids]) -> tuple[int, ...]:
    """The elements of some arrays, one after the other."""
    return tuple(n for x in arrays for n in x.reshape(-1).tolist())


def parted(numbers: Sequence[int], shapes: Sequence[tuple[int, ...]]) -> list[Ids]:
    """Arrays of these shapes, from their elements."""
    sizes = [int(np.prod(shape, dtype=np.int64)) for shape in shapes]
    ends = np.cumsum([0, *sizes])
    flat = np.array(numbers, np.int64)
    return [flat[a : a + n].reshape(shape) for a, n, shape in zip(ends, sizes, shapes, strict=False)]


def in_arm(equation: JaxprEqn) -> bool:
    """Whether an equation stands in an arm that the old version does not always run."""
    names = equation.source_info.name_stack
    return bool(names.stack) and ARM in str(names)


class JaxprNumberer:
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
        self.equations = MAX_EQUATIONS
        self.depth = self.guarded = 0
        self.exposed: set[int] = set()
        self.narrow: set[str] = set()

    def closed(self, closed: ClosedJaxpr, arguments: Sequence[Ids]) -> list[Ids]:
        """The results of a program; what either version has called with these operands is not gone through again."""
        calls, guarded = self.numbering.calls, self.guarded > 0
        key = (id(closed), guarded, *((x.shape, x.tobytes()) for x in arguments))
        known = calls.get(key)
        if known is None:
            before, exposed, narrow = self.equations, self.exposed, self.narrow
            self.exposed, self.narrow = set(), set()
            results = self.run(closed.jaxpr, [self.literal(c) for c in closed.consts], arguments)
            known = Called(closed, results, before - self.equations, self.exposed, self.narrow)
            self.equations, self.exposed, self.narrow = before, exposed, narrow
            calls[key] = known
        self.spend(known.equations)
        self.exposed |= known.exposed
        self.narrow |= known.narrow
        return known.results

    def spend(self, equations: int) -> None:
        self.equations -= equations
        if self.equations < 0:
            raise TooLarge("the unrolled programs have too many equations to compare symbolically")

    def literal(self, value: object) -> Ids:
        """Numbers of a constant array or key."""
        dtype = getattr(value, "dtype", None)
        if dtype is not None and is_key(dtype):
            data = np.asarray(jax.random.key_data(value))  # type: ignore[arg-type]
            flat = data.reshape(-1, data.shape[-1])
            numbers = [self.numbering.node(("wrap", str(dtype), *self.numbering.constant(d).tolist())) for d in flat]
            return np.array(numbers, np.int64).reshape(data.shape[:-1])
        if np.size(value) > 50_000:  # type: ignore[arg-type]
            raise TooLarge("a constant is too large to compare symbolically")
        return self.numbering.constant(np.asarray(value))

    def run(self, jaxpr: Jaxpr, consts: Sequence[Ids], arguments: Sequence[Ids]) -> list[Ids]:
        if jaxpr.effects:
            raise Unprovable("the program has side effects")
        environment: dict[object, Ids] = {}
        environment.update(zip(jaxpr.constvars, consts, strict=False))
        environment.update(zip(jaxpr.invars, arguments, strict=False))

        def read(atom: object) -> Ids:
            if not hasattr(atom, "val"):
                return environment[atom]
            value = self.literal(np.asarray(atom.val, atom.aval.dtype))  # type: ignore[attr-defined]
            return value.reshape(atom.aval.shape)  # type: ignore[attr-defined]

        for equation in jaxpr.eqns:
            self.spend(1)
            arm = in_arm(equation)
            self.guarded += arm
            outputs = self.equation(equation, [read(a) for a in equation.invars])
            self.guarded -= arm
            for variable, value in zip(equation.outvars, outputs, strict=False):
                if tuple(value.shape) != tuple(variable.aval.shape):  # type: ignore[attr-defined]
                    raise Unprovable(f"`{equation.primitive.name}` is not understood")
                environment[variable] = value
        return [read(a) for a in jaxpr.outvars]

    def equation(self, equation: JaxprEqn, operands: list[Ids]) -> list[Ids]:
        name = equation.primitive.name
        if name in INLINE:
            return self.inline(equation, operands)
        if name in IDENTITY:
            return operands
        match name:
            case "scan":
                return self.scan(equation, operands)
            case "while":
                return self.loop(equation, operands)
            case "cond":
                return self.branch(equation, operands)
        if is_narrow(dtype_of(equation)) and all(x.size == 0 or self.numbering.known(x) is not None for x in operands):
            self.narrow.add(type_name(dtype_of(equation)))
        if name in ELEMENTWISE:
            numbers = self.elementwise(equation, operands)
            if singular(equation) and not self.guarded and self.numbering.known(operands[-1]) is None:
                self.exposed.update(joined([numbers]))
            return [numbers]
        rule = RULES.get(name)
        if rule is not None:
            result = rule(self.numbering, equation, operands, self.parameters(equation))
            if result is not None:
                return result
        return self.opaque(equation, operands)

    def elementwise(self, equation: JaxprEqn, operands: list[Ids]) -> Ids:
        name, aval = equation.primitive.name, equation.outvars[0].aval
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
        parameters = (type_name(source), self.parameters(equation))
        return self.numbering.elementwise(name, parameters if name not in ("and", "or", "not") else (), operands, dtype)

    def inline(self, equation: JaxprEqn, operands: list[Ids]) -> list[Ids]:
        for name in ("jaxpr", "call_jaxpr", "fun_jaxpr"):
            inner = equation.params.get(name)
            if inner is not None and hasattr(inner, "consts"):
                return self.closed(inner, operands)
            if inner is not None and hasattr(inner, "eqns"):
                return self.run(inner, [], operands)
        return self.opaque(equation, operands)

    def scan(self, equation: JaxprEqn, operands: list[Ids]) -> list[Ids]:
        p = equation.params
        constants, carries, length = p["num_consts"], p["num_carry"], p["length"]
        consts, carry = operands[:constants], operands[constants : constants + carries]
        inputs = operands[constants + carries :]
        if length < 0:  # JAX accepts a negative length
            raise Unprovable("a loop of less than no trips")
        if self.rolled and length > MAX_UNROLLED:
            return self.trips(equation, consts, carry, inputs)
        outputs: list[list[Ids]] = []
        order = range(length - 1, -1, -1) if p["reverse"] else range(length)
        for i in order:
            result = self.closed(p["jaxpr"], [*consts, *carry, *(x[i] for x in inputs)])
            carry = result[:carries]
            outputs.append(result[carries:])
        if p["reverse"]:
            outputs.reverse()
        shapes = [v.aval.shape for v in equation.outvars[carries:]]  # type: ignore[attr-defined]
        return [*carry, *(stacked((o[k] for o in outputs), shape) for k, shape in enumerate(shapes))]

    def loop(self, equation: JaxprEqn, operands: list[Ids]) -> list[Ids]:
        """Unroll while the condition is known; then compare by induction."""
        p = equation.params
        a, b = p["cond_nconsts"], p["body_nconsts"]
        tests, bodies, initial = operands[:a], operands[a : a + b], operands[a + b :]
        carry = initial
        while True:
            test = self.closed(p["cond_jaxpr"], [*tests, *carry])[0]
            held = self.numbering.known(test)
            if held is None and test.shape:
                raise Unprovable("the examples of a batch make trips that their values decide")
            if held is None:
                break
            if not held.any():
                return carry
            after = self.closed(p["body_jaxpr"], [*bodies, *carry])
            # Some examples of a batch are done: JAX makes the trip and keeps their carries.
            carry = [np.where(_spread(held, new.ndim), new, old) for new, old in zip(after, carry, strict=True)]
        shapes = [x.shape for x in carry]

        def trip(numbers: Sequence[int]) -> Trip:
            held = parted(numbers, shapes)
            self.guarded += 1
            test = self.closed(p["cond_jaxpr"], [*tests, *held])
            after = self.closed(p["body_jaxpr"], [*bodies, *held])
            self.guarded -= 1
            return Trip(joined(test), joined(after))

        return parted(self.loops.ended(Loop(("while",), joined(carry), trip)).carried, shapes)

    def trips(self, equation: JaxprEqn, consts: list[Ids], carry: list[Ids], inputs: list[Ids]) -> list[Ids]:
        """A scan that is not unrolled: one trip as a function of the carry and of the rows of the inputs."""
        p = equation.params
        count, length = len(carry), p["length"]
        columns, shapes = [self.column(x) for x in inputs], [x.shape for x in carry]

        def trip(numbers: Sequence[int]) -> Trip:
            self.guarded += 1
            result = self.closed(p["jaxpr"], [*consts, *parted(numbers, shapes), *columns])
            self.guarded -= 1
            return Trip((), joined(result[:count]), joined(result[count:]))

        ended = self.loops.ended(Loop(("scan", length, p["reverse"]), joined(carry), trip))
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

    def placeholders(self, like: Sequence[Ids]) -> list[Ids]:
        return [self.numbering.block(("placeholder", self.depth, k, x.shape), x.shape) for k, x in enumerate(like)]

    def branch(self, equation: JaxprEqn, operands: list[Ids]) -> list[Ids]:
        branches, which = equation.params["branches"], operands[0]
        known = self.numbering.known(which)
        if known is not None:
            return self.closed(branches[min(max(int(known), 0), len(branches) - 1)], operands[1:])
        form = self.numbering.forms.get(int(which))
        if len(branches) == 2 and form and form[0] == "convert_element_type":
            source = np.asarray(form[1], np.int64)
            which = source if int(source) in self.numbering.truths else which
        self.guarded += 1
        results = [self.closed(b, operands[1:]) for b in branches]
        self.guarded -= 1
        return [self.numbering.select(which, list(cases)) for cases in zip(*results, strict=False)]

    def parameters(self, equation: JaxprEqn) -> Key:
        if not equation.params:
            return ()
        return tuple((k, self.frozen(v)) for k, v in sorted(equation.params.items()) if k != "sharding")

    def frozen(self, value: object) -> object:
        """A hashable stand-in: equal only where the parameters are equal."""
        if hasattr(value, "jaxpr") and hasattr(value, "consts"):
            closed = cast("ClosedJaxpr", value)
            return self.function(lambda args: self.closed(closed, args), closed.jaxpr)
        if hasattr(value, "eqns"):
            return self.function(lambda args: self.run(value, [], args), value)  # type: ignore[arg-type]
        if isinstance(value, (tuple, list)):
            return tuple(self.frozen(v) for v in value)
        if isinstance(value, dict):
            return tuple((k, self.frozen(v)) for k, v in sorted(value.items()))
        if isinstance(value, np.ndarray):
            return (str(value.dtype), value.shape, value.tobytes())
        try:
            hash(value)
        except TypeError:
            self.opaque_keys.append(value)
            return ("identity", id(value))
        return value

    def function(self, call: Callable[[list[Ids]], list[Ids]], jaxpr: Jaxpr) -> Key:
        """A jaxpr as a function of placeholders."""
        self.depth += 1
        like = [np.empty(v.aval.shape, np.int64) for v in jaxpr.invars]  # type: ignore[attr-defined]
        result = call(self.placeholders(like))
        self.depth -= 1
        return ("function", *((x.shape, x.tobytes()) for x in result))

    def opaque(self, equation: JaxprEqn, operands: list[Ids]) -> list[Ids]:
        """A primitive whose elements are not told apart: the same operands give the same result."""
        types = tuple(
            (type_name(getattr(a.aval, "dtype", "")), x.shape, x.tobytes())
            for a, x in zip(equation.invars, operands, strict=False)
        )
        key: Key = ("opaque", equation.primitive.name, self.parameters(equation), types)
        shapes = [v.aval.shape for v in equation.outvars]  # type: ignore[attr-defined]
        return [self.numbering.block(key, shape, k) for k, shape in enumerate(shapes)]


def _spread(held: np.ndarray, axes: int) -> np.ndarray:
    """Truths of the examples of a batch beside what has so many axes, those of the batch first."""
    return held.reshape(held.shape + (1,) * (axes - held.ndim))
