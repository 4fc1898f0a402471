"""Fix mode: rewrite unit by unit, verify each by running both versions, keep only what was verified."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from itertools import dropwhile, islice
from typing import NamedTuple

from scanlint.engine.session import Session
from scanlint.engine.tasks import UnitKey
from scanlint.finding import Finding, Fix, Verification
from scanlint.fix.begun import FileToFix, begun, change, settle
from scanlint.fix.entries import PendingFix, loop_stands, match
from scanlint.fix.questions import Questions
from scanlint.fix.unit_fixer import MOST_ROUNDS, UNTRACED, UnitFixer
from scanlint.fix.units import Units
from scanlint.project.files import SourceFile
from scanlint.trace.unit import Unit

NOT_ALONE = Fix("withheld", "not-alone: it is rewritten only together with others, which was not verified")


@dataclass
class FileDraft:
    """A file with the text that it has by now, and its findings by unit; `limited`: another run may come to others."""

    begun: FileToFix
    text: str
    groups: list[list[PendingFix]] = field(default_factory=list)
    limited: bool = False


class Fixer(AbstractContextManager["Fixer"]):
    """Turns the findings of a run into verified changes; `alone`: and nothing that is found only after these."""

    def __init__(self, session: Session, progress: Callable[[str], None], *, alone: bool = False) -> None:
        self.session = session
        self.alone = alone
        self.questions = Questions(session, progress)
        self.units = Units(session, session.problems)
        self._drafts: dict[str, FileDraft] = {}

    def __exit__(self, *raised: object) -> None:
        self.questions.close()

    @property
    def protections(self) -> tuple[str, ...]:
        """What kept the code under test from doing harm; nothing where none was run."""
        return self.questions.protections

    def fix_all(self) -> None:
        """Rewrite every file that has something to rewrite."""
        self.fix(list(begun(self.session, lambda: None if self.alone else self.questions.kept)))

    def fix(self, files: Sequence[FileToFix]) -> None:
        """Rewrite some files."""
        self.questions.line.total = sum(len(self.units.of(file.path)) for file in files if file.known is None)
        ahead = Ahead(self.session, self.questions, files) if self.questions.jobs > 1 and not self.alone else None
        for file in files:
            self._fix_file(file, ahead)
        for _ in range(MOST_ROUNDS):
            changed = [self._fix_callers(draft) for draft in self._drafts.values()]
            if not any(changed):
                break
        self._keep()

    def _fix_file(self, begun: FileToFix, ahead: Ahead | None) -> None:
        if begun.known is not None:
            settle(self.session, begun, begun.known)
            self._change(begun, begun.known.text)
            return
        draft = FileDraft(begun, begun.text)
        self.questions.limited = False
        self._fix_units(draft, ahead)
        draft.limited = self.questions.limited
        self._drafts[begun.path] = draft
        self._change(begun, draft.text)

    def _change(self, begun: FileToFix, text: str) -> None:
        """The text of a file as it is by now: to be written in the end, and imported where others are verified."""
        if change(self.session, begun, text):
            self.questions.changed[begun.path] = text

    def _fix_callers(self, draft: FileDraft) -> bool:
        """Try once more what could not be traced before the functions that it calls were rewritten."""
        before, self.questions.limited = draft.text, draft.limited
        for entries in draft.groups:
            if any(_untraced(entry.finding) for entry in entries):
                known = len(entries)
                draft.text = self._unit_fixer(draft).fix(entries, draft.text, draft.text)
                self.session.found[draft.begun.path] += [entry.found for entry in entries[known:]]
        draft.limited = self.questions.limited
        self._change(draft.begun, draft.text)
        return draft.text != before

    def _fix_units(self, draft: FileDraft, ahead: Ahead | None) -> None:
        """Bring a file to the text with what verifies of the rewrites of its units."""
        path, file = draft.begun.path, draft.begun.file
        for key, listed in self.units.of(path):
            if ahead is not None:
                ahead.reach(key, draft.text)
            entries = self.units.entries(key, listed)
            draft.groups.append(entries)
            draft.text = self._unit_fixer(draft).fix_all(entries, draft.text)
            self.session.found[path] += [entry.found for entry in entries if entry.later]
            for entry in entries:
                if entry.finding.fix.status == "available":
                    entry.finding = replace(entry.finding, fix=NOT_ALONE)
        if draft.text != file.text:
            drop_gone(self.session, [e for group in draft.groups for e in group], file._replace(text=draft.text))

    def _unit_fixer(self, draft: FileDraft) -> UnitFixer:
        return UnitFixer(draft.begun.file, self.session.settings, self.questions.verdict, alone=self.alone)

    def _keep(self) -> None:
        """Keep what became of each file, where nothing else may come of it the next time."""
        kept = self.questions.kept
        if kept is None or self.alone:
            return
        for path, draft in self._drafts.items():
            file = draft.begun.file
            if draft.text != file.text and not self.session.settings.unsafe_fixes:
                kept.keep_rewritten(file.data, file.encode(draft.text))
            if not draft.limited:
                after = [found.finding for found in self.session.found.get(path, [])]
                kept.keep_fixed(path, draft.begun.before, draft.text, after)


def _untraced(finding: Finding) -> bool:
    """Whether a rewrite agrees with the old version, and what it calls keeps it from being verified."""
    told = finding.verification.reason if finding.verification is not None else None
    return finding.fix.status == "withheld" and UNTRACED in (told or "")


def drop_gone(session: Session, entries: Sequence[PendingFix], changed: SourceFile) -> None:
    """Findings that a changed file no longer has, whatever became of their own rewrites: others dealt with them."""
    left = [e for e in entries if e.finding.fix.status != "applied"]
    if not left or len(left) == len(entries):
        return
    for task in dict.fromkeys(entry.found.task for entry in left):
        bench = session.team.local.bench(task, session.problems, changed, listed=True)
        mine = [e for e in left if e.found.task == task]
        now = list(bench.reports({e.found.unit for e in mine}))
        standing = {id(entry) for _, entry in match([r for _, listed in now for r in listed], mine)}
        for entry in mine:
            if id(entry) not in standing and not any(loop_stands(unit, entry.report) for unit, _ in now):
                _take_out(session, entry, entries)


def _take_out(session: Session, entry: PendingFix, entries: Sequence[PendingFix]) -> None:
    """A finding that is gone shares the verdict of what was rewritten around it.

    One that was found only in a text in between was never in the file.
    """
    if entry.later:
        session.found[entry.finding.path].remove(entry.found)
        return
    beside = [e for e in entries if e.found.unit == entry.found.unit and e.finding.fix.status == "applied"]
    if beside:
        fix = replace(entry.finding.fix, status="applied", reason=None)
        entry.finding = replace(entry.finding, fix=fix, verification=beside[-1].finding.verification)


UNITS = 2
"""How many units ahead each verifier has something to do."""


class Stand(NamedTuple):
    """How things stand when a unit's turn comes: the text of its file by then, and those of the files before it."""

    key: UnitKey
    text: str
    changed: Mapping[str, str]


class Ahead:
    """Drafts the rewrites of units on copies of their findings; nothing of the run is changed by it."""

    def __init__(self, session: Session, questions: Questions, files: Sequence[FileToFix]) -> None:
        self.session = session
        self.questions = questions
        self.files = files
        self.units = Units(session, [])
        self._drafts: Iterator[Stand] = iter(())
        self._foreseen: deque[Stand] = deque()

    def reach(self, key: UnitKey, text: str) -> None:
        """The turn of a unit has come: drafting goes on, or begins anew where this was not foreseen."""
        now = Stand(key, text, dict(self.questions.changed))
        if not self._foreseen or self._foreseen.popleft() != now:
            self.questions.forget_foreseen()
            self._foreseen.clear()
            self._drafts = self._drafted(now)
        wanted = UNITS * self.questions.jobs - len(self._foreseen)
        self._foreseen.extend(islice(self._drafts, wanted))

    def _drafted(self, now: Stand) -> Iterator[Stand]:
        """Ask about a unit and those after it, one by one; how things stand is told before each but the first."""
        changed = dict(now.changed)
        begun = False
        for file in dropwhile(lambda file: now.key not in dict(self.units.of(file.path)), self.files):
            text = file.text if begun else now.text
            for key, listed in self.units.of(file.path) if file.known is None else ():
                if begun:
                    yield Stand(key, text, dict(changed))
                elif key != now.key:
                    continue
                begun = True
                found = [replace(entry) for entry in listed]
                text = self._fixer(file, changed).fix_all(self.units.entries(key, found), text)
            text = file.known.text if file.known is not None else text
            if text != file.file.text:
                changed[file.path] = text

    def _fixer(self, file: FileToFix, changed: Mapping[str, str]) -> UnitFixer:
        def ask(unit: Unit, old: str, new: str) -> Verification:
            return self.questions.foresee(unit, old, new, changed)

        return UnitFixer(file.file, self.session.settings, ask, alone=False)
