"""Fix mode: rewrite unit by unit, verify each by running both versions, keep only what was verified."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from scanlint.engine.analyst import Bench
from scanlint.engine.session import Found, RunOutcome, Session
from scanlint.engine.suppress import apply as suppress
from scanlint.engine.tasks import SliceTask, UnitKey
from scanlint.finding import Finding, Fix, Report, Rewrite, Verification, Withheld, spot
from scanlint.fix.entries import PendingFix, absorbed, changed_around, match, put_back
from scanlint.fix.leftovers import drop_gone
from scanlint.fix.questions import Questions
from scanlint.project.files import SourceFile, Unreadable, around, decode, discover
from scanlint.rewrite.emit.imports import add_imports
from scanlint.rewrite.lower.loops.carry_types import with_starts
from scanlint.settings import Settings
from scanlint.syntax.edits import apply_edits, earlier_line
from scanlint.trace.unit import Unit

NOT_ALONE = Fix("withheld", "not-alone: it is rewritten only together with others, which was not verified")
MOST_ROUNDS = 4
"""How often a unit is looked at again for what has become worth rewriting by the last rewrites."""

MOST_REPAIRS = 3
UNTRACED = "other places still keep the function from being traced"
"""Part of the reason why a rewrite is withheld until that of what it calls is verified."""
NO_ROWS = "where there are no rows, what the loop starts with has the shape of a row"


class RewriteStep(NamedTuple):
    """One rewrite with the whole text after it, and whether there is a plainer one yet."""

    entry: PendingFix
    text: str
    plainer: bool = False


Steps = list[RewriteStep]


class Verified(NamedTuple):
    """Rewrites, the verdict on the last text, and why it is withheld, where known."""

    steps: Steps
    verdict: Verification
    withheld: str | None = None


class FileDraft(NamedTuple):
    """A file with its findings, those of before and those of each unit, and with the text that it has by now.

    `limited`: a verdict on it may be another one the next time.
    """

    file: SourceFile
    before: tuple[Finding, ...]
    text: str
    groups: list[list[PendingFix]]
    limited: bool


def fix(paths: Sequence[Path], settings: Settings, progress: Callable[[str], None]) -> RunOutcome:
    """The findings of a tree, with what was rewritten and verified."""
    with Session(settings) as session:
        session.load(list(discover(paths, settings)), around(paths, settings))
        session.team.close()
        with Fixer(session, progress) as fixer:
            fixer.fix_all()
        return replace(session.outcome(), protections=fixer.protections)


def fix_text(text: bytes, filename: Path, settings: Settings, progress: Callable[[str], None]) -> RunOutcome:
    """The same for one file that is given as text."""
    with Session(settings) as session:
        session.load_text(decode(text, filename))
        with Fixer(session, progress) as fixer:
            fixer.fix_all()
        return replace(session.outcome(), protections=fixer.protections)


class Fixer:
    """Turns the findings of a run into verified changes; `alone`: and nothing that is found only after these."""

    def __init__(self, session: Session, progress: Callable[[str], None], *, alone: bool = False) -> None:
        self.session = session
        self.alone = alone
        self.questions = Questions(session, progress)
        self._drafts: dict[str, FileDraft] = {}
        self._file: SourceFile | None = None
        self._last: tuple[SliceTask, Bench] | None = None

    def __enter__(self) -> Fixer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.questions.close()

    @property
    def protections(self) -> tuple[str, ...]:
        """What kept the code under test from doing harm; nothing where none was run."""
        return self.questions.protections

    def fix_all(self) -> None:
        """Rewrite every file that has something to rewrite."""
        vain = {f.path for f in self.session.others if f.fix.status == "available"}
        wanted = {
            d for d, listed in self.session.found.items() if any(f.finding.fix.status == "available" for f in listed)
        }
        for path in self.session.files:
            if path in vain or path in wanted:
                self._fix_file(path)
        for _ in range(MOST_ROUNDS):
            changed = [self._fix_callers(path) for path in list(self._drafts)]
            if not any(changed):
                break
        for path, draft in self._drafts.items():
            if self.questions.kept is not None and not draft.limited and not self.alone:
                after = [found.finding for found in self.session.found.get(path, [])]
                self.questions.kept.keep_fixed(path, draft.before, draft.text, after)

    def _fix_file(self, path: str) -> None:
        file = self.session.source(path)
        if isinstance(file, Unreadable):
            self.session.problems.append(f"{path}: {file.message}")
            return
        self._file = file
        vain = [f for f in self.session.others if f.path == path and f.fix.status == "available"]
        self.session.others = [
            replace(f, fix=replace(f.fix, status="applied")) if f in vain else f for f in self.session.others
        ]
        before = [*vain, *(found.finding for found in self.session.found.get(path, []))]
        text = self._known(path, before)
        if text is None:
            self.questions.limited = False
            groups: list[list[PendingFix]] = []
            text = apply_edits(file.text, [e for f in vain for e in f.fix.edits])
            text = self._fix_units(path, file.text, text, groups)
            self._drafts[path] = FileDraft(file, tuple(before), text, groups, self.questions.limited)
        self._change(path, file, text)

    def _change(self, path: str, file: SourceFile, text: str) -> None:
        """The text of a file as it is by now: to be written in the end, and imported where others are verified."""
        if text != file.text:
            self.session.changes[file.path] = (file.data, file.encode(text))
            self.questions.changed[path] = text

    def _fix_callers(self, path: str) -> bool:
        """Try once more what could not be traced before the functions that it calls were rewritten."""
        draft = self._drafts[path]
        self._file = draft.file
        text, self.questions.limited = draft.text, draft.limited
        for entries in draft.groups:
            if any(_untraced(entry.finding) for entry in entries):
                text = self._fix_unit(entries, text)
        self._drafts[path] = draft._replace(text=text, limited=self.questions.limited)
        self._change(path, draft.file, text)
        return text != draft.text

    def _known(self, path: str, before: Sequence[Finding]) -> str | None:
        """The text that an earlier run came to, with its findings in the place of these."""
        kept = self.questions.kept
        known = kept.fixed(path, before) if kept is not None and not self.alone else None
        if known is None:
            return None
        listed = self.session.found.get(path, [])
        if listed:
            self.session.found[path] = [replace(listed[0], finding=finding) for finding in known.findings]
        return known.text

    def _fix_units(self, path: str, file: str, text: str, groups: list[list[PendingFix]]) -> str:
        """The text of a file with what verifies of the rewrites of its units; `file` is the text as it was."""
        seen: list[PendingFix] = []
        for entries in self._units(path):
            groups.append(entries)
            wanted = entries
            for _ in range(MOST_ROUNDS):
                before, text = text, self._fix_unit(wanted, text)
                same = self.alone or text == before
                more = [] if same else self._appeared(entries, file, text)
                if not more:
                    break
                wanted = [*more, *(e for e in entries if e.finding.verification is None)]
                entries += more
            for entry in entries:
                if entry.finding.fix.status == "available":
                    entry.finding = replace(entry.finding, fix=NOT_ALONE)
            seen += entries
        if text != file and self._file is not None:
            drop_gone(self.session, seen, self._file._replace(text=text))
        return text

    def _units(self, path: str) -> Iterator[list[PendingFix]]:
        """The findings of a file by unit, each with its report in the analysis that found it."""
        groups: dict[UnitKey, list[Found]] = {}
        for found in self.session.found.get(path, []):
            groups.setdefault(found.unit, []).append(found)
        for key, listed in groups.items():
            if any(found.finding.fix.status == "available" for found in listed):
                yield self._entries(key, listed)

    def _entries(self, key: UnitKey, listed: Sequence[Found]) -> list[PendingFix]:
        bench = self._bench(listed[0].task)
        entries: list[PendingFix] = []
        for unit, reports in bench.reports({key}):
            for found in listed:
                same = (r for r in reports if spot(r.finding) == spot(found.finding))
                if (report := next(same, None)) is not None:
                    entries.append(PendingFix(bench, unit, report, found))
        return entries

    def _bench(self, task: SliceTask) -> Bench:
        """The analysis of a slice, made again; the last one is kept, for units that follow each other share it."""
        if self._last is None or self._last[0] != task:
            self._last = task, self.session.team.local.bench(task, self.session.problems)
        return self._last[1]

    def _appeared(self, entries: Sequence[PendingFix], old: str, text: str) -> list[PendingFix]:
        """What is found in a rewritten unit alone: a loop may be worth a rewrite only after the one in it."""
        first = entries[0]
        unit = first.bench.project.reanalyse(first.unit, text)
        if unit is None:
            return []
        before = {context.qualname for context in first.unit.contexts.values()}
        reports = [r for r in first.bench.rewriter.reports(unit, first.bench.selected) if r.finding.function in before]
        known = match(reports, [e for e in entries if e.finding.fix.status != "applied"])
        left = [r for r in reports if not any(r is report for report, _ in known)]
        line = earlier_line(old, text)
        found = {id(r): put_back(r.finding, line) for r in left}
        heard = suppress(list(found.values()), unit.source.path, old, self.session.settings, ())
        made = [
            PendingFix(first.bench, unit, r, Found(found[id(r)], first.found.unit, first.found.task), later=True)
            for r in left
            if any(found[id(r)] is finding for finding in heard)
        ]
        self.session.found[unit.source.path] += [entry.found for entry in made]
        return made

    # -- one unit

    def _fix_unit(self, entries: list[PendingFix], text: str) -> str:
        """The text with as much of the unit's rewrite as verifies.

        What is withheld by itself takes part: the rewrite of the loop around it may deal with it.
        """
        wanted = [e for e in entries if e.finding.fix.status in ("available", "withheld")]
        unit = wanted[0].bench.project.reanalyse(wanted[0].unit, text) if wanted else None
        if unit is None:
            return text
        whole = self._attempt(unit, wanted, text)
        if whole is None:
            return text
        if self._good(whole.verdict) or len(whole.steps) == 1:
            return self._settle(whole, text)
        return self._one_by_one(unit, [step.entry for step in whole.steps], text)

    def _one_by_one(self, unit: Unit, entries: Sequence[PendingFix], text: str) -> str:
        """The whole was not verified: add one rewrite after the other and keep those that are."""
        for entry in entries:
            again = entry.bench.project.reanalyse(unit, text)
            made = self._attempt(again, [entry], text) if again is not None else None
            if made is not None:
                text = self._settle(made, text)
                self._take_in(unit, made, entries)
        return text

    def _take_in(self, unit: Unit, made: Verified, entries: Sequence[PendingFix]) -> None:
        """Findings of which nothing stands any more share the verdict, whatever was said of them alone."""
        last = made.steps[-1]
        left = [e for e in entries if e.finding.fix.status != "applied" and isinstance(e.report.node, ast.If)]
        bench = last.entry.bench
        after = bench.project.reanalyse(unit, last.text) if left and self._good(made.verdict) else None
        if after is None:
            return
        standing = {ast.unparse(node.test) for node in after.every(ast.If)}
        gone = absorbed(after, last.entry.report, bench.rewriter.reports(after, bench.selected), left, {})
        self._settle(
            made._replace(steps=[RewriteStep(e, last.text) for e in gone if _test(e) not in standing]), last.text
        )

    def _attempt(self, unit: Unit, entries: list[PendingFix], text: str) -> Verified | None:
        """Some rewrites with their verdict, the plainer ones where those are refuted; None if there are none."""
        steps = self._rewrite(unit, entries)
        if not steps:
            return None
        made = self._verified(unit, text, steps)
        plainer = 0
        while steps and made.verdict.verdict == "refuted" and any(step.plainer for step in steps):
            plainer += 1
            steps = self._rewrite(unit, entries, plainer=plainer)
            made = self._verified(unit, text, steps) if steps else made
        return made

    def _verified(self, unit: Unit, old: str, steps: Steps) -> Verified:
        """The verdict on some rewrites. Carries that change their type are given another start, which is verified."""
        verdict = self.questions.verdict(unit, old, steps[-1].text)
        for _ in range(MOST_REPAIRS):
            if verdict.verdict != "refuted" or not verdict.carries:
                break
            text = steps[-1].text
            again = steps[-1].entry.bench.project.reanalyse(unit, text)
            certain = all((step.entry.finding.trips or 0) > 0 for step in steps)
            made = with_starts(again or unit, text, verdict.carries, certain)
            if isinstance(made, Withheld):
                return Verified(steps, verdict, made.reason)
            text = add_imports(apply_edits(text, made.edits), made.imports)
            steps = [*steps[:-1], steps[-1]._replace(text=text)]
            verdict = self.questions.verdict(unit, old, text)
            if not certain:
                verdict = replace(verdict, notes=(*verdict.notes, NO_ROWS))
        return Verified(steps, verdict)

    def _settle(self, verified: Verified, text: str) -> str:
        """Record the verdict with its findings; the new text if it may be written."""
        steps, verdict = verified.steps, verified.verdict
        verified = self._held(verified) if self._good(verdict) else verified
        good = self._good(verdict) and not verified.withheld
        for entry, *_ in steps:
            why = None if good else verified.withheld or f"{verdict.verdict}: {verdict.reason}"
            fix = replace(entry.finding.fix, status="applied" if good else "withheld", reason=why)
            entry.finding = replace(entry.finding, fix=fix, verification=verdict)
        return steps[-1].text if good and steps else text

    def _held(self, verified: Verified) -> Verified:
        """The same, withheld where the file cannot hold it."""
        refusal = self._file.refusal(verified.steps[-1].text) if self._file is not None and verified.steps else ""
        return verified._replace(withheld=refusal) if refusal else verified

    def _good(self, verdict: Verification) -> bool:
        unsafe = self.session.settings.unsafe_fixes and verdict.verdict == "unknown"
        return verdict.verdict in ("proved", "tested") or unsafe

    # -- rewriting

    def _rewrite(self, unit: Unit, entries: Sequence[PendingFix], *, plainer: int = 0) -> Steps:
        """Apply the rewrites one after the other, inner ones first; so many times `plainer` where there are such."""
        bench, remaining, tried = entries[0].bench, list(entries), set[int]()
        before = {context.qualname for context in unit.contexts.values()}
        steps: Steps = []
        renamed: dict[int, Report] = {}
        reports = bench.rewriter.reports(unit, bench.selected)
        while True:
            own = [r for r in reports if r.finding.function in before]
            pairs = [(r, e) for r, e in match(own, remaining, renamed) if id(e) not in tried]
            ready = [r for r, _ in pairs if isinstance(r.outcome, Rewrite)]
            if not ready:
                return steps
            report = bench.rewriter.innermost(ready, [r for r, _ in pairs])
            entry = next(e for r, e in pairs if r is report)
            tried.add(id(entry))
            rewrite = report.outcome
            assert isinstance(rewrite, Rewrite)
            for _ in range(plainer):
                rewrite = rewrite.plainer or rewrite
            report, left = report._replace(outcome=rewrite), rewrite.plainer is not None
            made = bench.rewriter.apply(unit, report)
            if isinstance(made, Withheld):
                entry.finding = replace(entry.finding, primitive=rewrite.primitive, fix=Fix("withheld", made.reason))
                continue
            entry.finding = replace(entry.finding, primitive=made.primitive or rewrite.primitive)
            remaining.remove(entry)
            unit = made.unit
            reports = bench.rewriter.reports(unit, bench.selected)
            renamed |= changed_around(report, pairs, reports)
            gone = absorbed(unit, report, reports, remaining, renamed)
            remaining = [e for e in remaining if e not in gone]
            steps += [RewriteStep(e, made.text, left) for e in (entry, *gone)]


def _untraced(finding: Finding) -> bool:
    """Whether a rewrite agrees with the old version, and what it calls keeps it from being verified."""
    told = finding.verification.reason if finding.verification is not None else None
    return finding.fix.status == "withheld" and UNTRACED in (told or "")


def _test(entry: PendingFix) -> str:
    node = entry.report.node
    return ast.unparse(node.test) if isinstance(node, ast.If) else ""
