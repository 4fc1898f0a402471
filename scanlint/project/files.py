"""The text of files, as Python and Jupyter decode it."""

from __future__ import annotations

import codecs
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from scanlint.errors import cause
from scanlint.project.contents import contents
from scanlint.syntax.regex import regex

if TYPE_CHECKING:
    from scanlint.project.cells.cell_script import CellScript
    from scanlint.project.cells.notebook import Notebook

NOT_IN_CELLS = "cells: what it needs does not stand in the same cell of the notebook or above it"
NOT_IN_CODING = "encoding: written as {}, other bytes of the file would change; save it as UTF-8"
IPYTHON = regex(r"(?:\A|\n)[ \t]*[%!][%\w./{$]")
"""A line with which no statement of Python begins, though a string or an expression may go on there."""
CODING = re.compile(rb"coding[:=]")
MARKDOWN = (".md", ".markdown", ".qmd")


class SourceFile(NamedTuple):
    """One file as it was read; `text` keeps its newlines, `display` is its path as the user sees it.

    The text of a notebook is the program that its cells are; that of a file of cells has a line for each of IPython's,
    that of Markdown for each of prose.
    """

    path: Path
    display: str
    data: bytes
    text: str
    encoding: str = "utf-8"
    bom: bool = False
    notebook: Notebook | None = None
    cells: CellScript | None = None

    def encode(self, text: str) -> bytes:
        """The bytes of a changed text, in the encoding of the file; those of a notebook around its cells."""
        holder = self.notebook or self.cells
        written = holder.written(text) if holder is not None else text
        return (codecs.BOM_UTF8 if self.bom else b"") + written.encode(self.encoding)

    @property
    def left_out(self) -> tuple[str, ...]:
        """The cells that are no part of the program and may have been meant to be."""
        holder = self.notebook or self.cells
        return holder.left_out if holder is not None else ()

    @property
    def broken(self) -> list[SourceFile]:
        """The cells of a notebook that are no Python, each alone, with the lines that it has in the program."""
        numbers = self.notebook.broken if self.notebook is not None else ()
        return [self._replace(text=self.notebook.alone(n)) for n in numbers if self.notebook is not None]

    def refusal(self, text: str) -> str:
        """Why the file cannot hold a changed text; empty if it can.

        A notebook holds what goes into its cells, and a file of text what its encoding gives back to the byte.
        """
        if self.notebook is not None:
            return "" if self.notebook.holds(text) else NOT_IN_CELLS
        if self.cells is not None and not self.cells.holds(text):
            return self.cells.refused
        if self.encoding == "utf-8":
            return ""
        try:
            kept = self.encode(self.text) == self.data and self.encode(text).decode(self.encoding) == text
        except ValueError:
            kept = False
        return "" if kept else NOT_IN_CODING.format(self.encoding)


def as_written(source: SourceFile | Unreadable) -> SourceFile | Unreadable:
    """A file with the names of a notebook as they are written, where two definitions may have one name."""
    if isinstance(source, Unreadable) or source.notebook is None:
        return source
    return source._replace(text=source.text.translate(source.notebook.written_as))


class Unreadable(NamedTuple):
    """A file that could not be read, or is not Python. Both numbers are 1-based, columns count characters."""

    path: Path
    display: str
    message: str
    line: int = 1
    column: int = 1
    syntax: bool = False
    newer: bool = False


def read(path: Path) -> SourceFile | Unreadable:
    """The text of a file, decoded as Python decodes it, or as Jupyter does."""
    try:
        data = contents(path)
    except OSError as error:
        return Unreadable(path, shown(path), f"cannot read: {cause(error)}")
    return decode(data, path)


def decode(data: bytes, path: Path) -> SourceFile | Unreadable:
    """The text of these bytes, as if they were the file's: a coding line and a byte order mark are honoured."""
    notebook = path.suffix == ".ipynb"
    try:
        encoding = "utf-8" if notebook else _encoding(data)
        bom = data.startswith(codecs.BOM_UTF8)
        text = data[len(codecs.BOM_UTF8) if bom else 0 :].decode("utf-8" if bom else encoding)
    except (SyntaxError, ValueError, LookupError) as error:  # some codecs raise more than UnicodeDecodeError
        line = data.count(b"\n", 0, error.start) + 1 if isinstance(error, UnicodeDecodeError) else 1
        return Unreadable(path, shown(path), f"cannot decode: {error}", line, 1, syntax=True)
    source = SourceFile(path, shown(path), data, text, "utf-8" if bom else encoding, bom)
    return _of_notebook(source) if notebook else as_program(source)


def _of_notebook(source: SourceFile) -> SourceFile | Unreadable:
    """The program in the cells of a notebook, whose text has been decoded."""
    from scanlint.project.cells.notebook import NotNotebookError, parse

    try:
        notebook = parse(source.text)
    except NotNotebookError as error:
        return Unreadable(source.path, source.display, str(error), error.line, error.column, syntax=True)
    return source._replace(text=notebook.text, notebook=notebook)


def as_program(source: SourceFile) -> SourceFile:
    """The program in a file of cells or of Markdown; any other file as it is."""
    cells: CellScript | None = None
    if source.path.suffix in MARKDOWN:
        from scanlint.project.cells.markdown import markdown_program

        cells = markdown_program(source.text)
    elif IPYTHON.search(source.text):
        from scanlint.project.cells.cell_script import cell_script

        cells = cell_script(source.text)
    return source if cells is None else source._replace(text=cells.text, cells=cells)


def _encoding(data: bytes) -> str:
    """The encoding that the first two lines declare; tokenize (2 ms to import) reads them only if they may."""
    if not CODING.search(b"".join(data.split(b"\n", 2)[:2])):
        return "utf-8"
    import io
    import tokenize

    return tokenize.detect_encoding(io.BytesIO(data).readline)[0]


def shown(path: Path) -> str:
    """The path relative to the working directory where it lies below, with forward slashes."""
    absolute, here = os.path.abspath(path), os.getcwd()
    inside = absolute.startswith(here.rstrip(os.sep) + os.sep)
    return Path(os.path.relpath(absolute, here) if inside else absolute).as_posix()
