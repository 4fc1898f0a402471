"""A run of statements as LibCST sees it, addressed by the `ast` nodes of the analysis, and ways to build new ones.

Only the statements that are rewritten are parsed with LibCST (it reads about 1,300 lines/s with positions).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from itertools import dropwhile
from typing import TYPE_CHECKING, TypeVar

from scanlint.finding import Edit, Position
from scanlint.rewrite.emit.line_breaks import fit
from scanlint.rewrite.late_libcst import cst
from scanlint.syntax.source import Source
from scanlint.syntax.walk import first_line

if TYPE_CHECKING:
    from scanlint.rewrite.changing import Change, Replacement

NodeT = TypeVar("NodeT", bound="cst.CSTNode")


class SharedLine(Exception):
    """The statements share a line with others (`a = 1; b = 2`, a form feed): they cannot be replaced alone."""


class Snippet:
    """The statements from `first` to `last` of one block, with the comments at its end: look up, change, render.

    Changes are collected by `replace`, `change` and `remove`, and seen by everything that is fetched afterwards
    with `statement`, `statements` or `expression`.
    """

    def __init__(self, source: Source, first: ast.stmt, last: ast.stmt, indent: str = "    ") -> None:
        self.source = source
        self.first_line = first_line(first)
        self.last_line = last.end_lineno or last.lineno
        head, end = source.lines[self.first_line - 1], self.last_line
        self.margin = head[: len(head) - len(head.lstrip(" \t"))]
        if isinstance(last, COMPOUND):
            self.last_line += foot((source.lines[at] for at in range(end, len(source.lines))), self.margin)
        lines = source.lines[self.first_line - 1 : self.last_line]
        if source.start(first).column != len(self.margin) + 1 and not getattr(first, "decorator_list", None):
            raise SharedLine
        tail = source.lines[end - 1][source.end(last).column - 1 :].strip()
        if tail and not tail.startswith("#"):
            raise SharedLine
        self.newline = "\r\n" if head.endswith("\r\n") else "\n"
        self.indent = indent
        text = "".join(lines)
        if not text.endswith(("\n", "\r")):
            text += self.newline
        self._shift = 0
        if self.margin:
            text = f"if 1:{self.newline}{text}"
            self._shift = 1
        from libcst.metadata import MetadataWrapper, PositionProvider

        config = cst.PartialParserConfig(default_indent=indent, default_newline=self.newline)
        try:
            self.module = cst.parse_module(text, config)
        except cst.ParserSyntaxError as error:  # form feeds before indented lines: Python reads them, LibCST does not
            raise SharedLine from error
        positions = MetadataWrapper(self.module, unsafe_skip_copy=True).resolve(PositionProvider)
        self._by_range: dict[tuple[int, int, int, int], list[cst.CSTNode]] = {}
        for node, where in positions.items():
            key = (where.start.line, where.start.column, where.end.line, where.end.column)
            self._by_range.setdefault(key, []).append(node)
        self._changes: dict[cst.CSTNode, Change] = {}

    def line(self, code: str, depth: int = 0) -> cst.BaseStatement:
        """A new statement, broken into lines where it is too long."""
        return self.parse(self.broken(code, depth))

    def broken(self, code: str, depth: int) -> str:
        """The text of a statement, in several lines where it is too long for a place `depth` levels further in."""
        return fit(code, len(self.margin) + depth * len(self.indent), self.source.width)

    # -- looking up

    def find(self, node: ast.AST, kind: type[NodeT]) -> NodeT:
        """The LibCST node of an `ast` node: the outermost one of this kind that covers the same text."""
        start, end = self.source.start(node), self.source.end(node)
        shift = self._shift - self.first_line + 1
        key = (start.line + shift, start.column - 1, end.line + shift, end.column - 1)
        for candidate in self._by_range.get(key, []):
            if isinstance(candidate, kind):
                return candidate
        raise KeyError(f"no {kind.__name__} at line {start.line}, column {start.column}")

    def find_expression(self, node: ast.expr) -> cst.BaseExpression:
        if isinstance(node, ast.Tuple) and self.source.segment(node).startswith("("):
            return self._tuple(node)
        return self.find(node, cst.BaseExpression)  # type: ignore[type-abstract]

    def _tuple(self, node: ast.Tuple) -> cst.BaseExpression:
        """A tuple in parentheses, which LibCST does not count as its text."""
        start, end = self.source.start(node), self.source.end(node)
        shift = self._shift - self.first_line + 1
        first, last = (start.line + shift, start.column - 1), (end.line + shift, end.column - 1)
        for (line, column, end_line, end_column), candidates in sorted(self._by_range.items(), key=_begin):
            if first <= (line, column) and (end_line, end_column) <= last:
                for candidate in candidates:
                    if isinstance(candidate, cst.Tuple):
                        return candidate
        raise KeyError(f"no tuple at line {start.line}, column {start.column}")

    def _find_statement(self, node: ast.stmt) -> cst.BaseStatement | cst.BaseSmallStatement:
        """The whole statement: a simple one with its line (comments included) unless it shares the line."""
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.decorator_list:
            return self._decorated(node)
        if isinstance(node, COMPOUND):
            return self.find(node, cst.BaseCompoundStatement)  # type: ignore[type-abstract]
        try:
            return self.find(node, cst.SimpleStatementLine)
        except KeyError:
            return self.find(node, cst.BaseSmallStatement)  # type: ignore[type-abstract]

    def _decorated(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> cst.BaseStatement:
        name = node.body[0]
        inner = self._find_statement(name)
        for candidates in self._by_range.values():
            for candidate in candidates:
                if isinstance(candidate, cst.FunctionDef | cst.ClassDef) and inner in candidate.body.body:
                    return candidate
        raise KeyError(node.name)

    # -- changing

    def change(self, node: ast.AST, kind: type[NodeT], change: Callable[[NodeT], Replacement]) -> None:
        """Apply `change` to the node when it is next fetched; what lies inside it has been changed by then."""
        self._changes[self.find(node, kind)] = change  # type: ignore[assignment]

    def replace(self, node: ast.expr, code: str) -> None:
        """Put another expression in the place of one."""
        self._changes[self.find_expression(node)] = lambda _: cst.parse_expression(code)

    def remove(self, node: ast.stmt) -> None:
        """Drop a statement; comments above it stay only where its line had nothing else."""
        self._changes[self._find_statement(node)] = lambda _: cst.RemoveFromParent()

    def take(self, node: ast.stmt) -> list[cst.EmptyLine]:
        """Drop a statement and give its comments, those above it and the one behind it."""
        self.remove(node)
        return comments_of(self._find_statement(node))

    def change_statement(self, node: ast.stmt, change: Callable[[cst.BaseStatement], Replacement]) -> None:
        self._changes[self._find_statement(node)] = change  # type: ignore[assignment]

    # -- fetching

    def statement(self, node: ast.stmt) -> list[cst.BaseStatement]:
        """One statement as changed: none if it was removed, several if it was replaced by several."""
        return self._fetch(self._find_statement(node))

    def statements(self, nodes: Sequence[ast.stmt]) -> list[cst.BaseStatement]:
        return [made for node in nodes for made in self.statement(node)]

    def expression(self, node: ast.expr) -> str:
        """The source of an expression as changed."""
        changed = self._changed(self.find_expression(node))
        assert isinstance(changed, cst.BaseExpression)
        return self.module.code_for_node(changed)

    def _changed(self, node: cst.CSTNode) -> object:
        from scanlint.rewrite.changing import changed  # it imports LibCST

        return changed(node, self._changes)

    def body_of(self, node: ast.stmt) -> cst.IndentedBlock | None:
        """The indented block of a compound statement as written, for its header and footer comments."""
        body = getattr(self._find_statement(node), "body", None)
        return body if isinstance(body, cst.IndentedBlock) else None

    def _fetch(self, node: cst.BaseStatement | cst.BaseSmallStatement) -> list[cst.BaseStatement]:
        changed = self._changed(node)
        if isinstance(changed, cst.BaseSmallStatement):
            alone = changed.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
            return [cst.SimpleStatementLine(body=[alone])]
        if isinstance(changed, cst.FlattenSentinel):
            return [s for s in changed if isinstance(s, cst.BaseStatement)]
        return [changed] if isinstance(changed, cst.BaseStatement) else []

    # -- rendering

    def render(self, statements: Sequence[cst.BaseStatement]) -> str:
        """The text of statements at this snippet's own margin."""
        if not self.margin:
            return self.module.with_changes(body=list(statements), header=[], footer=[]).code
        block = cst.IndentedBlock(body=list(statements), indent=self.margin)
        code = self.module.with_changes(body=[cst.If(test=cst.Name("x"), body=block)], header=[], footer=[]).code
        return code.split(self.newline, 1)[1]

    def edit(self, statements: Sequence[cst.BaseStatement]) -> Edit:
        """Replace the whole lines of this snippet by other statements."""
        text = self.render(statements)
        lines = self.source.lines
        last = lines[self.last_line - 1]
        if not last.endswith(("\n", "\r")):
            text = text.removesuffix(self.newline)
            return Edit(Position(self.first_line, 1), Position(self.last_line, len(last) + 1), text)
        return Edit(Position(self.first_line, 1), Position(self.last_line + 1, 1), text)

    # -- building

    def parse(self, code: str) -> cst.BaseStatement:
        """One new statement from its source."""
        return cst.parse_statement(code, self.module.config_for_parsing)

    def define(
        self, name: str, parameters: str, body: Sequence[cst.BaseStatement], like: cst.IndentedBlock | None = None
    ) -> cst.FunctionDef:
        """`def name(parameters):` over these statements; `like` lends the comments of the block they came from."""
        made = self.parse(f"def {name}({parameters}):{self.newline}{self.indent}pass{self.newline}")
        assert isinstance(made, cst.FunctionDef)
        spaced = [blank_line_before(s) if at and isinstance(s, cst.FunctionDef) else s for at, s in enumerate(body)]
        if spaced and isinstance(spaced[0], cst.FunctionDef):
            above = dropwhile(lambda line: line.comment is None, spaced[0].leading_lines)
            spaced[0] = spaced[0].with_changes(leading_lines=[*above])
        footer = like.footer if like else ()
        match spaced[-1] if any(line.comment for line in footer) else None:
            case cst.SimpleStatementLine(body=[cst.Return(value=cst.Name() | cst.Tuple())]) as returned:
                spaced[-1] = returned.with_changes(leading_lines=[*returned.leading_lines, *footer])
                footer = ()
        block = cst.IndentedBlock(body=spaced, footer=footer, indent=like.indent if like else self.indent)
        if like and like.header.comment:
            block = block.with_changes(header=like.header)
        return made.with_changes(body=block)


COMPOUND = (
    ast.For,
    ast.While,
    ast.If,
    ast.With,
    ast.Try,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.AsyncFor,
    ast.AsyncWith,
    ast.Match,
    ast.TryStar,
)


def foot(below: Iterable[str], margin: str) -> int:
    """How many of the lines below a statement end in comments that stand further in: they belong to its block."""
    count = 0
    for at, line in enumerate(below):
        code = line.lstrip(" \t")
        if code.startswith("#") and line.startswith(margin) and len(line) - len(code) > len(margin):
            count = at + 1
        elif code.strip():
            break
    return count


def blank_line_before(statement: cst.BaseStatement) -> cst.BaseStatement:
    """The statement with one empty line above it, unless there is one."""
    leading: Sequence[cst.EmptyLine] = statement.leading_lines  # type: ignore[attr-defined]
    if leading and leading[0].comment is None:
        return statement
    return statement.with_changes(leading_lines=[cst.EmptyLine(indent=False), *leading])


def _begin(item: tuple[tuple[int, int, int, int], list[cst.CSTNode]]) -> tuple[int, ...]:
    """Orders texts by where they begin, the longer ones first."""
    line, column, end_line, end_column = item[0]
    return line, column, -end_line, -end_column


def comments_of(statement: cst.CSTNode) -> list[cst.EmptyLine]:
    """The comments above a statement of one line and behind it, each on a line of its own."""
    match statement:
        case cst.SimpleStatementLine(leading_lines=lines, trailing_whitespace=behind):
            found = [line for line in lines if line.comment]
            return [*found, *([cst.EmptyLine(comment=behind.comment)] if behind.comment else [])]
    return []
