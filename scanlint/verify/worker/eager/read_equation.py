"""The dtypes of an equation, of which an operation on NumPy's arrays is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jax.extend.core import JaxprEqn

HALVES = frozenset(["float16", "bfloat16"])
FLOATS = frozenset([*HALVES, "float32", "float64"])
WHOLE = frozenset([f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)])
DTYPES = FLOATS | WHOLE | {"bool"}


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
