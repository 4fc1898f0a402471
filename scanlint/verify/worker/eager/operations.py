"""Primitives that NumPy computes bit for bit as XLA does on a CPU; what is not here is left to XLA.

`tests/verify/eager` compares each with XLA on ordinary and extreme values, and says which were found to differ.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..proof.equations import NotUnderstood, integer, integers, name_of, padding, parameter, unknown

if TYPE_CHECKING:
    from jax.extend.core import JaxprEqn

Operation = Callable[..., "np.ndarray | list[np.ndarray]"]
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


def subnormal(x: np.ndarray) -> bool:
    """Whether there is a number so small that XLA takes it for zero."""
    if str(x.dtype) not in FLOATS:
        return False
    return bool(((abs(x) < np.asarray(_smallest(str(x.dtype)), x.dtype)) & (x != 0)).any())


@functools.cache
def _smallest(dtype: str) -> float:
    return {"float16": 2.0**-14, "bfloat16": 2.0**-126, "float32": 2.0**-126, "float64": 2.0**-1022}[dtype]


def _flushed(operation: Callable[..., np.ndarray]) -> Operation:
    """An operation on numbers; raises Declined where one of them, or a result, would be flushed to zero."""

    def run(*operands: np.ndarray) -> np.ndarray:
        result = operation(*operands)
        if any(map(subnormal, operands)) or subnormal(result):
            raise Declined
        return result

    return run


def _first(equation: JaxprEqn) -> Any:
    """Shape and dtype of the first operand."""
    return equation.invars[0].aval


def _result(equation: JaxprEqn) -> Any:
    """Shape and dtype of the first result."""
    return equation.outvars[0].aval


def _kind(equation: JaxprEqn) -> str:
    """The dtype of the first operand."""
    return str(_first(equation).dtype)


def _only(equation: JaxprEqn, *known: str) -> None:
    """A parameter that is not known may change what the primitive does."""
    for name in sorted(unknown(equation, frozenset(known))):
        raise NotUnderstood(f"the parameter `{name}` of `{name_of(equation)}`")


def _plain(function: Callable[..., np.ndarray], *known: str, dtypes: frozenset[str] = DTYPES) -> Reader:
    """A primitive that is one function of NumPy, of operands of these dtypes."""

    def read(equation: JaxprEqn) -> Operation:
        _only(equation, *known)
        if _kind(equation) not in dtypes:
            raise NotUnderstood(f"`{name_of(equation)}` of {_kind(equation)}")
        return _flushed(function)

    return read


def _divided(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Of whole numbers rounded to zero: by zero all bits are set, and the least by -1 stays."""
    if str(x.dtype) in FLOATS:
        return np.asarray(np.true_divide(x, y))
    safe = np.where((y == 0) | ((y == -1) if y.dtype.kind == "i" else False), 1, y).astype(y.dtype)
    quotient = (x - np.fmod(x, safe)) // safe
    quotient = np.where(y == -1, -x, quotient) if y.dtype.kind == "i" else quotient
    return np.where(y == 0, np.asarray(-1).astype(x.dtype), quotient).astype(x.dtype)


def _remainder(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """With the sign of what is divided; of whole numbers by zero the number itself."""
    if str(x.dtype) in FLOATS:
        return np.asarray(np.fmod(x, y))
    safe = np.where((y == 0) | ((y == -1) if y.dtype.kind == "i" else False), 1, y).astype(y.dtype)
    return np.where(y == 0, x, np.fmod(x, safe)).astype(x.dtype)


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
    _only(equation, "y")
    exponent = integer(equation, "y")
    known = 2 if _kind(equation) in HALVES else HIGHEST_POWER
    if not 2 <= exponent <= known or _kind(equation) not in FLOATS | WHOLE:
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
    _only(equation, "rounding_method")
    if int(parameter(equation, "rounding_method")) != 1:  # type: ignore[call-overload]
        raise NotUnderstood("rounding away from zero")
    return _flushed(np.rint)


def _converted(equation: JaxprEqn) -> Operation:
    _only(equation, "new_dtype", "weak_type")
    source, target = _kind(equation), str(parameter(equation, "new_dtype"))
    if {source, target} - DTYPES:
        raise NotUnderstood(f"`convert_element_type` to {target}")
    dtype = _result(equation).dtype
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
    _only(equation)
    count = len(equation.invars) - 1
    if _kind(equation) != "bool" or count != 2:
        raise NotUnderstood("`select_n` by a number")

    def selected(which: np.ndarray, no: np.ndarray, yes: np.ndarray) -> np.ndarray:
        return np.where(which, yes, no)

    return selected


def _clamped(equation: JaxprEqn) -> Operation:
    _only(equation)
    largest, smallest = _extreme(np.maximum), _extreme(np.minimum)
    if _kind(equation) not in FLOATS | WHOLE:
        raise NotUnderstood("`clamp` of truths")
    return _flushed(lambda low, x, high: smallest(largest(x, low), high))


def _summed(equation: JaxprEqn) -> Operation:
    """Few terms one after the other, in the order of the elements."""
    _only(equation, "axes")
    axes, shape = integers(equation, "axes"), _first(equation).shape
    rest = tuple(a for a in range(len(shape)) if a not in axes)
    terms = int(np.prod([shape[a] for a in axes]))
    if _kind(equation) not in WHOLE | {"float32", "float64"} or terms > FEW_TERMS:
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
        _only(equation, "axes")
        axes, shape = integers(equation, "axes"), _first(equation).shape
        if _kind(equation) not in dtypes or any(shape[a] == 0 for a in axes):
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
        _only(equation, "axes", "index_dtype")
        (axis,) = integers(equation, "axes")
        dtype = _result(equation).dtype
        if _kind(equation) not in FLOATS | WHOLE or _first(equation).shape[axis] == 0:
            raise NotUnderstood("this reduction")
        return _flushed(lambda x: np.asarray(function(x, axis=axis)).astype(dtype))

    return read


def _counted(equation: JaxprEqn) -> Operation:
    _only(equation, "dtype", "shape", "dimension")
    shape, axis = integers(equation, "shape"), integer(equation, "dimension")
    dtype = _result(equation).dtype
    if str(dtype) not in WHOLE | {"float32", "float64"}:
        raise NotUnderstood("this `iota`")
    row = np.arange(shape[axis]).astype(dtype).reshape([-1 if a == axis else 1 for a in range(len(shape))])
    return lambda: np.broadcast_to(row, shape)


def _broadcast(equation: JaxprEqn) -> Operation:
    _only(equation, "shape", "broadcast_dimensions")
    shape, places = integers(equation, "shape"), integers(equation, "broadcast_dimensions")

    def spread(x: np.ndarray) -> np.ndarray:
        sizes = [1] * len(shape)
        for size, place in zip(x.shape, places, strict=True):
            sizes[place] = size
        return np.broadcast_to(x.reshape(sizes), shape)

    return spread


def _reshaped(equation: JaxprEqn) -> Operation:
    _only(equation, "new_sizes", "dimensions")
    if parameter(equation, "dimensions") is not None:
        raise NotUnderstood("`reshape` of other axes")
    sizes = integers(equation, "new_sizes")
    return lambda x: x.reshape(sizes)


def _shaped(equation: JaxprEqn) -> Operation:
    """Only the shape is another one."""
    shape = _result(equation).shape
    return lambda x: x.reshape(shape)


def _transposed(equation: JaxprEqn) -> Operation:
    _only(equation, "permutation")
    axes = integers(equation, "permutation")
    return lambda x: x.transpose(axes)


def _sliced(equation: JaxprEqn) -> Operation:
    _only(equation, "start_indices", "limit_indices", "strides")
    starts, limits = integers(equation, "start_indices"), integers(equation, "limit_indices")
    steps = [1] * len(starts) if parameter(equation, "strides") is None else integers(equation, "strides")
    window = tuple(map(slice, starts, limits, steps))
    return lambda x: x[window]


def _window(shape: Sequence[int], sizes: Sequence[int], starts: Sequence[np.ndarray]) -> tuple[slice, ...]:
    """A window of these sizes that lies within the shape."""
    firsts = [min(max(int(at), 0), n - size) for n, size, at in zip(shape, sizes, starts, strict=True)]
    return tuple(slice(at, at + size) for at, size in zip(firsts, sizes, strict=True))


def _windowed(equation: JaxprEqn) -> Operation:
    _only(equation, "slice_sizes")
    sizes = integers(equation, "slice_sizes")
    return lambda x, *starts: x[_window(x.shape, sizes, starts)]


def _updated(equation: JaxprEqn) -> Operation:
    _only(equation)

    def update(x: np.ndarray, part: np.ndarray, *starts: np.ndarray) -> np.ndarray:
        found = np.array(x)
        found[_window(x.shape, part.shape, starts)] = part
        return found

    return update


def _joined(equation: JaxprEqn) -> Operation:
    _only(equation, "dimension")
    axis = integer(equation, "dimension")
    return lambda *parts: np.concatenate(parts, axis)


def _stacked(equation: JaxprEqn) -> Operation:
    _only(equation, "axis")
    axis = integer(equation, "axis")
    return lambda *parts: np.stack(parts, axis)


def _unstacked(equation: JaxprEqn) -> Operation:
    _only(equation, "axis")
    axis = integer(equation, "axis")
    return lambda x: list(np.moveaxis(x, axis, 0))


def _split(equation: JaxprEqn) -> Operation:
    _only(equation, "sizes", "axis")
    ends, axis = np.cumsum(integers(equation, "sizes"))[:-1], integer(equation, "axis")
    return lambda x: np.split(x, ends, axis)


def _padded(equation: JaxprEqn) -> Operation:
    _only(equation, "padding_config")
    widths = padding(equation)
    if any(low < 0 or high < 0 for low, high, _ in widths):
        raise NotUnderstood("`pad` that cuts")
    shape = _result(equation).shape

    def padded(x: np.ndarray, value: np.ndarray) -> np.ndarray:
        found = np.full(shape, value, x.dtype)
        inner = tuple(
            slice(low, low + max(n + (n - 1) * between, 0), between + 1)
            for n, (low, _, between) in zip(x.shape, widths, strict=True)
        )
        found[inner] = x
        return found

    return padded


def _reversed(equation: JaxprEqn) -> Operation:
    _only(equation, "dimensions")
    axes = integers(equation, "dimensions")
    return lambda x: np.flip(x, axes)


NUMBERS = FLOATS | WHOLE
READERS: dict[str, Reader] = {
    "add": _plain(np.add, dtypes=NUMBERS),
    "sub": _plain(np.subtract, dtypes=NUMBERS),
    "mul": _plain(np.multiply, dtypes=NUMBERS),
    "div": _plain(_divided, dtypes=NUMBERS),
    "rem": _plain(_remainder, dtypes=NUMBERS),
    "neg": _plain(np.negative, dtypes=NUMBERS),
    "abs": _plain(np.abs, dtypes=NUMBERS),
    "sign": _plain(_sign, dtypes=NUMBERS),
    "square": _plain(lambda x: x * x, dtypes=NUMBERS),
    "sqrt": _plain(np.sqrt, "accuracy", dtypes=FLOATS),
    "floor": _plain(np.floor, dtypes=FLOATS),
    "ceil": _plain(np.ceil, dtypes=FLOATS),
    "is_finite": _plain(np.isfinite, dtypes=FLOATS),
    "max": _plain(_extreme(np.maximum)),
    "min": _plain(_extreme(np.minimum)),
    "eq": _plain(np.equal),
    "ne": _plain(np.not_equal),
    "lt": _plain(np.less),
    "le": _plain(np.less_equal),
    "gt": _plain(np.greater),
    "ge": _plain(np.greater_equal),
    "and": _plain(np.bitwise_and, dtypes=WHOLE | {"bool"}),
    "or": _plain(np.bitwise_or, dtypes=WHOLE | {"bool"}),
    "xor": _plain(np.bitwise_xor, dtypes=WHOLE | {"bool"}),
    "not": _plain(np.invert, dtypes=WHOLE | {"bool"}),
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
    "iota": _counted,
    "broadcast_in_dim": _broadcast,
    "reshape": _reshaped,
    "squeeze": _shaped,
    "expand_dims": _shaped,
    "copy": _shaped,
    "copy_p": _shaped,
    "transpose": _transposed,
    "slice": _sliced,
    "dynamic_slice": _windowed,
    "dynamic_update_slice": _updated,
    "concatenate": _joined,
    "stack": _stacked,
    "unstack": _unstacked,
    "split": _split,
    "pad": _padded,
    "rev": _reversed,
}


def operation(equation: JaxprEqn) -> Operation:
    """What computes an equation; raises NotUnderstood."""
    if name_of(equation) not in READERS:
        raise NotUnderstood(f"`{name_of(equation)}`")
    return READERS[name_of(equation)](equation)
