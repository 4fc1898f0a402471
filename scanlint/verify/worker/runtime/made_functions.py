"""Calls of a function that another one makes: its maker is called first."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from .calling import Signature, innermost
from .jax_functions import attribute

DEEPEST = 3


@dataclass(frozen=True)
class MakerSignature(Signature):
    """Calls the function, takes the function named `product` out of its result, and calls that."""

    outer: Signature = field(default_factory=lambda: Signature(()))
    inner: Signature = field(default_factory=lambda: Signature(()))
    product: str = ""

    @classmethod
    def by(cls, outer: Signature, inner: Signature, product: str) -> MakerSignature:
        """Parameters of the made function stand as `product.name` among those of its maker, which are static."""
        mine = tuple(f"{product}.{n}" for n in (*inner.positional, *inner.keyword))
        theirs = (*outer.positional, *outer.keyword)
        static = frozenset(theirs) | {f"{product}.{n}" for n in inner.static}
        return cls((*theirs, *mine), (), static, outer=outer, inner=inner, product=product)

    def call(self, function: Callable[..., object], values: dict[str, object]) -> object:
        prefix = f"{self.product}."
        found = product(self.outer.call(function, {k: v for k, v in values.items() if "." not in k}), self.product)
        if found is None:
            raise TypeError(f"`{self.product}` is not made any more")
        return self.inner.call(found, {k.removeprefix(prefix): v for k, v in values.items() if k.startswith(prefix)})


def product(result: object, name: str, depth: int = 0) -> Callable[..., object] | None:
    """The function of that name in a result: itself, or in a tuple, a dict or a record."""
    if callable(result) and _name(result) == name:
        return result
    if depth >= DEEPEST:
        return None
    parts: Sequence[object] = ()
    match result:
        case tuple() | list():
            parts = result
        case dict():
            parts = list(result.values())
        case _ if dataclasses.is_dataclass(result) and not isinstance(result, type):
            parts = [getattr(result, f.name, None) for f in dataclasses.fields(result)]
    return next((found for part in parts if (found := product(part, name, depth + 1)) is not None), None)


def _name(function: object) -> str:
    """The name of the innermost function that a function wraps."""
    return str(attribute(innermost(function), "__name__", ""))
