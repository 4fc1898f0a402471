"""Finds the places of values in a JSON text, so that one can be changed and all else stays byte for byte the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

from scanlint.syntax.regex import regex

BLANK = regex(r"[ \t\r\n]*")
NOT_ASCII = regex(r"[^\x00-\x7f]")
ESCAPED = regex(r"\\u(?!00[0-7])[0-9a-fA-F]{4}")
DECODER = json.JSONDecoder()


class JsonValue(NamedTuple):
    """A value with the place where it begins and the one behind it."""

    value: object
    start: int
    end: int


def blank(text: str, at: int) -> int:
    """The place behind white space."""
    found = BLANK.match(text, at)
    return found.end() if found else at


def value(text: str, at: int = 0) -> JsonValue:
    """The value that begins at or behind a place. Raises json.JSONDecodeError."""
    start = blank(text, at)
    made, end = DECODER.raw_decode(text, start)
    return JsonValue(made, start, end)


def members(text: str, at: int) -> Iterator[tuple[str, JsonValue]]:
    """The members of the object that begins at a place, which is known to be valid."""
    at = blank(text, at + 1)
    while text[at] != "}":
        key = value(text, at)
        found = value(text, blank(text, key.end) + 1)
        yield str(key.value), found
        at = _next(text, found.end)


def items(text: str, at: int) -> Iterator[JsonValue]:
    """The items of the array that begins at a place, which is known to be valid."""
    at = blank(text, at + 1)
    while text[at] != "]":
        found = value(text, at)
        yield found
        at = _next(text, found.end)


def _next(text: str, at: int) -> int:
    at = blank(text, at)
    return blank(text, at + 1) if text[at] == "," else at


def plain(text: str) -> bool:
    """Whether a text spells all that is not ASCII in escapes; where it has none of it, it does not."""
    return NOT_ASCII.search(text) is None and ESCAPED.search(text) is not None


def relisted(text: str, array: JsonValue, lines: list[str], *, ascii_only: bool) -> str:
    """The text of an array of lines with others in it; those that stay keep their spelling."""
    from difflib import SequenceMatcher

    old = list(items(text, array.start))
    lead = text[array.start + 1 : old[0].start] if old else ""
    parts = [text[span.start : span.end] for span in old]
    matcher = SequenceMatcher(None, [span.value for span in old], lines, autojunk=False)
    made: list[str] = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        made += parts[i1:i2] if tag == "equal" else [json.dumps(line, ensure_ascii=ascii_only) for line in lines[j1:j2]]
    if not made:
        return "[]"
    tail = text[old[-1].end : array.end] if old else "]"
    between = text[old[0].end : old[1].start] if len(old) > 1 else f",{lead or ' '}"
    return f"[{lead}{between.join(made)}{tail}"
