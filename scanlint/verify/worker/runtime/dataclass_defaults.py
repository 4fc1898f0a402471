"""Dataclasses with arrays as defaults: Python 3.11 refuses them, and older projects have them."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import numpy as np

from .jax_errors import Fact, says

NOTE = "arrays as defaults of dataclass fields were allowed, which Python 3.11 refuses"
_dataclass = dataclasses.dataclass


def refused(error: Exception) -> bool:
    """Whether a class was refused for such a default, and `allow` has not been called yet."""
    return isinstance(error, ValueError) and says(error, Fact.MUTABLE_DEFAULT) and not allowed()


def allowed() -> bool:
    return dataclasses.dataclass is not _dataclass


def allow() -> None:
    """Accept such classes from now on."""
    dataclasses.dataclass = _making  # type: ignore[assignment]


def _making(cls: type | None = None, /, **options: Any) -> type | Callable[[type], type]:
    if cls is None:
        return lambda given: _made(given, options)
    return _made(cls, options)


def _made(cls: type, options: dict[str, Any]) -> type:
    """The dataclass; its class attributes are the defaults, as they are without the refusal."""
    own = ((name, cls.__dict__.get(name)) for name in _fields(cls))
    arrays = {name: value for name, value in own if isinstance(value, (jax.Array, np.ndarray))}
    for name, value in arrays.items():
        setattr(cls, name, dataclasses.field(default_factory=partial(_same, value)))
    made: type = _dataclass(**options)(cls)
    for name, value in arrays.items():
        setattr(made, name, value)
    return made


def _fields(cls: type) -> list[str]:
    """The names that a class annotates as fields, without class variables."""
    try:
        notes = inspect.get_annotations(cls)
    except NameError:  # Python 3.14 reads annotations as late as here
        return []
    return [name for name, note in notes.items() if "ClassVar" not in str(note)]


def _same(value: object) -> object:
    return value
