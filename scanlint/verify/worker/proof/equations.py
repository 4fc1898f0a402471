"""What the equations of a jaxpr say, from JAX 0.4.35 on: nothing else in the worker reads their parameters.

A parameter that is not there, or is not of the kind that it was, raises NotUnderstood: then the versions are tested.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
from jax import lax

from .numbering.value_numbers import Unprovable

if TYPE_CHECKING:
    from jax.extend.core import ClosedJaxpr as ClosedJaxpr  # type: ignore[attr-defined,unused-ignore]
    from jax.extend.core import Jaxpr, JaxprEqn


def words(text: str) -> frozenset[str]:
    """A table of names, written as text."""
    return frozenset(text.split())


INLINE = words(
    "pjit jit closed_call core_call core_closed_call custom_jvp_call custom_vjp_call custom_vjp_call_jaxpr remat "
    "remat2 checkpoint xla_call"
)
CALLED = ("jaxpr", "call_jaxpr", "fun_jaxpr")
SCATTERING = ("dimension_numbers", "indices_are_sorted", "unique_indices", "mode")
PLACEMENT = frozenset(["sharding", "out_sharding"])
"""On which devices the values are: not which values they are."""
OF_SCAN = frozenset(
    ["jaxpr", "length", "reverse", "num_consts", "num_carry", "ft_in", "ft_out", "linear", "unroll", "_split_transpose"]
)
OF_WHILE = frozenset(["cond_jaxpr", "cond_nconsts", "body_jaxpr", "body_nconsts"])
OF_COND = frozenset(["branches", "branches_platforms"])
"""The second names the platforms of each arm; which is taken stands in the operand, that `platform_index` gives."""


class NotUnderstood(Unprovable):
    """What the proof does not know of a jaxpr: `what` it is, in words."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} is not understood")
        self.what = what


class Scan(NamedTuple):
    """A scan; its operands are `consts` constants, `carries` initial carries, and the inputs.

    `dimension`: its length where this is a symbol, and then `length` says nothing.
    """

    body: ClosedJaxpr
    length: int
    reverse: bool
    consts: int
    carries: int
    dimension: object = None


class While(NamedTuple):
    """A while loop; its operands are the constants of the test, those of the body, and the initial carries."""

    test: ClosedJaxpr
    test_consts: int
    body: ClosedJaxpr
    body_consts: int


def name_of(equation: JaxprEqn) -> str:
    return equation.primitive.name


def shape_of(equation: JaxprEqn, k: int = 0) -> tuple[int, ...]:
    """The shape of a result."""
    return tuple(equation.outvars[k].aval.shape)  # type: ignore[attr-defined]


def parameters(equation: JaxprEqn) -> Mapping[str, object]:
    """All that has a value; without a value a parameter says nothing."""
    return {k: v for k, v in sorted(equation.params.items()) if v is not None and k not in PLACEMENT}


def parameter(equation: JaxprEqn, name: str) -> object:
    """A parameter that the primitive always had; it may be None."""
    if name not in equation.params:
        raise NotUnderstood(f"`{name_of(equation)}` without its parameter `{name}`")
    return equation.params[name]


def _unlike(equation: JaxprEqn, name: str) -> NotUnderstood:
    return NotUnderstood(f"the parameter `{name}` of `{name_of(equation)}`")


def truth(equation: JaxprEqn, name: str) -> bool:
    value = parameter(equation, name)
    if isinstance(value, bool):
        return value
    raise _unlike(equation, name)


def integer(equation: JaxprEqn, name: str) -> int:
    value = parameter(equation, name)
    if isinstance(value, int | np.integer):
        return int(value)
    raise _unlike(equation, name)


def sequence(equation: JaxprEqn, name: str) -> Sequence[object]:
    value = parameter(equation, name)
    if isinstance(value, tuple | list):
        return value
    raise _unlike(equation, name)


def integers(equation: JaxprEqn, name: str) -> tuple[int, ...]:
    """An axis each, or a size each."""
    found = [int(x) for x in sequence(equation, name) if isinstance(x, int | np.integer)]
    if len(found) != len(sequence(equation, name)):
        raise _unlike(equation, name)
    return tuple(found)


def axes_of_product(equation: JaxprEqn) -> tuple[tuple[int, ...], ...]:
    """Of `dot_general`: the axes summed over, left and right, and those of the batch, left and right."""
    match parameter(equation, "dimension_numbers"):
        case ((tuple(left), tuple(right)), (tuple(left_batch), tuple(right_batch))):
            return left, right, left_batch, right_batch
    raise _unlike(equation, "dimension_numbers")


def padding(equation: JaxprEqn) -> tuple[tuple[int, int, int], ...]:
    """Of `pad`, per axis: how much before, after, and between."""
    found = cast("Sequence[tuple[int, int, int]]", sequence(equation, "padding_config"))
    return tuple((int(low), int(high), int(inner)) for low, high, inner in found)


def bound(equation: JaxprEqn, operands: Sequence[object], **changed: object) -> np.ndarray:
    """What the primitive gives for known operands, some parameters changed."""
    result = equation.primitive.bind(*operands, **dict(equation.params, **changed))  # type: ignore[no-untyped-call]
    return np.asarray(result)


def added(equation: JaxprEqn, indices: np.ndarray, shape: tuple[int, ...], updates: np.ndarray) -> np.ndarray:
    """What adding updates to zeros gives, at the places where a scatter puts them."""
    where = {k: parameter(equation, k) for k in SCATTERING}
    return np.asarray(lax.scatter_add(np.zeros(shape, np.int32), indices, updates, **where))  # type: ignore[arg-type]


def unknown(equation: JaxprEqn, known: frozenset[str]) -> frozenset[str]:
    """The parameters with a value that are not among the known ones."""
    return frozenset(parameters(equation)) - known


def inner_jaxprs(equation: JaxprEqn) -> list[Jaxpr]:
    """The programs that an equation has as parameters."""
    return list(_jaxprs(equation.params.values()))


def _jaxprs(values: Iterable[object]) -> Iterator[Jaxpr]:
    for value in values:
        if is_closed(value):
            yield value.jaxpr  # type: ignore[attr-defined]
        elif is_jaxpr(value):
            yield cast("Jaxpr", value)
        elif isinstance(value, (tuple, list)):
            yield from _jaxprs(value)


def is_closed(value: object) -> bool:
    """Whether it is a program with its constants; from JAX 0.11 on every one is."""
    return hasattr(value, "jaxpr") and hasattr(value, "consts")


def is_jaxpr(value: object) -> bool:
    return hasattr(value, "eqns")


def closed(equation: JaxprEqn, name: str) -> ClosedJaxpr:
    value = parameter(equation, name)
    if not is_closed(value):
        raise _unlike(equation, name)
    return cast("ClosedJaxpr", value)


def called(equation: JaxprEqn) -> ClosedJaxpr | Jaxpr:
    """The program of a call, of what was jitted or has a derivative of its own."""
    for name in CALLED:
        value = equation.params.get(name)
        if is_closed(value) or is_jaxpr(value):
            return cast("ClosedJaxpr", value)
    raise NotUnderstood(f"`{name_of(equation)}` without a program")


def branches(equation: JaxprEqn) -> Sequence[ClosedJaxpr]:
    """Of `cond`: what is called for 0, 1, ..."""
    knows_only(equation, *OF_COND)
    found = sequence(equation, "branches")
    if not found or not all(map(is_closed, found)):
        raise _unlike(equation, "branches")
    return cast("Sequence[ClosedJaxpr]", found)


def trips(equation: JaxprEqn) -> int:
    """How often the programs of an equation are run, as far as it says so."""
    length = equation.params.get("length") if name_of(equation) == "scan" else None
    return length if isinstance(length, int) else 1


def knows_only(equation: JaxprEqn, *known: str) -> None:
    """A parameter that is not known, as one that came later, may change what the primitive does."""
    for name in sorted(unknown(equation, frozenset(known))):
        raise _unlike(equation, name)


def scan(equation: JaxprEqn, *, symbolic: bool = False) -> Scan:
    knows_only(equation, *OF_SCAN)
    body, reverse = closed(equation, "jaxpr"), truth(equation, "reverse")
    length = 0 if symbolic else integer(equation, "length")
    if "num_carry" in equation.params:
        found = Scan(body, length, reverse, integer(equation, "num_consts"), integer(equation, "num_carry"))
    else:  # JAX 0.11: the structures of what goes in and comes out
        consts, carry, _ = _parts(equation, "ft_in", 3)
        if _parts(equation, "ft_out", 2)[0] != carry:
            raise NotUnderstood("a `scan` that gives other carries than it takes")
        found = Scan(body, length, reverse, consts, carry)
    operands, results = len(equation.invars), len(equation.outvars)
    if not _takes(body, operands, results) or found.consts + found.carries > operands:
        raise NotUnderstood("a `scan` whose program takes other operands")
    return found._replace(dimension=parameter(equation, "length")) if symbolic else found


def _parts(equation: JaxprEqn, name: str, count: int) -> list[int]:
    """How many arrays each part of a structure has."""
    structure = parameter(equation, name)
    sizes = [len(part) for part in structure.unpack()] if hasattr(structure, "unpack") else []
    if len(sizes) != count:
        raise _unlike(equation, name)
    return sizes


def while_loop(equation: JaxprEqn) -> While:
    knows_only(equation, *OF_WHILE)
    found = While(
        closed(equation, "cond_jaxpr"),
        integer(equation, "cond_nconsts"),
        closed(equation, "body_jaxpr"),
        integer(equation, "body_nconsts"),
    )
    carried = len(equation.invars) - found.test_consts - found.body_consts
    if carried != len(equation.outvars) or not (
        _takes(found.test, found.test_consts + carried, 1) and _takes(found.body, found.body_consts + carried, carried)
    ):
        raise NotUnderstood("a `while` whose programs take other operands")
    return found


def _takes(program: ClosedJaxpr, operands: int, results: int) -> bool:
    return (len(program.jaxpr.invars), len(program.jaxpr.outvars)) == (operands, results)
