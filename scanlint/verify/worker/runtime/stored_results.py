"""Effects of a function on its arguments (`state["x"] = ...`, `self.x = ...`) are part of its result."""

from __future__ import annotations

import ast
import copy
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from inspect import isroutine

import jax
import numpy as np

from .calling import Signature, Values, jitted
from .jax_functions import attribute

Place = tuple[str, ...]
DEEPEST = 4
VERSIONS = ("__before", "__after", "_short", "_shortest", "_wide", "_joined", "_watched")
"""How the names of the modules of the versions end."""
NUMBERS = (jax.Array, np.ndarray, np.generic, bool, int, float, complex)


@dataclass(frozen=True)
class Storing(Signature):
    """Calls the function with copies of what it changes, and adds the values at `places` after it to its result.

    A place is a parameter followed by items ("x") and attributes (".x").
    """

    places: tuple[Place, ...] = ()

    def call(self, function: Callable[..., object], values: dict[str, object]) -> object:
        own = {name: _copied(values[name]) for name, *_ in self.places if name in values}
        result = super().call(function, {**values, **own})
        return result, [_at(own.get(name), way) for name, *way in self.places]


def storing(signature: Signature, *versions: ast.FunctionDef | ast.AsyncFunctionDef) -> Signature:
    """The signature with the places that either version sets; the same signature if there are none."""
    names = {*signature.positional, *signature.keyword}
    places = dict.fromkeys(p for node in versions for p in _places(node) if p[0] in names)
    if not places or type(signature) is not Signature:
        return signature
    places_of = {f.name: getattr(signature, f.name) for f in fields(signature)}
    return Storing(**places_of, places=tuple(places))


def _places(node: ast.AST) -> Iterator[Place]:
    for part in ast.walk(node):
        if isinstance(part, (ast.Subscript, ast.Attribute)) and isinstance(part.ctx, ast.Store):
            place = _place(part)
            if place is not None:
                yield place


def _place(node: ast.expr) -> Place | None:
    match node:
        case ast.Name(id=name):
            return (name,)
        case ast.Subscript(value=value, slice=ast.Constant(value=str(key))):
            before = _place(value)
            return (*before, key) if before is not None else None
        case ast.Attribute(value=value, attr=name):
            before = _place(value)
            return (*before, f".{name}") if before is not None else None
    return None


def copied(values: Values) -> Values:
    """The arguments with copies of what a function can change in place, but objects of other modules."""
    return {name: _copied(value, others=False) for name, value in values.items()}


def changeable(values: Values) -> bool:
    """Whether an argument holds anything that a function can change in place."""
    return any(_copied(part, others=False) is not part for value in values.values() for part in (value, *_items(value)))


def _items(value: object) -> Sequence[object]:
    return value if type(value) is tuple else ()


def _copied(value: object, depth: int = 0, *, others: bool = True) -> object:
    """Fresh copies of containers, NumPy's arrays and plain objects, so that the effects stay invisible to others."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, (*NUMBERS, str, bytes, type, types.ModuleType)) or isroutine(value) or jitted(value):
        return value
    if depth > DEEPEST:
        return value
    if isinstance(value, dict):
        return type(value)({k: _copied(v, depth + 1, others=others) for k, v in value.items()})
    if type(value) in (list, set):
        return type(value)(_copied(v, depth + 1, others=others) for v in value)  # type: ignore[call-arg, attr-defined]
    if attribute(value, "__dict__") is None or not (others or type(value).__module__.endswith(VERSIONS)):
        return value
    try:
        made = copy.copy(value)
    except Exception:  # noqa: BLE001 - locks, files and their like, and classes that answer every question otherwise
        return value
    for name, inner in vars(value).items():
        object.__setattr__(made, name, _copied(inner, depth + 1, others=others))
    return made


def _at(value: object, way: Sequence[str]) -> object:
    """The value at the end of a path if it consists of arrays and numbers, else None."""
    for step in way:
        if step.startswith("."):
            value = attribute(value, step[1:], None)
        else:
            value = value.get(step) if isinstance(value, dict) else None
    leaves = jax.tree_util.tree_leaves(value)
    return value if all(isinstance(x, NUMBERS) for x in leaves) else None
