"""The first pass over the files of a run: from the cache where a file is as it was, else from the team."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from scanlint.engine.cache import Cache, FileSignature, sign
from scanlint.engine.tasks import Place
from scanlint.engine.team.executor import Team
from scanlint.project.contents import contents
from scanlint.project.files import SourceFile, Unreadable
from scanlint.project.import_graph import ImportGraph, spelled
from scanlint.project.summary import ModuleNames, Surveyed


class Surveys:
    """The files of a run by what they are shown as, with what the first pass says of each."""

    def __init__(self, team: Team, cache: Cache | None = None) -> None:
        self.files: dict[str, Path] = {}
        self._made: dict[str, Surveyed] = {}
        self._sizes: dict[str, int] = {}
        self._team = team
        self.cache = cache
        self._last_graph: tuple[frozenset[str], ImportGraph] | None = None

    def __getitem__(self, display: str) -> Surveyed:
        return self._made[display]

    def control(self, displays: Collection[str]) -> bool:
        """Whether one of these files holds code that rules look into; a file of constants alone does not."""
        return any(self._made[display].control for display in displays)

    def size(self, displays: Collection[str]) -> int:
        """Bytes of these files."""
        return sum(self._sizes.get(display, 0) for display in displays)

    @property
    def assumed(self) -> Iterator[str]:
        """The patterns of `assume-traced` that name something."""
        return (pattern for surveyed in self._made.values() for pattern in surveyed.assumed)

    def add(self, files: Mapping[str, Path]) -> None:
        """Survey files; those that are known already stay what they are, and come behind these."""
        new = [display for display in files if display not in self._made]
        self.files = {**files, **self.files}
        signatures: dict[str, FileSignature] = {}
        kept: dict[str, Surveyed] = {}
        for display in new:
            signature = sign(self.files[display])
            if signature is None:
                continue
            signatures[display] = signature
            self._sizes[display] = signature.size
            known = self._known(display, self.files[display], signature)
            if known is not None:
                kept[display] = known
        left = [display for display in new if display not in kept]
        for made, facts in self._team.survey([self.files[display] for display in left], self.size(left)):
            self._made[made.display] = made
            if self.cache is not None and made.display in signatures and made.digest:
                self.cache.keep_survey(made, signatures[made.display])
                if facts is not None:
                    self.cache.keep_facts(made.digest, facts)
        self._made |= kept

    def add_text(self, source: SourceFile | Unreadable) -> None:
        """Survey a text that need not be that of its file; nothing is kept of it."""
        self.files = {source.display: source.path}
        if isinstance(source, SourceFile):
            self._team.local.trees.texts[source.display] = source
        for surveyed, _ in self._team.survey([source], 0):
            self._made[surveyed.display] = surveyed

    def places(self) -> dict[str, Place]:
        """The files that are part of the project, by their module names."""
        names = ModuleNames()
        places: dict[str, Place] = {}
        for display, path in self.files.items():
            surveyed = self._made[display]
            if surveyed.error is None:
                name, package = names.name(path)
                places[name] = Place(name, path, display, package, surveyed.digest)
        return places

    def imported(self, display: str) -> set[str]:
        """The files that a file reaches by its imports."""
        return self._graph.imported([display])

    def importing(self, displays: Collection[str]) -> set[str]:
        """These files and those that reach them by their imports."""
        return {*displays, *self._graph.importing(displays)}

    def concerned(self, files: Mapping[str, Path], displays: Collection[str]) -> dict[str, Path]:
        """Those of further files that are known, and those that may reach these ones, with all that such files reach.

        What is not known is not parsed for that: the words of its import statements tell.
        """
        words: dict[str, Collection[str]] = {display: self._made[display].words for display in displays}
        unknown: set[str] = set()
        for display, path in files.items():
            known = self._known(display, path, sign(path))
            if known is not None:
                words[display] = known.words
                continue
            with suppress(OSError):  # who reads it next says what is wrong
                words[display] = spelled(contents(path))
                unknown.update([display] if path.suffix == ".py" else ())
        names = ModuleNames()
        everything = {**files, **self.files}
        graph = ImportGraph(words, {display: names.name(path) for display, path in everything.items()})
        reaching = {*displays, *graph.importing(displays)}
        wanted = reaching | graph.imported(reaching)
        return {display: path for display, path in files.items() if display in wanted or display not in unknown}

    def _known(self, display: str, path: Path, signature: FileSignature | None) -> Surveyed | None:
        if signature is None or self.cache is None:
            return None
        return self.cache.surveyed(display, path, signature)

    @property
    def _graph(self) -> ImportGraph:
        """The imports of all files that are known, made once for these."""
        displays = frozenset(self.files)
        if self._last_graph is None or self._last_graph[0] != displays:
            modules = {place.display: (name, place.package) for name, place in self.places().items()}
            graph = ImportGraph({display: self._made[display].words for display in displays}, modules)
            self._last_graph = displays, graph
        return self._last_graph[1]

    def errors(self) -> Iterator[Unreadable]:
        """The files that are no part of the project, and why."""
        for display, path in self.files.items():
            error = self._made[display].error
            if error is not None:
                yield Unreadable(path, display, *error)
