"""The whole of `scanlint verify --since`: what differs from a revision, compared function by function."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

from scanlint.errors import UsageError
from scanlint.history.comparisons import BothVersions, ComparedFunction, Comparisons
from scanlint.history.differences import FunctionChange, differences
from scanlint.history.module_parts import ModuleParts
from scanlint.history.old_tree import OldTree
from scanlint.history.repository import Repository
from scanlint.history.version_files import VersionFiles, below
from scanlint.project.discovery.folders import discover, excluded
from scanlint.project.files import Unreadable, shown
from scanlint.settings import Settings

TESTS = re.compile(r"(?:^|/)(?:tests?/.*|test_[^/]*|[^/]*_test|conftest)\.py$")
"""Files of tests: a test that is changed is not meant to do the same."""


@dataclass(frozen=True, slots=True)
class UncomparedFile:
    """A file that differs, and whose text cannot be taken apart in one version; `old`: that of the revision.

    `broken`: it is no Python, so that nothing in it can be called; else this Python is too old for it.
    """

    path: str
    line: int
    message: str
    old: bool
    broken: bool


class Since(AbstractContextManager["Since"]):
    """A revision and the work tree. It has to be closed: the old version lies in a temporary folder.

    Raises UsageError where the paths lie in no repository that has the revision, NoCommit where there is none yet.
    `only` is the name of a function where others are of no interest; `callers`: those are compared too that only reach
    what differs.
    """

    def __init__(
        self, revision: str, paths: Sequence[Path], settings: Settings, *, only: str | None = None, callers: bool = True
    ) -> None:
        self.revision, self.settings, self.only, self.callers = revision, settings, only, callers
        self.repository = _repository(paths)
        self.commit = self.repository.commit(revision)
        self.programs: list[str] = []
        root = below(self.repository, settings.root)
        self._files = VersionFiles(self.repository, self.commit, "" if root == "." else root)
        self._asked = self._named(paths)
        self._tree: OldTree | None = None

    def __exit__(self, *raised: object) -> None:
        if self._tree is not None:
            self._tree.close()

    @cached_property
    def changes(self) -> list[FunctionChange]:
        """The functions that differ, but for `programs`.

        Raises UsageError where there is no function of the name that is asked for.
        """
        files = self._files
        among = sorted(files.affected(callers=self.callers, named=self._asked))
        found = differences(files.old, files.new, files.changed, self.wanted, among)
        if not self.callers:
            found = [change for change in found if change.way != "reaches"]
        if self.only is not None:
            return self._of_one_name(found, self.only)
        self.programs = [change.key.name for change in found if self._is_program(change)]
        return [change for change in found if not self._is_program(change)]

    @cached_property
    def uncompared(self) -> list[UncomparedFile]:
        """The files that differ and cannot be taken apart."""
        found = []
        for path in sorted(filter(self.wanted, self._files.changed)):
            for old in (False, True):
                why = self._files.parsed(path, old=old)
                if isinstance(why, Unreadable):
                    found.append(UncomparedFile(self._display(path), why.line, why.message, old, broken=why.syntax))
        return found

    @property
    def tests(self) -> int:
        """The number of test files that differ; what they hold is not compared."""
        return sum(self._in_paths(path) and not self.wanted(path) for path in self._files.changed)

    def compared(self) -> Iterator[ComparedFunction]:
        """The functions that differ with their verdicts, in order. Raises UsageError where nothing can be verified."""
        asked, files = self.changes, self._files
        if all(change.new is None or change.old is None for change in asked):
            yield from (ComparedFunction(self._shown(change), None) for change in asked)
            return
        self._tree = OldTree(self.repository, files.tree, files.touched)
        texts = partial(files.text, old=False), partial(files.text, old=True)
        both = BothVersions(self.repository.top, self._tree.top, *texts, self.revision, self.settings, files)
        with Comparisons(both) as comparisons:
            for found in comparisons.compared(asked):
                yield replace(found, change=self._shown(found.change))

    def wanted(self, path: str) -> bool:
        """The functions of the file are compared."""
        return path in self._asked or (TESTS.search(path) is None and self._in_paths(path))

    def _is_program(self, change: FunctionChange) -> bool:
        """The function takes nothing and gives nothing, as `main` does, so that nothing can be compared."""
        part = self._files.new.part(change.new) if change.new is not None else self._files.old.part(change.key)
        return part is not None and part.is_program

    def _of_one_name(self, found: list[FunctionChange], name: str) -> list[FunctionChange]:
        kept = [c for c in found if name in (c.key.name, c.old.name if c.old is not None else "")]
        paths = [path for path in self._files.new.paths | self._files.old.paths if self.wanted(path)]
        modules = (self._files.parsed(path, old=old) for path in paths for old in (False, True))
        if not kept and not any(isinstance(m, ModuleParts) and name in m.parts for m in modules):
            raise UsageError(f"--function: there is no `{name}` in {', '.join(sorted(self._asked))}")
        return kept

    def _shown(self, change: FunctionChange) -> FunctionChange:
        """The change with paths as the user sees them."""
        old, new = (key._replace(path=self._display(key.path)) if key else None for key in (change.old, change.new))
        return replace(change, old=old, new=new)

    def _display(self, path: str) -> str:
        return shown(self.repository.top / path)

    # -- what is asked for

    def _named(self, paths: Sequence[Path]) -> set[str]:
        """The user's paths, below the top. Raises UsageError for a path that neither version has."""
        found = set()
        for path in paths:
            name = below(self.repository, path)
            there = any(known == name or known.startswith(f"{name}/") for known in self._files.entries)
            if not os.path.lexists(path) and not there:
                raise UsageError(f"{path}: no such file or directory, neither here nor in {self.revision}")
            found.add(name)
        return found

    def _in_paths(self, path: str) -> bool:
        """The file stands under the user's paths in one of the versions, and no pattern excludes it."""
        if path in self._found:
            return True
        named = any(top in (".", path) or path.startswith(f"{top}/") for top in self._asked)
        return named and path not in self._files.new.paths and not excluded(self.repository.top / path, self.settings)

    @cached_property
    def _found(self) -> frozenset[str]:
        """The files of the work tree that are looked at."""
        there = [self.repository.top / path for path in self._asked if (self.repository.top / path).exists()]
        return frozenset(below(self.repository, file) for file in discover(there, self.settings).files)


def _repository(paths: Sequence[Path]) -> Repository:
    """The one repository of some paths."""
    found = {Repository.around(_folder(path)).top: path for path in paths}
    if len(found) > 1:
        raise UsageError(f"{' and '.join(map(str, found))} are two repositories; compare one at a time")
    return Repository(next(iter(found)))


def _folder(path: Path) -> Path:
    """The nearest folder of a path that is there."""
    return next(folder for folder in (path, *path.absolute().parents) if folder.is_dir())
