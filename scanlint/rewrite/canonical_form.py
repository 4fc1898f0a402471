"""A function in canonical form, in which it is rewritten; what a rewrite leaves alone stays as it was written.

The rewriters move lines of text about: they work on the canonical form, so no layout keeps them from it. Where they
fail on that, they work on the bare form, in which there are neither comments nor line breaks in brackets.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from scanlint.finding import Edit, Position, Report, Rewrite, Withheld
from scanlint.rewrite.breaks import QUOTED, Break, breaks, unusual
from scanlint.rewrite.emit.kept_comments import with_remarks
from scanlint.syntax.edits import apply_edits, line_edits
from scanlint.syntax.regex import regex
from scanlint.syntax.source import Source
from scanlint.trace.unit import Unit

LINES = regex(r"(?<=\bline )\d+")


class Canonical(NamedTuple):
    """A unit in canonical form; `old` is the source as written, `breaks` are the places where the two differ.

    `bare`: it has no comments; they are put back above what stands in the place of their statements.
    """

    unit: Unit
    old: Source
    breaks: tuple[Break, ...]
    bare: bool

    def written(self, place: Position) -> Position:
        """Where a place of the canonical form stands in the text as written."""
        lines = here = moved = 0
        for made in self.breaks:
            added = made.text.count("\n")
            line = made.start.line + lines + added
            column = len(made.text) - made.text.rfind("\n")
            if not added:
                column += made.start.column - 1 - (moved if line == here else 0)
            if place < Position(line, column):
                break
            lines += added - (made.end.line - made.start.line)
            here, moved = line, made.end.column - column
        return Position(place.line - lines, place.column + (moved if place.line == here else 0))

    def restored(self, new: Source) -> Source:
        """A changed canonical form, with the lines that were left alone as they were written."""
        old, canonical = self.old, self.unit.source
        if new.file is not canonical.file or new.file is None:  # more than the window changed
            old, canonical, new = old.file_now, canonical.file_now, replace(new.file_now, added=new.added)
        edits, above = list(line_edits(canonical.text, new.text)), canonical.above
        for (first, last), (low, high) in self._groups():
            if not any(touches(edit, low - above, high - above) for edit in edits):
                line = "".join(old.lines[first - 1 : last])
                edits.append(Edit(Position(low - above, 1), Position(high - above + 1, 1), line))
        made = apply_edits(canonical.text, edits)
        for one in self.breaks:
            if QUOTED.fullmatch(one.text) and one.text not in old.text:
                made = made.replace(one.text, old.between(one.start, one.end))
        if self.bare:
            made = apply_edits(old.text, with_remarks(old.text, line_edits(old.text, made)))
        return replace(old, text=made, added=new.added)

    def _groups(self) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
        """Lines as written that were broken, and the lines that they became."""
        lines = 0
        first = last = low = high = 0
        for made in self.breaks:
            if last and made.start.line > last:
                yield (first, last), (low, high)
                last = 0
            if not last:
                first, low = made.start.line, made.start.line + lines
            lines += made.text.count("\n") - (made.end.line - made.start.line)
            last, high = made.end.line, made.end.line + lines
        if last:
            yield (first, last), (low, high)

    def twins(self, reports: Iterable[Report], mine: Iterable[Report]) -> list[Report]:
        """Reports of which the rewrite is withheld, with the rewrite that this form of the unit has."""
        known = {(r.finding.code, self.written(r.finding.start), r.finding.function): r for r in mine}
        return [_twin(r, known.get((r.finding.code, r.finding.start, r.finding.function))) for r in reports]

    def said(self, text: str) -> str:
        """A sentence that speaks of lines of the canonical form, with those of the text as written."""
        return LINES.sub(lambda found: str(self.written(Position(int(found[0]), 1 << 20)).line), text)

    def reports(self, written: Iterable[Report], canonical: Iterable[Report]) -> list[Report]:
        """What is found in the canonical form, in the places of the text as written, for the same reasons as there."""
        known = {(r.finding.code, r.finding.start, r.finding.function): r for r in written}
        return [self._report(r, known) for r in canonical]

    def _report(self, report: Report, known: Mapping[tuple[str, Position, str | None], Report]) -> Report:
        found = report.finding
        start, end = self.written(found.start), self.written(found.end)
        same = known.get((found.code, start, found.function))
        chain = same.finding.chain if same is not None else found.chain
        outcome, fix = report.outcome, found.fix
        if isinstance(outcome, Withheld):
            outcome = outcome._replace(message=self.said(outcome.message))
            fix = replace(fix, reason=outcome.reason)
        made = replace(found, start=start, end=end, message=self.said(found.message), chain=chain, fix=fix)
        return report._replace(finding=made, outcome=outcome)


def _twin(report: Report, other: Report | None) -> Report:
    if not isinstance(report.outcome, Withheld) or other is None or not isinstance(other.outcome, Rewrite):
        return report
    found, fix = other.finding, other.finding.fix
    made = replace(report.finding, primitive=found.primitive, help=found.help, fix=fix)
    return report._replace(finding=made, outcome=_bare(other.outcome))


def _bare(rewrite: Rewrite) -> Rewrite:
    return rewrite._replace(bare=True, plainer=_bare(rewrite.plainer) if rewrite.plainer is not None else None)


def touches(edit: Edit, low: int, high: int) -> bool:
    """Whether an edit of whole lines changes some of these, or puts new ones between them."""
    if edit.start == edit.end:
        return low < edit.start.line <= high
    return edit.start.line <= high and edit.end.line > low


def canonical(unit: Unit, *, bare: bool = False) -> Canonical | None:
    """The unit in canonical form, or in the bare one; None where it is in it as it stands."""
    if isinstance(unit.node, ast.Lambda) or not (bare or unusual(unit)):
        return None
    source, made = unit.source, breaks(unit, bare=bare)
    again = unit.renew(replace(source, text=source.edited(Edit(*one) for one in made))) if made else None
    return Canonical(replace(again, wished=unit.wished), source, tuple(made), bare) if again is not None else None
