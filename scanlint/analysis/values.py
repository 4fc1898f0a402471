"""What is known of a Python value while JAX traces the function that holds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum


class Kind(Enum):
    """Whether a value is a tracer, a plain Python value, or not known to be either."""

    STATIC = "static"
    TRACED = "traced"
    UNKNOWN = "unknown"


class Unset(Enum):
    """Marks a value that is not a known constant."""

    UNSET = 0


@dataclass(frozen=True, slots=True)
class Value:
    """One abstract value.

    `kind` speaks of the moment of tracing. `array` says that it is a jax array, traced or (in host code)
    concrete. `constant` is the Python value where it is known. `dtype` is one of "bool", "int", "float",
    "complex", "key" where known. `ndim` likewise. `items` are the elements of a tuple or list of known
    length, `fields` those of a dict, NamedTuple or dataclass, `container` its type's name.
    `why` and `line` give the evidence of a traced value: "`err` is `jnp.abs(...)`".
    """

    kind: Kind
    array: bool = False
    constant: object = Unset.UNSET
    dtype: str | None = None
    ndim: int | None = None
    container: str | None = None
    items: tuple[Value, ...] | None = None
    fields: Mapping[str, Value] = field(default_factory=dict, hash=False)
    why: str = ""
    line: int = 0

    @property
    def traced(self) -> bool:
        return self.kind is Kind.TRACED

    @property
    def static(self) -> bool:
        return self.kind is Kind.STATIC

    @property
    def known(self) -> bool:
        """Whether the Python value itself is known."""
        return self.constant is not Unset.UNSET


UNKNOWN = Value(Kind.UNKNOWN)
STATIC = Value(Kind.STATIC)


def constant(value: object) -> Value:
    """The value of a literal or a folded expression."""
    return Value(Kind.STATIC, constant=value)
