"""A unified diff of a file's bytes, as `git apply` takes it whatever the encoding."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from scanlint.report.paint import Paint
from scanlint.report.visible import visible

NO_NEWLINE = b"\n\\ No newline at end of file\n"


def unified(path: str, old: bytes, new: bytes) -> bytes:
    """The diff of one file, b"" if nothing changes; `path` is relative, with slashes."""
    head = path.encode("utf-8", "surrogateescape")
    before, after = (list(_lines(data)) for data in (old, new))
    lines = difflib.diff_bytes(difflib.unified_diff, before, after, b"a/" + head, b"b/" + head)
    return b"".join(line if line.endswith(b"\n") else line + NO_NEWLINE for line in lines)


def colored(diff: bytes, paint: Paint) -> bytes:
    """The diff with added and removed lines in colour, for people: control characters are spelled out."""
    if not paint.on:
        return diff
    return b"".join(_color(line, paint) for line in _lines(diff))


def _color(line: bytes, paint: Paint) -> bytes:
    whole = line.rstrip(b"\n").decode("utf-8", "surrogateescape")
    text = visible(whole.removesuffix("\r"))
    match text[:1]:
        case "+" if text.startswith("+++"):
            text = paint.bold(text)
        case "-" if text.startswith("---"):
            text = paint.bold(text)
        case "+":
            text = paint.green(text)
        case "-":
            text = paint.removed(text)
        case "@":
            text = paint.blue(text)
    return text.encode("utf-8", "surrogateescape") + (b"\r\n" if whole.endswith("\r") else b"\n")


def _lines(data: bytes) -> Iterator[bytes]:
    """Lines split at line feeds alone, as diff and patch do."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start) + 1 or len(data)
        yield data[start:end]
        start = end
