"""Descriptions of inputs without values: arrays, Python scalars, choices and structures of these."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import jax
import numpy as np


@dataclass(frozen=True, slots=True)
class Array:
    """`dtype` is a NumPy name, or "key" (typed) or "rawkey" (two uint32) for a random key."""

    shape: tuple[int, ...]
    dtype: str = "float32"


@dataclass(frozen=True, slots=True)
class Scalar:
    """A Python number of kind "int", "float", "bool" or "complex"; `usual` comes first among its values.

    `size` is that of the axis that it counts along: it never exceeds it, and changes with it.
    """

    kind: str
    usual: object = None
    size: int | None = None

    @property
    def count(self) -> int:
        """The first value of a whole number."""
        return self.usual if isinstance(self.usual, int) else 5


@dataclass(frozen=True)
class Alternatives:
    """One of some Python objects: strings, flags, functions, None."""

    values: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Struct:
    """A container: "dict", "list", "tuple", or a class that is called with its items by keyword."""

    kind: str | type
    items: tuple[tuple[str, Spec], ...]
    positional: bool = False


Leaf = Array | Scalar | Alternatives
Spec = Leaf | Struct
Specs = dict[str, Spec]
"""By parameter."""
Pick = Callable[[Spec, str], object]


class OnHost:
    """Makes an array of NumPy, which functions can change in place."""

    def __new__(cls, values: object) -> np.ndarray:  # type: ignore[misc]
        return np.array(values)


def build(spec: Spec, pick: Pick, path: str = "") -> object:
    """A value of this spec; `pick` gives those of the leaves."""
    if not isinstance(spec, Struct):
        return pick(spec, path)
    values = {name: build(s, pick, f"{path}.{name}") for name, s in spec.items}
    match spec.kind:
        case "dict":
            return values
        case "list":
            return list(values.values())
        case "tuple":
            return tuple(values.values())
        case type() as cls:
            return cls(*values.values()) if spec.positional else cls(**values)
    raise TypeError(f"unknown container {spec.kind}")


def leaves(spec: Spec, path: str = "") -> Iterator[tuple[str, Leaf]]:
    """The leaves with their paths."""
    if isinstance(spec, Struct):
        for name, inner in spec.items:
            yield from leaves(inner, f"{path}.{name}")
    else:
        yield path, spec


def every_leaf(specs: Specs) -> list[tuple[str, Leaf]]:
    """The leaves of all parameters with their paths, which begin with the parameter."""
    return [found for name, spec in specs.items() for found in leaves(spec, name)]


def replace(spec: Spec, change: Callable[[Leaf, str], Spec], path: str = "") -> Spec:
    """A spec with each of its leaves changed."""
    if isinstance(spec, Struct):
        items = tuple((n, replace(s, change, f"{path}.{n}")) for n, s in spec.items)
        return Struct(spec.kind, items, spec.positional)
    return change(spec, path)


def hashable(spec: Spec) -> Spec:
    """A spec for a static argument: a Python number where an array without axes was guessed."""
    kinds = {"int32": "int", "float32": "float"}
    return Scalar(kinds[spec.dtype]) if isinstance(spec, Array) and not spec.shape and spec.dtype in kinds else spec


def sizes(specs: Specs) -> list[int]:
    """All axis sizes, smallest first, each once."""
    return sorted({n for _, leaf in every_leaf(specs) if isinstance(leaf, Array) for n in leaf.shape})


def resized(specs: Specs, table: Mapping[int, int]) -> Specs:
    """The specs with the sizes of the table in the place of others."""
    return {name: resize(spec, table) for name, spec in specs.items()}


def resize(spec: Spec, table: Mapping[int, int]) -> Spec:
    def change(leaf: Leaf, path: str) -> Spec:
        if isinstance(leaf, Array):
            return Array(tuple(table.get(n, n) for n in leaf.shape), leaf.dtype)
        if isinstance(leaf, Scalar) and leaf.size is not None:
            return Scalar(leaf.kind, leaf.usual, table.get(leaf.size, leaf.size))
        return leaf

    return replace(spec, change)


def key_of(seed: int, shape: tuple[int, ...], typed: bool) -> object:
    key = jax.random.key(seed) if typed else jax.random.PRNGKey(seed)
    return jax.random.split(key, shape) if shape else key
