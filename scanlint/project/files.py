"""Which files are checked, and their text."""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

from scanlint.project.summary import PROJECT_FILES
from scanlint.settings import Settings

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


CODING = re.compile(rb"coding[:=]")


class SourceFile(NamedTuple):
    """One file as it was read; `text` keeps its newlines, `display` is its path as the user sees it."""

    path: Path
    display: str
    data: bytes
    text: str
    encoding: str = "utf-8"
    bom: bool = False

    def encode(self, text: str) -> bytes:
        """The bytes of a changed text, in the encoding of the file."""
        return (codecs.BOM_UTF8 if self.bom else b"") + text.encode(self.encoding)


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
    """The Python files under the paths, each once, in a stable order.

    A file that is named is checked even when a pattern excludes it, unless `force_exclude` says otherwise.
    Raises FileNotFoundError naming the first path that does not exist.
    """
    for path in paths:
        if not path.exists():
            raise FileNotFoundError(str(path))
    patterns = (*(settings.exclude or DEFAULT_EXCLUDES), *settings.extend_exclude)
    seen: set[Path] = set()
    for path in paths:
        found = _walk(path, settings, patterns) if path.is_dir() else _named(path, settings, patterns)
        for file in found:
            key = Path(os.path.abspath(file))
            if key not in seen:
                seen.add(key)
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


def _named(path: Path, settings: Settings, patterns: Sequence[str]) -> Iterator[Path]:
    if not settings.force_exclude:
        yield path
        return
    absolute = Path(os.path.abspath(path))
    above = [p for p in absolute.parents if settings.root in p.parents]
    if not any(_excluded(p, settings.root, patterns) for p in (absolute, *above)):
        yield path


def _walk(folder: Path, settings: Settings, patterns: Sequence[str]) -> Iterator[Path]:
    """Files below a folder; what an excluded folder holds is not looked at, nor are links to folders."""
    for at, folders, names in os.walk(folder):
        here = Path(at)
        absolute = Path(os.path.abspath(here))
        folders[:] = sorted(f for f in folders if not _excluded(absolute / f, settings.root, patterns))
        for name in sorted(names):
            if name.endswith(".py") and not _excluded(absolute / name, settings.root, patterns):
                yield here / name


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
    """The text of a file, decoded as Python decodes it."""
    try:
        data = path.read_bytes()
    except OSError as error:
        return Unreadable(path, shown(path), f"cannot read: {error.strerror or error}")
    return decode(data, path)


def decode(data: bytes, path: Path) -> SourceFile | Unreadable:
    """The text of these bytes, as if they were the file's: a coding line and a byte order mark are honoured."""
    try:
        encoding = _encoding(data)
        bom = data.startswith(codecs.BOM_UTF8)
        text = data[len(codecs.BOM_UTF8) if bom else 0 :].decode("utf-8" if bom else encoding)
    except (SyntaxError, ValueError, LookupError) as error:  # some codecs raise more than UnicodeDecodeError
        line = data.count(b"\n", 0, error.start) + 1 if isinstance(error, UnicodeDecodeError) else 1
        return Unreadable(path, shown(path), f"cannot decode: {error}", line, 1, syntax=True)
    return SourceFile(path, shown(path), data, text, "utf-8" if bom else encoding, bom)


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
