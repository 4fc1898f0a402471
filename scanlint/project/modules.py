"""The files of a run: named as they are imported, read and parsed when they are asked for."""

from __future__ import annotations

import ast
import os
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from itertools import takewhile
from pathlib import Path

from scanlint.project.facts import ModuleFacts, collect
from scanlint.project.files import SourceFile, Unreadable, read
from scanlint.project.parsing import parse
from scanlint.project.summary import EXTERNAL, digest_of

KEPT = 6_000_000
"""Characters of source whose trees (35 times as large) are held in memory; others are parsed again if needed."""


class FileChanged(Exception):
    """A file is no longer what it was when the run began."""

    def __init__(self, display: str) -> None:
        super().__init__(f"{display}: changed while it was checked")
        self.display = display


class Trees:
    """Texts and trees of the files used last, as many as `limit` characters; None keeps all.

    `texts` are in the place of what stands in their files, by what these are shown as.
    """

    def __init__(self, limit: int | None = KEPT) -> None:
        self.limit = limit
        self.size = 0
        self.texts: dict[str, SourceFile] = {}
        self._held: OrderedDict[str, tuple[SourceFile, ast.Module]] = OrderedDict()

    def get(self, display: str) -> tuple[SourceFile, ast.Module] | None:
        held = self._held.get(display)
        if held is not None:
            self._held.move_to_end(display)
        return held

    def welcomes(self, source: SourceFile, *, likely: bool) -> bool:
        """Whether a tree is worth holding on a first pass over all files: needed later, and driving out no other."""
        return self.limit is None or (likely and self.size + len(source.text) <= self.limit)

    def put(self, source: SourceFile, tree: ast.Module) -> None:
        """Hold a tree, and let go of the oldest ones."""
        self.drop(source.display)
        self._held[source.display] = (source._replace(data=b""), tree)
        self.size += len(source.text)
        while self.limit is not None and self.size > self.limit and len(self._held) > 1:
            _, (oldest, _) = self._held.popitem(last=False)
            self.size -= len(oldest.text)

    def drop(self, display: str) -> None:
        if display in self._held:
            self.size -= len(self._held.pop(display)[0].text)


class Module:
    """One Python file of the run; `digest` stands for what it held when it was surveyed."""

    __slots__ = ("_facts", "_load", "_trees", "digest", "display", "name", "package", "path")

    def __init__(
        self,
        name: str,
        path: Path,
        display: str,
        package: bool,
        digest: str,
        trees: Trees,
        facts: ModuleFacts | Callable[[], ModuleFacts | None],
    ) -> None:
        self.name = name
        self.path = path
        self.display = display
        self.package = package
        self.digest = digest
        self._trees = trees
        self._facts = facts if isinstance(facts, ModuleFacts) else None
        self._load = None if isinstance(facts, ModuleFacts) else facts

    @property
    def facts(self) -> ModuleFacts:
        if self._facts is None:
            self._facts = self._load() if self._load is not None else None
            if self._facts is None:
                source, tree = self.parsed()
                self._facts = collect(tree, source)
        return self._facts

    def parsed(self) -> tuple[SourceFile, ast.Module]:
        """The text and its tree. Raises FileChanged."""
        held = self._trees.get(self.display)
        if held is None:
            source = self._trees.texts.get(self.display) or read(self.path)
            tree = source if isinstance(source, Unreadable) else parse(source)
            if isinstance(source, Unreadable) or isinstance(tree, Unreadable) or digest_of(source.data) != self.digest:
                raise FileChanged(self.display)
            self._trees.put(source, tree)
            held = source, tree
        return held


class Library(Mapping[str, Module]):
    """All modules of a run by the names under which they are imported."""

    def __init__(self, modules: Mapping[str, Module], names: Mapping[str, str] | None = None) -> None:
        self._modules = modules
        self.roots = frozenset(name.partition(".")[0] for name in modules)
        self.names = names if names is not None else {module.display: name for name, module in modules.items()}

    def replaced(self, module: Module) -> Library:
        """A library in which one module takes the place of its namesake."""
        return Library({**self._modules, module.name: module}, self.names)

    def placed(self, dotted: str, importer: str = "") -> str:
        """A dotted name of the project as a file means it, under the name that the module has in this run.

        Folders without an `__init__.py` give modules no part of their names, and imports spell them all the same:
        `folder.module`, also below a package. Of what is a module for the longest part of the name, the one that lies
        nearest to the `importer` is meant: in a folder above it, else in one that has most folders above in common.
        """
        parts, here = dotted.split("."), _folders(importer)
        found: list[tuple[int, int, int, int, str]] = []
        for at, part in enumerate(parts):
            for name, above in self._above.get(part, ()):
                if above[len(above) - at :] == tuple(parts[:at]) and at <= len(above):
                    root = above[: len(above) - at]
                    near = len(root) if here[: len(root)] == root else -1
                    meant = [name, *parts[at + 1 :]]
                    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(here, root, strict=False)))
                    found.append((at + self._longest(meant), near, common, -len(found), ".".join(meant)))
        return max(found)[-1] if found else dotted

    def _longest(self, parts: list[str]) -> int:
        """The number of parts of a name, from the first on, that name a module."""
        ends = (end for end in range(len(parts), 0, -1) if ".".join(parts[:end]) in self._names)
        return next(ends, 0)

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(self.names.values())

    @cached_property
    def _above(self) -> dict[str, list[tuple[str, tuple[str, ...]]]]:
        """By the first part as written: the first parts of the names of modules, with the folders that these lie in."""
        table: dict[str, dict[tuple[str, tuple[str, ...]], None]] = {}
        for display, name in self.names.items():
            first, _, rest = name.partition(".")
            path = [*_folders(display), os.path.basename(display).rpartition(".")[0]]
            path = path[:-1] if path[-1] == "__init__" else path
            depth = rest.count(".") + 2 if rest else 1
            if len(path) >= depth:
                above = tuple(path[: len(path) - depth])
                table.setdefault(path[len(path) - depth], {})[first, above] = None
        return {written: list(found) for written, found in table.items()}

    def __getitem__(self, name: str) -> Module:
        return self._modules[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


def _folders(display: str) -> tuple[str, ...]:
    return tuple(p for p in os.path.dirname(display).split(os.sep) if p)


def imported(facts: ModuleFacts) -> tuple[str, ...]:
    """What imports from the project may be called by: the names of modules, and of what is taken from them.

    What is taken from a package by dots alone may stand in its own file: these dots are a word too.
    """
    names = [
        *facts.imports.values(),
        *(name for _, name in facts.relative.values()),
        *(base for _, base in facts.stars),
        *facts.inner,
    ]
    words = {word for name in names if not name.startswith(EXTERNAL) for word in name.split(".")[-2:]}
    relative = [*facts.relative.values(), *facts.stars]
    return tuple(sorted({*words, *("." * level for level, name in relative if level and "." not in name)} - {""}))


def names(library: Library, module: Module, other: str, definition: str) -> bool:
    """Whether a file may name a definition of another module: it imports it, all there is, or the module itself."""
    facts, parts = module.facts, module.name.split(".")
    found = [*facts.imports.values(), *facts.inner]
    found += [f"{base}.*" if base else "*" for level, base in facts.stars if not level]
    for level, rest in [*facts.relative.values(), *((level, f"{base}.*") for level, base in facts.stars if level)]:
        keep = len(parts) - level + module.package
        found.append(".".join(filter(None, [*parts[: max(keep, 0)], rest])))
    ends = (other, f"{other}.{definition}", f"{other}.*")
    placed = [library.placed(name, module.display) for name in found]
    around = {*_folders(library[other].display), *other.split(".")[:-1]} if other in library else set()
    return any(name in ends or name in around for name in placed)


def pinned(name: str, package: bool, source: SourceFile) -> Module | None:
    """A module of a text that need not be that of its file; None if it does not parse."""
    tree = parse(source)
    if isinstance(tree, Unreadable):
        return None
    trees = Trees(None)
    trees.put(source, tree)
    return Module(name, source.path, source.display, package, "", trees, collect(tree, source))
