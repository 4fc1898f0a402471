"""Specs of arguments that callers really pass: the same kinds, ranks and dtypes, for other values."""

from __future__ import annotations

import dataclasses

import jax
import numpy as np

from ..runtime.calling import Values
from ..runtime.jax_functions import attribute, is_key
from .specs import Alternatives, Array, Leaf, Scalar, Spec, Specs, Struct, every_leaf, replace, resized

SMALL = (3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
LARGE = 8


def observed(value: object) -> Spec:
    """The spec of one argument; a value that has no variants is its own spec."""
    match value:
        case bool():
            return Alternatives((value,))
        case int() | float() | complex():
            return Scalar(type(value).__name__, value)
        case dict() if all(isinstance(k, str) for k in value):
            return Struct("dict", tuple((k, observed(v)) for k, v in value.items()))
        case list():
            return Struct("list", tuple((str(i), observed(v)) for i, v in enumerate(value)))
        case tuple() if attribute(value, "_fields") is not None:
            return Struct(
                type(value),
                tuple((f, observed(getattr(value, f))) for f in attribute(value, "_fields")),
                positional=True,
            )
        case tuple():
            return Struct("tuple", tuple((str(i), observed(v)) for i, v in enumerate(value)))
    if isinstance(value, (jax.Array, np.ndarray)):
        if is_key(value.dtype):
            return Array(tuple(value.shape), "key")
        if value.dtype == np.uint32 and value.shape == (2,):
            return Array((), "rawkey")
        return Array(tuple(value.shape), str(value.dtype))
    fields = [f.name for f in dataclasses.fields(value) if f.init] if dataclasses.is_dataclass(value) else []
    if fields and not isinstance(value, type):
        return Struct(type(value), tuple((f, observed(getattr(value, f))) for f in fields))
    return Alternatives((value,))


def specs_of(values: Values) -> Specs:
    """The specs of arguments; a whole number equal to the size of an axis is linked to that axis."""
    specs = {name: observed(value) for name, value in values.items()}
    lengths = {n for _, leaf in every_leaf(specs) if isinstance(leaf, Array) for n in leaf.shape}

    def counting(leaf: Leaf, path: str) -> Spec:
        if isinstance(leaf, Scalar) and leaf.kind == "int" and leaf.usual in lengths:
            return Scalar("int", None, leaf.usual)
        return leaf

    return {name: replace(spec, counting) for name, spec in specs.items()}


def reduced(specs: Specs) -> Specs:
    """The specs with long axes shortened, equal lengths to equal lengths."""
    found = [leaf for _, leaf in every_leaf(specs) if isinstance(leaf, Array)]
    lengths = sorted({n for leaf in found for n in leaf.shape})
    free = iter([n for n in SMALL if n not in lengths])
    table = {n: next(free, n) for n in lengths if n > LARGE}
    return resized(specs, table)
