"""The text of one file, with places in lines and characters."""

from __future__ import annotations

import ast
import io
import re
from dataclasses import dataclass
from functools import cached_property

from scanlint.finding import Position
from scanlint.settings import LINE_LENGTH

_TESTS = re.compile(r"(?:^|[/\\])(?:tests?[/\\]|(?:test_[^/\\]*|[^/\\]*_test|conftest)\.py$)")


@dataclass(frozen=True)
class Source:
    """The text of one file, with places in characters; `width` is how long new lines may get."""

    path: str
    text: str
    width: int = LINE_LENGTH

    @cached_property
    def lines(self) -> list[str]:
        """Lines with their ends, split where Python's tokenizer splits them (not at form feeds)."""
        return list(io.StringIO(self.text, newline=""))

    @cached_property
    def tests(self) -> bool:
        """Whether the file belongs to tests: what stands there is run once, on little, and loops are the reference."""
        return _TESTS.search(self.path) is not None

    def start(self, node: ast.AST) -> Position:
        return self._position(node.lineno, node.col_offset)  # type: ignore[attr-defined]

    def end(self, node: ast.AST) -> Position:
        return self._position(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]

    def _position(self, line: int, offset: int) -> Position:
        """ast counts UTF-8 bytes, we count characters."""
        text = self.lines[line - 1]
        column = offset if text.isascii() else len(text.encode()[:offset].decode())
        return Position(line, column + 1)

    def segment(self, node: ast.AST) -> str:
        """The text of a node, as written."""
        return self.between(self.start(node), self.end(node))

    def between(self, start: Position, end: Position) -> str:
        """The text from one place up to another."""
        lines = self.lines[start.line - 1 : end.line]
        lines[-1] = lines[-1][: end.column - 1]
        lines[0] = lines[0][start.column - 1 :]
        return "".join(lines)
