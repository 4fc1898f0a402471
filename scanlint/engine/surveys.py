"""The first pass over the files of a run: from the cache where a file is as it was, else from the team."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from scanlint.engine.cache import Cache, FileSignature, sign
from scanlint.engine.tasks import Place
from scanlint.engine.team.executor import Team
from scanlint.project.files import SourceFile, Unreadable
from scanlint.project.summary import ModuleNames, Surveyed


class Surveys:
    """The files of a run by what they are shown as, with what the first pass says of each."""

    def __init__(self, team: Team, cache: Cache | None = None) -> None:
        self.files: dict[str, Path] = {}
        self._made: dict[str, Surveyed] = {}
        self._sizes: dict[str, int] = {}
        self._team = team
        self.cache = cache
        self._last_words: tuple[frozenset[str], dict[str, set[str]]] | None = None

    def __getitem__(self, display: str) -> Surveyed:
        return self._made[display]

    def control(self, displays: Collection[str]) -> bool:
        """Whether one of these files has a function, or statements to look into: else there is nothing to find."""
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
            known = self.cache.surveyed(display, self.files[display], signature) if self.cache is not None else None
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
        """The files that a file reaches by its imports, told by the last words of their modules' names."""
        found, stack = set[str](), [display]
        while stack:
            for word in self._made[stack.pop()].words:
                new = self._by_last_word.get(word, set()) - found
                found |= new
                stack += new
        return found

    @property
    def _by_last_word(self) -> dict[str, set[str]]:
        """The files by the last words of their modules' names, made once for all files that are known."""
        displays = frozenset(self.files)
        if self._last_words is None or self._last_words[0] != displays:
            found: dict[str, set[str]] = {}
            for name, place in self.places().items():
                found.setdefault(name.rpartition(".")[2], set()).add(place.display)
            self._last_words = displays, found
        return self._last_words[1]

    def errors(self) -> Iterator[Unreadable]:
        """The files that are no part of the project, and why."""
        for display, path in self.files.items():
            error = self._made[display].error
            if error is not None:
                yield Unreadable(path, display, *error)
