"""The modules of one analysis by their names, and what a file means by a name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scanlint.project.modules import Library
from scanlint.trace.program.call_graph import Graph
from scanlint.trace.program.module_scope import ModuleScope


class Scopes(Mapping[str, ModuleScope]):
    """The modules of one analysis, made when they are first consulted; `absent` were asked for in vain."""

    def __init__(self, library: Library, width: int) -> None:
        self.library = library
        self.width = width
        self.absent: set[str] = set()
        self.made: dict[str, ModuleScope] = {}
        self._placed: dict[tuple[str, str], str] = {}
        self.graph = Graph(self, self.made, self.rooted, self.placed)

    def __getitem__(self, name: str) -> ModuleScope:
        scope = self.get(name)
        if scope is None:
            raise KeyError(name)
        return scope

    def get(self, name: str, default: ModuleScope | None = None) -> ModuleScope | None:  # type: ignore[override]
        if name not in self.made:
            module = self.library.get(name)
            if module is None:
                self.absent.add(name)
                return default
            self.made[name] = ModuleScope(self.graph, module, self.width)
        return self.made[name]

    def placed(self, dotted: str, importer: str = "") -> str:
        """The full name of what a file means by a dotted name; a further namesake might be meant instead."""
        if (dotted, importer) not in self._placed:
            self._placed[dotted, importer] = self.library.placed(dotted, importer)
        found = self._placed[dotted, importer]
        self.absent.add(f"{found.partition('.')[0]}_")
        return found

    def rooted(self, name: str) -> bool:
        """Whether a name is the first part of the name of some module."""
        if name in self.library.roots:
            return True
        self.absent.add(name)
        return False

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.get(name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self.library)

    def __len__(self) -> int:
        return len(self.library)
