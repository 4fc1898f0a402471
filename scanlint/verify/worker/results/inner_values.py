"""What JAX sees as one leaf and Python code sees into: objects, sets, ranges; so that their contents are compared."""

from __future__ import annotations

import enum
import types

import jax

from ..runtime.jax_functions import attributes_of


def parts_of(value: object) -> dict[str, object] | None:
    """The contents of a value that is no pytree, by name; None where it is compared as a whole."""
    match value:
        case set() | frozenset():
            return {str(at): part for at, part in enumerate(sorted(value, key=repr))}
        case enum.Enum() | type() | types.ModuleType() | str() | bytes():
            return None
    if callable(value) or type(value).__module__ == "builtins":
        return None
    return dict(attributes_of(value)) or None


def holds_local_function(value: object, met: set[int] | None = None) -> bool:
    """The value, or what objects in it hold, is a function that a call made: no two are known to be equal."""
    met = set() if met is None else met
    if isinstance(value, types.FunctionType):
        return "<locals>" in value.__qualname__
    if id(value) in met:
        return False
    met.add(id(value))
    return any(holds_local_function(leaf, met) for leaf in jax.tree_util.tree_leaves(parts_of(value)))


def kind_of(value: object) -> str:
    """The name of a value's class: equal for the two versions of a class."""
    return type(value).__qualname__


def same_whole(before: object, after: object) -> bool:
    """Two values without parts are equal; classes and members of enumerations by their names."""
    if kind_of(before) != kind_of(after):
        return False
    match before, after:
        case enum.Enum(), enum.Enum():
            return before.name == after.name
        case type(), type():
            return before.__qualname__ == after.__qualname__
    if type(before).__eq__ is object.__eq__:
        return True
    try:
        return bool(before == after)
    except Exception:  # noqa: BLE001 - the comparison of a class of the program
        return True
