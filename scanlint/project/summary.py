"""The result of the first pass over a file: plain data, made without importing anything that parses."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from scanlint.project.files import MARKDOWN

MARK = "scanlint"
EXTERNAL = ("jax.", "jaxlib.", "numpy.", "builtins.")


class Surveyed(NamedTuple):
    """One file of a run. `digest` stands for its content.

    `begins`: a trace or a loop over arrays can begin in it, where it `drives` JAX only if a file that it imports spells
    that; `control`: it has a function, or statements to look into;
    `marked`: it holds an ignore or another directive; `assumed`: the patterns of `assume-traced` that name something
    in it.
    `removed` are the uses of what JAX has no more: name and place.
    `error` says why it is no part of the project: message, line, column, whether its syntax is wrong, whether it is
    written for a newer Python. `words` are the names that its imports spell, `left_out` what of it is
    not checked, `broken` are its cells that are no Python: message, line, column.
    """

    display: str
    digest: str
    begins: bool = False
    control: bool = False
    marked: bool = False
    assumed: tuple[str, ...] = ()
    error: tuple[str, int, int, bool, bool] | None = None
    words: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    removed: tuple[tuple[str, int, int, int, int], ...] = ()
    broken: tuple[tuple[str, int, int], ...] = ()
    drives: bool = False


class Removed(NamedTuple):
    """A use: the name in the table, and its place, in 1-based lines and columns of characters."""

    name: str
    line: int
    column: int
    end_line: int
    end_column: int


class Wanted(NamedTuple):
    """A function that runs its own arguments under a trace: its module, what to import there, what its calls spell."""

    module: str
    top: str
    name: str

    @property
    def words(self) -> tuple[str, str]:
        """Two words, of which the imports of a file that calls this one spell one."""
        return self.top, self.module.rpartition(".")[2]


def digest_of(data: bytes) -> str:
    """A digest of the content of a file."""
    import hashlib

    return hashlib.blake2b(data, digest_size=16).hexdigest()


PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg")


def _is_package(folder: str) -> bool:
    """Whether a folder can be imported; the root of a project that has an `__init__.py` all the same cannot."""
    file = os.path.join(folder, "__init__.py")
    return os.path.exists(file) and not os.path.exists(os.path.join(folder, "pyproject.toml"))


class ModuleNames:
    """Gives each file its module name; of two files that want the same, the later one gets another.

    What is imported from one folder stays together: where two folders hold a package of one name, all of the later
    package is named anew, so that what its files say of each other means its own files.
    """

    def __init__(self) -> None:
        self._folders: dict[str, str] = {}
        self._sources: dict[str, bool] = {}
        self._taken: set[str] = set()
        self._tops: dict[tuple[str, str], str] = {}
        self._given: set[str] = set()

    def name(self, path: Path | str) -> tuple[str, bool]:
        """The dotted name under which a file is imported, and whether it is a package's own file."""
        name, package = self.wanted(path)
        _, dot, rest = name.partition(".")
        name = self._top(*self.top(path)) + dot + rest
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name, package

    def top(self, path: Path | str) -> tuple[str, str]:
        """The folder from which a file is imported, and the first part of its name."""
        name, package = self.wanted(path)
        parts = name.split(".")
        return os.path.abspath(path).rsplit(os.sep, len(parts) + package)[0], parts[0]

    def _top(self, root: str, top: str) -> str:
        """The first part of a module's name in this run: made unique where two folders have the same."""
        if (root, top) not in self._tops:
            given = top
            while given in self._given:
                given += "_"
            self._given.add(given)
            self._tops[root, top] = given
        return self._tops[root, top]

    def wanted(self, path: Path | str) -> tuple[str, bool]:
        """The module name of a file and whether it is a package's own file, without regard to namesakes."""
        folder, _, file = os.path.abspath(path).rpartition(os.sep)
        if file.endswith((".ipynb", *MARKDOWN)):
            return file.replace(".", "-"), False  # nobody can import a notebook, or a text
        stem = file.rpartition(".")[0] or file
        package = file == "__init__.py"
        within = self._package(folder)
        name = within if package else f"{within}.{stem}" if within else stem
        return name or os.path.basename(folder), package

    def _package(self, folder: str) -> str:
        """The dotted name of the package that a folder is; empty for one that is none."""
        if folder not in self._folders:
            above, _, last = folder.rpartition(os.sep)
            inside = last.isidentifier() and (_is_package(folder) or self._within_sources(above))
            within = self._package(above) if inside else ""
            self._folders[folder] = (f"{within}.{last}" if within else last) if inside else ""
        return self._folders[folder]

    def _within_sources(self, folder: str) -> bool:
        """Whether a folder is, or lies below, the `src` of a project: what is in there needs no `__init__.py`."""
        if folder not in self._sources:
            above, _, last = folder.rpartition(os.sep)
            own = last == "src" and any(os.path.exists(os.path.join(above, name)) for name in PROJECT_FILES)
            self._sources[folder] = own or (f"{os.sep}src{os.sep}" in folder and self._within_sources(above))
        return self._sources[folder]


def marked(text: str) -> bool:
    """Whether a text may hold a comment that speaks to scanlint, if only as other linters read them."""
    return MARK in text or ("noqa" in text and "SCN" in text)
