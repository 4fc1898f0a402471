"""Run the functions that a slow old version calls compiled: op by op they would take minutes."""

from __future__ import annotations

import contextlib
import functools
import types
from collections.abc import Callable
from dataclasses import dataclass, field

import jax

from ..jax_functions import rebound
from ..loading import Loaded

Function = Callable[..., object]


@dataclass(eq=False)
class Compiled:
    """A function of the module, compiled if all its arguments are arrays and it traces, else called as it is.

    It has the identity and hash of a function, which JAX needs of what it maps or stages.
    """

    plain: Function
    fast: Function = field(init=False)
    traces: bool = True

    def __post_init__(self) -> None:
        self.fast = jax.jit(self.plain)
        functools.update_wrapper(self, self.plain)

    def __call__(self, *positional: object, **keywords: object) -> object:
        leaves = jax.tree_util.tree_leaves((positional, keywords))
        concrete = all(isinstance(x, jax.Array) and not isinstance(x, jax.core.Tracer) for x in leaves)
        if self.traces and leaves and concrete:
            try:
                return self.fast(*positional, **keywords)
            except Exception:  # noqa: BLE001
                self.traces = False
        return self.plain(*positional, **keywords)


class Callees:
    """The other functions of one version of the module, compiled for as long as `used`."""

    def __init__(self, loaded: Loaded, function: Function) -> None:
        self.names = loaded.names
        self.compiled = {
            name: Compiled(value)
            for name, value in loaded.names.items()
            if isinstance(value, types.FunctionType)
            and value.__module__ == loaded.module.__name__
            and value is not function
        }

    def used(self) -> contextlib.AbstractContextManager[None]:
        return rebound(self.names, self.compiled)
