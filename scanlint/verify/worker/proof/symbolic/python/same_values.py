"""A primitive that says that both of its operands have to be the same value."""

from __future__ import annotations

from collections.abc import Callable

import jax

try:
    from jax.extend.core import Primitive
except ImportError:  # before JAX 0.4.36
    from jax.core import Primitive  # type: ignore[attr-defined,no-redef,unused-ignore]

SAME = "same_values"


def primitive(name: str, aval: Callable[..., object]) -> Primitive:
    """A primitive that is only traced; `aval` gives the type of its result."""
    made = Primitive(name)
    made.def_abstract_eval(aval)  # type: ignore[no-untyped-call]
    return made


_primitive = primitive(SAME, lambda one, other: one)


def same_values(one: jax.Array, other: jax.Array) -> None:
    """An equation in the program that is being traced."""
    _primitive.bind(one, other)  # type: ignore[no-untyped-call]
