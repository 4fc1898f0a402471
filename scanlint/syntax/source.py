"""The texts that nodes point into: a whole file, or the window of it in which one definition stands."""

from __future__ import annotations

import ast
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import overload

from scanlint.finding import Edit, Position
from scanlint.settings import LINE_LENGTH
from scanlint.syntax.edits import apply_edits, block, moved, powers
from scanlint.syntax.regex import regex
from scanlint.syntax.walk import first_line

_TESTS = regex(r"(?:^|[/\\])(?:tests?[/\\]|conftest\.py$)")
_NAMED = regex(r"(?:^|[/\\])(?:test_[^/\\]*|[^/\\]*_test)\.py$")
_TEST = regex(r"(?m)^[ \t]*(?:async )?def test|^class \w*Test|\b(?:pytest|unittest|absltest|parameterized)\b")
_ALONE = regex(r"(?:^|[/\\])tests?\.py$")
_CASE = regex(r"(?m)^def test_\w+\(\)")
"""What tells the tests in `test.py` from a program that evaluates a model."""

_PROGRAM = regex(r"(?m)^(?:if __name__ == |for |while )")
"""What says that a file is run as it stands: a loop at its top too."""


def is_test(path: str, text: str) -> bool:
    """Whether a file belongs to tests; one that only is called so may be a program: `test_agent.py` without a test."""
    if _TESTS.search(path) is not None or (_ALONE.search(path) is not None and _CASE.search(text) is not None):
        return True
    return _NAMED.search(path) is not None and (_PROGRAM.search(text) is None or _TEST.search(text) is not None)


class Lines(Sequence[str]):
    """The lines of a file with others in the place of some: `own` in the place of those from `above` to `below`."""

    def __init__(self, file: Sequence[str], above: int, below: int, own: Sequence[str]) -> None:
        self._file = file
        self._above = above
        self._own = own
        self._end = above + len(own)
        self._grown = len(own) - (below - above)

    @overload
    def __getitem__(self, at: int) -> str: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...

    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        if isinstance(at, slice):
            start, stop, step = at.indices(len(self))
            if self._above <= start and stop <= self._end and step == 1:
                return self._own[start - self._above : max(stop - self._above, 0)]
            return [self[number] for number in range(start, stop, step)]
        if self._above <= at < self._end:
            return self._own[at - self._above]
        return self._file[at if at < self._above else at - self._grown]

    def __len__(self) -> int:
        return len(self._file) + self._grown


@dataclass(frozen=True)
class Source:
    """A text of one file, with places in characters; `width` is how long new lines may get.

    A window holds the text of a few lines of `file`, those below line `above` up to line `below`, as it is or changed.
    Its nodes, edits and `lines` have the numbers that they have in the file. `added` are the import statements that the
    file needs for a changed window, `elsewhere` nodes below it that have the numbers of the file as it was.
    """

    path: str
    text: str
    width: int = LINE_LENGTH
    file: Source | None = field(default=None, repr=False)
    above: int = 0
    below: int = 0
    added: tuple[str, ...] = ()
    elsewhere: frozenset[ast.AST] = frozenset()

    @cached_property
    def own(self) -> list[str]:
        """The lines of the text with their ends, split where Python's tokenizer splits them (not at form feeds)."""
        return list(io.StringIO(self.text, newline=""))

    @cached_property
    def lines(self) -> Sequence[str]:
        """The lines of the file, with those of the text in their place."""
        return self.own if self.file is None else Lines(self.file.own, self.above, self.below, self.own)

    @cached_property
    def tests(self) -> bool:
        """Whether the file belongs to tests: what stands there is run once, on little, and loops are the reference."""
        return is_test(self.path, (self.file or self).text)

    @cached_property
    def powers(self) -> bool:
        """Whether the file as it was spells powers of plain operands with spaces."""
        return bool(powers(self.text)) if self.file is None else self.file.powers

    @property
    def newline(self) -> str:
        """The characters that end a line."""
        return "\r\n" if self.lines and self.lines[0].endswith("\r\n") else "\n"

    def top(self, statement: ast.stmt) -> int:
        """The first line of a statement: that of its decorators, or of the comments right above it."""
        top = first_line(statement)
        while top > 1 and self.lines[top - 2].lstrip().startswith("#"):
            top -= 1
        return top

    def alone(self, statement: ast.stmt) -> bool:
        """Whether no other code stands on the lines of a statement."""
        start, end = self.start(statement), self.end(statement)
        before, behind = self.lines[start.line - 1][: start.column - 1], self.lines[end.line - 1][end.column - 1 :]
        return not before.strip() and not behind.split("#")[0].strip()

    def margin(self, statement: ast.stmt) -> str:
        """The white space in front of the line on which a statement begins."""
        line = self.lines[statement.lineno - 1]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def start(self, node: ast.AST) -> Position:
        return self._position(node, node.lineno, node.col_offset)  # type: ignore[attr-defined]

    def end(self, node: ast.AST) -> Position:
        return self._position(node, node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]

    def _position(self, node: ast.AST, line: int, offset: int) -> Position:
        """ast counts UTF-8 bytes, we count characters."""
        if node in self.elsewhere:
            line += len(self.own) - (self.below - self.above)
        text = self.lines[line - 1]
        column = offset if text.isascii() else len(text.encode()[:offset].decode())
        return Position(line, column + 1)

    def segment(self, node: ast.AST) -> str:
        """The text of a node, as written."""
        return self.between(self.start(node), self.end(node))

    def between(self, start: Position, end: Position, edits: Iterable[Edit] = ()) -> str:
        """The text from one place up to another, with the edits that lie there."""
        lines = [*self.lines[start.line - 1 : end.line]]
        lines[-1] = lines[-1][: end.column - 1]
        inside = [moved(e, 1 - start.line) for e in edits if start <= e.start and e.end <= end]
        text = apply_edits("".join(lines), inside) if inside else "".join(lines)
        return text[start.column - 1 :]

    def body(self, statements: Sequence[ast.stmt], edits: Iterable[Edit], margin: str) -> list[str] | None:
        """The lines of some statements with these edits, at another margin; None where a line stands further out."""
        old, last = self.margin(statements[0]), statements[-1].end_lineno or 0
        end = Position(last, len(self.lines[last - 1]) + 1)
        text = self.between(Position(first_line(statements[0]), 1), end, edits)
        lines = [line.rstrip("\r\n") for line in text.splitlines(keepends=True)]
        if any(line.strip() and not line.startswith(old) for line in lines):
            return None
        return [f"{margin}{line.removeprefix(old)}" if line.strip() else "" for line in lines]

    def edited(self, edits: Iterable[Edit]) -> str:
        """The text after edits, whose places are those of the file."""
        return apply_edits(self.text, [moved(edit, -self.above) for edit in edits])

    # -- edits

    def put(self, node: ast.AST, text: str) -> Edit:
        """Another text in the place of a node."""
        return Edit(self.start(node), self.end(node), text)

    def instead(self, statement: ast.stmt, *lines: str) -> Edit:
        """Other lines, without their margins, in the place of a statement that has lines of its own."""
        return self.put(statement, f"{self.newline}{self.margin(statement)}".join(lines))

    def drop(self, statement: ast.stmt) -> Edit:
        """A statement taken out with its lines."""
        return Edit(Position(statement.lineno, 1), Position((statement.end_lineno or 0) + 1, 1), "")

    def behind(self, statement: ast.stmt, *lines: str) -> Edit:
        """Lines behind that on which a statement ends, at its margin."""
        end = statement.end_lineno or statement.lineno
        place = Position(end, len(self.lines[end - 1].rstrip("\r\n")) + 1)
        return Edit(place, place, "".join(f"{self.newline}{self.margin(statement)}{line}" for line in lines))

    def ahead(self, statement: ast.stmt, *lines: str) -> Edit:
        """Lines above a statement, at its margin."""
        return self._lines(statement.lineno, statement, lines)

    def beneath(self, statement: ast.stmt, *lines: str) -> Edit:
        """Lines of their own below a statement, at its margin."""
        return self._lines((statement.end_lineno or 0) + 1, statement, lines)

    def _lines(self, number: int, statement: ast.stmt, lines: Iterable[str]) -> Edit:
        place = Position(number, 1)
        margin = self.margin(statement)
        return Edit(place, place, "".join(f"{margin if line else ''}{line}{self.newline}" for line in lines))

    # -- windows

    def window(self, above: int, below: int) -> Source:
        """The lines below one line of a whole file, up to another one."""
        return replace(self, text="".join(self.own[above:below]), file=self, above=above, below=below)

    def holds(self, edits: Iterable[Edit]) -> bool:
        """Whether edits change nothing but this text."""
        end = Position(self.above + len(self.own) + 1, 1)
        return all(Position(self.above + 1, 1) <= edit.start and edit.end <= end for edit in edits)

    def beside(self, edit: Edit) -> Edit:
        """An edit of the file as it was, outside of this window, with its place in the file as it is."""
        return moved(edit, len(self.own) - (self.below - self.above)) if edit.start.line > self.below else edit

    def changed(self, text: str, imports: Sequence[str]) -> Source:
        """The window with another text, for which the file needs these imports too."""
        return replace(self, text=text, added=tuple(dict.fromkeys((*self.added, *imports))))

    def statements(self) -> list[ast.stmt]:
        """The statements of a window, with the numbers of their lines in the file. Raises SyntaxError."""
        made = block(self.text)
        if self.above:
            for statement in made:
                ast.increment_lineno(statement, self.above)
        return made

    @property
    def whole(self) -> str:
        """The text of the file with the text of the window in its place."""
        if self.file is None:
            return self.text
        lines = self.file.own
        return "".join([*lines[: self.above], self.text, *lines[self.below :]])

    @property
    def file_now(self) -> Source:
        """The file with the text of the window in its place."""
        return Source(self.path, self.whole, self.width)
