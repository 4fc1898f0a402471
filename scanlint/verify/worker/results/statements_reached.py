"""The statements of a function that no input reached: nothing is known of what they do."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

Definition = ast.FunctionDef | ast.AsyncFunctionDef
SILENT = (ast.Raise, ast.Pass, ast.Global, ast.Nonlocal, ast.Assert)


def never_run(node: Definition | None, tree: ast.Module, reached: Collection[int]) -> list[int]:
    """The lines of statements of a module that were not reached; arms and handlers that only raise need not be.

    What is made of a `lambda` has no statement of the module.
    """
    known = {id(statement) for statement in ast.walk(tree)} if node is not None else set()
    wanted = {s.lineno for s in _wanted(node.body) if id(s) in known} if node is not None else set()
    return sorted(wanted - set(reached))


def _wanted(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    if all(isinstance(s, SILENT) for s in body):
        return
    for statement in body:
        if not isinstance(statement, SILENT) and not _text(statement):
            yield statement
        for name in ("body", "orelse", "finalbody"):
            yield from _wanted(getattr(statement, name, []))
        for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
            yield from _wanted(part.body)


def _text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
