"""The canonical form of a function's text: each statement on lines of its own; what a rewrite leaves is put back."""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from scanlint.finding import Edit, Position, Withheld
from scanlint.rewrite.emit.layout import indent_of
from scanlint.rules.base import Report
from scanlint.syntax.edits import apply_edits, line_edits
from scanlint.trace.unit import Source, Unit

SPACES = frozenset({tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT})
LINES = re.compile(r"(?<=\bline )\d+")


class Break(NamedTuple):
    """What stands between two statements on one line, and what stands there in canonical form."""

    start: Position
    end: Position
    text: str


class Canonical(NamedTuple):
    """A unit in canonical form; `old` is the text as written, `breaks` are the places where the two differ."""

    unit: Unit
    old: str
    breaks: tuple[Break, ...]

    def written(self, place: Position) -> Position:
        """Where a place of the canonical form stands in the text as written."""
        lines = here = moved = 0
        for made in self.breaks:
            added = made.text.count("\n")
            line = made.start.line + lines + added
            column = len(made.text) - made.text.rfind("\n")
            if not added:
                column = made.start.column - (moved if line == here else 0)
            if place < Position(line, column):
                break
            lines += added - (made.end.line - made.start.line)
            here, moved = line, made.end.column - column
        return Position(place.line - lines, place.column + (moved if place.line == here else 0))

    def restored(self, text: str) -> str:
        """A new text of the canonical form, with the lines that were left alone as they were written."""
        canonical, old = self.unit.source, Source(self.unit.source.path, self.old)
        edits = list(line_edits(canonical.text, text))
        for (first, last), (low, high) in self._groups():
            if not any(_touches(edit, low, high) for edit in edits):
                line = "".join(old.lines[first - 1 : last])
                edits.append(Edit(Position(low, 1), Position(high + 1, 1), line))
        return apply_edits(canonical.text, edits)

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


def _touches(edit: Edit, low: int, high: int) -> bool:
    """Whether an edit of whole lines changes some of these, or puts new ones between them."""
    if edit.start == edit.end:
        return low < edit.start.line <= high
    return edit.start.line <= high and edit.end.line > low


def canonical(unit: Unit, reanalyse: Callable[[Unit, str], Unit | None]) -> Canonical | None:
    """The unit in canonical form; None where it is in it as it stands."""
    breaks = tuple(_breaks(unit)) if not isinstance(unit.node, ast.Lambda) else ()
    if not breaks:
        return None
    source = unit.source
    again = reanalyse(unit, apply_edits(source.text, [Edit(*made) for made in breaks]))
    return Canonical(again, source.text, breaks) if again is not None else None


def _breaks(unit: Unit) -> Iterator[Break]:
    """Where a statement follows another one, or the header of its block, on the same line."""
    source, node = unit.source, unit.node
    above, last = getattr(node, "lineno", 1) - 1, getattr(node, "end_lineno", 1)
    starts = {source.start(n): n for n in ast.walk(node) if isinstance(n, ast.stmt)}
    lines = iter(source.lines[above:last])
    tokens = (t for t in tokenize.generate_tokens(lambda: next(lines, "")) if t.type not in SPACES)
    margins: dict[ast.stmt, str] = {}
    before = sign = next(tokens)
    for token in tokens:
        statement = starts.get(_place(token.start, above))
        if statement is not None and sign.type == tokenize.OP and sign.string in (";", ":"):
            left = before if sign.string == ";" else sign
            margins[statement] = _margin(unit, statement, margins)
            text = f"{_newline(source)}{margins[statement]}"
            yield Break(_place(left.end, above), _place(token.start, above), text)
        elif sign.type == tokenize.OP and sign.string == ";":
            yield Break(_place(before.end, above), _place(sign.end, above), "")
        before, sign = sign, token


def _place(place: tuple[int, int], above: int) -> Position:
    """Where a token stands in its file, of which some lines above it were left out."""
    return Position(place[0] + above, place[1] + 1)


def _margin(unit: Unit, statement: ast.stmt, margins: dict[ast.stmt, str]) -> str:
    """The indentation of a statement that gets a line of its own; `margins` are those of statements before it."""
    first, owner = unit.block(statement)[0], unit.parents[statement]
    if statement is not first:
        return margins.get(first) or _indentation(unit.source, first)
    outer = margins.get(owner) if isinstance(owner, ast.stmt) else None
    head = owner.pattern if isinstance(owner, ast.match_case) else owner
    return (outer or _indentation(unit.source, head)) + indent_of(unit)


def _indentation(source: Source, node: ast.AST) -> str:
    line = source.lines[node.lineno - 1]  # type: ignore[attr-defined]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _newline(source: Source) -> str:
    return "\r\n" if source.lines[0].endswith("\r\n") else "\n"
