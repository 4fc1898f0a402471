"""One run: the files and what is known of them, their slices, and the findings of all slices as one."""

from __future__ import annotations

import gc
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import TracebackType

from scanlint.engine.cache import Cache, FileSignature, sign
from scanlint.engine.executor import Team
from scanlint.engine.suppress import apply as suppress
from scanlint.engine.tasks import Hit, Place, Slice, SliceTask, UnitKey, joined, packed, part, unpacked
from scanlint.finding import Finding, Fix, Position
from scanlint.project.files import SourceFile, Unreadable, around, decode, discover, read, shown
from scanlint.project.summary import MARK, ModuleNames, Surveyed, Wanted
from scanlint.rules.registry import SYNTAX_ERROR, selected_codes
from scanlint.settings import Settings

MOST_ASKED = 4
"""Rounds in which the callers of functions that trace their arguments are asked, themselves such functions or not."""
MOST_FILES = 32
"""Files that are asked in a run, those first in which nothing else begins: each costs an analysis of its own."""


@dataclass(frozen=True)
class RunOutcome:
    """What a run found and did.

    `changes` maps each rewritten file to its bytes before and after; nothing has been written yet.
    `problems` are files that could not be read and rules that failed: the run's exit code is 2. `notes` are files
    that were left out for a reason that is nobody's fault. `protections` held while code was run to verify it,
    `remarks` say what became of the cache.
    """

    findings: tuple[Finding, ...]
    files: int
    seconds: float
    fixed: int = 0
    withheld: int = 0
    changes: Mapping[Path, tuple[bytes, bytes]] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    protections: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


def check(paths: Sequence[Path], settings: Settings) -> RunOutcome:
    """The findings of a tree; nothing of it is executed."""
    with Run(settings) as run:
        run.load(list(discover(paths, settings)), around(paths, settings))
        return run.outcome()


def check_text(text: bytes, filename: Path, settings: Settings) -> RunOutcome:
    """The findings of one file that is given as text."""
    with Run(settings) as run:
        run.load_text(decode(text, filename))
        return run.outcome()


@dataclass
class Found:
    """One finding, with the unit that it stands in and the slice that tells it."""

    finding: Finding
    unit: UnitKey
    task: SliceTask


class Run:
    """The state of one run: what was read, what was found, what was changed."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.started = time.perf_counter()
        self.problems: list[str] = []
        self.notes: list[str] = []
        self.read = 0
        self.found: dict[str, list[Found]] = {}
        self.tasks: dict[UnitKey, SliceTask] = {}
        self.others: list[Finding] = []
        self.files: dict[str, Path] = {}
        self.checked: frozenset[str] = frozenset()
        self.changes: dict[Path, tuple[bytes, bytes]] = {}
        self.text: SourceFile | None = None
        self.cache: Cache | None = None
        self.team = Team(settings)
        self._surveyed: dict[str, Surveyed] = {}
        self._places: dict[str, Place] = {}
        self._sizes: dict[str, int] = {}

    def __enter__(self) -> Run:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.team.close()

    @cached_property
    def codes(self) -> frozenset[str]:
        return selected_codes(self.settings)

    def source(self, display: str) -> SourceFile | Unreadable:
        """A file of the run as it is now."""
        return self.text if self.text is not None else read(self.files[display])

    # -- the files

    def load(self, paths: Sequence[Path], around: Iterable[Path] = ()) -> None:
        """Survey the files and collect what the selected rules find.

        The files `around` hold callers of these, or hand functions to them: nothing is said of them themselves.
        """
        gc.disable()  # collecting costs 15% of a run: the analyst throws away what has ended
        if self.settings.cache:
            self.cache = Cache(self.settings)
            self.team.stored, self.team.keeping = self.cache.facts, True
        self.checked = frozenset(map(shown, paths))
        self.files = {shown(path): path for path in paths}
        self._survey(self.files)
        if any(self._surveyed[display].control for display in self.checked):
            others = {shown(path): path for path in around}
            self.files = {**others, **self.files}
            self._survey([display for display in others if display not in self.checked])
        self._conclude()
        if self.cache is not None:
            self.cache.save()

    def load_text(self, source: SourceFile | Unreadable) -> None:
        """The same for a text that need not be that of its file; nothing is kept of it."""
        gc.disable()
        self.files = {source.display: source.path}
        self.checked = frozenset(self.files)
        self.text = source if isinstance(source, SourceFile) else None
        self.team.local.trees.limit = None
        for surveyed, _ in self.team.survey([source], 0):
            self._surveyed[surveyed.display] = surveyed
        self._conclude()

    def _survey(self, displays: Collection[str]) -> None:
        """Ask the cache about each file, and those who survey about the others."""
        signatures: dict[str, FileSignature] = {}
        surveyed: dict[str, Surveyed] = {}
        for display in displays:
            path = self.files[display]
            signature = sign(path)
            if signature is None:
                continue
            self._sizes[display] = signature.size
            signatures[display] = signature
            known = self.cache.surveyed(display, path, signature) if self.cache is not None else None
            if known is not None:
                surveyed[display] = known
        left = [display for display in displays if display not in surveyed]
        size = sum(self._sizes.get(display, 0) for display in left)
        whole = self.files if len(left) == len(self.files) else None
        for made, facts in self.team.survey([self.files[display] for display in left], size, whole):
            surveyed[made.display] = made
            if self.cache is not None and made.display in signatures and made.digest:
                self.cache.keep_survey(made, signatures[made.display])
                if facts is not None:
                    self.cache.keep_facts(made.digest, facts)
        self._surveyed |= surveyed

    def _conclude(self) -> None:
        """From the surveys to the findings."""
        names = ModuleNames()
        for display, path in self.files.items():
            surveyed = self._surveyed[display]
            if surveyed.error is None:
                name, package = names.name(path)
                self._places[name] = Place(name, path, display, package, surveyed.digest)
            elif display in self.checked:
                self._error(Unreadable(path, display, *surveyed.error))
        self.read = sum(place.display in self.checked for place in self._places.values())
        self.read += sum(f.code == SYNTAX_ERROR.code for f in self.others)
        self.team.shelve(self._places.values())
        if self.settings.assume_traced:
            from scanlint.project.patterns import unmatched

            self.notes += unmatched((p for s in self._surveyed.values() for p in s.assumed), self.settings)
        if any(self._surveyed[display].control for display in self.checked):
            self._find()
        for display in self.files:
            if display in self.checked and (self._surveyed[display].marked or display in self.found):
                self._suppress(display)

    def _error(self, error: Unreadable) -> None:
        if error.newer:
            self.notes.append(f"{error.display}: {error.message}")
        elif error.syntax:
            self.others.append(_syntax_error(error))
        else:
            self.problems.append(f"{error.display}: {error.message}")

    # -- the slices

    def _find(self) -> None:
        """The findings of every unit, told by all slices together that reach it."""
        slices, asks = self._slices()
        reached: dict[UnitKey, list[str]] = {}
        for name, found in slices.items():
            for unit in found.units:
                reached.setdefault(unit, []).append(name)
        for unit, names in reached.items():
            asked = {want for name in names for want in asks[name]}
            self.tasks[unit] = SliceTask(tuple(names), asks=tuple(sorted(asked)))
        units = dict.fromkeys(hit.unit for found in slices.values() for hit in self._heard(found.hits))
        joint = {unit: self.tasks[unit] for unit in units if self.tasks[unit].begin != (unit[0],)}
        for found in self._analyse([task._replace(wanted=(unit,)) for unit, task in joint.items()]):
            self._take(found.hits)
        for found in slices.values():
            self._take(hit for hit in found.hits if self.tasks[hit.unit].begin == (hit.unit[0],))
        for entries in self.found.values():
            entries.sort(key=lambda entry: (entry.finding.start, entry.finding.code))

    def _slices(self) -> tuple[dict[str, Slice], dict[str, tuple[Wanted, ...]]]:
        """A slice for each file in which something begins, and what else each file was asked for.

        A file may hand functions to one that runs its arguments under a trace: it is asked, as often as more come up.
        """
        slices: dict[str, Slice] = {}
        asks: dict[str, tuple[Wanted, ...]] = {}
        tasks = [SliceTask((p.name,)) for p in self._places.values() if self._surveyed[p.display].begins]
        asked = 0
        for _ in range(MOST_ASKED):
            for task, found in zip(tasks, self._analyse(tasks), strict=True):
                slices[task.begin[0]] = found
                asks[task.begin[0]] = task.asks
            wants = {want for found in slices.values() for want in found.wants}
            known = {name: {*found.wants} for name, found in slices.items()}
            tasks = [
                SliceTask((name,), asks=tuple(sorted(wanted)))
                for name, wanted in self._callers(wants).items()
                if wanted - known.get(name, set()) - {*asks.get(name, ())}
            ]
            tasks = sorted(tasks, key=lambda task: task.begin[0] in slices)[: MOST_FILES - asked]
            asked += len(tasks)
            if not tasks:
                break
        return {name: slices[name] for name in self._places if name in slices}, asks

    def _heard(self, hits: Iterable[Hit]) -> Iterator[Hit]:
        """Those in the files that are to be checked."""
        return (hit for hit in hits if hit.finding.path in self.checked)

    def _callers(self, wants: Iterable[Wanted]) -> dict[str, set[Wanted]]:
        """The files whose imports spell such functions or their modules, with the functions."""
        spelled: dict[str, set[Wanted]] = {}
        for want in wants:
            for word in (want.top, want.module.rpartition(".")[2]):
                spelled.setdefault(word, set()).add(want)
        found: dict[str, set[Wanted]] = {}
        for name, place in self._places.items():
            words = self._surveyed[place.display].words
            named = {w for word in words for w in spelled.get(word, ()) if w.module != name}
            if named:
                found[name] = named
        return found

    def _take(self, hits: Iterable[Hit]) -> None:
        for hit in self._heard(hits):
            self.found.setdefault(hit.finding.path, []).append(Found(hit.finding, hit.unit, self.tasks[hit.unit]))

    def _analyse(self, tasks: Sequence[SliceTask]) -> list[Slice]:
        """The results of tasks, from the cache where what they rest on is the same."""
        tokens = {name: f"{place.digest} {place.display}" for name, place in self._places.items()}
        roots = frozenset(name.partition(".")[0] for name in tokens)
        results: dict[SliceTask, Slice] = {}
        for task in tasks:
            kept = self.cache.result(self._key(task), tokens, roots) if self.cache is not None else None
            if kept is not None and (known := unpacked(kept)) is not None:
                results[task] = known
        left: dict[SliceTask, list[SliceTask]] = {}
        for task in tasks:
            if task not in results:
                left.setdefault(task if task.wanted is None else task._replace(wanted=()), []).append(task)
        joint = [task if task.wanted is None else joined(asked) for task, asked in left.items()]
        size = sum(self._sizes.get(self._places[name].display, 0) for task in joint for name in task.begin)
        for asked, whole in zip(left.values(), self.team.analyse(joint, size), strict=True):
            self.problems += whole.problems
            for task in asked:
                made = results[task] = whole if task.wanted is None else part(whole, task.wanted)
                if self.cache is not None and not made.problems:
                    rests = {name: tokens[name] for name in made.consulted}
                    self.cache.keep_result(self._key(task), rests, made.missed, packed(made))
        return [results[task] for task in tasks]

    def _key(self, task: SliceTask) -> str:
        """The name of a task in the cache."""
        begin = "\n".join(self._places[name].display for name in task.begin)
        return begin if task.wanted is None and not task.asks else f"{begin}\0{task.wanted!r}\0{task.asks!r}"

    # -- what is said

    def _suppress(self, display: str) -> None:
        """Take out what the user does not want to hear, and add the ignores that are in vain."""
        source = self.source(display) if self._surveyed[display].marked else None
        text = source.text if isinstance(source, SourceFile) else ""
        entries = self.found.get(display, [])
        findings = [entry.finding for entry in entries]
        left = suppress(findings, display, text, self.settings, self.codes if MARK in text else ())
        kept = {id(f) for f in left}
        if entries:
            self.found[display] = [entry for entry in entries if id(entry.finding) in kept]
        made = {id(f) for f in findings}
        self.others += [f for f in left if id(f) not in made]

    def outcome(self) -> RunOutcome:
        findings = [entry.finding for entries in self.found.values() for entry in entries] + self.others
        findings.sort(key=lambda f: (f.path, f.start, f.code))
        return RunOutcome(
            findings=tuple(findings),
            files=self.read,
            seconds=time.perf_counter() - self.started,
            fixed=sum(f.fix.status == "applied" for f in findings),
            withheld=sum(f.fix.status == "withheld" for f in findings),
            changes=self.changes,
            problems=tuple(dict.fromkeys(self.problems)),
            notes=tuple(self.notes),
            remarks=tuple(self.cache.remarks) if self.cache is not None else (),
        )


def _syntax_error(problem: Unreadable) -> Finding:
    place = Position(problem.line, problem.column)
    return Finding(
        SYNTAX_ERROR.code,
        SYNTAX_ERROR.name,
        problem.display,
        place,
        place,
        None,
        problem.message,
        fix=Fix("none", "fix the syntax"),
    )
