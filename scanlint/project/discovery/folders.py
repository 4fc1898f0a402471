"""The files under the paths of a run: what is found, what could not be looked into, and what was left out and why."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

from scanlint.errors import cause
from scanlint.jaxapi.words import words
from scanlint.project.discovery import gitignore
from scanlint.project.discovery.git_index import DamagedIndex
from scanlint.project.discovery.gitignore import Ignores
from scanlint.project.files import MARKDOWN, Unreadable, shown
from scanlint.project.summary import PROJECT_FILES
from scanlint.settings import Settings

SUFFIXES = (".py", ".ipynb")
CONFIGURATION = "pyproject.toml"
DEFAULT_EXCLUDES = tuple(
    sorted(
        words(
            ".bzr .direnv .eggs .git .git-rewrite .hg .ipynb_checkpoints .mypy_cache .nox .pants.d .pyenv "
            ".pytest_cache .pytype .ruff_cache .svn .tox .venv .vscode __pycache__ __pypackages__ _build buck-out "
            "build dist node_modules site-packages venv"
        )
    )
)


@dataclass(slots=True)
class FoundFiles:
    """The files that were found under some paths.

    `files` come in a stable order, links last. `unread` are folders and entries of them that could not be looked at.
    `empty` are the paths that hold no file, `left_out` those that a pattern excludes. `met` are the patterns that
    excluded something, `configured` the configurations that stand in folders below. `folders`: some path is a folder;
    `whole`: all that stands below the root was looked for.
    """

    files: list[Path] = field(default_factory=list)
    unread: list[Unreadable] = field(default_factory=list)
    empty: list[Path] = field(default_factory=list)
    left_out: list[Path] = field(default_factory=list)
    met: set[str] = field(default_factory=set)
    configured: list[Path] = field(default_factory=list)
    folders: bool = False
    whole: bool = False


def discover(paths: Sequence[Path], settings: Settings) -> FoundFiles:
    """The Python files and notebooks under the paths, each once.

    A file that is named is checked even when a pattern excludes it, unless `force_exclude` says otherwise; git's
    ignores are for what is found in folders. Raises FileNotFoundError naming the first path that does not exist.
    """
    for path in paths:
        if not os.path.lexists(path):
            raise FileNotFoundError(str(path))
    walk = _Walk(settings)
    seen: set[str] = set()
    links: list[tuple[Path, str]] = []
    for path in paths:
        told = len(walk.found.left_out) + len(walk.found.unread)
        found = list(walk.under(path) if path.is_dir() else walk.named(path))
        for file, real in found:
            if os.path.abspath(file) != real and os.path.islink(file):
                links.append((file, real))
            elif real not in seen:
                seen.add(real)
                walk.found.files.append(file)
        if not found and told == len(walk.found.left_out) + len(walk.found.unread):
            walk.found.empty.append(path)
    for file, real in links:
        if real not in seen:
            seen.add(real)
            walk.found.files.append(file)
    named = [Path(os.path.abspath(path)) for path in paths if path.is_dir()]
    walk.found.folders, walk.found.whole = bool(named), any(map(settings.root.is_relative_to, named))
    return walk.found


def around(paths: Sequence[Path], settings: Settings) -> FoundFiles:
    """The project of files that are named one by one, as pre-commit does: they may be called from any part of it.

    For a folder that is named, what is in it is the project.
    """
    root = settings.root
    if any(path.is_dir() for path in paths) or not any((root / name).exists() for name in PROJECT_FILES):
        return FoundFiles()
    if not any(Path(os.path.abspath(path)).is_relative_to(root) for path in paths):
        return FoundFiles()
    return discover([Path(os.path.relpath(root))], settings)


def excludes(settings: Settings) -> tuple[str, ...]:
    """The patterns that hold: those that the user names stand in the place of the usual ones, none too."""
    own = DEFAULT_EXCLUDES if settings.exclude is None else settings.exclude
    return (*own, *settings.extend_exclude)


def excluded(path: Path, settings: Settings) -> bool:
    """Whether a pattern excludes a file, or a folder of the project that holds it."""
    absolute = Path(os.path.abspath(path))
    above = [p for p in absolute.parents if settings.root in p.parents]
    return any(any(excluding(p, settings.root, excludes(settings))) for p in (absolute, *above))


def excluding(path: Path, root: Path, patterns: Sequence[str]) -> Iterator[str]:
    """The patterns that name the file or folder itself, its path below the root, or its whole path."""
    relative = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()
    for pattern in patterns:
        trimmed = pattern.removeprefix("./").rstrip("/")
        trimmed = trimmed.removesuffix("/**").removesuffix("/*") if trimmed.endswith(("/**", "/*")) else trimmed
        if trimmed in (path.name, relative) or fnmatch(path.name, trimmed) or fnmatch(relative, trimmed):
            yield pattern
            continue
        if os.path.isabs(trimmed) and fnmatch(path.as_posix(), trimmed):
            yield pattern


class _Walk:
    """Goes through folders and notes what it cannot look at: one entry never hides its siblings."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.patterns = excludes(settings)
        self.suffixes = (*SUFFIXES, *MARKDOWN) if settings.markdown else SUFFIXES
        self.found = FoundFiles()

    def named(self, path: Path) -> Iterator[tuple[Path, str]]:
        """A file that is named, with the place that it really has."""
        if self.settings.force_exclude and excluded(path, self.settings):
            self.found.left_out.append(path)
        else:
            yield path, os.path.realpath(path)

    def under(self, folder: Path) -> Iterator[tuple[Path, str]]:
        """Files below a folder, with the places that they really have.

        What an excluded or ignored folder holds is not looked at, nor are links to folders.
        """
        top = os.path.abspath(folder)
        respected = self.settings.respect_gitignore
        left = [(folder, os.path.realpath(folder), gitignore.above(top) if respected else gitignore.NOTHING)]
        while left:
            here, real, outer = left.pop()
            absolute = os.path.abspath(here)
            entries = self._entries(here)
            if respected and absolute != top and any(name == ".git" for name, _ in entries):
                outer = gitignore.above(absolute)  # a repository in the other one has patterns and an index of its own
            inner = outer.inside(absolute)
            deeper: list[tuple[Path, str, Ignores]] = []
            for name, kind in entries:
                if name == CONFIGURATION and absolute != top:
                    self.found.configured.append(here / name)
                if kind == "folder":
                    deeper += self._folder(here / name, os.path.join(absolute, name), os.path.join(real, name), inner)
                elif name.endswith(self.suffixes) and self._kept(os.path.join(absolute, name), inner):
                    at = os.path.join(absolute, name)
                    yield here / name, os.path.realpath(at) if kind == "link" else os.path.join(real, name)
            left += reversed(deeper)

    def _folder(self, path: Path, at: str, real: str, inner: Ignores) -> Iterator[tuple[Path, str, Ignores]]:
        """A folder, if what is in it is looked at."""
        if self._excludes(at):
            return
        try:
            below = inner.below(at)
        except (OSError, DamagedIndex) as error:
            self._unread_index(error)
            return
        if below is not None:
            yield path, real, below

    def _kept(self, at: str, inner: Ignores) -> bool:
        if self._excludes(at):
            return False
        try:
            return inner.keeps(at)
        except (OSError, DamagedIndex) as error:
            self._unread_index(error)
            return False

    def _excludes(self, at: str) -> bool:
        patterns = list(excluding(Path(at), self.settings.root, self.patterns))
        self.found.met.update(patterns)
        return bool(patterns)

    def _unread_index(self, error: OSError | DamagedIndex) -> None:
        """Notes that the index of git cannot be read, where a pattern of a .gitignore left something out."""
        where = str(error.filename) if isinstance(error, OSError) and error.filename else ".git/index"
        said = cause(error) if isinstance(error, OSError) else error
        problem = Unreadable(Path(where), where, f"cannot read: {said}: tracked files that git ignores are left out")
        if problem not in self.found.unread:
            self.found.unread.append(problem)

    def _entries(self, folder: Path) -> list[tuple[str, str]]:
        """The entries of a folder, by name: files, links and folders."""
        kinds: list[tuple[str, str]] = []
        try:
            with os.scandir(folder) as listed:
                for entry in listed:
                    if kind := self._kind(entry):
                        kinds.append((entry.name, kind))
        except OSError as error:
            self._unread(folder, error)
        return sorted(kinds)

    def _kind(self, entry: os.DirEntry[str]) -> str:
        """The kind of an entry: "" for links to folders and for what is no regular file, which nobody means as Python.

        A link that leads nowhere, or in a circle, is a link all the same: whoever reads it says so.
        """
        try:
            if entry.is_symlink():
                return "link" if os.path.isfile(entry.path) or not os.path.exists(entry.path) else ""
            if entry.is_dir(follow_symlinks=False):
                return "folder"
            return "file" if entry.is_file(follow_symlinks=False) else ""
        except OSError as error:
            self._unread(Path(entry.path), error)
            return ""

    def _unread(self, path: Path, error: OSError) -> None:
        self.found.unread.append(Unreadable(path, shown(path), f"cannot read: {cause(error)}"))
