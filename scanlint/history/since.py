"""The whole of `scanlint verify --since`: what differs from a revision, compared function by function."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePosixPath
from types import TracebackType

from scanlint.deep import deeply
from scanlint.errors import UsageError
from scanlint.history.comparisons import BothVersions, ComparedFunction, Comparisons
from scanlint.history.differences import FunctionChange, differences
from scanlint.history.module_parts import ModuleParts
from scanlint.history.old_tree import OldTree
from scanlint.history.reach import PartKey, VersionSources
from scanlint.history.repository import LINK, SUBMODULE, Repository, TreeEntry
from scanlint.project.discovery.folders import SUFFIXES, discover, excluded
from scanlint.project.facts import parse
from scanlint.project.files import SourceFile, Unreadable, decode, read, shown
from scanlint.settings import Settings

TESTS = re.compile(r"(?:^|/)(?:tests?/.*|test_[^/]*|[^/]*_test|conftest)\.py$")
"""Files of tests: a test that is changed is not meant to do the same."""
WORD = re.compile(r"\w+")


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


class Since:
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
        self.uncompared: list[UncomparedFile] = []
        self.programs: list[str] = []
        self.protections: tuple[str, ...] = ()
        listed = [e for e in self.repository.tree(self.commit) if e.mode != SUBMODULE]
        self._entries = {entry.path: entry for entry in listed}
        self._changed = {p for p in self.repository.changed(self.commit) if p.endswith(SUFFIXES)}
        self._asked = self._named(paths)
        self._texts: dict[str, SourceFile | Unreadable] = {}
        self._modules: dict[tuple[str, bool], ModuleParts | None] = {}
        self._tree: OldTree | None = None

    def __enter__(self) -> Since:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._tree is not None:
            self._tree.close()

    @cached_property
    def changes(self) -> list[FunctionChange]:
        """The functions that differ, but for `programs`.

        Raises UsageError where there is no function of the name that is asked for.
        """
        self._read_old()
        for path in sorted(filter(self.wanted, self._changed)):
            self._module(path, old=True), self._module(path, old=False)
        among = sorted(p for p in self._new_paths if p in self._affected)
        found = differences(self._old, self._new, self._changed, self.wanted, among)
        if not self.callers:
            found = [change for change in found if change.way != "reaches"]
        if self.only is not None:
            return self._of_one_name(found, self.only)
        self.programs = [change.key.name for change in found if self._is_program(change)]
        return [change for change in found if not self._is_program(change)]

    @property
    def tests(self) -> int:
        """How many files of tests differ; what they hold is not compared."""
        return sum(self._in_paths(path) and _of_tests(path) and path not in self._asked for path in self._changed)

    def compared(self) -> Iterator[ComparedFunction]:
        """The functions that differ with their verdicts, in order. Raises UsageError where nothing can be verified."""
        asked = self.changes
        if all(change.new is None or change.old is None for change in asked):
            yield from (ComparedFunction(self._shown(change), None) for change in asked)
            return
        self._tree = OldTree(self.repository, self.repository.tree(self.commit), self.repository.changed(self.commit))
        top = self.repository.top
        both = BothVersions(top, self._tree.top, self._text, self._old_text, self.revision, self.settings)
        with Comparisons(both) as comparisons:
            for found in comparisons.compared(asked):
                yield replace(found, change=self._shown(found.change))
            self.protections = comparisons.protections

    def wanted(self, path: str) -> bool:
        """Whether the functions of a file are compared."""
        return path in self._asked or (not _of_tests(path) and self._in_paths(path))

    def _is_program(self, change: FunctionChange) -> bool:
        """Whether nothing can be compared, for a function takes nothing and gives nothing, as `main` does."""
        part = self._new.part(change.new) if change.new is not None else self._old.part(change.key)
        return part is not None and part.is_program

    def _shown(self, change: FunctionChange) -> FunctionChange:
        """The same with paths as the user sees them."""
        old, new = (key._replace(path=self._display(key.path)) if key else None for key in (change.old, change.new))
        return replace(change, old=old, new=new)

    def _display(self, path: str) -> str:
        return shown(self.repository.top / path)

    # -- the files

    def _named(self, paths: Sequence[Path]) -> set[str]:
        """What the user names, below the top. Raises UsageError for what neither version has."""
        found = set()
        for path in paths:
            below = self._below(path)
            there = below in self._entries or any(name.startswith(f"{below}/") for name in self._entries)
            if not os.path.lexists(path) and not there:
                raise UsageError(f"{path}: no such file or directory, neither here nor in {self.revision}")
            found.add(below)
        return found

    def _below(self, path: Path) -> str:
        real = Path(os.path.realpath(path))
        return real.relative_to(self.repository.top).as_posix() if real.is_relative_to(self.repository.top) else ""

    def _in_paths(self, path: str) -> bool:
        """Whether a file of either version stands under the paths, and no pattern excludes it."""
        if path in self._found:
            return True
        named = any(top in (".", path) or path.startswith(f"{top}/") for top in self._asked)
        return named and path not in self._new_paths and not excluded(self.repository.top / path, self.settings)

    @cached_property
    def _found(self) -> frozenset[str]:
        """The files of the work tree that are looked at."""
        there = [self.repository.top / path for path in self._asked if (self.repository.top / path).exists()]
        return frozenset(self._below(file) for file in discover(there, self.settings).files)

    @cached_property
    def _new_paths(self) -> frozenset[str]:
        """The Python files of the work tree."""
        kept = (path for path in self._entries if path not in self._changed)
        now = (path for path in self._changed if (self.repository.top / path).is_file())
        return frozenset(path for path in (*kept, *now) if path.endswith(SUFFIXES))

    @cached_property
    def _affected(self) -> set[str]:
        """The files that differ, and those whose words name one that does, or that is itself affected.

        What a file imports stands in its words, but for its own package, which dots name: others cannot reach anything
        that differs. A notebook is one of them only where it is named: what it reaches is tried out there.
        """
        packages = [f"{PurePosixPath(path).parent}/" for path in self._changed if path.endswith("/__init__.py")]
        affected = {path for path in self._new_paths if path in self._changed or path.startswith(tuple(packages))}
        words = {_stem(path) for path in self._changed}
        others = [path for path in self._new_paths - affected if path.endswith(".py") or path in self._asked]
        left = {path: self._words(path) for path in others} if self.callers else {}
        while more := {path for path, said in left.items() if said & words}:
            affected |= more
            words |= {_stem(path) for path in more}
            left = {path: said for path, said in left.items() if path not in more}
        return affected

    def _words(self, path: str) -> frozenset[str]:
        source = self._source(path, old=False)
        return frozenset(WORD.findall(source.text)) if isinstance(source, SourceFile) else frozenset()

    # -- the two versions

    @cached_property
    def _old(self) -> VersionSources:
        paths = frozenset(p for p, e in self._entries.items() if p.endswith(SUFFIXES) and e.mode != LINK)
        return VersionSources(paths, self._root, lambda path: self._module(path, old=True))

    @cached_property
    def _new(self) -> VersionSources:
        return VersionSources(self._new_paths, self._root, lambda path: self._module(path, old=False))

    @property
    def _root(self) -> str:
        """The folder of the configuration below the top."""
        below = self._below(self.settings.root)
        return "" if below == "." else below

    def _read_old(self) -> None:
        """Read the old texts of what differs; the others are those of the work tree."""
        entries: list[TreeEntry] = [self._entries[path] for path in sorted(self._changed) if path in self._entries]
        for entry, data in self.repository.contents([e for e in entries if e.mode != LINK]):
            path = self.repository.top / entry.path
            missing = Unreadable(path, shown(path), "this clone has no content of it")
            self._texts[entry.path] = decode(data, path) if data is not None else missing

    def _source(self, path: str, *, old: bool) -> SourceFile | Unreadable:
        if old and path in self._changed:
            return self._texts[path]
        return read(self.repository.top / path)

    def _module(self, path: str, *, old: bool) -> ModuleParts | None:
        """The parts of a file in one version; None where it is not there, or cannot be taken apart."""
        key = path, old and path in self._changed
        if key not in self._modules:
            there = path in (self._old if old else self._new).paths
            self._modules[key] = self._parts(path, old=old) if there else None
        return self._modules[key]

    def _parts(self, path: str, *, old: bool) -> ModuleParts | None:
        source = self._source(path, old=old)
        tree = deeply(lambda: parse(source)) if isinstance(source, SourceFile) else source
        if not isinstance(tree, Unreadable):
            return deeply(lambda: ModuleParts.of(tree))
        if path in self._changed and self.wanted(path):
            self.uncompared.append(
                UncomparedFile(self._display(path), tree.line, tree.message, old, broken=tree.syntax)
            )
        return None

    def _text(self, key: PartKey) -> str:
        return _read_text(self._source(key.path, old=False))

    def _old_text(self, key: PartKey) -> str:
        return _read_text(self._source(key.path, old=True))

    def _of_one_name(self, found: list[FunctionChange], name: str) -> list[FunctionChange]:
        kept = [c for c in found if name in (c.key.name, c.old.name if c.old is not None else "")]
        modules = (
            self._module(path, old=old) for path in self._new_paths if self.wanted(path) for old in (False, True)
        )
        if not kept and not any(m is not None and name in m.parts for m in modules):
            raise UsageError(f"--function: there is no `{name}` in {', '.join(sorted(self._asked))}")
        return kept


def _repository(paths: Sequence[Path]) -> Repository:
    """The one repository of some paths."""
    found = {Repository.around(_folder(path)).top: path for path in paths}
    if len(found) > 1:
        raise UsageError(f"{' and '.join(map(str, found))} are two repositories; compare one at a time")
    return Repository(next(iter(found)))


def _folder(path: Path) -> Path:
    """The nearest folder of a path that is there."""
    return next(folder for folder in (path, *path.absolute().parents) if folder.is_dir())


def _of_tests(path: str) -> bool:
    return TESTS.search(path) is not None


def _stem(path: str) -> str:
    """The word by which a file is imported."""
    pure = PurePosixPath(path)
    return pure.parent.name if pure.name == "__init__.py" else pure.stem


def _read_text(source: SourceFile | Unreadable) -> str:
    assert isinstance(source, SourceFile)  # only functions of what was read are compared
    return source.text
