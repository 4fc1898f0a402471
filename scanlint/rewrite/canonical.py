"""The canonical form of a function's text: one statement on a line, no string over several, no backslashes.

The rewriters move lines of text about. So they work on the canonical form, and no layout keeps them from it.
"""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from scanlint.finding import Edit, Position, Withheld
from scanlint.rewrite.emit.layout import indent_of
from scanlint.rules.base import Report
from scanlint.syntax.edits import apply_edits, line_edits
from scanlint.syntax.source import Source
from scanlint.trace.unit import Unit

SPACES = frozenset({tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT})
ENDS = SPACES | {tokenize.NEWLINE}
"""Kinds of tokens after which a line may end without a backslash."""
OPEN = frozenset({"(", "[", "{", "."})
BLOCKS = ("body", "orelse", "finalbody")
QUOTED = re.compile(r"(?s)([A-Za-z]*)(\"{3}|'{3})(.*)\2")
NEWLINE = re.compile(r"(?<!\\)((?:\\\\)*)(\\?)\r?\n")
"""The end of a line in a string; a backslash before it, itself not escaped, takes it out of the string."""
LINES = re.compile(r"(?<=\bline )\d+")


class Break(NamedTuple):
    """What stands between two statements on one line, or a string, and what stands there in canonical form."""

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
                column += made.start.column - 1 - (moved if line == here else 0)
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
        made = apply_edits(canonical.text, edits)
        for one in self.breaks:
            if QUOTED.fullmatch(one.text) and one.text not in self.old:
                made = made.replace(one.text, old.between(one.start, one.end))
        return made

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
    if isinstance(unit.node, ast.Lambda) or not _unusual(unit):
        return None
    breaks = tuple(_breaks(unit))
    if not breaks:
        return None
    source = unit.source
    again = reanalyse(unit, apply_edits(source.text, [Edit(*made) for made in breaks]))
    if again is None:
        return None
    return Canonical(replace(again, wished=unit.wished), source.text, breaks)


def _unusual(unit: Unit) -> bool:
    """Whether a unit may be in another form: told without a look at each token, for nearly all are in this one."""
    source, node = unit.source, unit.node
    text = "".join(source.lines[node.lineno - 1 : node.end_lineno])
    if ";" in text or "\f" in text or re.search(r"\\\r?\n", text):
        return True
    docstring = _docstring(node)
    strings = [*unit.every(ast.Constant), *unit.every(ast.JoinedStr)]
    if any(n.lineno != n.end_lineno and (docstring is None or n is not docstring.value) for n in strings):
        return True
    blocks = (getattr(n, name, ()) for kind in _compound(unit) for n in kind for name in BLOCKS)
    firsts = (block[0] for block in blocks if isinstance(block, list) and block)
    return any(source.lines[s.lineno - 1].encode()[: s.col_offset].strip() for s in firsts)


def _compound(unit: Unit) -> Iterator[Sequence[ast.AST]]:
    return (nodes for kind, nodes in unit.kinds.items() if "body" in kind._fields and kind is not ast.Lambda)


def _breaks(unit: Unit) -> Iterator[Break]:
    """Where a statement follows another one, or the header of its block, on the same line, and strings."""
    source, node = unit.source, unit.node
    above, last = getattr(node, "lineno", 1) - 1, getattr(node, "end_lineno", 1)
    statements = [n for n in ast.walk(node) if isinstance(n, ast.stmt)]
    starts = {source.start(n): n for n in statements}
    kept = {source.start(docstring) for n in statements if (docstring := _docstring(n)) is not None}
    margins: dict[ast.stmt, str] = {}
    tokens = _tokens(source.lines[above:last])
    before = sign = left_of = next(tokens)
    for token in tokens:
        continued = left_of.type not in ENDS and token.start[0] > left_of.end[0]
        left_of = token
        if token.type in SPACES:
            continue
        start, end = _place(token.start, above), _place(token.end, above)
        statement = starts.get(start)
        if statement is not None and sign.type == tokenize.OP and sign.string in (";", ":"):
            left = before if sign.string == ";" else sign
            margins[statement] = _margin(unit, statement, margins)
            yield Break(_place(left.end, above), start, f"{_newline(source)}{margins[statement]}")
        elif sign.type == tokenize.OP and sign.string == ";":
            yield Break(_place(before.end, above), _place(sign.end, above), "")
        elif statement is not None and "\f" in (ahead := _indentation(source, start.line)):
            yield Break(start._replace(column=1), start, ahead.replace("\f", ""))
        elif continued:
            tight = token.string == "." or sign.string in OPEN
            yield Break(_place(sign.end, above), start, "" if tight else " ")
        if token.type == tokenize.STRING and start.line != end.line and start not in kept:
            if (text := _on_one_line(token.string)) is not None:
                yield Break(start, end, text)
        before, sign = sign, token


def _docstring(node: ast.AST) -> ast.Expr | None:
    match node:
        case ast.FunctionDef(body=[ast.Expr(value=ast.Constant(value=str())) as first, *_]):
            return first
    return None


def _tokens(lines: list[str]) -> Iterator[tokenize.TokenInfo]:
    """The tokens of some lines; an f-string is one, as up to Python 3.11."""
    rest = iter(lines)
    first, depth = None, 0
    for token in tokenize.generate_tokens(lambda: next(rest, "")):
        match tokenize.tok_name[token.type]:
            case "FSTRING_START":
                first, depth = first or token, depth + 1
            case "FSTRING_END" if depth > 1:
                depth -= 1
            case "FSTRING_END" if first is not None:
                text = lines[first.start[0] - 1 : token.end[0]]
                text[-1] = text[-1][: token.end[1]]
                text[0] = text[0][first.start[1] :]
                yield tokenize.TokenInfo(tokenize.STRING, "".join(text), first.start, token.end, first.line)
                first, depth = None, 0
            case _ if first is None:
                yield token


def _on_one_line(string: str) -> str | None:
    """A string over several lines on one, of the same value; None where that has another form."""
    found = QUOTED.fullmatch(string)
    if found is None:
        return None
    prefix, quotes, text = found.groups()
    if "r" in prefix.lower() or ("f" in prefix.lower() and re.search(r"\{[^{}]*\n", text)):
        return None
    return f"{prefix}{quotes}{NEWLINE.sub(lambda end: end[1] + ('' if end[2] else chr(92) + 'n'), text)}{quotes}"


def _place(place: tuple[int, int], above: int) -> Position:
    """Where a token stands in its file, of which some lines above it were left out."""
    return Position(place[0] + above, place[1] + 1)


def _margin(unit: Unit, statement: ast.stmt, margins: dict[ast.stmt, str]) -> str:
    """The indentation of a statement that gets a line of its own; `margins` are those of statements before it."""
    first, owner = unit.block(statement)[0], unit.parents[statement]
    if statement is not first:
        return margins.get(first) or _indentation(unit.source, first.lineno).replace("\f", "")
    outer = margins.get(owner) if isinstance(owner, ast.stmt) else None
    head = owner.pattern if isinstance(owner, ast.match_case) else owner
    line = head.lineno  # type: ignore[attr-defined]
    return (outer or _indentation(unit.source, line).replace("\f", "")) + indent_of(unit)


def _indentation(source: Source, number: int) -> str:
    line = source.lines[number - 1]
    return line[: len(line) - len(line.lstrip(" \t\f"))]


def _newline(source: Source) -> str:
    return "\r\n" if source.lines[0].endswith("\r\n") else "\n"
