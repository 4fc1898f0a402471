"""The texts that findings point into."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from scanlint.finding import Edit, Finding, Fix, Link, Position, Verification
from scanlint.project.contents import contents
from scanlint.syntax.edits import split_lines
from scanlint.syntax.regex import regex

if TYPE_CHECKING:
    from scanlint.project.cells.notebook import Notebook
    from scanlint.project.files import SourceFile

LINE = regex(r"\bline (\d+)\b")
LINES = regex(r"\blines ((?:\d+, )+\d+)\b")


class Texts:
    """Looks up the lines that a finding points into: always those of the text before anything was rewritten."""

    def __init__(self, changes: Mapping[Path, tuple[bytes, bytes]], stdin: bytes | None) -> None:
        self._changes = {os.path.realpath(path): texts for path, texts in changes.items()}
        self._stdin = stdin
        self._sources: dict[str, SourceFile | None] = {}
        self._lines: dict[tuple[str, int | None], Sequence[str]] = {}
        self._after: dict[str, Sequence[str]] = {}

    def lines(self, finding: Finding) -> Sequence[str]:
        """The lines of the file; those of a notebook are the lines of the finding's cell."""
        key = finding.path, finding.cell
        if key not in self._lines:
            self._lines[key] = self._read(*key)
        return self._lines[key]

    def rewritten(self, finding: Finding) -> Sequence[str]:
        """The lines of the file with all that was rewritten; () where nothing was, or it is a notebook."""
        if finding.path not in self._after:
            self._after[finding.path] = self._read_after(finding.path)
        return self._after[finding.path]

    def _read_after(self, path: str) -> Sequence[str]:
        from scanlint.project.files import SourceFile, decode

        texts = self._changes.get(os.path.realpath(path))
        made = decode(texts[1], Path(path)) if texts else None
        return _rows(made) if isinstance(made, SourceFile) and made.notebook is None else ()

    def placed(self, finding: Finding) -> Finding:
        """A finding with the places of notebooks as cells and lines in them."""
        notebook = self._notebook(finding.path)
        books = [book for link in finding.chain if (book := self._notebook(link.path))]
        written = {letter: meant for book in books for letter, meant in book.written_as.items()}
        chain = tuple(self._link(link._replace(text=link.text.translate(written))) for link in finding.chain)
        if notebook is None:
            return finding if chain == finding.chain else replace(finding, chain=chain)
        return _in_cells(replace(finding, chain=chain), notebook)

    def _link(self, link: Link) -> Link:
        notebook = self._notebook(link.path)
        if notebook is None:
            return link
        cell, at = notebook.place(Position(link.line, link.column))
        return link._replace(line=at.line, cell=cell)

    def _notebook(self, path: str) -> Notebook | None:
        source = self._source(path) if path.endswith(".ipynb") else None
        return source.notebook if source is not None else None

    def _read(self, path: str, cell: int | None) -> Sequence[str]:
        source = self._source(path)
        if source is None:
            data = self._data(path)
            return () if data is None else split_lines(data.decode("latin-1"))
        if cell is None or source.notebook is None:
            return _rows(source)
        found = source.notebook.cell(cell)
        return [source.notebook.stand_ins.get(line, line) for line in found.lines] if found is not None else ()

    def _source(self, path: str) -> SourceFile | None:
        from scanlint.project.files import SourceFile, decode

        if path not in self._sources:
            data = self._data(path)
            made = decode(data, Path(path)) if data is not None else None
            self._sources[path] = made if isinstance(made, SourceFile) else None
        return self._sources[path]

    def _data(self, path: str) -> bytes | None:
        if texts := self._changes.get(os.path.realpath(path)):
            return texts[0]
        if self._stdin is not None:
            return self._stdin
        try:
            return contents(Path(path))
        except OSError:  # the finding is shown without its line
            return None


def _rows(source: SourceFile) -> Sequence[str]:
    """The lines of a file as they stand in it, those of IPython too."""
    rows = split_lines(source.text)
    return rows if source.cells is None else [source.cells.shown(row) for row in rows]


def _in_cells(finding: Finding, notebook: Notebook) -> Finding:
    cell, start = notebook.place(finding.start)
    moved = finding.start.line - start.line

    def said(text: str) -> str:
        single = LINES.sub(lambda found: ", ".join(f"line {line}" for line in found[1].split(", ")), text)
        placed = LINE.sub(lambda found: _line(int(found[1]), cell, notebook), single)
        return placed.translate(notebook.written_as)

    return replace(
        finding,
        cell=cell,
        function=finding.function.translate(notebook.written_as) if finding.function else None,
        start=start,
        end=finding.end._replace(line=finding.end.line - moved),
        message=said(finding.message),
        help=said(finding.help) if finding.help else None,
        label=said(finding.label) if finding.label else None,
        fix=Fix(
            finding.fix.status,
            said(finding.fix.reason) if finding.fix.reason else None,
            tuple(_edit(edit, notebook) for edit in finding.fix.edits),
        ),
        verification=_verdict(finding.verification, said) if finding.verification else None,
    )


def _verdict(verification: Verification, said: Callable[[str], str]) -> Verification:
    reason = said(verification.reason) if verification.reason else None
    return replace(verification, reason=reason, notes=tuple(map(said, verification.notes)))


def _line(line: int, cell: int, notebook: Notebook) -> str:
    """A line of the program as a reader of one cell knows it."""
    other, at = notebook.place(Position(line, 1))
    return f"line {at.line}" if other == cell else f"line {at.line} of cell {other}"


def _edit(edit: Edit, notebook: Notebook) -> Edit:
    """An edit of one cell; where it ends on the mark below, it ends behind the last line."""
    cell, start = notebook.place(edit.start)
    end = edit.end._replace(line=edit.end.line - edit.start.line + start.line)
    return Edit(start, end, edit.text.translate(notebook.written_as), cell)
