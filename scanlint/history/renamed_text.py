"""An old text in which a function bears the name that it has now, so that both versions are called by one name."""

from __future__ import annotations

import ast
import re

from scanlint.finding import Edit, Position
from scanlint.syntax.edits import apply_edits, split_lines

WORD = re.compile(r"\b(?:def|class)\s+(\w+)")


class CannotRename(Exception):
    """The old text cannot be given the new name; why."""


def renamed(text: str, old: str, new: str) -> str:
    """The text with the definition of `old` under the name `new`; the old name stands for it too.

    Both names have as many parts. Raises CannotRename where the text has something else of the new name.
    """
    before, after = old.split("."), new.split(".")
    edits: list[Edit] = []
    body = ast.parse(text).body
    for at, (was, now) in enumerate(zip(before, after, strict=True)):
        node = next((statement for statement in reversed(body) if _defines(statement, was)), None)
        if node is None:
            raise CannotRename(f"`{old}` is defined in a branch of the old version, where it can have no other name")
        if was != now:
            if any(_binds(statement, now) for statement in body):
                raise CannotRename(f"the old version has another `{'.'.join([*before[:at], now])}`")
            edits += _edits(text, node, was, now)
        body = node.body if isinstance(node, ast.ClassDef) else []
    return apply_edits(text, edits)


def _defines(statement: ast.stmt, name: str) -> bool:
    match statement:
        case ast.FunctionDef(name=found) | ast.AsyncFunctionDef(name=found) | ast.ClassDef(name=found):
            return found == name
        case ast.Assign(targets=[ast.Name(id=found)]) | ast.AnnAssign(target=ast.Name(id=found)):
            return found == name
    return False


def _binds(statement: ast.stmt, name: str) -> bool:
    return _defines(statement, name) or any(
        isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) for n in ast.walk(statement)
    )


def _edits(text: str, node: ast.stmt, was: str, now: str) -> list[Edit]:
    """Another name in the head of a definition, and below it the old name for what it defines."""
    lines = split_lines(text)
    line = lines[node.lineno - 1]
    indent = line[: len(line) - len(line.lstrip())]
    last = node.end_lineno or node.lineno
    end = Position(last, len(lines[last - 1].rstrip("\r\n")) + 1)
    if isinstance(node, ast.Assign | ast.AnnAssign):
        return [Edit(end, end, f"\n{indent}{now} = {was}")]
    match = WORD.search(line, len(indent))
    if match is None or match[1] != was:
        raise CannotRename(f"`{was}` does not stand beside its `def`")
    head = Edit(Position(node.lineno, match.start(1) + 1), Position(node.lineno, match.end(1) + 1), now)
    return [head, Edit(end, end, f"\n{indent}{was} = {now}")]
