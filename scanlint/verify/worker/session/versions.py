"""Loads both versions of a task, as they are and in other forms: short, with joined arms, watched, wide."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ..comparing.branch_cover import MARK, Coverage
from ..comparing.judge import Judge
from ..comparing.refutations import Refuted, Unknown
from ..comparing.rounding import draws
from ..comparing.static_choices import recorders, with_choices
from ..imports.side_modules import Side, installed_from
from ..infer.local_definitions import definition_of
from ..proof.joined_source import GIVEN, joined, keeps
from ..runtime.calling import Signature, TookTooLong, limited
from ..runtime.cut_loops import FIRST, long_trips
from ..runtime.jax_errors import in_words
from ..runtime.loading import Loaded, cut, folders, load, place
from ..runtime.nn_modules import is_linen, through_apply
from ..runtime.pace.eager_pace import Pace
from ..runtime.version_pair import VersionPair
from ..sandbox.confine import Enclosure
from ..sandbox.intact import Intact
from ..search.carry_avals import MARK as MARK_LOOPS
from ..search.carry_avals import Watched
from ..standing.whole_module import NotDefined, Whole, binds_indirectly, bound_anew, defined, imported
from .assigned_items import GIVEN as ITEMS
from .assigned_items import with_assigned_items
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
    sides: dict[str, Side | None] = field(default_factory=dict)
    whole: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.sides = dict.fromkeys(("old", "new"))
        homes = {which: self.folders(which) for which in self.sides}
        if homes["old"] != homes["new"]:
            self.sides = {which: Side(tuple(found)) for which, found in homes.items()}

    def file(self, which: str) -> str:
        return self.text("old_file") if which == "old" and self.free else self.text("file")

    def root(self, which: str) -> str:
        return self.text("old_root") if which == "old" and self.free else self.text("root")

    def folders(self, which: str) -> list[str]:
        """The folders that a version imports from, the one that it stands in first."""
        file = self.file(which)
        own = reversed(folders(self.root(which), place(file, self.text(which))[0]))
        tops = [str(top) for top in self.request.get("tops") or ()]  # type: ignore[attr-defined]
        old, new = tops or ("", "")
        return list(dict.fromkeys([*own, *installed_from(new, old if which == "old" else new)]))

    def text(self, name: str) -> str:
        return str(self.request[name])

    @property
    def free(self) -> bool:
        """Whether the two are versions as a user has them, not a rewrite of what is known to be traced."""
        return bool(self.request.get("old_file"))

    def load(
        self, which: str, suffix: str, table: dict[int, int] | None = None, coverage: Coverage | None = None
    ) -> Loaded:
        """One version; raises Unknown where it cannot be loaded."""
        watched, function = coverage or Coverage(), self.text("function")
        given: dict[str, object] = {MARK: watched.record, **recorders(which)}
        return self.changed(which, suffix, table, lambda tree: with_choices(watched.instrument(tree, function)), given)

    def as_imported(self, coverage: Coverage) -> tuple[Loaded, Loaded]:
        """Both versions as they are once their modules are imported; raises Unknown, Refuted or NotDefined.

        A slice of a module stands for it where it has the same names. Where a module cannot be imported here, the slice
        is all that there is to run: it must bind its names directly.
        """
        old = self.load("old", "before", coverage=coverage)
        try:
            new = self.load("new", "after")
        except Unknown as error:
            raise Refuted(str(error)) from error
        if not self.free:
            return old, new
        found = {"old": self.imported(old), "new": self.imported(new)}
        if found["old"].broken:
            raise Unknown(f"the module of the old version does not load: {found['old'].why()}")
        if found["new"].broken:
            raise Refuted(f"the module of the new version does not load: {found['new'].why()}")
        for which, loaded in (("old", old), ("new", new)):
            self.look(which, loaded, found[which])
        if "old" in self.whole:
            old = self.load("old", "before", coverage=coverage)
        return old, self.load("new", "after") if "new" in self.whole else new

    def imported(self, loaded: Loaded) -> Whole:
        self.stage("importing the whole module")
        with self.enclosure.setting_up():
            return imported(loaded)

    def look(self, which: str, loaded: Loaded, whole: Whole) -> None:
        """Have a version run as a whole from now on where a slice of it means something else."""
        function = self.text("function")
        if whole.error is not None:
            if indirect := binds_indirectly(loaded.tree):
                raise Unknown(
                    f"the {which} module cannot be imported here ({whole.why()}), and it binds names by `{indirect}`"
                )
            part = f"only what `{function}` uses of it was run"
            self.notes.append(f"the {which} module cannot be imported here ({whole.why()}): {part}")
            return
        if not defined(whole.names, function):
            raise NotDefined(f"{self.file(which)}: no function `{function}` once the module is imported")
        if bound_anew(loaded, whole):
            self.whole.add(which)

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
        text, function, file, root = self.text(which), self.text("function"), self.file(which), self.root(which)
        try:
            with self.enclosure.setting_up(), limited(LOAD_SECONDS):
                made = (lambda tree: change(without_checks(tree))) if self.silent else change
                if which == "old" and not self.free:  # what a rewrite replaces, which may be such an assignment
                    looked, given = made, {**given, **ITEMS}
                    made = lambda tree: looked(with_assigned_items(tree))  # noqa: E731
                loaded = load(
                    text, file, root, function, suffix,
                    table=table, instrument=made, given=given, side=self.sides[which], whole=which in self.whole,
                )  # fmt: skip
        except TookTooLong:
            raise Unknown(f"the module takes more than {LOAD_SECONDS:g} s to load") from None
        except SystemExit:
            raise Unknown("the module exits when it is loaded") from None
        except Exception as error:
            raise Unknown(f"the {which} version does not load: {in_words(error)}") from error
        if changed := self.intact.changed():
            raise Unknown(f"the module replaces `{changed}`, which the verifier uses")
        if loaded.function is None and "." not in function:
            loaded.function = definition_of(loaded.tree, function, loaded.names.get(function))
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
        donating = any("donate_arg" in self.text(which) for which in ("old", "new"))
        pair = VersionPair(
            old, new, before, after, signature, home, whole, draws(old.tree, dotted), pace, traced, donating=donating
        )
        self.intact.hold(pair, "before", "after", "old", "new", "signature", "home")
        judge = Judge(pair, traced, differentiated, self.stage, coverage or Coverage(), free=self.free)
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
        except Unknown:  # compared as it is; what does not load is said there
            return None

    def watched(self, watched: Watched) -> Callable[..., object] | None:
        """The new version with its loops watched; None where it does not load."""
        try:
            loaded = self.changed("new", "after_watched", None, watched.instrument, {MARK_LOOPS: watched.settled})
            return self.resolve(loaded, self.text("function"))
        except Unknown:  # compared without watching; what does not load is said there
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
        except Unknown:  # compared at full length
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
        found = found.fget if isinstance(found, property) else found
        found = found.func if isinstance(found, functools.cached_property) else found
        if not callable(found):
            raise Unknown(f"`{dotted}` is not callable")
        owner, _, method = dotted.rpartition(".")
        return through_apply(method) if owner and is_linen(loaded.resolve(owner)) else found
