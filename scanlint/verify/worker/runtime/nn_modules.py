"""Modules of neural network libraries, whose methods only run on a bound module."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

import jax

if TYPE_CHECKING:

    class Linen(Protocol):
        """The methods of `flax.linen.Module` that are used."""

        def init(self, rngs: object, *arguments: object, **keywords: object) -> object: ...

        def apply(self, variables: object, *arguments: object, **keywords: object) -> object: ...


def is_linen(cls: object) -> bool:
    """Whether a class is a `flax.linen` module."""
    bases = cls.__mro__ if isinstance(cls, type) else ()
    return any(b.__name__ == "Module" and b.__module__.startswith("flax.linen") for b in bases)


def through_apply(method: str) -> Callable[..., object]:
    """The method as a function of the unbound module: initialised with a key, then applied; gives both results."""

    def run(module: Linen, *arguments: object, **keywords: object) -> object:
        streams = {name: jax.random.key(k) for k, name in enumerate(("params", "dropout"))}
        variables = module.init(streams, *arguments, method=method, **keywords)
        return variables, module.apply(variables, *arguments, method=method, rngs=streams, mutable=True, **keywords)

    return run
