"""See that the code under test left alone what judges it: JAX, NumPy, the builtins and the verifier's own functions.

This finds modules that patch what they use. Code that sets out to deceive could as well behave otherwise while it is
verified: no verifier that runs it can help that.
"""

from __future__ import annotations

import builtins
import json
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
import numpy as np

Names = Mapping[str, object]
OWN = __name__.removesuffix(".sandbox.intact")


@dataclass
class Intact:
    """What every watched name meant before the code under test was run."""

    held: dict[str, tuple[Names, dict[str, object]]] = field(default_factory=dict)
    codes: list[tuple[str, types.FunctionType, types.CodeType]] = field(default_factory=list)
    fields: list[tuple[object, dict[str, object], frozenset[str]]] = field(default_factory=list)

    @classmethod
    def now(cls) -> Intact:
        """Remember everything as it is."""
        found = cls()
        public = (jax, jnp, jax.lax, jax.random, jax.tree_util, jax.nn, np, np.random, json, builtins)
        for module in public:
            found.watch(module.__name__, vars(module), lambda x: callable(x) and not _numpy_type(x))
        for name, module in list(sys.modules.items()):
            if name.startswith(OWN + "."):
                found.own(name.removeprefix(OWN + "."), vars(module))
        found.watch("jax.core.Tracer", vars(jax.core.Tracer), callable)
        return found

    def watch(self, name: str, names: Names, wanted: Callable[[object], bool]) -> None:
        self.held[name] = (names, {k: v for k, v in names.items() if wanted(v)})

    def own(self, name: str, names: Names) -> None:
        """A module of the verifier's, with the methods of its classes and what their code is."""
        where = f"the verifier's {name}"
        self.watch(where, names, callable)
        for key, value in names.items():
            if isinstance(value, type) and value.__module__.startswith(OWN):
                self.watch(f"{where}.{key}", vars(value), _method)
        for value in list(names.values()):
            self.codes += ((where, f, f.__code__) for f in _functions(value))

    def hold(self, record: object, *names: str) -> None:
        """Remember fields of an object that decide on the verdict."""
        self.fields.append((record, {n: getattr(record, n) for n in names}, frozenset(vars(record))))

    def changed(self) -> str:
        """The first name that means something else now; empty where none does."""
        for where, (names, held) in self.held.items():
            for name, value in held.items():
                if names.get(name) is not value:
                    return f"{where}.{name}"
        for where, function, code in self.codes:
            if function.__code__ is not code:
                return f"{where}.{function.__name__}"
        for record, held, known in self.fields:
            other = [name for name, value in held.items() if getattr(record, name) is not value]
            other += set(vars(record)) - known
            if other:
                return f"the verifier's {type(record).__name__}.{other[0]}"
        return ""


def _method(value: object) -> bool:
    return callable(value) or isinstance(value, (property, classmethod, staticmethod))


def _numpy_type(value: object) -> bool:
    return isinstance(value, type) and value.__module__.startswith("numpy")


def _functions(value: object) -> Iterator[types.FunctionType]:
    if isinstance(value, types.FunctionType) and value.__module__.startswith(OWN):
        yield value
    elif isinstance(value, type) and value.__module__.startswith(OWN):
        for inner in vars(value).values():
            bare = getattr(inner, "__func__", getattr(inner, "fget", inner))
            if isinstance(bare, types.FunctionType):
                yield bare
