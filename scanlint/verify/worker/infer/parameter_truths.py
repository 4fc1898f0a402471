"""Which parameters a function asks for their truth: an array of several elements has none, and a list has."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def asked_for_truth(function: ast.AST) -> Iterator[str]:
    """The parameters whose truth a function asks for: `if rows:`, `not rows`, `rows and rows[0]`."""
    if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
        return
    names = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)}
    for node in ast.walk(function):
        match node:
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.UnaryOp(ast.Not(), operand=test):
                asked = [test]
            case ast.BoolOp(values=values):
                asked = values
            case _:
                continue
        yield from (part.id for part in asked if isinstance(part, ast.Name) and part.id in names)
