"""One run: files, findings, and in fix mode rewrites that were verified."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from scanlint.edits import split_lines
from scanlint.finding import Edit, Finding, Fix, Position
from scanlint.project.sources import SourceFile, Unreadable, decode, discover, read
from scanlint.project.survey import Survey, survey
from scanlint.rules.registry import SYNTAX_ERROR, rules, select, selected_codes
from scanlint.settings import Settings
from scanlint.suppress import MARK
from scanlint.suppress import apply as suppress

if TYPE_CHECKING:
    from scanlint.analysis.unit import Unit
    from scanlint.project.project import Project
    from scanlint.rewrite.fixpoint import Rewriter
    from scanlint.rules.base import Report, Rule


@dataclass(frozen=True)
class Outcome:
    """What a run found and did.

    `changes` maps each rewritten file to its bytes before and after; nothing has been written yet.
    `problems` are files that could not be read and rules that failed: the run's exit code is 2. `notes` are files
    that were left out for a reason that is nobody's fault. `protections` held while code was run to verify it.
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


def check(paths: Sequence[Path], settings: Settings) -> Outcome:
    """The findings of a tree; nothing of it is executed."""
    run = Run(settings)
    run.load([read(path) for path in discover(paths, settings)])
    return run.outcome()


def check_text(text: bytes, filename: Path, settings: Settings) -> Outcome:
    """The findings of one file that is given as text."""
    run = Run(settings)
    run.load([decode(text, filename)])
    return run.outcome()


@dataclass
class Entry:
    """One finding with the unit that it stands in."""

    unit: Unit
    report: Report
    finding: Finding


class Run:
    """The state of one run: what was read, what was found, what was changed."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.started = time.perf_counter()
        self.survey = Survey({}, frozenset(), [])
        self.problems: list[str] = []
        self.notes: list[str] = []
        self.read = 0
        self.entries: dict[str, list[Entry]] = {}
        self.others: list[Finding] = []
        self.files: dict[str, SourceFile] = {}
        self.changes: dict[Path, tuple[bytes, bytes]] = {}

    @cached_property
    def selected(self) -> list[Rule]:
        return [rule() for rule in select(self.settings)]

    @cached_property
    def codes(self) -> frozenset[str]:
        return selected_codes(self.settings)

    @cached_property
    def project(self) -> Project:
        """The interpreted files: imported and worked out only where something can be found."""
        from scanlint.project.project import Project

        return Project.of(self.survey, self.settings)

    @cached_property
    def rewriter(self) -> Rewriter:
        from scanlint.rewrite.fixpoint import Rewriter

        return Rewriter([rule() for rule in rules()], self.settings, self.project.reanalyse, self.problems)

    def load(self, files: Iterable[SourceFile | Unreadable]) -> None:
        """Read the project and collect what the selected rules find."""
        gc.disable()  # nothing is thrown away before the end of the run: collecting costs 15% of it
        listed = list(files)
        self.read = sum(isinstance(file, SourceFile) or file.syntax for file in listed)
        self.survey = survey(listed)
        self.files = {file.display: file for file in listed if isinstance(file, SourceFile)}
        for error in self.survey.errors:
            if error.newer:
                self.notes.append(f"{error.display}: {error.message}")
            elif error.syntax:
                self.others.append(_syntax_error(error))
            else:
                self.problems.append(f"{error.display}: {error.message}")
        if self.settings.assume_traced:
            from scanlint.project.patterns import unmatched

            self.notes += unmatched(self.survey, self.settings)
        if self.survey.can_hold_findings(self.settings):
            self._find()
        for path in self.files:
            self._suppress(path)
        for entries in self.entries.values():
            for entry in entries:
                entry.finding = self._offer(entry)

    def _find(self) -> None:
        for unit in self.project.units():
            for report in self.rewriter.reports(unit, self.selected):
                self.entries.setdefault(unit.source.path, []).append(Entry(unit, report, report.finding))

    def _suppress(self, path: str) -> None:
        """Take out what the user does not want to hear, and add the ignores that are in vain."""
        entries = self.entries.get(path, [])
        if not entries and MARK not in self.files[path].text:
            return
        findings = [e.finding for e in entries]
        left = suppress(findings, path, self.files[path].text, self.settings, self.codes)
        kept = {id(f) for f in left}
        if entries:
            self.entries[path] = [e for e in entries if id(e.finding) in kept]
        made = {id(f) for f in findings}
        self.others += [f for f in left if id(f) not in made]

    def _offer(self, entry: Entry) -> Finding:
        """The finding with the edits of its rewrite, carried through to the end."""
        from scanlint.outcome import Rewrite, Withheld

        if not isinstance(entry.report.outcome, Rewrite):
            return entry.finding
        made = self.rewriter.apply(entry.unit, entry.report)
        if isinstance(made, Withheld):
            return replace(entry.finding, fix=Fix("withheld", made.reason))
        return replace(entry.finding, fix=Fix("available", None, line_edits(entry.unit.source.text, made.text)))

    def outcome(self) -> Outcome:
        findings = [e.finding for entries in self.entries.values() for e in entries] + self.others
        findings.sort(key=lambda f: (f.path, f.start, f.code))
        return Outcome(
            findings=tuple(findings),
            files=self.read,
            seconds=time.perf_counter() - self.started,
            fixed=sum(f.fix.status == "applied" for f in findings),
            withheld=sum(f.fix.status == "withheld" for f in findings),
            changes=self.changes,
            problems=tuple(dict.fromkeys(self.problems)),
            notes=tuple(self.notes),
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


def line_edits(old: str, new: str) -> tuple[Edit, ...]:
    """The edits, in whole lines, that turn one text into the other."""
    from difflib import SequenceMatcher

    before, after = split_lines(old), split_lines(new)
    head = 0
    while head < min(len(before), len(after)) and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < min(len(before), len(after)) - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    matcher = SequenceMatcher(None, before[head : len(before) - tail], after[head : len(after) - tail], autojunk=False)
    edits = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag != "equal":
            start, end = Position(head + i1 + 1, 1), Position(head + i2 + 1, 1)
            edits.append(Edit(start, end, "".join(after[head + j1 : head + j2])))
    return tuple(edits)
