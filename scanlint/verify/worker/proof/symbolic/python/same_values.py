"""A primitive that says that both of its operands have to be the same value."""

from __future__ import annotations

import jax

try:
    from jax.extend.core import Primitive
except ImportError:  # before JAX 0.4.36
    from jax.core import Primitive  # type: ignore[attr-defined,no-redef,unused-ignore]

SAME = "same_values"
_primitive = Primitive(SAME)
_primitive.def_abstract_eval(lambda one, other: one)  # type: ignore[no-untyped-call]


def same_values(one: jax.Array, other: jax.Array) -> None:
    """An equation in the program that is being traced."""
    _primitive.bind(one, other)  # type: ignore[no-untyped-call]
