"""The texts that findings point into, and their encodings."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from scanlint.edits import split_lines
from scanlint.finding import Finding


def decode(data: bytes) -> tuple[str, str]:
    """The text of a Python file and its encoding, by its BOM or coding line; newlines stay as they are.

    Encoding the text again gives the same bytes. Raises SyntaxError or UnicodeDecodeError.
    """
    import tokenize

    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return data.decode(encoding), encoding


class Texts:
    """Looks up the lines that a finding points into: before the run for one that was fixed, else after it."""

    def __init__(self, changes: Mapping[Path, tuple[bytes, bytes]], stdin: bytes | None) -> None:
        self._changes = {os.path.realpath(path): texts for path, texts in changes.items()}
        self._stdin = stdin
        self._lines: dict[tuple[str, bool], Sequence[str]] = {}

    def lines(self, finding: Finding) -> Sequence[str]:
        key = (finding.path, finding.fix.status == "applied")
        if key not in self._lines:
            self._lines[key] = self._read(*key)
        return self._lines[key]

    def _read(self, path: str, before: bool) -> Sequence[str]:
        data = self._data(path, before)
        if data is None:
            return ()
        try:
            return split_lines(decode(data)[0])
        except (SyntaxError, UnicodeDecodeError):
            return split_lines(data.decode("latin-1"))

    def _data(self, path: str, before: bool) -> bytes | None:
        if texts := self._changes.get(os.path.realpath(path)):
            old, new = texts
            return old if before else new
        if self._stdin is not None:
            return self._stdin
        try:
            return Path(path).read_bytes()
        except OSError:
            return None
