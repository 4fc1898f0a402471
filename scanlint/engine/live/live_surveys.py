"""The surveys of files that change on disk and under an editor: each change is surveyed by itself."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import TypeGuard

from scanlint.engine.cache import FileSignature, sign
from scanlint.engine.surveys import Surveys
from scanlint.engine.tasks import Place
from scanlint.engine.team.executor import Team
from scanlint.project.files import SourceFile, Unreadable, decode, read
from scanlint.project.summary import ModuleNames, digest_of

MOST_HELD = 64_000_000
"""Bytes of packed texts that are held for the time when files do not parse."""


class LastVersions:
    """Files as they were when they parsed last, packed: they stand in for what does not parse any more."""

    def __init__(self) -> None:
        self._held: dict[str, tuple[str, bytes]] = {}
        self._size = 0

    def holds(self, display: str, digest: str) -> bool:
        return display in self._held and self._held[display][0] == digest

    @property
    def full(self) -> bool:
        return self._size > MOST_HELD

    def hold(self, source: SourceFile, digest: str) -> None:
        """Hold a text, if it is the one that a digest stands for."""
        data = source.data or source.encode(source.text)
        self.drop(source.display)
        if digest_of(data) == digest:
            packed = zlib.compress(data, 1)
            self._held[source.display] = digest, packed
            self._size += len(packed)

    def drop(self, display: str) -> None:
        self._size -= len(self._held.pop(display, ("", b""))[1])

    def get(self, display: str, path: Path) -> SourceFile | None:
        held = self._held.get(display)
        made = decode(zlib.decompress(held[1]), path) if held is not None else None
        return made if isinstance(made, SourceFile) else None


class LiveSurveys(Surveys):
    """Surveys that follow the disk; `texts` stand in the place of what is in their files.

    They are those of the client's `opened` files, and last versions of files that do not parse on disk.
    """

    def __init__(self, team: Team) -> None:
        super().__init__(team)
        self._seen: dict[str, FileSignature] = {}
        self._named: dict[str, tuple[str, bool]] = {}
        self.texts: dict[str, SourceFile] = {}
        self.opened: set[str] = set()
        self._last = LastVersions()

    def follow(self, found: Mapping[str, Path]) -> None:
        """Survey which of these files are new or changed; those that are no more, and have no text, are forgotten."""
        own = {display: path for display, path in self.files.items() if display in self.opened}
        signed = {display: sign(path) for display, path in found.items() if display not in own}
        changed = [display for display, signature in signed.items() if not self._same(display, signature)]
        gone = [d for d in self.files if d not in found and d not in own]
        for display in (*changed, *gone):
            self._remember(display)
            self._forget(display)
        for display in gone:
            self._last.drop(display)
        self._seen |= {display: signature for display in changed if (signature := signed[display]) is not None}
        self.files = {**found, **own}
        if changed:
            self.add({display: found[display] for display in changed})
            self.files = {**found, **own}
            for display in changed:
                self._stand_in(display)

    def cover(self, source: SourceFile) -> Unreadable | None:
        """Put a text in the place of its file; what is wrong with it where the one before, which parses, stays."""
        display, before, analyst = source.display, self._made.get(source.display), self._team.local
        last = self.texts.get(display) or read(source.path)
        analyst.trees.texts = self.texts
        self.opened.add(display)
        self.files.setdefault(display, source.path)
        if before is not None and before.error is None and before.digest == digest_of(source.data):
            self.texts[display] = source
            return None
        made = analyst.renew(source)
        error = Unreadable(source.path, display, *made.error) if made.error is not None else None
        if before is not None and before.error is None:
            if error is not None and _holds(last, before.digest):
                self.texts[display] = last
                return error
            analyst.forget(display, before.digest, tree=error is not None)
        self._made[display], self.texts[display] = made, source
        self._sizes[display] = len(source.data)
        return None

    def uncover(self, display: str) -> None:
        """Let go of a text: its file is read when the disk is looked at."""
        self.opened.discard(display)
        self._remember(display)
        self._forget(display)
        self.files = {known: path for known, path in self.files.items() if known != display}

    def places(self) -> dict[str, Place]:
        """The files of the project by module name; names are worked out anew only when files come or go."""
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

    def remember(self, most: int) -> bool:
        """Hold so many of the files as they are, for the time when one does not parse; whether there are more."""
        left = [d for d, made in self._made.items() if made.error is None and not self._last.holds(d, made.digest)]
        new = [display for display in left if display not in self.opened and display in self.files]
        for display in new[:most]:
            source = read(self.files[display])
            if isinstance(source, SourceFile):
                self._last.hold(source, self._made[display].digest)
        return len(new) > most and not self._last.full

    def _remember(self, display: str) -> None:
        """Hold the text of a file that is about to be surveyed anew, where it parsed and is still at hand."""
        made, held = self._made.get(display), self._team.local.trees.get(display)
        source = self.texts.pop(display, None) or (held[0] if held is not None else None)
        if made is not None and made.error is None and not self._last.holds(display, made.digest):
            self._last.drop(display)
            if source is not None:
                self._last.hold(source, made.digest)

    def _stand_in(self, display: str) -> None:
        """Have the last version of a file that parsed go on counting while the one on disk does not parse."""
        last = self._last.get(display, self.files[display]) if self._made[display].error is not None else None
        if last is not None:
            self._team.local.trees.texts = self.texts
            self.texts[display] = last
            self._made[display] = self._team.local.renew(last)

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
