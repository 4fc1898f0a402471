"""Which files are checked, and their text."""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from scanlint.project import gitignore
from scanlint.project.contents import contents
from scanlint.project.summary import PROJECT_FILES
from scanlint.settings import Settings

if TYPE_CHECKING:
    from scanlint.project.notebook import Notebook

DEFAULT_EXCLUDES = (
    ".bzr",
    ".direnv",
    ".eggs",
    ".git",
    ".git-rewrite",
    ".hg",
    ".ipynb_checkpoints",
    ".mypy_cache",
    ".nox",
    ".pants.d",
    ".pyenv",
    ".pytest_cache",
    ".pytype",
    ".ruff_cache",
    ".svn",
    ".tox",
    ".venv",
    ".vscode",
    "__pycache__",
    "__pypackages__",
    "_build",
    "buck-out",
    "build",
    "dist",
    "node_modules",
    "site-packages",
    "venv",
)


SUFFIXES = (".py", ".ipynb")
NOT_IN_CELLS = "cells: what it needs does not stand in the same cell of the notebook or above it"
NOT_IN_CODING = "encoding: written as {}, other bytes of the file would change; save it as UTF-8"
CODING = re.compile(rb"coding[:=]")


class SourceFile(NamedTuple):
    """One file as it was read; `text` keeps its newlines, `display` is its path as the user sees it.

    The text of a notebook is the program that its cells are.
    """

    path: Path
    display: str
    data: bytes
    text: str
    encoding: str = "utf-8"
    bom: bool = False
    notebook: Notebook | None = None

    def encode(self, text: str) -> bytes:
        """The bytes of a changed text, in the encoding of the file; those of a notebook around its cells."""
        written = self.notebook.written(text) if self.notebook is not None else text
        return (codecs.BOM_UTF8 if self.bom else b"") + written.encode(self.encoding)

    def refusal(self, text: str) -> str:
        """Why the file cannot hold a changed text; empty if it can.

        A notebook holds what goes into its cells, and a file of text what its encoding gives back to the byte.
        """
        if self.notebook is not None:
            return "" if self.notebook.holds(text) else NOT_IN_CELLS
        if self.encoding == "utf-8":
            return ""
        try:
            kept = self.encode(self.text) == self.data and self.encode(text).decode(self.encoding) == text
        except ValueError:
            kept = False
        return "" if kept else NOT_IN_CODING.format(self.encoding)


class Unreadable(NamedTuple):
    """A file that could not be read, or is not Python. Both numbers are 1-based, columns count characters."""

    path: Path
    display: str
    message: str
    line: int = 1
    column: int = 1
    syntax: bool = False
    newer: bool = False


def discover(paths: Sequence[Path], settings: Settings) -> Iterator[Path]:
    """The Python files and notebooks under the paths, each once, in a stable order; links come last.

    A file that is named is checked even when a pattern excludes it, unless `force_exclude` says otherwise; git's
    ignores are for what is found in folders. Raises FileNotFoundError naming the first path that does not exist.
    """
    for path in paths:
        if not path.exists():
            raise FileNotFoundError(str(path))
    patterns = (*(settings.exclude or DEFAULT_EXCLUDES), *settings.extend_exclude)
    seen: set[str] = set()
    links: list[tuple[Path, str]] = []
    for path in paths:
        found = _walk(path, settings, patterns) if path.is_dir() else _named(path, settings)
        for file, real in found:
            if os.path.abspath(file) != real and os.path.islink(file):
                links.append((file, real))
            elif real not in seen:
                seen.add(real)
                yield file
    for file, real in links:
        if real not in seen:
            seen.add(real)
            yield file


def around(paths: Sequence[Path], settings: Settings) -> Iterator[Path]:
    """The project of files that are named one by one, as pre-commit does: they may be called from any part of it.

    For a folder that is named, what is in it is the project.
    """
    root = settings.root
    if any(path.is_dir() for path in paths) or not any((root / name).exists() for name in PROJECT_FILES):
        return
    if any(Path(os.path.abspath(path)).is_relative_to(root) for path in paths):
        yield from discover([Path(os.path.relpath(root))], settings)


def _named(path: Path, settings: Settings) -> Iterator[tuple[Path, str]]:
    """A file that is named, with the place that it really has."""
    if not settings.force_exclude or not excluded(path, settings):
        yield path, os.path.realpath(path)


def excluded(path: Path, settings: Settings) -> bool:
    """Whether a pattern excludes a file, or a folder of the project that holds it."""
    patterns = (*(settings.exclude or DEFAULT_EXCLUDES), *settings.extend_exclude)
    absolute = Path(os.path.abspath(path))
    above = [p for p in absolute.parents if settings.root in p.parents]
    return any(_excluded(p, settings.root, patterns) for p in (absolute, *above))


def _walk(folder: Path, settings: Settings, patterns: Sequence[str]) -> Iterator[tuple[Path, str]]:
    """Files below a folder, with the places that they really have.

    What an excluded or ignored folder holds is not looked at, nor are links to folders.
    """
    ignores = gitignore.above(os.path.abspath(folder)) if settings.respect_gitignore else gitignore.NOTHING
    left = [(folder, os.path.realpath(folder), ignores)]
    while left:
        here, real, outer = left.pop()
        absolute = os.path.abspath(here)
        inner = outer.inside(absolute)
        folders: list[str] = []
        for name, kind in _entries(here):
            at = os.path.join(absolute, name)
            if (kind != "folder" and not name.endswith(SUFFIXES)) or _excluded(Path(at), settings.root, patterns):
                continue
            if inner.ignored(at, kind == "folder"):
                continue
            if kind == "folder":
                folders.append(name)
            else:
                yield here / name, os.path.realpath(at) if kind == "link" else os.path.join(real, name)
        left += [(here / name, os.path.join(real, name), inner) for name in reversed(folders)]


def _entries(folder: Path) -> list[tuple[str, str]]:
    """What a folder holds, by name: files, links and folders; nothing where it may not be read."""
    try:
        with os.scandir(folder) as found:
            kinds = [(entry.name, _kind(entry)) for entry in found]
    except OSError:
        return []
    return sorted((name, kind) for name, kind in kinds if kind)


def _kind(entry: os.DirEntry[str]) -> str:
    """What an entry is: "" for links to folders and for what is no regular file, which nobody means as Python."""
    if entry.is_dir():
        return "" if entry.is_symlink() else "folder"
    if not entry.is_file():
        return "link" if entry.is_symlink() and not os.path.exists(entry.path) else ""
    return "link" if entry.is_symlink() else "file"


def _excluded(path: Path, root: Path, patterns: Sequence[str]) -> bool:
    """Whether a pattern names the file or folder itself, its path below the root, or its whole path."""
    relative = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()
    for pattern in patterns:
        trimmed = pattern.removeprefix("./").rstrip("/")
        trimmed = trimmed.removesuffix("/**").removesuffix("/*") if trimmed.endswith(("/**", "/*")) else trimmed
        if trimmed in (path.name, relative) or fnmatch(path.name, trimmed) or fnmatch(relative, trimmed):
            return True
        if os.path.isabs(trimmed) and fnmatch(path.as_posix(), trimmed):
            return True
    return False


def read(path: Path) -> SourceFile | Unreadable:
    """The text of a file, decoded as Python decodes it, or as Jupyter does."""
    try:
        data = contents(path)
    except OSError as error:
        return Unreadable(path, shown(path), f"cannot read: {error.strerror or error}")
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
    return _of_notebook(source) if notebook else source


def _of_notebook(source: SourceFile) -> SourceFile | Unreadable:
    """The program in the cells of a notebook, whose text has been decoded."""
    from scanlint.project.notebook import NotNotebookError, parse

    try:
        notebook = parse(source.text)
    except NotNotebookError as error:
        return Unreadable(source.path, source.display, str(error), error.line, error.column, syntax=True)
    return source._replace(text=notebook.text, notebook=notebook)


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
