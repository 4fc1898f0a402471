"""Primitives that NumPy computes bit for bit as XLA does on a CPU; what is not here is left to XLA.

`tests/verify/eager` compares each with XLA on ordinary and extreme values, and says which were found to differ.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..proof.equations import NotUnderstood, integer, integers, knows_only, name_of, parameter
from ..proof.exact_arithmetic import ARITHMETIC, flushed
from ..proof.moved_elements import MOVING, Operation

if TYPE_CHECKING:
    from jax.extend.core import JaxprEqn

Reader = Callable[["JaxprEqn"], Operation]
HALVES = frozenset(["float16", "bfloat16"])
FLOATS = frozenset([*HALVES, "float32", "float64"])
WHOLE = frozenset([f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)])
DTYPES = FLOATS | WHOLE | {"bool"}
ROUNDING = frozenset(["add", "sub", "mul", "div", "sqrt", "square", "integer_pow", "reduce_sum"])
"""A program with two of them is XLA's: it may compute both at once, with one rounding."""
FEW_TERMS = 16
HIGHEST_POWER = 8


class Declined(Exception):
    """XLA may give something else for these values."""


def operand_type(equation: JaxprEqn) -> Any:
    """Shape and dtype of the first operand."""
    return equation.invars[0].aval


def result_type(equation: JaxprEqn) -> Any:
    """Shape and dtype of the first result."""
    return equation.outvars[0].aval


def dtype_name(equation: JaxprEqn) -> str:
    """The dtype of the first operand."""
    return str(operand_type(equation).dtype)


def _flushed(operation: Callable[..., np.ndarray]) -> Operation:
    """An operation on numbers; raises Declined where one of them, or a result, would be flushed to zero."""

    def run(*operands: np.ndarray) -> np.ndarray:
        result = operation(*operands)
        if flushed(*operands, result):
            raise Declined
        return result

    return run


def _plain(function: Callable[..., np.ndarray], *known: str, dtypes: frozenset[str] = DTYPES) -> Reader:
    """A primitive that is one function of NumPy, of operands of these dtypes."""

    def read(equation: JaxprEqn) -> Operation:
        knows_only(equation, *known)
        if dtype_name(equation) not in dtypes:
            raise NotUnderstood(f"`{name_of(equation)}` of {dtype_name(equation)}")
        return _flushed(function)

    return read


def _sign(x: np.ndarray) -> np.ndarray:
    return np.where(x == 0, x, np.sign(x)) if str(x.dtype) in FLOATS else np.sign(x)


def _extreme(function: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """The larger or smaller one; raises Declined for zeros of both signs, where either may be taken."""

    def run(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        if str(x.dtype) in FLOATS and bool(((x == 0) & (y == 0) & (np.signbit(x) != np.signbit(y))).any()):
            raise Declined
        return function(x, y)

    return run


def _power(equation: JaxprEqn) -> Operation:
    knows_only(equation, "y")
    exponent = integer(equation, "y")
    known = 2 if dtype_name(equation) in HALVES else HIGHEST_POWER
    if not 2 <= exponent <= known or dtype_name(equation) not in FLOATS | WHOLE:
        raise NotUnderstood("this power")

    def raised(x: np.ndarray) -> np.ndarray:
        found, square, left = None, x, exponent
        while left:
            if left & 1:
                found = square if found is None else found * square
            left >>= 1
            square = square * square if left else square
        return found  # type: ignore[return-value]

    return _flushed(raised)


def _rounded(equation: JaxprEqn) -> Operation:
    knows_only(equation, "rounding_method")
    if int(parameter(equation, "rounding_method")) != 1:  # type: ignore[call-overload]
        raise NotUnderstood("rounding away from zero")
    return _flushed(np.rint)


def _converted(equation: JaxprEqn) -> Operation:
    knows_only(equation, "new_dtype", "weak_type")
    source, target = dtype_name(equation), str(parameter(equation, "new_dtype"))
    if {source, target} - DTYPES:
        raise NotUnderstood(f"`convert_element_type` to {target}")
    dtype = result_type(equation).dtype
    if source in FLOATS and target in WHOLE:
        low, high = (float(x) for x in (np.iinfo(dtype).min, np.iinfo(dtype).max))

        def whole(x: np.ndarray) -> np.ndarray:
            wide = np.trunc(x.astype(np.float64))
            if not bool(((wide >= low) & (wide <= high) & (np.abs(wide) < 2.0**53)).all()):
                raise Declined
            return wide.astype(dtype)

        return whole
    if source in FLOATS and target in FLOATS:
        return _flushed(lambda x: x.astype(dtype))
    if source in WHOLE and target in HALVES:
        raise NotUnderstood("whole numbers in half precision")
    return lambda x: x.astype(dtype)


def _selected(equation: JaxprEqn) -> Operation:
    knows_only(equation)
    count = len(equation.invars) - 1
    if dtype_name(equation) != "bool" or count != 2:
        raise NotUnderstood("`select_n` by a number")

    def selected(which: np.ndarray, no: np.ndarray, yes: np.ndarray) -> np.ndarray:
        return np.where(which, yes, no)

    return selected


def _clamped(equation: JaxprEqn) -> Operation:
    knows_only(equation)
    largest, smallest = _extreme(np.maximum), _extreme(np.minimum)
    if dtype_name(equation) not in FLOATS | WHOLE:
        raise NotUnderstood("`clamp` of truths")
    return _flushed(lambda low, x, high: smallest(largest(x, low), high))


def _summed(equation: JaxprEqn) -> Operation:
    """Few terms one after the other, in the order of the elements."""
    knows_only(equation, "axes")
    axes, shape = integers(equation, "axes"), operand_type(equation).shape
    rest = tuple(a for a in range(len(shape)) if a not in axes)
    terms = int(np.prod([shape[a] for a in axes]))
    if dtype_name(equation) not in WHOLE | {"float32", "float64"} or terms > FEW_TERMS:
        raise NotUnderstood("a sum of many terms")

    def added(x: np.ndarray) -> np.ndarray:
        rows = x.transpose(*rest, *axes).reshape(*(shape[a] for a in rest), terms)
        found = np.zeros(rows.shape[:-1], x.dtype)
        for at in range(terms):
            found = found + rows[..., at]
        return found

    return _flushed(added)


def _reduced(function: Callable[..., np.ndarray], dtypes: frozenset[str]) -> Reader:
    """The extreme along axes; raises Declined where zeros of both signs, or NaN, leave open which one it is."""

    def read(equation: JaxprEqn) -> Operation:
        knows_only(equation, "axes")
        axes, shape = integers(equation, "axes"), operand_type(equation).shape
        if dtype_name(equation) not in dtypes or any(shape[a] == 0 for a in axes):
            raise NotUnderstood("this reduction")

        def run(x: np.ndarray) -> np.ndarray:
            if str(x.dtype) in FLOATS:
                zeros = np.signbit(x[x == 0])
                if bool(np.isnan(x).any()) or (bool(zeros.any()) and not bool(zeros.all())):
                    raise Declined
            return np.asarray(function(x, axis=axes))

        return _flushed(run)

    return read


def _place(function: Callable[..., np.ndarray]) -> Reader:
    """The first place of the extreme."""

    def read(equation: JaxprEqn) -> Operation:
        knows_only(equation, "axes", "index_dtype")
        (axis,) = integers(equation, "axes")
        dtype = result_type(equation).dtype
        if dtype_name(equation) not in FLOATS | WHOLE or operand_type(equation).shape[axis] == 0:
            raise NotUnderstood("this reduction")
        return _flushed(lambda x: np.asarray(function(x, axis=axis)).astype(dtype))

    return read


def _moved(name: str) -> Reader:
    """A primitive that moves elements; halves may be counted otherwise."""

    def read(equation: JaxprEqn) -> Operation:
        knows_only(equation, *MOVING[name].reads)
        counted = name != "iota" or str(result_type(equation).dtype) in WHOLE | {"float32", "float64"}
        found = MOVING[name].read(equation) if counted else None
        if found is None:
            raise NotUnderstood(f"this `{name}`")
        return found

    return read


NUMBERS, BITS = FLOATS | WHOLE, WHOLE | {"bool"}
READERS: dict[str, Reader] = {
    **{name: _moved(name) for name in MOVING},
    **{name: _plain(ARITHMETIC[name], dtypes=NUMBERS) for name in ("add", "sub", "mul", "div", "rem", "neg", "abs")},
    **{name: _plain(ARITHMETIC[name], dtypes=FLOATS) for name in ("floor", "ceil", "is_finite")},
    **{name: _plain(ARITHMETIC[name], dtypes=BITS) for name in ("and", "or", "xor", "not")},
    **{name: _plain(ARITHMETIC[name]) for name in ("eq", "ne", "lt", "le", "gt", "ge")},
    "sign": _plain(_sign, dtypes=NUMBERS),
    "square": _plain(lambda x: x * x, dtypes=NUMBERS),
    "sqrt": _plain(np.sqrt, "accuracy", dtypes=FLOATS),
    "max": _plain(_extreme(np.maximum)),
    "min": _plain(_extreme(np.minimum)),
    "round": _rounded,
    "integer_pow": _power,
    "clamp": _clamped,
    "convert_element_type": _converted,
    "select_n": _selected,
    "reduce_sum": _summed,
    "reduce_max": _reduced(np.max, NUMBERS),
    "reduce_min": _reduced(np.min, NUMBERS),
    "reduce_and": _reduced(np.logical_and.reduce, frozenset(["bool"])),
    "reduce_or": _reduced(np.logical_or.reduce, frozenset(["bool"])),
    "argmax": _place(np.argmax),
    "argmin": _place(np.argmin),
}


def operation(equation: JaxprEqn) -> Operation:
    """What computes an equation; raises NotUnderstood."""
    if name_of(equation) not in READERS:
        raise NotUnderstood(f"`{name_of(equation)}`")
    return READERS[name_of(equation)](equation)
