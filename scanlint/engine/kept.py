"""Results of slices that are at hand: those of the cache, and in a session that stays those of its last check."""

from __future__ import annotations

from collections.abc import Mapping

from scanlint.engine.cache import Cache
from scanlint.engine.tasks import Slice, packed, unpacked


class KeptSlices:
    """Reads results from the cache of the project; one is taken only if all that it rests on is the same."""

    def __init__(self, cache: Cache | None) -> None:
        self.cache = cache

    def get(self, name: str, tokens: Mapping[str, str], roots: frozenset[str]) -> Slice | None:
        """The result of a task, if it still holds."""
        kept = self.cache.entry(name, tokens, roots) if self.cache is not None else None
        made = unpacked(kept.result) if kept is not None else None
        return made._replace(consulted=tuple(kept.rests), missed=kept.missed) if kept and made else None

    def put(self, name: str, rests: dict[str, str], made: Slice) -> None:
        """Keep a result that rests on modules with these contents."""
        if self.cache is not None:
            self.cache.keep_result(name, rests, made.missed, packed(made))


class RememberedSlices(KeptSlices):
    """Keeps in memory, in front of the cache, the results that the last check asked for, and nothing older."""

    def __init__(self, cache: Cache | None = None) -> None:
        super().__init__(cache)
        self._last: dict[str, tuple[dict[str, str], Slice]] = {}
        self._now: dict[str, tuple[dict[str, str], Slice]] = {}

    def get(self, name: str, tokens: Mapping[str, str], roots: frozenset[str]) -> Slice | None:
        entry = self._now.get(name) or self._last.get(name)
        if entry is not None:
            rests, made = entry
            same = rests.items() <= tokens.items()
            if same and tokens.keys().isdisjoint(made.missed) and roots.isdisjoint(made.missed):
                self._now[name] = entry
                return made
        found = super().get(name, tokens, roots)
        if found is not None:
            self._now[name] = {module: tokens[module] for module in found.consulted}, found
        return found

    def put(self, name: str, rests: dict[str, str], made: Slice) -> None:
        self._now[name] = rests, made
        super().put(name, rests, made)

    def turn(self) -> None:
        """A check has ended: what it did not ask for is forgotten."""
        if self._now:
            self._last, self._now = self._now, {}
