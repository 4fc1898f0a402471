"""Facts as bytes, for the cache and for other processes: read without running anything that they hold."""

from __future__ import annotations

import marshal
from dataclasses import fields

from scanlint.project.facts import ClassFacts, ModuleFacts, Span

RECORDS = {record.__name__: record for record in (Span, ClassFacts)}
NAMES = tuple(field.name for field in fields(ModuleFacts) if field.name != "path")


def pack(facts: ModuleFacts) -> bytes:
    """Facts without the path of their file."""
    return marshal.dumps([_plain(getattr(facts, name)) for name in NAMES])


def unpack(data: bytes, path: str) -> ModuleFacts | None:
    """The facts of a file; None if the bytes do not hold any."""
    try:
        values = [_record(value) for value in marshal.loads(data)]
        return ModuleFacts(path, **dict(zip(NAMES, values, strict=True)))  # type: ignore[arg-type]
    except (ValueError, EOFError, TypeError, KeyError):  # the facts are collected anew
        return None


def _plain(value: object) -> object:
    """A table of records as the name of the record and a table of tuples."""
    if isinstance(value, dict) and value:
        first = type(next(iter(value.values())))
        if first is not tuple and issubclass(first, tuple):
            return [first.__name__, {key: tuple(record) for key, record in value.items()}]
    return value


def _record(value: object) -> object:
    match value:
        case [str(name), dict(table)] if name in RECORDS:
            return {key: RECORDS[name](*record) for key, record in table.items()}
    return value
