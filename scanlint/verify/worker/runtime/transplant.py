"""Values of one version of a module as values of another: with its classes and functions."""

from __future__ import annotations

import enum
import types

import jax
import numpy as np

from ..imports.side_modules import side_of
from .jax_functions import attribute, attributes_of


def transplant(value: object, before: types.ModuleType, after: types.ModuleType) -> object:
    """A value with the classes and functions of one version of the module in place of those of the other."""
    match value:
        case enum.Enum():
            cls = _counterpart(type(value), before, after)
            return cls[value.name] if isinstance(cls, enum.EnumMeta) and value.name in cls.__members__ else value
        case None | bool() | int() | float() | complex() | str() | bytes():
            return value
        case dict():
            return type(value)({k: transplant(v, before, after) for k, v in value.items()})
        case list():
            return [transplant(v, before, after) for v in value]
        case tuple() if type(value) is tuple:
            return tuple(transplant(v, before, after) for v in value)
        case tuple() if attribute(value, "_fields") is not None:
            cls = _counterpart(type(value), before, after)
            return _called(cls, *(transplant(v, before, after) for v in value))
        case types.FunctionType() | type():
            return _counterpart(value, before, after)
    if isinstance(value, (jax.Array, np.ndarray, np.generic)):
        return value
    return _object(value, before, after)


def _called(cls: object, *items: object) -> object:
    return cls(*items) if callable(cls) else items


def _object(value: object, before: types.ModuleType, after: types.ModuleType) -> object:
    """An instance of a class of the module: a copy with the other class, its attributes likewise."""
    if _home(type(value), before, after) is None:
        return value
    cls = _counterpart(type(value), before, after)
    copy: object = object.__new__(cls)  # type: ignore[arg-type]
    for name, inner in attributes_of(value):
        object.__setattr__(copy, name, transplant(inner, before, after))
    return copy


def _counterpart(value: object, before: types.ModuleType, after: types.ModuleType) -> object:
    found: object = _home(value, before, after)
    if found is None:
        return value
    for part in str(attribute(value, "__qualname__", "")).split("."):
        found = attribute(found, part, None)
    return value if found is None else found


def _home(value: object, before: types.ModuleType, after: types.ModuleType) -> types.ModuleType | None:
    """The module in which the counterpart of a class or function stands; None where it is the same for both."""
    name = str(attribute(value, "__module__", ""))
    if name == before.__name__:
        return after
    old, new = side_of(vars(before)), side_of(vars(after))
    if old is None or new is None or old is new or name not in old.modules:
        return None
    return new.module(name)
