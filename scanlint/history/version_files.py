"""The files of a revision and of the work tree: their texts, their parts, and what stands for their contents."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import PurePosixPath

from scanlint.deep import deeply
from scanlint.history.module_parts import ModuleParts
from scanlint.history.reach import PartKey, VersionSources
from scanlint.history.repository import LINK, SUBMODULE, Repository
from scanlint.project.contents import contents
from scanlint.project.discovery.folders import SUFFIXES
from scanlint.project.files import SourceFile, Unreadable, as_written, decode, read, shown
from scanlint.project.parsing import parse
from scanlint.project.summary import digest_of

WORD = re.compile(r"\w+")


class VersionFiles:
    """Both versions of all Python files by their paths below the top; `root` is the project's own folder there.

    `entries` are all files of the revision, `changed` the paths of Python files that may differ.
    """

    def __init__(self, repository: Repository, commit: str, root: str) -> None:
        self.repository, self.commit = repository, commit
        self.tree = repository.tree(commit)
        self.touched = repository.changed(commit)
        self.changed = {path for path in self.touched if path.endswith(SUFFIXES)}
        self.entries = {entry.path: entry for entry in self.tree if entry.mode not in (LINK, SUBMODULE)}
        kept = {path for path in self.entries if path.endswith(SUFFIXES)}
        now = {path for path in self.changed if self._is_file(path)}
        self.old = VersionSources(frozenset(kept), root, lambda path: self.module(path, old=True))
        self.new = VersionSources(
            frozenset(now | (kept - self.changed)), root, lambda path: self.module(path, old=False)
        )
        self._sources: dict[tuple[str, bool], SourceFile | Unreadable] = {}
        self._modules: dict[tuple[str, bool], ModuleParts | Unreadable] = {}
        self._words: dict[tuple[str, bool], frozenset[str]] = {}
        self._tokens: dict[tuple[str, bool], str] = {}

    def _is_file(self, path: str) -> bool:
        there = self.repository.top / path
        return there.is_file() and not there.is_symlink()

    def parsed(self, path: str, *, old: bool) -> ModuleParts | Unreadable | None:
        """The parts of a file in one version, or why it cannot be taken apart; None where it is not there."""
        if path not in (self.old if old else self.new).paths:
            return None
        key = path, old and path in self.changed
        if key not in self._modules:
            source = self._source(path, old=old)
            tree = deeply(lambda: parse(source)) if isinstance(source, SourceFile) else source
            self._modules[key] = tree if isinstance(tree, Unreadable) else deeply(lambda: ModuleParts.of(tree))
        return self._modules[key]

    def module(self, path: str, *, old: bool) -> ModuleParts | None:
        """The parts of a file in one version, where it has such."""
        found = self.parsed(path, old=old)
        return found if isinstance(found, ModuleParts) else None

    def text(self, key: PartKey, *, old: bool) -> str:
        """The text of the file that a function stands in."""
        source = self._source(key.path, old=old)
        assert isinstance(source, SourceFile)  # it has been taken apart
        return source.text

    def affected(self, *, callers: bool, named: set[str]) -> set[str]:
        """The files that differ; with `callers` also those whose words name one that does, or that is itself affected.

        What a file imports stands in its words, but for its own package, which dots name: others cannot reach anything
        that differs. A notebook is one of them only where it is named: what it reaches is tried out there.
        """
        found = {path for path in self.new.paths if path in self.changed}
        if not callers:
            return found
        packages = tuple(f"{PurePosixPath(path).parent}/" for path in self.changed if path.endswith("/__init__.py"))
        found |= {path for path in self.new.paths if path.startswith(packages)}
        words = {_stem(path) for path in self.changed}
        others = [path for path in self.new.paths - found if path.endswith(".py") or path in named]
        left = {path: self.words(path, old=False) for path in others}
        while more := {path for path, said in left.items() if said & words}:
            found |= more
            words |= {_stem(path) for path in more}
            left = {path: said for path, said in left.items() if path not in more}
        return found

    # -- what verdicts rest on

    def imported(self, new: PartKey, old: PartKey) -> list[str]:
        """A digest of the files that the files of two functions import, each in its version, found by their words."""
        return [*self._imported(new.path, old=False), "", *self._imported(old.path, old=True)]

    @cached_property
    def everything(self) -> list[str]:
        """A digest of all files of both versions."""
        return [*(self._token(path, old=False) for path in sorted(self.new.paths)), "", self.commit]

    def _imported(self, start: str, *, old: bool) -> list[str]:
        sources, stems = (self.old if old else self.new), self._stems[old]
        found, left = set[str](), [start]
        while left:
            path = left.pop()
            found.add(path)
            packages = {(folder / "__init__.py").as_posix() for folder in PurePosixPath(path).parents}
            said = self.words(path, old=old) & stems.keys()
            more = {inner for word in said for inner in stems[word]} | (packages & sources.paths)
            left += more - found
            found |= more
        return [self._token(path, old=old) for path in sorted(found - {start})]

    @cached_property
    def _stems(self) -> tuple[Mapping[str, set[str]], Mapping[str, set[str]]]:
        """The files of the new and of the old version by the words that import them."""
        found: tuple[dict[str, set[str]], dict[str, set[str]]] = {}, {}
        for stems, sources in zip(found, (self.new, self.old), strict=True):
            for path in sources.paths:
                stems.setdefault(_stem(path), set()).add(path)
        return found

    def _token(self, path: str, *, old: bool) -> str:
        """A path with what stands for its content."""
        key = path, old and path in self.changed
        if key not in self._tokens:
            kept = old or path not in self.changed
            self._tokens[key] = f"{path} {self.entries[path].digest if kept else self._digest(path)}"
        return self._tokens[key]

    def _digest(self, path: str) -> str:
        try:
            return digest_of(contents(self.repository.top / path))
        except OSError:  # what is there later has another digest
            return ""

    # -- texts

    def words(self, path: str, *, old: bool) -> frozenset[str]:
        """The words of a file in one version."""
        key = path, old and path in self.changed
        if key not in self._words:
            source = self._source(path, old=old)
            said = WORD.findall(source.text) if isinstance(source, SourceFile) else ()
            self._words[key] = frozenset(said)
        return self._words[key]

    def _source(self, path: str, *, old: bool) -> SourceFile | Unreadable:
        """A text; that of the revision where both have the same one is that of the work tree."""
        key = path, old and path in self.changed
        if key[1]:
            return self._old_sources[path]
        if key not in self._sources:
            self._sources[key] = as_written(read(self.repository.top / path))
        return self._sources[key]

    @cached_property
    def _old_sources(self) -> Mapping[str, SourceFile | Unreadable]:
        """The old texts of what may differ."""
        found: dict[str, SourceFile | Unreadable] = {}
        entries = [self.entries[path] for path in sorted(self.changed) if path in self.entries]
        for entry, data in self.repository.contents(entries):
            path = self.repository.top / entry.path
            missing = Unreadable(path, shown(path), "this clone has no content of it")
            found[entry.path] = as_written(decode(data, path)) if data is not None else missing
        return found


def below(repository: Repository, path: os.PathLike[str]) -> str:
    """A path below the top of a repository; "" for one that is not."""
    real, top = os.path.realpath(path), os.fspath(repository.top)
    if real == top:
        return "."
    return os.path.relpath(real, top).replace(os.sep, "/") if real.startswith(top.rstrip(os.sep) + os.sep) else ""


def _stem(path: str) -> str:
    """The word by which a file is imported."""
    pure = PurePosixPath(path)
    return pure.parent.name if pure.name == "__init__.py" else pure.stem
