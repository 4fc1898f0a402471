"""What an operation on NumPy's arrays is made of: an equation, whose dtypes and parameters must all be known."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..proof.equations import NotUnderstood, name_of, unknown

if TYPE_CHECKING:
    from jax.extend.core import JaxprEqn

Operation = Callable[..., "np.ndarray | list[np.ndarray]"]
Reader = Callable[["JaxprEqn"], Operation]
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


def knows_only(equation: JaxprEqn, *known: str) -> None:
    """A parameter that is not known may change what the primitive does."""
    for name in sorted(unknown(equation, frozenset(known))):
        raise NotUnderstood(f"the parameter `{name}` of `{name_of(equation)}`")
