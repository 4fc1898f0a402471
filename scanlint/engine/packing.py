"""Results of slices as plain data for the cache."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

from scanlint import finding as records
from scanlint.finding import Finding


def plain(value: object) -> object:
    """Findings and the records in them as lists that begin with the name of the record; all else as it is."""
    if isinstance(value, tuple):
        names = getattr(value, "_fields", None)
        return tuple(map(plain, value)) if names is None else [type(value).__name__, *map(plain, value)]
    if is_dataclass(value) and not isinstance(value, type):
        return [type(value).__name__, *(plain(getattr(value, field.name)) for field in fields(value))]
    return value


def restored(value: object) -> object:
    """The records that such lists stand for; only those of `scanlint.finding`. ValueError for any other."""
    if isinstance(value, tuple):
        return tuple(map(restored, value))
    if not isinstance(value, list):
        return value
    name, *values = value
    record = getattr(records, name, None) if isinstance(name, str) else None
    if not isinstance(record, type) or record.__module__ != Finding.__module__:
        raise ValueError(f"{name!r} is no record")
    made: object = record(*map(restored, values))
    return made
