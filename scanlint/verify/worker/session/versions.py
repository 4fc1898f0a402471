"""Loads both versions of a task, as they are and in other forms: short, with joined arms, watched, wide."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..differences.rounding import draws
from ..proof.joined_source import GIVEN, joined, keeps
from ..runtime.calling import Signature, TookTooLong, limited
from ..runtime.cut_loops import FIRST, long_trips
from ..runtime.eager_pace import Pace
from ..runtime.jax_errors import in_words
from ..runtime.loading import Loaded, cut, load
from ..runtime.nn_modules import is_linen, through_apply
from ..runtime.version_pair import VersionPair
from ..sandbox.confine import Enclosure
from ..sandbox.intact import Intact
from ..search.carry_avals import MARK as MARK_LOOPS
from ..search.carry_avals import Watched
from ..testing.branch_cover import MARK, Coverage
from ..testing.judge import Judge, Unknown
from .without_checks import without_checks

LOAD_SECONDS = 20.0


@dataclass
class Versions:
    """The versions of a request. `silent`: without assertions and prints; `notes`: what is told of loading them."""

    request: Mapping[str, object]
    stage: Callable[[str], None]
    enclosure: Enclosure
    intact: Intact
    silent: bool
    notes: list[str]

    def text(self, name: str) -> str:
        return str(self.request[name])

    def load(
        self, which: str, suffix: str, table: dict[int, int] | None = None, coverage: Coverage | None = None
    ) -> Loaded:
        """One version; raises Unknown where it cannot be loaded."""
        watched, function = coverage or Coverage(), self.text("function")
        given: dict[str, object] = {MARK: watched.record}
        return self.changed(which, suffix, table, lambda tree: watched.instrument(tree, function), given)

    def changed(
        self,
        which: str,
        suffix: str,
        table: dict[int, int] | None,
        change: Callable[[ast.Module], ast.Module],
        given: dict[str, object],
    ) -> Loaded:
        """One version with a changed tree; raises Unknown if it cannot be loaded."""
        self.stage(f"loading the {which} version")
        text, file, root, function = (self.text(n) for n in (which, "file", "root", "function"))
        self.enclosure.loaded = False
        try:
            with limited(LOAD_SECONDS):
                made = (lambda tree: change(without_checks(tree))) if self.silent else change
                loaded = load(text, file, root, function, suffix, table=table, instrument=made, given=given)
        except TookTooLong:
            raise Unknown(f"the module takes more than {LOAD_SECONDS:g} s to load") from None
        except SystemExit:
            raise Unknown("the module exits when it is loaded") from None
        except Exception as error:
            raise Unknown(f"the {which} version does not load: {in_words(error)}") from error
        finally:
            self.enclosure.loaded = True
        if changed := self.intact.changed():
            raise Unknown(f"the module replaces `{changed}`, which the verifier uses")
        if loaded.function is None:
            raise Unknown(f"there is no function `{function}` in the {which} version")
        if loaded.whole and not table:
            self.notes.append("the whole module was imported")
        self.notes += loaded.notes
        return loaded

    def judge(
        self,
        old: Loaded,
        new: Loaded,
        signature: Signature,
        home: Loaded,
        coverage: Coverage | None = None,
        table: dict[int, int] | None = None,
    ) -> Judge:
        dotted = self.text("function")
        before, after = self.resolve(old, dotted), self.resolve(new, dotted)
        whole = functools.cache(lambda: self.joined(table))
        pace = Pace(old, before)
        traced, differentiated = bool(self.request["traced"]), bool(self.request["differentiated"])
        pair = VersionPair(old, new, before, after, signature, home, whole, draws(old.tree, dotted), pace, traced)
        self.intact.hold(pair, "before", "after", "old", "new", "signature", "home")
        judge = Judge(pair, traced, differentiated, self.stage, coverage or Coverage())
        self.intact.hold(judge, "pair", "coverage")
        return judge

    def joined(self, table: dict[int, int] | None) -> tuple[Loaded, Callable[..., object]] | None:
        """The old version with its branches and loops joined; None where that may not be done."""
        dotted = self.text("function")
        if not keeps(cut(ast.parse(self.text("old")), {dotted.split(".")[0]})):
            return None
        try:
            loaded = self.changed("old", "before_joined", table, joined, GIVEN)
            return loaded, self.resolve(loaded, dotted)
        except Unknown:
            return None

    def watched(self, watched: Watched) -> Callable[..., object] | None:
        """The new version with its loops watched; None where it does not load."""
        try:
            loaded = self.changed("new", "after_watched", None, watched.instrument, {MARK_LOOPS: watched.settled})
            return self.resolve(loaded, self.text("function"))
        except Unknown:
            return None

    def twin(self, old: Loaded, signature: Signature, coverage: Coverage | None, *, first: int = FIRST) -> Judge | None:
        """Both versions with short loops; None where there is no long one, or the twins do not load."""
        table = self.table(old, first)
        if not table:
            return None
        kind = "short" if first == FIRST else "shortest"
        try:
            short = self.load("old", f"before_{kind}", table, coverage), self.load("new", f"after_{kind}", table)
            return self.judge(*short, signature, old, coverage, table)
        except Unknown:
            return None

    def table(self, old: Loaded, first: int = FIRST) -> dict[int, int]:
        """The long trip counts of the part of the file that is run."""
        return long_trips(ast.Module(cut(old.tree, {self.text("function").split(".")[0]}), []), first)

    def widened(self, first: Judge, home: Loaded) -> Judge:
        """Both versions loaded anew, with 64-bit types enabled by now; twins where `first` is of twins."""
        table = self.table(home) if first.pair.old is not home else None
        old, new = self.load("old", "before_wide", table), self.load("new", "after_wide", table)
        return self.judge(old, new, first.pair.signature, home, None, table)

    def resolve(self, loaded: Loaded, dotted: str) -> Callable[..., object]:
        try:
            found = loaded.resolve(dotted)
        except (KeyError, AttributeError):
            raise Unknown(f"`{dotted}` is not defined when the module is loaded") from None
        if not callable(found):
            raise Unknown(f"`{dotted}` is not callable")
        owner, _, method = dotted.rpartition(".")
        return through_apply(method) if owner and is_linen(loaded.resolve(owner)) else found
