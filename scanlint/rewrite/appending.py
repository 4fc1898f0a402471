"""`ys.append(...)` at the end of every way through a branch, by way of a name that the branch can give a value."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from scanlint.analysis.branches import is_elif
from scanlint.analysis.unit import Unit
from scanlint.finding import Edit, Position
from scanlint.outcome import Rewrite
from scanlint.rewrite.layout import indent_of
from scanlint.rewrite.leaving import Leaving, shares_lines
from scanlint.rewrite.syntax import fresh
from scanlint.rewrite.words import singular


def without_appends(unit: Unit, node: ast.If) -> Rewrite | None:
    """The branch with a name for what it appends, once on each way through it, to one list; that is appended after it.

    The arms may do nothing else with the list: what is appended is worked out where it was, and kept until then.
    """
    if is_elif(unit, node) or shares_lines(node):
        return None
    for name in dict.fromkeys(_list(part) for part in ast.walk(node)):
        found = _appended((node,), name) if name is not None else None
        if found is None or name is None:
            continue
        named = [n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == name]
        if len(named) != len(found):
            continue
        item = fresh(unit.names, singular(name, "item"), "item")
        leaving, source = Leaving(unit, indent_of(unit), str), unit.source
        edits = [Edit(source.start(s), source.start(_element(s)), f"{item} = ") for s in found]
        edits += [Edit(source.end(_element(s)), source.end(s), "") for s in found]
        end = source.end(node)
        below = Position(end.line, len(source.lines[end.line - 1].rstrip("\r\n")) + 1)
        last = f"{leaving.newline}{leaving.margin(node, 0)}{name}.append({item})"
        return Rewrite((*edits, Edit(below, below, last)), "cond", again=True)
    return None


def _list(part: ast.AST) -> str | None:
    """The list to which a statement appends."""
    match part:
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[_], keywords=[])
        ):
            return name
    return None


def _element(statement: ast.stmt) -> ast.expr:
    assert isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
    return statement.value.args[0]


def _appended(block: Sequence[ast.stmt], name: str) -> list[ast.stmt] | None:
    """The statements that append to a list, one on each way through a block; None where there are more, or fewer."""
    found: list[list[ast.stmt]] = []
    for statement in block:
        if _list(statement) == name:
            found.append([statement])
        elif isinstance(statement, ast.If) and any(_list(part) == name for part in ast.walk(statement)):
            arms = [_appended(arm, name) for arm in (statement.body, statement.orelse)]
            if arms[0] is None or arms[1] is None:
                return None
            found.append([*arms[0], *arms[1]])
    return found[0] if len(found) == 1 else None
