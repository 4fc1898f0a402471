"""Views of a function: its text in another form, in which it is judged and rewritten.

Each layer changes the text of the layer below it. What a rewrite leaves alone is put back as it was written, layer by
layer, where all that changed together with it is left alone too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from scanlint.finding import Edit, Position, Report, Rewrite, Withheld
from scanlint.rewrite.emit.kept_comments import with_remarks
from scanlint.rewrite.normalize.meaning.changes import Change
from scanlint.syntax.edits import apply_edits, line_edits
from scanlint.syntax.regex import regex
from scanlint.syntax.source import Source
from scanlint.trace.unit import Unit

LINES = regex(r"(?<=\bline )\d+")
QUOTED = regex(r"(?s)([A-Za-z]*)(\"{3}|'{3})(.*)\2")
Span = tuple[int, int]


class Layer(NamedTuple):
    """The text as it was, the unit as it is, and what was changed in between.

    `form`: what the unit has by then: statements on lines of their own ("canonical"), or one more step of the normal
    form ("meaning").
    """

    old: Source
    unit: Unit
    changes: tuple[Change, ...]
    form: Literal["canonical", "meaning"] = "meaning"

    def written(self, place: Position) -> Position:
        """Where a place of the new text stands in the old one."""
        lines = here = moved = 0
        for piece in self._pieces():
            added = piece.text.count("\n")
            start = Position(piece.start.line + lines, piece.start.column)
            if start.line == here:
                start = start._replace(column=start.column - moved)
            tail = len(piece.text) - piece.text.rfind("\n") - 1
            end = Position(start.line + added, tail + 1 if added else start.column + tail)
            if place < start:
                break
            if place < end:
                return self._inside(piece, place, start)
            lines += added - (piece.end.line - piece.start.line)
            here, moved = end.line, piece.end.column - end.column
        return Position(place.line - lines, place.column + (moved if place.line == here else 0))

    def _inside(self, piece: Edit, place: Position, start: Position) -> Position:
        """Where new text comes from: the line that it was moved from, or the start of what it replaces."""
        if piece.origin is None:
            return piece.start
        line = piece.origin.line + place.line - start.line
        was = self.old.lines[line - 1]
        now = self.unit.source.lines[place.line - 1]
        deeper = (len(was) - len(was.lstrip())) - (len(now) - len(now.lstrip()))
        return Position(line, max(1, place.column + deeper))

    def _pieces(self) -> list[Edit]:
        return sorted(piece for change in self.changes for piece in change)

    def restored(self, new: Source) -> Source:
        """A changed text of this layer, with the changes undone that a rewrite has nothing to do with."""
        old, mine = self.old, self.unit.source
        if new.file is not mine.file or new.file is None:  # more than the window changed
            old, mine, new = old.file_now, mine.file_now, replace(new.file_now, added=new.added)
        changed, above = line_edits(mine.text, new.text), mine.above
        edits = list(changed)
        for spans in self._groups():
            around = [self._around(low, high) for _, (low, high) in spans]
            if not any(_touches(edit, low - above, high - above) for low, high in around for edit in changed):
                for (first, last), (low, high) in spans:
                    text = "".join(old.lines[first - 1 : last])
                    edits.append(Edit(Position(low - above, 1), Position(high - above + 1, 1), text))
        made = apply_edits(mine.text, edits)
        for piece in self._pieces() if self.form != "meaning" else ():
            if QUOTED.fullmatch(piece.text) and piece.text not in old.text:
                made = made.replace(piece.text, old.between(piece.start, piece.end))
        if self.form != "canonical":
            made = apply_edits(old.text, with_remarks(old.text, line_edits(old.text, made)))
        return replace(old, text=made, added=new.added)

    def _around(self, low: int, high: int) -> Span:
        """The lines of the statements of the function in which some lines are, or in which some were taken out.

        Where the meaning of a line is its own it does not hang on them.
        """
        first, last = (low, high) if low <= high else (high, high)
        for statement in getattr(self.unit.node, "body", []) if self.form == "meaning" else ():
            if (
                statement.lineno <= last
                and first <= (statement.end_lineno or 0)
                and (low <= high or hasattr(statement, "body"))
            ):
                low, high = min(low, statement.lineno), max(high, statement.end_lineno or 0)
        return low, high

    def _groups(self) -> list[list[tuple[Span, Span]]]:
        """Lines as they were and as they are, those together that were changed together or share a line."""
        owner = {piece: at for at, change in enumerate(self.changes) for piece in change}
        spans: list[tuple[Span, Span, set[int]]] = []
        lines = 0
        for piece in self._pieces():
            whole = piece.end.column == 1 and piece.start.column == 1 and self.form == "meaning"
            first, last = piece.start.line, max(piece.start.line - 1, piece.end.line - whole)
            low = first + lines
            lines += piece.text.count("\n") - (piece.end.line - piece.start.line)
            high = last + lines
            if spans and first <= spans[-1][0][1]:
                (start, end), (down, _), owners = spans.pop()
                spans.append(((start, max(end, last)), (down, max(end, last) + lines), owners | {owner[piece]}))
            else:
                spans.append(((first, last), (low, high), {owner[piece]}))
        return _together(spans)


def _touches(edit: Edit, low: int, high: int) -> bool:
    """An edit of whole lines changes some of these, or puts new ones between them."""
    if edit.start == edit.end:
        return low < edit.start.line <= high
    return edit.start.line <= high and edit.end.line > low


def _together(spans: Sequence[tuple[Span, Span, set[int]]]) -> list[list[tuple[Span, Span]]]:
    """Spans in groups that share an owner."""
    groups: list[tuple[set[int], list[tuple[Span, Span]]]] = []
    for was, now, owners in spans:
        same = [g for g in groups if g[0] & owners]
        groups = [g for g in groups if not g[0] & owners]
        merged = (owners.union(*(g[0] for g in same)), [*(s for g in same for s in g[1]), (was, now)])
        groups.append(merged)
    return [found for _, found in groups]


class View(NamedTuple):
    """A unit in another form, by its layers."""

    layers: tuple[Layer, ...]

    @property
    def unit(self) -> Unit:
        """The unit as it is in the end."""
        return self.layers[-1].unit

    @property
    def normal(self) -> bool:
        """It is the normal form, or one of that."""
        return any(layer.form == "meaning" for layer in self.layers)

    def over(self, other: object) -> View:
        """A view of what is seen in this one."""
        return View((*self.layers, *other.layers)) if isinstance(other, View) else self

    def written(self, place: Position) -> Position:
        """Where a place of the view stands in the text as written."""
        for layer in reversed(self.layers):
            place = layer.written(place)
        return place

    def restored(self, new: Source) -> Source:
        """A changed text of the view, with what was left alone as it was written."""
        for layer in reversed(self.layers):
            new = layer.restored(new)
        return new

    def said(self, text: str) -> str:
        """A sentence that speaks of lines of the view, with those of the text as written."""
        return LINES.sub(lambda found: str(self.written(Position(int(found[0]), 1 << 20)).line), text)

    def report(self, report: Report, same: Report | None) -> Report:
        """What is found in this view, in its place as written; `same` is what was found there, with its reasons."""
        found, outcome, fix = report.finding, report.outcome, report.finding.fix
        start = self.written(found.start)
        if isinstance(outcome, Withheld):
            outcome = outcome._replace(message=self.said(outcome.message))
            fix = replace(fix, reason=outcome.reason)
        made = replace(
            found,
            start=start,
            end=max(start, self.written(found.end)),
            function=same.finding.function if same is not None else found.function,
            message=self.said(found.message),
            label=self.said(found.label) if found.label is not None else None,
            chain=same.finding.chain if same is not None else found.chain,
            fix=fix,
        )
        return report._replace(finding=made, outcome=outcome, view=self.over(report.view))

    def reports(self, written: Iterable[Report], mine: Iterable[Report]) -> list[Report]:
        """What is found in the normal form; as it was written, where that can be rewritten too."""
        known = {(r.finding.code, r.finding.start): r for r in written}
        made: list[Report] = []
        for report in mine:
            same = known.get((report.finding.code, self.written(report.finding.start)))
            alike = isinstance(report.outcome, Withheld) or (
                same is not None and report.finding.primitive == same.finding.primitive
            )
            kept = same is not None and isinstance(same.outcome, Rewrite) and alike
            made.append(same if kept and same is not None else self.report(report, same))
        places = {r.finding.start for r in made}
        rest = [r for r in known.values() if isinstance(r.outcome, Rewrite) and r.finding.start not in places]
        return sorted([*made, *rest], key=lambda r: (r.finding.start, r.finding.code))

    def twin(self, report: Report, mine: Iterable[Report]) -> Report | None:
        """The same finding with the rewrite that it has in this view."""
        found = report.finding
        for other in mine:
            same = (other.finding.code, other.finding.function) == (found.code, found.function)
            if same and self.written(other.finding.start) == found.start and isinstance(other.outcome, Rewrite):
                there = other.finding
                made = replace(found, primitive=there.primitive, help=there.help, fix=there.fix)
                return report._replace(finding=made, outcome=other.outcome, view=self.over(other.view))
        return None
