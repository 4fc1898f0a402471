"""Edits on a text: places in 1-based lines and columns of characters, as findings give them."""

from __future__ import annotations

import ast
import io
from collections.abc import Callable, Iterable, Sequence

from scanlint.finding import Edit, Position
from scanlint.syntax.regex import regex


def split_lines(text: str) -> list[str]:
    """Lines with their ends, split where Python splits them (not at form feeds)."""
    return list(io.StringIO(text, newline=""))


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text after all edits, whose places are those of the text before. ValueError if two overlap."""
    starts = [0]
    for line in split_lines(text):
        starts.append(starts[-1] + len(line))

    def offset(place: Position) -> int:
        return min(starts[min(place.line, len(starts)) - 1] + place.column - 1, len(text))

    pieces: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        start, end = offset(edit.start), offset(edit.end)
        if start < at or end < start:
            raise ValueError(f"edits overlap at line {edit.start.line}")
        pieces += text[at:start], edit.text
        at = end
    return "".join([*pieces, text[at:]])


def unmarked(text: str) -> tuple[str, dict[int, Position]]:
    """A text without its marks, and the places of what stood behind them, by their numbers."""
    pieces, places = MARK.split(text), dict[int, Position]()
    made = pieces[0]
    for number, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        before = split_lines(f"{made}.")
        places[int(number)] = Position(len(before), len(before[-1]))
        made += piece
    return made, places


def moved(edit: Edit, lines: int) -> Edit:
    """An edit so many lines further down."""
    start, end = edit.start, edit.end
    return edit._replace(start=start._replace(line=start.line + lines), end=end._replace(line=end.line + lines))


def block(text: str) -> list[ast.stmt]:
    """The statements of a text that may stand further in. Raises SyntaxError."""
    if not INDENTED.match(text):
        return ast.parse(text).body
    [around] = ast.parse(f"if 1:\n{text}").body
    assert isinstance(around, ast.If)
    for statement in around.body:
        ast.increment_lineno(statement, -1)
    return around.body


def tidied(text: str, edits: Sequence[Edit]) -> list[Edit]:
    """Edits that take whole lines out take empty ones with them where two would meet, or one would begin a block."""
    lines = split_lines(text)
    taken = {line for edit in edits if _takes_lines(edit) for line in range(edit.start.line, edit.end.line)}
    begun = {edit.start.line for edit in edits if not _takes_lines(edit)}
    made: list[Edit] = []
    for edit in edits:
        start, end = edit.start.line, edit.end.line
        if _takes_lines(edit) and end not in taken:
            while start - 1 in taken:
                start -= 1
            above = lines[start - 2].split("#")[0].strip() if start > 1 else ""
            while (
                (not above or above.endswith(":"))
                and end <= len(lines)
                and not lines[end - 1].strip()
                and end not in begun
            ):
                end += 1
            edit = edit._replace(end=Position(end, 1))
        made.append(edit)
    return made


def _takes_lines(edit: Edit) -> bool:
    return not edit.text and edit.start.column == edit.end.column == 1 and edit.start.line < edit.end.line


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


def earlier_line(old: str, new: str) -> Callable[[int], int]:
    """Gives for a line of a changed text the line that it was; for a line that is new, where its like began."""
    edits = line_edits(new, old)

    def line(now: int) -> int:
        moved = 0
        for edit in edits:
            if now < edit.start.line:
                break
            if now < edit.end.line:
                return max(1, min(edit.start.line + moved, len(split_lines(old))))
            moved += len(split_lines(edit.text)) - (edit.end.line - edit.start.line)
        return now + moved

    return line


def fitting_line(old: str, new: str) -> Callable[[int], int | None]:
    """Gives for a line of a text where it stands in a changed one; None for a line that is no more."""
    edits = line_edits(old, new)

    def line(was: int) -> int | None:
        moved = 0
        for edit in edits:
            if was < edit.start.line:
                break
            if was < edit.end.line:
                return None
            moved += len(split_lines(edit.text)) - (edit.end.line - edit.start.line)
        return was + moved

    return line


MARK = regex(r"\0(\d+)\0")
INDENTED = regex(r"(?:[ \t\f]*(?:#[^\r\n]*)?\r?\n)*[ \t\f]+[^\s#]")
"""Where the first line of code stands further in."""
SPACED = regex(r"[\w)\]] \*\* [-+~]?[\w.(]")


def hugged(old: str, new: str) -> str:
    """The new text with `x**2` for `x ** 2` in lines that the old one does not have, as formatters have it.

    They do so for names, attributes of names and numbers: `row[i] ** 2` is spelled with spaces and becomes `x**2`.
    Raises SyntaxError.
    """
    if "**" not in new:
        return new
    lines, known = split_lines(new), set(split_lines(old))
    return apply_edits(new, [edit for edit in powers(new) if lines[edit.start.line - 1] not in known])


def powers(text: str) -> list[Edit]:
    """The edits that take out the spaces around the sign of a power of plain operands."""
    lines, found = split_lines(text), []
    statements = block(text) if SPACED.search(text) else []
    for node in (part for statement in statements for part in ast.walk(statement)):
        match node:
            case ast.BinOp(left=left, op=ast.Pow(), right=right) if _simple(left) and _simple(right):
                line = lines[right.lineno - 1].encode()
                start, end = left.end_col_offset or 0, right.col_offset
                if left.end_lineno == right.lineno and line[start:end] == b" ** ":
                    columns = (len(line[:offset].decode()) + 1 for offset in (start, end))
                    places = [Position(right.lineno, column) for column in columns]
                    found.append(Edit(places[0], places[1], "**"))
    return found


def _simple(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
        if not isinstance(node, ast.Attribute | ast.Name):
            return False
    if isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
        return _simple(node.operand)
    return isinstance(node, ast.Name) or (isinstance(node, ast.Constant) and isinstance(node.value, int | float))
