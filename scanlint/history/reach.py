"""Follows the names of a part of a module through all files of the project: versions differ where these parts do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from scanlint.history.module_parts import LOOSE, SUPER, Chain, ImportedName, ModulePart, ModuleParts

MAKERS = ("__init__", "__post_init__", "__new__", "setup")
"""Methods that make the object which another method is called on."""
SOURCES = ("", "src")
Read = Callable[[str], ModuleParts | None]
"""Gives the parts of the module at a path; None where it does not parse, or is not there."""


class PartKey(NamedTuple):
    """A part by the path of its file and its name; what is imported from elsewhere has no path."""

    path: str
    name: str


class VersionSources:
    """The Python files of one version of a project, by their paths below the top; `root`: the project's own folder."""

    def __init__(self, paths: frozenset[str], root: str, read: Read) -> None:
        self.paths = paths
        self.read = read
        self._root = root
        packages = {self._home(path) for path in paths if PurePosixPath(path).name == "__init__.py"}
        self._others = sorted(packages)
        self._reached: dict[PartKey, dict[PartKey, str]] = {}

    def part(self, key: PartKey) -> ModulePart | None:
        module = self.read(key.path) if key.path else None
        return module.parts.get(key.name) if module is not None else None

    def reached(self, key: PartKey) -> dict[PartKey, str]:
        """All that a part reaches by name, itself not counted, each with its normal form."""
        if key not in self._reached:
            found: dict[PartKey, str] = {}
            left = list(self._direct(key))
            while left:
                other = left.pop()
                if other in found or other == key:
                    continue
                part = self.part(other)
                found[other] = part.form if part is not None else other.name
                left += self._direct(other)
            self._reached[key] = found
        return self._reached[key]

    def _direct(self, key: PartKey) -> Iterator[PartKey]:
        """The parts that a part names."""
        module, part = self.read(key.path) if key.path else None, self.part(key)
        if module is None or part is None:
            return
        if LOOSE in module.parts:
            yield PartKey(key.path, LOOSE)
        owner, whole = part.owner, not part.is_class
        for name in part.names:
            yield from self._named(key.path, name, whole)
        for chain in part.chains:
            if owner and chain[0] in (part.receiver, SUPER):
                yield from self._method(key.path, owner, chain[1], above=chain[0] == SUPER)
            else:
                yield from self._dotted(key.path, chain, whole)
        if owner:
            yield PartKey(key.path, owner)
            for name in MAKERS:
                yield from self._method(key.path, owner, name)

    def _named(self, path: str, name: str, whole: bool, seen: frozenset[PartKey] = frozenset()) -> Iterator[PartKey]:
        """The parts that a name of a module stands for, in it or in the module that it comes from.

        `whole`: of a class all methods are meant, also those of the classes above it: any may be called.
        """
        module, key = self.read(path), PartKey(path, name)
        if module is None or key in seen:
            return
        if name in module.parts:
            yield key
            if whole and module.parts[name].is_class:
                yield from (PartKey(path, inner) for inner in module.parts if inner.startswith(f"{name}."))
                for base in module.parts[name].bases:
                    yield from self._based(path, base, seen | {key})
            return
        imported = module.imports.get(name)
        if imported is not None:
            target = self._module(imported, path)
            if imported.name is not None and target is not None:
                yield from self._named(target, imported.name, whole, seen | {key})
            elif target is None and self._as_module(imported, path) is None:
                yield PartKey("", f"{name} = {'.'.join(filter(None, (imported.module, imported.name)))}")
            return
        for star in module.stars:
            target = self._module(star, path)
            if target is not None:
                yield from self._named(target, name, whole, seen | {key})

    def _dotted(
        self, path: str, chain: Chain, whole: bool, seen: frozenset[PartKey] = frozenset()
    ) -> Iterator[PartKey]:
        """The parts that `module.name` stands for, where the head of a dotted name is a module of the project."""
        module = self.read(path)
        imported = module.imports.get(chain[0]) if module is not None else None
        if imported is None:
            return
        here = imported if imported.name is None else imported._replace(module=_joined(imported), name=None)
        for at, word in enumerate(chain[1:], 1):
            deeper = here._replace(module=_joined(here, word))
            if self._module(deeper, path) is None:
                target = self._module(here, path)
                if target is not None:
                    yield from self._named(target, chain[at], whole, seen)
                    return
            here = deeper

    def _based(self, path: str, base: Chain, seen: frozenset[PartKey], *, whole: bool = True) -> Iterator[PartKey]:
        """The parts of a class that stands above another one."""
        if len(base) == 1:
            yield from self._named(path, base[0], whole, seen)
        else:
            yield from self._dotted(path, base, whole, seen)

    def _method(self, path: str, owner: str, name: str, *, above: bool = False) -> Iterator[PartKey]:
        """The method of a class that a name leads to: its own, or that of a class above it."""
        left, seen = [PartKey(path, owner)], set[PartKey]()
        while left:
            here = left.pop()
            head = self.part(here)
            if head is None or here in seen:
                continue
            seen.add(here)
            found = PartKey(here.path, f"{here.name}.{name}")
            if not (above and here == (path, owner)) and self.part(found) is not None:
                yield found
                continue
            left += [key for base in head.bases for key in self._based(here.path, base, frozenset(), whole=False)]

    def _as_module(self, imported: ImportedName, path: str) -> str | None:
        """The file of a name that is imported from a package, where it is a module of that package."""
        return self._module(imported._replace(module=_joined(imported)), path)

    def _module(self, imported: ImportedName, path: str) -> str | None:
        """The path of the module that is imported by a file; None where it is none of the project."""
        words = imported.module.replace(".", "/")
        if imported.level:
            folder = PurePosixPath(path).parent
            for _ in range(imported.level - 1):
                folder = folder.parent
            return self._file(folder, words)
        sources = [PurePosixPath(self._root, below) for below in SOURCES]
        places = [PurePosixPath(self._home(path)), *sources, *map(PurePosixPath, self._others)]
        return next((found for place in places if words and (found := self._file(place, words))), None)

    def _file(self, folder: PurePosixPath, words: str) -> str | None:
        base = folder / words
        names = ((base / "__init__.py").as_posix(), f"{base.as_posix()}.py")
        return next((name for name in names if name in self.paths), None)

    def _home(self, path: str) -> str:
        """The folder above the outermost package of a file."""
        folder = PurePosixPath(path).parent
        while (folder / "__init__.py").as_posix() in self.paths and folder != folder.parent:
            folder = folder.parent
        return folder.as_posix()


def _joined(imported: ImportedName, word: str | None = None) -> str:
    return ".".join(filter(None, (imported.module, imported.name, word)))
