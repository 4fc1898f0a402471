"""The surveys of files that change on disk and under an editor: each change is surveyed by itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TypeGuard

from scanlint.engine.cache import Cache, FileSignature, sign
from scanlint.engine.surveys import Surveys
from scanlint.engine.tasks import Place
from scanlint.engine.team.executor import Team
from scanlint.project.files import SourceFile, Unreadable, read
from scanlint.project.summary import ModuleNames, digest_of


class LiveSurveys(Surveys):
    """Surveys that follow the disk; `texts` stand in the place of what is in their files."""

    def __init__(self, team: Team) -> None:
        super().__init__(team)
        self._seen: dict[str, FileSignature] = {}
        self._named: dict[str, tuple[str, bool]] = {}
        self.texts: dict[str, SourceFile] = {}

    @property
    def cache(self) -> Cache | None:
        """Where surveys are taken from and kept."""
        return self._cache

    @cache.setter
    def cache(self, cache: Cache | None) -> None:
        self._cache = cache

    def follow(self, found: Mapping[str, Path]) -> None:
        """Survey which of these files are new or changed; those that are no more, and have no text, are forgotten."""
        own = {display: path for display, path in self.files.items() if display in self.texts}
        signed = {display: sign(path) for display, path in found.items() if display not in own}
        changed = [display for display, signature in signed.items() if not self._same(display, signature)]
        for display in (*changed, *(d for d in self.files if d not in found and d not in own)):
            self._forget(display)
        self._seen |= {display: signature for display in changed if (signature := signed[display]) is not None}
        self.files = {**found, **own}
        if changed:
            self.add({display: found[display] for display in changed})
            self.files = {**found, **own}

    def cover(self, source: SourceFile) -> Unreadable | None:
        """Put a text in the place of its file; what is wrong with it where the one before, which parses, stays."""
        display, before, analyst = source.display, self._made.get(source.display), self._team.local
        last = self.texts.get(display) or read(source.path)
        analyst.trees.texts = self.texts
        self.files.setdefault(display, source.path)
        if before is not None and before.error is None and before.digest == digest_of(source.data):
            self.texts[display] = source
            return None
        made = analyst.renew(source)
        error = Unreadable(source.path, display, *made.error) if made.error is not None else None
        if before is not None and before.error is None:
            if error is not None and error.syntax and _holds(last, before.digest):
                self.texts[display] = last
                return error
            analyst.forget(display, before.digest, tree=error is not None)
        self._made[display], self.texts[display] = made, source
        self._sizes[display] = len(source.data)
        return None

    def uncover(self, display: str) -> None:
        """Let go of a text: its file is read when the disk is looked at."""
        self.texts.pop(display, None)
        self._forget(display)
        self.files = {known: path for known, path in self.files.items() if known != display}

    def places(self) -> dict[str, Place]:
        """The same; names are looked for again only when files come or go."""
        good = [display for display in self.files if self._made[display].error is None]
        if list(self._named) != good:
            names = ModuleNames()
            self._named = {display: names.name(self.files[display]) for display in good}
        return {
            name: Place(name, self.files[display], display, package, self._made[display].digest)
            for display, (name, package) in self._named.items()
        }

    def module(self, display: str) -> str | None:
        """The name of a file's module, as of the last check."""
        return self._named[display][0] if display in self._named else None

    def _same(self, display: str, signature: FileSignature | None) -> bool:
        """Whether a file is what it was: by its signature, or where that proves nothing by its content."""
        before, known = self._seen.get(display), self._made.get(display)
        if before is None or known is None or signature is None or before[:4] != signature[:4]:
            return False
        if before.settled:
            return True
        return _holds(read(self.files[display]), known.digest)

    def _forget(self, display: str) -> None:
        made = self._made.pop(display, None)
        self._seen.pop(display, None)
        if made is not None:
            self._team.forget(display, made.digest)


def _holds(source: SourceFile | Unreadable, digest: str) -> TypeGuard[SourceFile]:
    """Whether a digest stands for a text."""
    return isinstance(source, SourceFile) and digest_of(source.data) == digest
