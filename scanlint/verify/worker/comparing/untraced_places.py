"""Which place of a function keeps it from being traced, in words."""

from __future__ import annotations

import ast
import traceback

LONGEST = 60


def place_of(error: BaseException, file: str, tree: ast.Module) -> str:
    """The statement of a file, or the head of one, in which an error was raised; empty where it was in no such."""
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == file]
    if not lines:
        return ""
    around = [n for n in ast.walk(tree) if isinstance(n, ast.stmt) and n.lineno <= lines[-1] <= (n.end_lineno or 0)]
    return _head(max(around, key=lambda node: node.lineno)) if around else ""


def _head(node: ast.stmt) -> str:
    match node:
        case ast.If(test=test):
            text = f"if {ast.unparse(test)}"
        case ast.While(test=test):
            text = f"while {ast.unparse(test)}"
        case ast.For(target=target, iter=iterable):
            text = f"for {ast.unparse(target)} in {ast.unparse(iterable)}"
        case _:
            text = ast.unparse(node).partition("\n")[0]
    return f"`{text if len(text) <= LONGEST else text[: LONGEST - 3] + '...'}`"
