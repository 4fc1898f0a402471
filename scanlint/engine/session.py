"""One run: the files, what the first pass says of them, what is found, and what is done about it."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from scanlint.engine.cache import Cache
from scanlint.engine.kept import KeptSlices
from scanlint.engine.slicing import Slicing
from scanlint.engine.suppress import apply as suppress
from scanlint.engine.surveys import Surveys
from scanlint.engine.tasks import SliceTask, UnitKey
from scanlint.engine.team.executor import Said, Team, unsaid
from scanlint.engine.unread import left_out, problem, rested_on
from scanlint.finding import Finding, Fix, LeftLoop, Position
from scanlint.problem import Problem
from scanlint.project.discovery.folders import FoundFiles, around, discover
from scanlint.project.files import SourceFile, Unreadable, decode, read, shown
from scanlint.project.groups import MOST_TOGETHER
from scanlint.project.summary import marked
from scanlint.rules.registry import RECOMPILED, REMOVED_API, SYNTAX_ERROR, is_listed, selected_codes
from scanlint.rules.removed_api import removed_findings
from scanlint.settings import Settings


@dataclass(frozen=True)
class RunOutcome:
    """The results of a run. `below`: the findings that are less grave than what is listed.

    `changes` maps each rewritten file to its bytes before and after; nothing has been written yet.
    `problems` are files that could not be read and rules that failed: the run's exit code is 2. `notes` say what it is
    well to know. `protections` held while code was run to verify it, `remarks` say what became of the cache; `left` are
    loops of which nothing is said. `checked` are the files that were asked for, as they are shown; `found` is what the
    paths led to.
    """

    findings: tuple[Finding, ...]
    files: int
    seconds: float
    below: tuple[Finding, ...] = ()
    changes: Mapping[Path, tuple[bytes, bytes]] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    protections: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    left: tuple[LeftLoop, ...] = ()
    checked: frozenset[str] = frozenset()
    found: FoundFiles = field(default_factory=FoundFiles)


def check(paths: Sequence[Path], settings: Settings, said: Said = unsaid) -> RunOutcome:
    """The findings of a tree; nothing of it is executed. `said` is told how far it is."""
    with Session(settings, said) as session:
        session.load(discover(paths, settings), lambda: around(paths, settings))
        return session.outcome()


def check_text(text: bytes, filename: Path, settings: Settings, *, whole: bool = False) -> RunOutcome:
    """The findings of one file that is given as text; `whole`: as a part of its project."""
    with Session(settings) as session:
        session.load_text(decode(text, filename), in_project(filename, settings) if whole else FoundFiles)
        return session.outcome()


def in_project(file: Path, settings: Settings) -> Callable[[], FoundFiles]:
    """Looks for the project of a file that need not be on disk."""
    return lambda: around([file], settings)


@dataclass
class Found:
    """One finding, with the unit that it stands in and the slice that tells it."""

    finding: Finding
    unit: UnitKey
    task: SliceTask


class Session(AbstractContextManager["Session"]):
    """The state of one run, filled from the top to the bottom: each step reads only what stands above it.

    Files of at most `together` bytes that use each other are analysed as one.
    """

    together = MOST_TOGETHER

    def __init__(self, settings: Settings, said: Said = unsaid) -> None:
        self.settings = settings
        self.started = time.perf_counter()
        self.problems: list[Problem] = []
        self.notes: list[str] = []
        self.around = FoundFiles()
        self.sought = FoundFiles()
        self.team = Team(settings, said)
        self.cache: Cache | None = None
        # the files that are checked, those around them, and the first pass over all of them
        self.checked: frozenset[str] = frozenset()
        self.text: SourceFile | None = None
        self.surveys = Surveys(self.team)
        # how many files were checked, and what is listed of each; `others` stand in no unit, `below` is not listed
        self.read = 0
        self.tasks: Mapping[UnitKey, SliceTask] = {}
        self.found: dict[str, list[Found]] = {}
        self.others: list[Finding] = []
        self.below: list[Finding] = []
        # what the fixer makes of it
        self.changes: dict[Path, tuple[bytes, bytes]] = {}
        self.left: list[LeftLoop] = []

    def __exit__(self, *raised: object) -> None:
        self.team.leave()

    @cached_property
    def codes(self) -> frozenset[str]:
        """The codes of the rules that look at files; findings of recorded runs are added later."""
        return selected_codes(self.settings) - {RECOMPILED.code}

    @property
    def kept(self) -> KeptSlices:
        """The results that are at hand."""
        return KeptSlices(self.cache)

    @property
    def files(self) -> Mapping[str, Path]:
        """The files of the run by what they are shown as."""
        return self.surveys.files

    def source(self, display: str) -> SourceFile | Unreadable:
        """A file of the run as it is now."""
        mine = self.text is not None and self.text.display == display
        return self.text if mine and self.text is not None else read(self.files[display])

    def load(self, found: FoundFiles, around: Callable[[], FoundFiles] = FoundFiles) -> None:
        """Find what the selected rules say of the files that were found.

        Those `around` hold callers of these, or hand functions to them: nothing is said of them themselves.
        """
        gc.disable()  # collecting costs 15% of a run: the analyst throws away what has ended
        self._open_cache()
        self.checked = frozenset(map(shown, found.files))
        self.problems += map(problem, found.unread)
        self.sought = found
        self.surveys.add({shown(path): path for path in found.files})
        self._surround(around)
        self._conclude(whole=False)
        self._tell_unmet()
        if self.cache is not None:
            self.cache.save()

    def load_text(self, source: SourceFile | Unreadable, around: Callable[[], FoundFiles] = FoundFiles) -> None:
        """Find what the selected rules say of a text that need not be that of its file; nothing of it is cached."""
        gc.disable()
        before, self.team.settings = self.team.settings, replace(self.team.settings, jobs=1, executor="")
        self.checked = frozenset((source.display,))
        self.text = source if isinstance(source, SourceFile) else None
        self._open_cache()
        self.surveys.add_text(source)
        self._surround(around)
        self._conclude(whole=False)
        if self.cache is not None and len(self.files) > 1:
            self.cache.save()
        self.cache, self.team.settings = None, before

    def _open_cache(self) -> None:
        if self.settings.cache:
            self.cache = Cache(self.settings)
            self.team.stored, self.team.keeping = self.cache.facts, True
            self.surveys = Surveys(self.team, self.cache)

    def _surround(self, around: Callable[[], FoundFiles]) -> None:
        """Take in the project of the files that are checked, where something may be found in these."""
        if self.surveys.control(self.checked):
            self.around = around()
            new = {display: path for path in self.around.files if (display := shown(path)) not in self.checked}
            named = (
                self.settings.assume_traced or self.settings.inputs
            )  # of which something is said if nothing meets it
            self.surveys.add(new if named else self.surveys.concerned(new, self.checked))

    def _conclude(self, *, whole: bool = True) -> None:
        """From the surveys to the findings. Not `whole`: nobody asks what is found around the checked files."""
        errors = list(self.surveys.errors())
        for error in errors:
            if error.display in self.checked:
                self._leave_out(error)
        for display in self.files:
            if display in self.checked:
                cells = self.surveys[display].broken
                self.others += [syntax_error(Unreadable(Path(), display, *cell)) for cell in cells]
        if self.surveys.control(self.checked):
            others = (error for error in errors if error.display not in self.checked)
            self.notes += rested_on([*self.around.unread, *others])
        self.notes += left_out(
            {display: self.surveys[display].left_out for display in self.files if display in self.checked}
        )
        places = self.surveys.places()
        self.read = sum(place.display in self.checked for place in places.values()) + len(self.others)
        self.team.shelve(places.values())
        if self.surveys.control(self.checked):
            told = [] if whole else [name for name, place in places.items() if place.display in self.checked]
            told = told if len(told) < len(places) else []
            slicing = Slicing(self.team, self.kept, self.surveys, places, self.together, told)
            for hit, task in slicing.hits(self.checked):
                self.found.setdefault(hit.finding.path, []).append(Found(hit.finding, hit.unit, task))
            self.tasks = slicing.tasks
            self.problems += slicing.problems
            self.left = slicing.left
        for entries in self.found.values():
            entries.sort(key=lambda entry: (entry.finding.start, entry.finding.code))
        for display in self.files:
            known = self.surveys[display]
            if display in self.checked and (known.marked or known.removed or display in self.found):
                self._suppress(display)

    def _tell_unmet(self) -> None:
        """Say which entries of the settings nothing meets, as far as the files of the run can tell."""
        settings, both = self.settings, (self.sought, self.around)
        if any(found.whole for found in both) and (
            settings.per_file_ignores or settings.exclude or settings.extend_exclude
        ):
            from scanlint.engine.unmet import unmet_patterns

            excluding = self.sought.met | self.around.met
            files = {*self.files.values(), *self.around.files}
            self.notes += unmet_patterns(files, excluding, settings)
        if any(found.folders for found in both) and (settings.assume_traced or settings.inputs):
            from scanlint.engine.unmet import unmet, unmet_inputs

            thing = "function of the files that were checked"
            self.notes += unmet("assume-traced", settings.assume_traced, set(self.surveys.assumed), thing)
            library = self.team.local.library.values()
            self.notes += unmet_inputs({module.path: module.facts for module in library}, settings)

    def _leave_out(self, error: Unreadable) -> None:
        """Say why a file is no part of the project."""
        if error.syntax:
            self.others.append(syntax_error(error))
        else:
            self.problems.append(problem(error))

    def _suppress(self, display: str) -> None:
        """Take out what the user does not want to hear, and what is only counted; add the ignores that are in vain."""
        source = self.source(display) if self.surveys[display].marked else None
        text = source.text if isinstance(source, SourceFile) else ""
        entries = self.found.get(display, [])
        findings = [entry.finding for entry in entries]
        known = self.surveys[display]
        removed = removed_findings(known) if known.removed and REMOVED_API.code in self.codes else []
        left = suppress([*findings, *removed], display, text, self.settings, self.codes if marked(text) else ())
        listed = [f for f in left if is_listed(f, self.settings)]
        self.below += [f for f in left if not is_listed(f, self.settings)]
        kept = {id(f) for f in listed}
        if entries:
            self.found[display] = [entry for entry in entries if id(entry.finding) in kept]
        made = {id(f) for f in findings}
        self.others += [f for f in listed if id(f) not in made]

    def outcome(self) -> RunOutcome:
        """The state as it is now, as the reports take it."""
        findings = [entry.finding for entries in self.found.values() for entry in entries] + self.others
        findings.sort(key=lambda f: (f.path, f.start, f.code))
        told = {(finding.path, finding.start.line) for finding in (*findings, *self.below)}
        return RunOutcome(
            findings=tuple(findings),
            files=self.read,
            seconds=time.perf_counter() - self.started,
            below=tuple(self.below),
            changes=self.changes,
            problems=tuple(dict.fromkeys(self.problems)),
            notes=tuple(self.notes),
            remarks=tuple(self.cache.remarks) if self.cache is not None else (),
            checked=self.checked,
            left=tuple(loop for loop in dict.fromkeys(self.left) if (loop.path, loop.line) not in told),
            found=self.sought,
        )


def syntax_error(problem: Unreadable) -> Finding:
    """The finding of a file that does not parse."""
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
        level=SYNTAX_ERROR.level,
    )
