"""Arithmetic of NumPy that is that of XLA to the last bit, and what tells where it is not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

SMALLEST = {
    "float16": 2.0**-14,
    "bfloat16": 2.0**-126,
    "float32": 2.0**-126,
    "float64": 2.0**-1022,
    "complex64": 2.0**-126,
    "complex128": 2.0**-1022,
}
"""The smallest normal numbers; of types that are not here NumPy knows no limits."""
LARGE_ENOUGH = 2.0**-5


def divided(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Of whole numbers rounded to zero: by zero all bits are set, and the least by -1 stays."""
    if y.dtype.kind not in "iu":
        return np.asarray(np.true_divide(x, y))
    safe = _safe(y)
    quotient = (x - np.fmod(x, safe)) // safe
    quotient = np.where(y == -1, -x, quotient) if y.dtype.kind == "i" else quotient
    return np.where(y == 0, np.asarray(-1).astype(x.dtype), quotient).astype(x.dtype)


def remainder(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """With the sign of what is divided; of whole numbers by zero the number itself."""
    if y.dtype.kind not in "iu":
        return np.asarray(np.fmod(x, y))
    return np.where(y == 0, x, np.fmod(x, _safe(y))).astype(x.dtype)


def _safe(y: np.ndarray) -> np.ndarray:
    """Whole numbers with 1 in the place of those by which NumPy does not divide as XLA does."""
    return np.where((y == 0) | ((y == -1) if y.dtype.kind == "i" else False), 1, y).astype(y.dtype)


def flushed(*values: object) -> bool:
    """Whether one holds a number so small that a back end may take it for zero."""
    for value in map(np.asarray, values):
        if value.dtype.kind in "fcV":
            least = SMALLEST.get(str(value.dtype), LARGE_ENOUGH)
            wide = value.astype(np.complex128 if value.dtype.kind == "c" else np.float64)
            if any(bool(((np.abs(part) < least) & (part != 0)).any()) for part in (wide.real, wide.imag)):
                return True
    return False


ARITHMETIC: dict[str, Callable[..., np.ndarray]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": divided,
    "rem": remainder,
    "neg": np.negative,
    "abs": np.abs,
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "not": np.invert,
    "floor": np.floor,
    "ceil": np.ceil,
    "is_finite": np.isfinite,
}
