"""Branches that append to a list once on each way through them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from scanlint.finding import Withheld

APPENDS = frozenset(["conditional-append", "side-effect", "mutation"])
_LEAVES = ast.Break | ast.Continue | ast.Return | ast.Raise | ast.Yield | ast.YieldFrom | ast.Await


def appended_once(node: ast.If) -> Iterator[tuple[str, list[ast.stmt]]]:
    """The lists to which the branch appends just once on each way through it, to its end, and these statements.

    It does nothing else with the list but read it for what is appended.
    """
    if any(isinstance(part, _LEAVES) for part in ast.walk(node)):
        return
    for name in dict.fromkeys(list_of(part) for part in ast.walk(node)):
        found = _appended((node,), name) if name is not None else None
        if found is not None and name is not None:
            named = {n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == name}
            if named <= {n for statement in found for n in ast.walk(statement)}:
                yield name, found


def by_branches(body: Sequence[ast.stmt], obstacles: Sequence[Withheld]) -> list[ast.If]:
    """The branches of a loop's body that append so, if appends are all that is in the way."""
    if not obstacles or any(o.code not in APPENDS for o in obstacles):
        return []
    return [s for s in body if isinstance(s, ast.If) and next(appended_once(s), None) is not None]


def list_of(part: ast.AST) -> str | None:
    """The list to which a statement appends."""
    match part:
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[_], keywords=[])
        ):
            return name
    return None


def _appended(block: Sequence[ast.stmt], name: str) -> list[ast.stmt] | None:
    """The statements that append to a list, one on each way through a block; None where there are more, or fewer."""
    found: list[list[ast.stmt]] = []
    for statement in block:
        if list_of(statement) == name:
            found.append([statement])
        elif isinstance(statement, ast.If) and any(list_of(part) == name for part in ast.walk(statement)):
            arms = [_appended(arm, name) for arm in (statement.body, statement.orelse)]
            if arms[0] is None or arms[1] is None:
                return None
            found.append([*arms[0], *arms[1]])
    return found[0] if len(found) == 1 else None
