"""Rewrites what is found in one unit, asks for verdicts, and keeps what was verified."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from scanlint.engine.session import Found
from scanlint.engine.suppress import apply as suppress
from scanlint.finding import Fix, Report, Rewrite, Verification, Withheld
from scanlint.fix.entries import PendingFix, absorbed, changed_around, match, put_back
from scanlint.project.files import SourceFile
from scanlint.rewrite.emit.imports import add_imports
from scanlint.rewrite.lower.loops.carry_types import with_starts
from scanlint.settings import Settings
from scanlint.syntax.edits import apply_edits, earlier_line
from scanlint.trace.unit import Unit

MOST_ROUNDS = 4
"""How often a unit is looked at again for what has become worth rewriting by the last rewrites."""
MOST_REPAIRS = 3
UNTRACED = "other places still keep the function from being traced"
"""Part of the reason why a rewrite is withheld until that of what it calls is verified."""
ELSEWHERE = "verified-elsewhere: it was tested where the verdict was imported from, not here"
NO_ROWS = "where there are no rows, what the loop starts with has the shape of a row"
Ask = Callable[[Unit, str, str], Verification]
"""Gives the verdict on a unit in two texts of its file."""


class RewriteStep(NamedTuple):
    """One rewrite with the whole text after it, and whether there is a plainer one yet, or one with weak numbers."""

    entry: PendingFix
    text: str
    plainer: bool = False
    weak: bool = False


Steps = list[RewriteStep]


class Verified(NamedTuple):
    """Rewrites, the verdict on the last text, and why it is withheld, where known."""

    steps: Steps
    verdict: Verification
    withheld: str | None = None


class UnitFixer:
    """Fixes the units of one file; `alone`: and nothing that is found only after what was to be fixed."""

    def __init__(self, file: SourceFile, settings: Settings, ask: Ask, *, alone: bool) -> None:
        self.file = file
        self.settings = settings
        self.ask = ask
        self.alone = alone

    def fix_all(self, entries: list[PendingFix], text: str) -> str:
        """The text with what verifies of the rewrites of a unit, and of what is found in it after them.

        All is compared with the first text: a `where` in the place of an `if` takes inputs that the `if` does not.
        """
        wanted, first = entries, text
        for _ in range(MOST_ROUNDS):
            before, text = text, self.fix(wanted, text, first)
            same = self.alone or text == before
            more = [] if same else self._appeared(entries, text)
            if not more:
                break
            wanted = [*more, *(e for e in entries if e.finding.verification is None)]
            entries += more
        return text

    def _appeared(self, entries: Sequence[PendingFix], text: str) -> list[PendingFix]:
        """What is found in a rewritten unit alone: a loop may be worth a rewrite only after the one in it."""
        first = entries[0]
        unit = first.bench.project.reanalyse(first.unit, text)
        if unit is None:
            return []
        before = {context.qualname for context in first.unit.contexts.values()}
        reports = [r for r in first.bench.rewriter.reports(unit, first.bench.selected) if r.finding.function in before]
        known = match(reports, [e for e in entries if e.finding.fix.status != "applied"])
        left = [r for r in reports if not any(r is report for report, _ in known)]
        line = earlier_line(self.file.text, text)
        found = {id(r): put_back(r.finding, line) for r in left}
        heard = suppress(list(found.values()), unit.source.path, self.file.text, self.settings, ())
        return [
            PendingFix(first.bench, unit, r, Found(found[id(r)], first.found.unit, first.found.task), later=True)
            for r in left
            if any(found[id(r)] is finding for finding in heard)
        ]

    def fix(self, entries: list[PendingFix], text: str, first: str) -> str:
        """The text with as much of the unit's rewrite as verifies, beside the `first` text where that is understood.

        What is withheld by itself takes part: the rewrite of the loop around it may deal with it.
        """
        wanted = [e for e in entries if e.finding.fix.status in ("available", "withheld")]
        unit = wanted[0].bench.project.reanalyse(wanted[0].unit, text) if wanted else None
        if unit is None:
            return text
        whole = self._attempt(unit, wanted, first)
        if whole is not None and first != text and whole.verdict.verdict == "unknown":
            first, whole = text, self._attempt(unit, wanted, text)
        if whole is None:
            return text
        if not self._good(whole.verdict):
            whole = self._followed(unit, entries, whole, first)
        if self._good(whole.verdict) or len(whole.steps) == 1 or whole.verdict.elsewhere:
            return self._settle(whole, text)
        return self._one_by_one(unit, [step.entry for step in whole.steps], text)

    def _followed(self, unit: Unit, entries: list[PendingFix], whole: Verified, text: str) -> Verified:
        """The same with rewrites of what became tracers by these, where that is all they lack."""
        made, more = whole, list[PendingFix]()
        while not self.alone and UNTRACED in (made.verdict.reason or "") and len(more) < MOST_ROUNDS:
            new = self._appeared([*entries, *more], made.steps[-1].text)
            steps = self._rewrite(new[0].unit, new) if new else []
            if not steps:
                return whole
            more += new
            made = self._verified(unit, text, [*made.steps, *steps])
        if not self._good(made.verdict):
            return whole
        entries += more
        return made

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
        typed = [False, True] if any(step.weak for step in steps) else [False]
        for weak in typed:
            plainer = 0 if weak else 1
            while steps and made.verdict.verdict == "refuted" and (plainer == 0 or any(s.plainer for s in steps)):
                steps = self._rewrite(unit, entries, plainer=plainer, weak=weak)
                made = self._verified(unit, text, steps) if steps else made
                plainer += 1
        return made

    def _verified(self, unit: Unit, old: str, steps: Steps) -> Verified:
        """The verdict on some rewrites. Carries that change their type are given another start, which is verified."""
        verdict = self.ask(unit, old, steps[-1].text)
        first = Verified(steps, verdict)
        for _ in range(MOST_REPAIRS):
            if not verdict.carries:
                break
            text = steps[-1].text
            again = steps[-1].entry.bench.project.reanalyse(unit, text)
            certain = all((step.entry.finding.trips or 0) > 0 for step in steps)
            if self._good(verdict) and not certain and verdict is first.verdict:
                break  # what it starts with also holds where there are no rows; a start that was given does not
            made = with_starts(again or unit, text, verdict.carries, certain)
            if isinstance(made, Withheld):
                return first if self._good(first.verdict) else Verified(steps, verdict, made.reason)
            text = add_imports(apply_edits(text, made.edits), made.imports)
            steps = [*steps[:-1], steps[-1]._replace(text=text)]
            verdict = self.ask(unit, old, text)
            if not certain:
                verdict = replace(verdict, notes=(*verdict.notes, NO_ROWS))
        mended = Verified(steps, verdict)
        return first if self._good(first.verdict) and not self._good(verdict) else mended

    def _settle(self, verified: Verified, text: str) -> str:
        """Record the verdict with its findings; the new text if it may be written."""
        steps, verdict = verified.steps, verified.verdict
        verified = self._held(verified) if self._good(verdict) else verified
        good = self._good(verdict) and not verified.withheld
        for entry, *_ in steps:
            why = None if good else verified.withheld or _why(verdict)
            fix = replace(entry.finding.fix, status="applied" if good else "withheld", reason=why)
            entry.finding = replace(entry.finding, fix=fix, verification=verdict)
        return steps[-1].text if good and steps else text

    def _held(self, verified: Verified) -> Verified:
        """The same, withheld where the file cannot hold it."""
        refusal = self.file.refusal(verified.steps[-1].text) if verified.steps else ""
        return verified._replace(withheld=refusal) if refusal else verified

    def _good(self, verdict: Verification) -> bool:
        unsafe = self.settings.unsafe_fixes and verdict.verdict == "unknown"
        return (verdict.verdict in ("proved", "tested") and not verdict.elsewhere) or unsafe

    # -- rewriting

    def _rewrite(self, unit: Unit, entries: Sequence[PendingFix], *, plainer: int = 0, weak: bool = False) -> Steps:
        """Apply the rewrites one after the other, inner ones first; so many times `plainer` where there are such.

        `weak`: those that have forms with weakly typed numbers take these.
        """
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
            forms = _forms(rewrite, weak=weak)
            typed, left = any(form.weak for form in rewrite.choices()), plainer < len(forms) - 1
            rewrite = forms[min(plainer, len(forms) - 1)]
            report = report._replace(outcome=rewrite)
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
            steps += [RewriteStep(e, made.text, left, typed) for e in (entry, *gone)]


def _why(verdict: Verification) -> str:
    """Why a rewrite with this verdict is withheld."""
    return ELSEWHERE if verdict.verdict == "tested" else f"{verdict.verdict}: {verdict.reason}"


def _forms(rewrite: Rewrite, *, weak: bool) -> list[Rewrite]:
    """The rewrite and its plainer forms: those with weakly typed numbers, or the others (all where none are weak)."""
    every = [rewrite]
    while (plainer := every[-1].plainer) is not None:
        every.append(plainer)
    return [form for form in every if form.weak is weak] or every


def _test(entry: PendingFix) -> str:
    node = entry.report.node
    return ast.unparse(node.test) if isinstance(node, ast.If) else ""
