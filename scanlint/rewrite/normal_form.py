"""A function in normal form: equal loops in one spelling, in which they are judged where their own says too little.

Each layer is one step of the normal form on the text of the layer below it. What a rewrite leaves alone is put back as
it was written, layer by layer, where all that changed together with it is left alone too.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from scanlint.finding import Edit, Position, Report, Rewrite, Withheld
from scanlint.rewrite.canonical_form import LINES, Canonical, touches
from scanlint.rewrite.emit.kept_comments import with_remarks
from scanlint.rewrite.normalize.meaning.aggregates import scalars
from scanlint.rewrite.normalize.meaning.aliases import appends, bound_methods
from scanlint.rewrite.normalize.meaning.changes import Change, Piece
from scanlint.rewrite.normalize.meaning.copies import copies, split_copies
from scanlint.rewrite.normalize.meaning.counting import counted_whiles, counters
from scanlint.rewrite.normalize.meaning.inlining import inlined
from scanlint.rewrite.normalize.meaning.left_targets import left_targets
from scanlint.rewrite.normalize.meaning.matches import matches
from scanlint.rewrite.normalize.meaning.partial_returns import partial_returns
from scanlint.rewrite.normalize.meaning.rows import rows
from scanlint.rewrite.normalize.meaning.sums import summing, sums
from scanlint.syntax.edits import apply_edits, line_edits
from scanlint.syntax.source import Source
from scanlint.trace.unit import Unit

STEPS: tuple[Callable[[Unit], Iterator[Change]], ...] = (
    matches, bound_methods, inlined, scalars, counted_whiles, counters, appends, split_copies, copies, rows,
    left_targets, partial_returns, sums,
)  # fmt: skip
BLOCKS: tuple[type[ast.stmt], ...] = (ast.For, ast.While, ast.If, ast.Match)
MOST = 24
"""Steps after which a function is taken as it is by then."""
Key = tuple[str, Position]


class Layer(NamedTuple):
    """One step: the text as it was, the unit as it is, and what was changed in between."""

    old: Source
    unit: Unit
    changes: tuple[Change, ...]

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

    def _inside(self, piece: Piece, place: Position, start: Position) -> Position:
        """Where new text comes from: the line that it was moved from, or the start of what it replaces."""
        if piece.origin is None:
            return piece.start
        line = piece.origin.line + place.line - start.line
        was = self.old.lines[line - 1]
        now = self.unit.source.lines[place.line - 1]
        deeper = (len(was) - len(was.lstrip())) - (len(now) - len(now.lstrip()))
        return Position(line, max(1, place.column + deeper))

    def _pieces(self) -> list[Piece]:
        return sorted(piece for change in self.changes for piece in change)

    def restored(self, new: Source) -> Source:
        """A changed text of this layer, with the changes undone that a rewrite has nothing to do with."""
        old, mine = self.old, self.unit.source
        if new.file is not mine.file or new.file is None:
            old, mine, new = old.file_now, mine.file_now, replace(new.file_now, added=new.added)
        changed, above = line_edits(mine.text, new.text), mine.above
        edits = list(changed)
        for spans in self._groups():
            around = [self._around(low, high) for _, (low, high) in spans]
            if not any(touches(edit, low - above, high - above) for low, high in around for edit in changed):
                for (first, last), (low, high) in spans:
                    text = "".join(old.lines[first - 1 : last])
                    edits.append(Edit(Position(low - above, 1), Position(high - above + 1, 1), text))
        made = apply_edits(mine.text, edits)
        made = apply_edits(old.text, with_remarks(old.text, line_edits(old.text, made)))
        return replace(old, text=made, added=new.added)

    def _around(self, low: int, high: int) -> tuple[int, int]:
        """The lines of the statements of the function in which some lines are, or in which some were taken out."""
        first, last = (low, high) if low <= high else (high, high)
        for statement in getattr(self.unit.node, "body", []):
            if (
                statement.lineno <= last
                and first <= (statement.end_lineno or 0)
                and (low <= high or _blocks(statement))
            ):
                low, high = min(low, statement.lineno), max(high, statement.end_lineno or 0)
        return low, high

    def _groups(self) -> list[list[tuple[tuple[int, int], tuple[int, int]]]]:
        """Lines as they were and as they are, those together that were changed together or share a line."""
        owner = {piece: at for at, change in enumerate(self.changes) for piece in change}
        spans: list[tuple[tuple[int, int], tuple[int, int], set[int]]] = []
        lines = 0
        for piece in self._pieces():
            whole = piece.end.column == 1 and piece.start.column == 1 and piece.end.line > piece.start.line
            first, last = piece.start.line, max(piece.start.line - 1, piece.end.line - whole)
            if piece.start == piece.end and piece.start.column == 1:
                last = first - 1
            low = first + lines
            lines += piece.text.count("\n") - (piece.end.line - piece.start.line)
            high = last + lines
            if spans and first <= spans[-1][0][1]:
                (start, end), (down, _), owners = spans.pop()
                spans.append(((start, max(end, last)), (down, max(end, last) + lines), owners | {owner[piece]}))
            else:
                spans.append(((first, last), (low, high), {owner[piece]}))
        return _together(spans)


def _blocks(statement: ast.stmt) -> bool:
    return hasattr(statement, "body")


def _together(
    spans: list[tuple[tuple[int, int], tuple[int, int], set[int]]],
) -> list[list[tuple[tuple[int, int], tuple[int, int]]]]:
    """Spans in groups that share an owner."""
    groups: list[tuple[set[int], list[tuple[tuple[int, int], tuple[int, int]]]]] = []
    for was, now, owners in spans:
        same = [g for g in groups if g[0] & owners]
        groups = [g for g in groups if not g[0] & owners]
        merged = (owners.union(*(g[0] for g in same)), [*(s for g in same for s in g[1]), (was, now)])
        groups.append(merged)
    return [found for _, found in groups]


class Normal(NamedTuple):
    """A unit in normal form, by its layers; the first one may be its canonical form."""

    layers: tuple[Layer | Canonical, ...]

    @property
    def unit(self) -> Unit:
        """The unit as it is in the end."""
        return self.layers[-1].unit

    def written(self, place: Position) -> Position:
        """Where a place of the normal form stands in the text as written."""
        for layer in reversed(self.layers):
            place = layer.written(place)
        return place

    def restored(self, new: Source) -> Source:
        """A changed normal form, with what was left alone as it was written."""
        for layer in reversed(self.layers):
            new = layer.restored(new)
        return new

    def said(self, text: str) -> str:
        """A sentence that speaks of lines of the normal form, with those of the text as written."""
        return LINES.sub(lambda found: str(self.written(Position(int(found[0]), 1 << 20)).line), text)

    def key(self, report: Report) -> Key:
        """What tells a report from the others, by its place as written."""
        return report.finding.code, self.written(report.finding.start)

    def reports(self, written: Iterable[Report], mine: Iterable[Report]) -> list[Report]:
        """What is found in the normal form; as it was written, where that can be rewritten too."""
        known = {(r.finding.code, r.finding.start): r for r in written}
        made = [self._report(r, known) for r in mine]
        places = {r.finding.start for r in made}
        rest = [r for r in known.values() if isinstance(r.outcome, Rewrite) and r.finding.start not in places]
        return sorted([*made, *rest], key=lambda r: (r.finding.start, r.finding.code))

    def _report(self, report: Report, known: Mapping[Key, Report]) -> Report:
        key, found = self.key(report), report.finding
        same = known.get(key)
        if same is not None and isinstance(same.outcome, Rewrite):
            alike = isinstance(report.outcome, Withheld) or report.finding.primitive == same.finding.primitive
            if alike:
                return same
        end = max(key[1], self.written(found.end))
        outcome, fix = report.outcome, found.fix
        if isinstance(outcome, Withheld):
            outcome = outcome._replace(message=self.said(outcome.message))
            fix = replace(fix, reason=outcome.reason)
        elif isinstance(outcome, Rewrite):
            outcome = meant(outcome)
        chain = same.finding.chain if same is not None else found.chain
        function = same.finding.function if same is not None else found.function
        made = replace(
            found, start=key[1], end=end, function=function, message=self.said(found.message), chain=chain, fix=fix
        )
        return report._replace(finding=made, outcome=outcome)


def meant(rewrite: Rewrite) -> Rewrite:
    """A rewrite of the normal form."""
    return rewrite._replace(meant=True, plainer=meant(rewrite.plainer) if rewrite.plainer is not None else None)


def normal(unit: Unit, form: Canonical | None) -> Normal | None:
    """The unit in normal form, from its canonical one; None where it is in it as it stands."""
    if isinstance(unit.node, ast.Lambda) or not (any(unit.kinds.of(kind) for kind in BLOCKS) or summing(unit)):
        return None
    layers: list[Layer | Canonical] = []
    at = form.unit if form is not None else unit
    while len(layers) < MOST and (layer := _next(at)) is not None:
        layers.append(layer)
        at = layer.unit
    first = [form] if form is not None else []
    return Normal((*first, *layers)) if layers else None


def _next(unit: Unit) -> Layer | None:
    """The next step that changes anything."""
    for step in STEPS:
        changes = _apart(step(unit))
        if not changes:
            continue
        source = unit.source
        text = source.edited(Edit(p.start, p.end, p.text) for change in changes for p in change)
        again = unit.renew(replace(source, text=text))
        if again is None:
            return None
        return Layer(source, replace(again, wished=unit.wished), tuple(changes))
    return None


def _apart(found: Iterable[Change]) -> list[Change]:
    """Changes of which none reaches into the lines of another; those that come first."""
    taken: list[tuple[int, int]] = []
    kept: list[Change] = []
    for change in found:
        spans = [(p.start.line, p.end.line) for p in change]
        low, high = min(s[0] for s in spans), max(s[1] for s in spans)
        if all(high < first or last < low for first, last in taken):
            taken.append((low, high))
            kept.append(change)
    return kept
