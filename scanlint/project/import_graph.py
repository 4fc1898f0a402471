"""Which files of a project reach which by their imports, as far as names tell: rather more of them than fewer."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property

STATEMENT = re.compile(
    rb"^[ \t]*(?:from[ \t]+(?P<level>\.*)[ \t]*(?P<base>[\w.]*)[ \t]+import|import)\b"
    rb"(?P<names>[ \t]*\([^)]*\)|[^\n\\]*(?:\\\r?\n[^\n\\]*)*)",
    re.MULTILINE,
)
WORD = re.compile(rb"[^\W\d]\w*")


class ImportGraph:
    """An edge leads from a file to each whose module has a name that ends in a word which the file's imports spell.

    `words` are those of each file; a word of dots is the package that many levels above it. `modules` gives each file
    the name of its module, and whether that is a package.
    """

    def __init__(self, words: Mapping[str, Collection[str]], modules: Mapping[str, tuple[str, bool]]) -> None:
        self._words = words
        self._modules = modules

    def imported(self, files: Collection[str]) -> set[str]:
        """The files that these reach; one of these only if another reaches it."""
        return _closure(files, self._targets)

    def importing(self, files: Collection[str]) -> set[str]:
        """The files that reach these."""
        return _closure(files, lambda file: self._sources.get(file, ()))

    def _targets(self, file: str) -> Iterator[str]:
        for word in self._words.get(file, ()):
            if not word.startswith("."):
                yield from self._by_last_word.get(word, ())
            elif file in self._modules:
                yield from self._packages.get(_package_at(*self._modules[file], len(word)), ())

    @cached_property
    def _by_last_word(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for file, (name, _) in self._modules.items():
            found.setdefault(name.rpartition(".")[2], []).append(file)
        return found

    @cached_property
    def _packages(self) -> Mapping[str, list[str]]:
        return {name: [file] for file, (name, package) in self._modules.items() if package}

    @cached_property
    def _sources(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for file in self._words:
            for target in dict.fromkeys(self._targets(file)):
                found.setdefault(target, []).append(file)
        return found


def spelled(text: bytes) -> set[str]:
    """The words of the import statements of a file that is not parsed, what they bind included."""
    found: set[str] = set()
    for statement in STATEMENT.finditer(text):
        found |= {word.decode("utf-8", "replace") for part in ("base", "names") for word in _words(statement[part])}
        if statement["level"] and not statement["base"]:
            found.add(statement["level"].decode())
    return found


def _package_at(module: str, package: bool, level: int) -> str:
    """The package that so many dots of a relative import stand for in a module."""
    parts = module.split(".")
    return ".".join(parts[: max(len(parts) - level + package, 0)])


def _words(part: bytes | None) -> list[bytes]:
    return WORD.findall(part or b"")


def _closure(files: Collection[str], following: Callable[[str], Iterable[str]]) -> set[str]:
    """What is reached in one step or more."""
    found, stack = set[str](), list(files)
    while stack:
        new = set(following(stack.pop())) - found
        found |= new
        stack += new
    return found
