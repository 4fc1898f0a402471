"""Import statements that rewritten code needs, put where the file keeps its own."""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection
from typing import Literal

from scanlint.syntax.edits import split_lines

Gap = Literal["above", "below"] | None


def add_imports(text: str, statements: Collection[str]) -> str:
    """The text with these import statements, each only if the file does not have it yet.

    They go above the first import of jax (in the order that isort gives plain imports), else below the last import,
    else below the docstring.
    """
    if not statements:
        return text
    tree = ast.parse(text)
    have = {ast.unparse(s) for s in tree.body if isinstance(s, ast.Import | ast.ImportFrom)}
    wanted = sorted(s for s in dict.fromkeys(statements) if s not in have)
    for statement in wanted:
        text = _insert(text, statement)
    return text


def _insert(text: str, statement: str) -> str:
    lines = split_lines(text)
    newline = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    line, gap = _place(ast.parse(text), statement)
    new = [statement + newline]
    if gap == "above":
        new = [newline, *new]
    elif gap == "below" and line < len(lines):
        new = [*new, newline]
    if line and not lines[line - 1].endswith(("\n", "\r")):
        lines[line - 1] += newline
    return "".join([*lines[:line], *new, *lines[line:]])


def _place(tree: ast.Module, statement: str) -> tuple[int, Gap]:
    """After which line the statement goes, and on which side an empty line keeps it apart from what is there."""
    imports = [s for s in tree.body if isinstance(s, ast.Import | ast.ImportFrom)]
    future = [s for s in imports if isinstance(s, ast.ImportFrom) and s.module == "__future__"]
    usual = [s for s in imports if s not in future and s.col_offset == 0]
    root = _root(statement)
    kin = [s for s in usual if _root(ast.unparse(s)) == root]
    if kin:
        after = [s for s in kin if _key(ast.unparse(s)) < _key(statement)]
        return (after[-1].end_lineno or 0, None) if after else (kin[0].lineno - 1, None)
    if root == "functools" and usual:
        plain = [s for s in usual if _key(ast.unparse(s)) < _key(statement) and _is_standard(ast.unparse(s))]
        if plain:
            return plain[-1].end_lineno or 0, None
        return usual[0].lineno - 1, None if _is_standard(ast.unparse(usual[0])) else "below"
    if usual:
        return usual[-1].end_lineno or 0, None
    if future:
        return future[-1].end_lineno or 0, "above"
    match tree.body:
        case [ast.Expr(value=ast.Constant(value=str())) as docstring, *_]:
            return docstring.end_lineno or 0, "above"
    return 0, "below"


def _root(statement: str) -> str:
    return statement.split()[1].split(".")[0]


def _key(statement: str) -> tuple[bool, str]:
    """isort's order: `import x` before `from x import y`, then by name."""
    return statement.startswith("from"), statement


def _is_standard(statement: str) -> bool:
    return _root(statement) in sys.stdlib_module_names
