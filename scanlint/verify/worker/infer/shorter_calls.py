"""Real calls with short loops: what bounds a loop is often the field of an object that the program makes once."""

from __future__ import annotations

import ast
import copy
import dataclasses
from collections.abc import Callable, Iterator, Mapping

import jax
import numpy as np

from ..runtime.calling import Values
from ..runtime.cut_loops import FIRST, bounds
from ..runtime.jax_functions import attribute

LONG = 12
DEEPEST = 3


def shorter(values: Values, tree: ast.AST) -> Values | None:
    """The same call with small numbers in place of large ones that bound loops; axes of such a length are cut too.

    None where no number of the call is large and bounds a loop of the file.
    """
    names = set(_bounding(tree))
    found = sorted({n for name, value in values.items() for n in _counts(name, value, names, 0)})
    table = {n: FIRST + at for at, n in enumerate(found)}
    if not table:
        return None
    return {name: _cut(name, value, names, table, 0) for name, value in values.items()}


def _bounding(tree: ast.AST) -> Iterator[str]:
    """The names and fields in the bounds of loops."""
    for bound in bounds(tree):
        for node in ast.walk(bound):
            if isinstance(node, ast.Name | ast.Attribute):
                yield node.id if isinstance(node, ast.Name) else node.attr


def _counts(name: str, value: object, names: set[str], depth: int) -> Iterator[int]:
    if type(value) is int and value >= LONG and name in names:
        yield value
    elif depth < DEEPEST:
        for inner, held in _fields(value).items():
            yield from _counts(inner, held, names, depth + 1)


def _fields(value: object) -> Mapping[str, object]:
    """The attributes of an object of the program, by name."""
    if isinstance(value, tuple) and (fields := attribute(value, "_fields")) is not None:
        return dict(zip(fields, value, strict=True))
    if isinstance(value, type) or callable(value) or isinstance(value, jax.Array | np.ndarray):
        return {}
    held = attribute(value, "__dict__", {})
    return held if isinstance(held, dict) else {}


def _cut(name: str, value: object, names: set[str], table: Mapping[int, int], depth: int) -> object:
    """A value with the numbers and axes of the table replaced."""
    if type(value) is int:
        return table.get(value, value) if name in names else value
    if isinstance(value, jax.Array | np.ndarray):
        return value[tuple(slice(table.get(n)) for n in value.shape)]
    if depth >= DEEPEST:
        return value
    return _rebuilt(value, lambda inner, held: _cut(inner, held, names, table, depth + 1))


def _rebuilt(value: object, change: Callable[[str, object], object]) -> object:
    """A copy of a container or an object, with what it holds changed."""
    fields = {n: change(n, v) for n, v in _fields(value).items()}
    if isinstance(value, tuple) and attribute(value, "_fields") is not None:
        record: Callable[..., object] = type(value)
        return record(*fields.values())
    if isinstance(value, dict):
        return {k: change(str(k), v) for k, v in value.items()}
    if type(value) in (list, tuple):
        return type(value)(change("", v) for v in value)  # type: ignore[call-arg, attr-defined]
    if all(v is before for v, before in zip(fields.values(), _fields(value).values(), strict=True)):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        own = {f.name for f in dataclasses.fields(value) if f.init}
        return dataclasses.replace(value, **{n: v for n, v in fields.items() if n in own})
    made = copy.copy(value)
    for name, held in fields.items():
        object.__setattr__(made, name, held)
    return made
