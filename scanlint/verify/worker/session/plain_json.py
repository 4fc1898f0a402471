"""Writes an answer as JSON by nothing that code in this process could have replaced in a module."""

from __future__ import annotations

import json.encoder
from collections.abc import Callable


def encoder() -> Callable[[object], str]:
    """The function that writes plain data as JSON; made before the code under test is run."""
    quoted = json.encoder.encode_basestring_ascii
    kind, text, number, real = type, str, int, float

    def encode(value: object) -> str:
        of = kind(value).__mro__
        if value is None:
            return "null"
        if value is True or value is False:
            return "true" if value else "false"
        if number in of:
            return number.__repr__(value)
        if real in of:
            said = real.__repr__(value)
            return {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}.get(said, said)
        if text in of:
            return quoted(value)  # type: ignore[arg-type]
        if dict in of:
            pairs = [f"{quoted(text(key))}: {encode(inner)}" for key, inner in value.items()]  # type: ignore[attr-defined]
            return "{" + ", ".join(pairs) + "}"
        if list in of or tuple in of:
            return "[" + ", ".join([encode(inner) for inner in value]) + "]"  # type: ignore[attr-defined]
        raise TypeError(f"no plain data: {of[0].__name__}")

    return encode
