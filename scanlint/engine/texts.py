"""The texts that findings point into."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from scanlint.finding import Finding
from scanlint.syntax.edits import split_lines


class Texts:
    """Looks up the lines that a finding points into: always those of the text before anything was rewritten."""

    def __init__(self, changes: Mapping[Path, tuple[bytes, bytes]], stdin: bytes | None) -> None:
        self._changes = {os.path.realpath(path): texts for path, texts in changes.items()}
        self._stdin = stdin
        self._lines: dict[str, Sequence[str]] = {}

    def lines(self, finding: Finding) -> Sequence[str]:
        if finding.path not in self._lines:
            self._lines[finding.path] = self._read(finding.path)
        return self._lines[finding.path]

    def _read(self, path: str) -> Sequence[str]:
        from scanlint.project.files import SourceFile, decode

        data = self._data(path)
        if data is None:
            return ()
        source = decode(data, Path(path))
        return split_lines(source.text if isinstance(source, SourceFile) else data.decode("latin-1"))

    def _data(self, path: str) -> bytes | None:
        if texts := self._changes.get(os.path.realpath(path)):
            return texts[0]
        if self._stdin is not None:
            return self._stdin
        try:
            return Path(path).read_bytes()
        except OSError:
            return None
