"""The texts that findings point into."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from scanlint.edits import split_lines
from scanlint.finding import Finding


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
        from scanlint.project.sources import SourceFile, decode

        data = self._data(path, before)
        if data is None:
            return ()
        source = decode(data, Path(path))
        return split_lines(source.text if isinstance(source, SourceFile) else data.decode("latin-1"))

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
