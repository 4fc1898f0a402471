"""Edits of the text alone: comments, line breaks, joined statements, parentheses. The syntax tree stays as it is."""

from __future__ import annotations

import ast
import io
import subprocess
import sys
import tokenize
from collections.abc import Callable, Sequence

import libcst as cst

SPACE = cst.SimpleWhitespace("  ")
NOTE = cst.Comment("# a note")


class _Comments(cst.CSTTransformer):
    """A comment above each statement of a block."""

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        body = [_noted(statement) for statement in updated_node.body]
        return updated_node.with_changes(body=body)


def _noted(statement: cst.BaseStatement) -> cst.BaseStatement:
    lines: Sequence[cst.EmptyLine] = statement.leading_lines  # type: ignore[attr-defined]
    return statement.with_changes(leading_lines=[*lines, cst.EmptyLine(comment=NOTE)])


class _Trailing(cst.CSTTransformer):
    """A comment behind each simple statement and each header that has none."""

    def leave_TrailingWhitespace(
        self, original_node: cst.TrailingWhitespace, updated_node: cst.TrailingWhitespace
    ) -> cst.TrailingWhitespace:
        return updated_node if updated_node.comment else updated_node.with_changes(whitespace=SPACE, comment=NOTE)


class _Joined(cst.CSTTransformer):
    """Two simple statements that follow each other on one line."""

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        body: list[cst.BaseStatement] = []
        for statement in updated_node.body:
            before = body[-1] if body else None
            match before, statement:
                case (
                    cst.SimpleStatementLine(body=[first], trailing_whitespace=cst.TrailingWhitespace(comment=None)),
                    cst.SimpleStatementLine(body=[second], leading_lines=[]),
                ) if not (_docstring(first) or isinstance(first, cst.Import | cst.ImportFrom)):
                    body[-1] = statement.with_changes(
                        leading_lines=before.leading_lines,
                        body=[
                            first.with_changes(semicolon=cst.Semicolon(whitespace_after=cst.SimpleWhitespace(" "))),
                            second,
                        ],
                    )
                case _:
                    body.append(statement)
        return updated_node.with_changes(body=body)


def _docstring(statement: cst.BaseSmallStatement) -> bool:
    return isinstance(statement, cst.Expr) and isinstance(statement.value, cst.SimpleString | cst.ConcatenatedString)


class _OnHeader(cst.CSTTransformer):
    """Blocks of simple statements on the line of their header."""

    def leave_IndentedBlock(self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock) -> cst.BaseSuite:
        lines = updated_node.body
        if updated_node.footer or updated_node.header.comment:
            return updated_node
        small: list[cst.BaseSmallStatement] = []
        for line in lines:
            match line:
                case cst.SimpleStatementLine(
                    leading_lines=[], body=[*parts], trailing_whitespace=cst.TrailingWhitespace(comment=None)
                ) if not any(_docstring(p) for p in parts):
                    small += parts
                case _:
                    return updated_node
        if len(small) > 3:
            return updated_node
        return cst.SimpleStatementSuite(body=[s.with_changes(semicolon=cst.MaybeSentinel.DEFAULT) for s in small])


class _Parenthesised(cst.CSTTransformer):
    """Parentheses around what is assigned, returned, tested and iterated."""

    def leave_Assign(self, original_node: cst.Assign, updated_node: cst.Assign) -> cst.Assign:
        return updated_node.with_changes(value=_wrapped(updated_node.value))

    def leave_Return(self, original_node: cst.Return, updated_node: cst.Return) -> cst.Return:
        return updated_node.with_changes(value=_wrapped(updated_node.value)) if updated_node.value else updated_node

    def leave_For(self, original_node: cst.For, updated_node: cst.For) -> cst.For:
        return updated_node.with_changes(iter=_wrapped(updated_node.iter))

    def leave_If(self, original_node: cst.If, updated_node: cst.If) -> cst.If:
        return updated_node.with_changes(test=_wrapped(updated_node.test))

    def leave_While(self, original_node: cst.While, updated_node: cst.While) -> cst.While:
        return updated_node.with_changes(test=_wrapped(updated_node.test))


def _wrapped(value: cst.BaseExpression) -> cst.BaseExpression:
    if isinstance(value, cst.Yield | cst.GeneratorExp) or value.lpar:
        return value
    return value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


class _LongStrings(cst.CSTTransformer):
    """Strings that are parts of expressions, in two parts on two lines; a string of two lines at the top of each loop."""

    def leave_For(self, original_node: cst.For, updated_node: cst.For) -> cst.For:
        return updated_node.with_changes(body=_remarked(updated_node.body))

    def leave_While(self, original_node: cst.While, updated_node: cst.While) -> cst.While:
        return updated_node.with_changes(body=_remarked(updated_node.body))

    def visit_Expr(self, node: cst.Expr) -> bool:
        return not isinstance(node.value, cst.SimpleString)

    def visit_FormattedString(self, node: cst.FormattedString) -> bool:
        return False

    def visit_ConcatenatedString(self, node: cst.ConcatenatedString) -> bool:
        return False

    def leave_SimpleString(self, original_node: cst.SimpleString, updated_node: cst.SimpleString) -> cst.BaseExpression:
        value = updated_node.evaluated_value
        if not isinstance(value, str) or len(updated_node.quote) != 1:
            return updated_node
        half = len(value) // 2
        return cst.parse_expression(f"({value[:half]!r}\n    {value[half:]!r})")


def _remarked(body: cst.BaseSuite) -> cst.BaseSuite:
    match body:
        case cst.IndentedBlock(body=statements):
            remark = cst.parse_statement('"""What a trip\n\n  does."""\n')
            return body.with_changes(body=[remark, *statements])
    return body


def transformed(transformer: Callable[[], cst.CSTTransformer]) -> Callable[[str], str]:
    return lambda code: cst.parse_module(code).visit(transformer()).code


def inside_brackets(code: str) -> str:
    """A comment and a line break after the first comma in each pair of brackets."""
    out: list[tuple[int, int]] = []
    depth: list[bool] = []
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type != tokenize.OP:
            continue
        if token.string in "([{":
            depth.append(False)
        elif token.string in ")]}":
            depth.pop()
        elif token.string == "," and depth and not depth[-1]:
            depth[-1] = True
            out.append(token.end)
    lines = code.splitlines(keepends=True)
    for row, column in reversed(out):
        line = lines[row - 1]
        if not line[column:].strip().startswith("#") and line[column:].strip():
            lines[row - 1] = f"{line[:column]}  # a note\n        {line[column:].lstrip()}"
    return "".join(lines)


def backslashes(code: str) -> str:
    """A backslash and a line break after the first sign of each assignment and in each sum outside of brackets."""
    places: list[tuple[int, int]] = []
    depth, seen = 0, False
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type == tokenize.NEWLINE:
            seen = False
        elif token.type == tokenize.OP and token.string in "([{":
            depth += 1
        elif token.type == tokenize.OP and token.string in ")]}":
            depth -= 1
        elif (
            token.type == tokenize.OP and depth == 0 and (token.string in "+*<>" or (token.string == "=" and not seen))
        ):
            seen = seen or token.string == "="
            places.append(token.end)
    lines = code.splitlines(keepends=True)
    for row, column in reversed(places):
        lines[row - 1] = f"{lines[row - 1][:column]} \\\n            {lines[row - 1][column:].lstrip()}"
    return "".join(lines)


def formatted(width: int) -> Callable[[str], str]:
    """As a formatter has it on lines of this width."""

    def edit(code: str) -> str:
        command = [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length", str(width), "-"]
        return subprocess.run(command, input=code, capture_output=True, text=True, check=True).stdout

    return edit


LAYOUTS: dict[str, Callable[[str], str]] = {
    "comments above statements": transformed(_Comments),
    "comments at line ends": transformed(_Trailing),
    "comments inside brackets": inside_brackets,
    "60 columns": formatted(60),
    "160 columns": formatted(160),
    "statements joined by semicolons": transformed(_Joined),
    "blocks on the line of their header": transformed(_OnHeader),
    "strings over several lines": transformed(_LongStrings),
    "backslashes": backslashes,
    "redundant parentheses": transformed(_Parenthesised),
}
"""By what they do."""


def same_tree(old: str, new: str) -> bool:
    """Whether two texts are one program to Python."""
    return ast.dump(ast.parse(old)) == ast.dump(ast.parse(new))
