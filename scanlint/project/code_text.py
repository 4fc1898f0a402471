"""The text of a file without what is no code: docstrings and lines of comments, in which any word may stand."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from scanlint.syntax.regex import regex

_COMMENT = regex(r"^[ \t]*#.*", re.MULTILINE)


def code_text(text: str, starts: Sequence[int], tree: ast.Module) -> str:
    """A text of the same length, with blanks for prose; `starts` are the places where its lines begin."""
    parts: list[str] = []
    done = 0
    for prose in _docstrings(tree.body, tree):
        first, last = (_place(text, starts, *at) for at in _ends(prose))
        parts += [text[done:first], " " * (last - first)]
        done = last
    return _COMMENT.sub(lambda found: " " * len(found[0]), "".join([*parts, text[done:]]))


def _docstrings(body: Sequence[ast.stmt], owner: ast.AST) -> Iterator[ast.expr]:
    """The docstrings of a module, of its functions and classes and those in the classes, in order."""
    match body:
        case [ast.Expr(value=ast.Constant(value=str()) as prose), *_]:
            yield prose
    for statement in body if isinstance(owner, ast.Module | ast.ClassDef) else ():
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from _docstrings(statement.body, statement)


def _ends(node: ast.expr) -> tuple[tuple[int, int], tuple[int, int]]:
    end = (node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)
    return (node.lineno, node.col_offset), end


def _place(text: str, starts: Sequence[int], line: int, column: int) -> int:
    """The offset of a place whose column counts bytes."""
    row = text[starts[line - 1] : starts[line]]
    return starts[line - 1] + (column if row.isascii() else len(row.encode()[:column].decode()))
