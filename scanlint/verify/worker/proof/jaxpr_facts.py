"""Facts of a jaxpr that need no evaluation: its size, its types, derivatives that parts define themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from .equations import inner_jaxprs, name_of, trips
from .unfold import ARM

if TYPE_CHECKING:
    from jax.extend.core import Jaxpr, JaxprEqn

RULED = frozenset(
    ["custom_jvp_call", "custom_vjp_call", "custom_vjp_call_jaxpr", "custom_lin", "stop_gradient", "while"]
)
"""Primitives with a derivative of their own, or with none in reverse mode."""


def every_equation(jaxpr: Jaxpr) -> Iterator[JaxprEqn]:
    """The equations of a program and of the programs in it."""
    for equation in jaxpr.eqns:
        yield equation
        for inner in inner_jaxprs(equation):
            yield from every_equation(inner)


def count(jaxpr: Jaxpr) -> int:
    """Equations with those of inner jaxprs."""
    return sum(1 for _ in every_equation(jaxpr))


def unrolled(jaxpr: Jaxpr) -> int:
    """Equations once the scans are unrolled."""
    return sum(1 + trips(e) * sum(map(unrolled, inner_jaxprs(e))) for e in jaxpr.eqns)


def dtype_of(equation: JaxprEqn) -> object:
    """The dtype of the first result."""
    return getattr(equation.outvars[0].aval, "dtype", None) if equation.outvars else None


def is_narrow(dtype: object) -> bool:
    """Whether whole numbers of a type wrap before loops and arrays reach their usual lengths."""
    return isinstance(dtype, np.dtype) and dtype.kind in "iu" and dtype.itemsize < 4


def narrow_types(jaxpr: Jaxpr) -> set[str]:
    """The types of 8 and 16 bits of whole numbers that a program computes, inner programs included."""
    return {str(dtype_of(e)) for e in every_equation(jaxpr) if is_narrow(dtype_of(e))}


def ruled(jaxpr: Jaxpr) -> bool:
    """Whether what a program computes does not tell its derivative."""
    return any(name_of(e) in RULED for e in every_equation(jaxpr))


def in_arm(equation: JaxprEqn) -> bool:
    """Whether an equation stands in an arm that the old version does not always run."""
    names = equation.source_info.name_stack
    return bool(names.stack) and ARM in str(names)
