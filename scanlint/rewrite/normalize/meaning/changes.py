"""Record what a step of the normal form changes in a text, and which old line each new line comes from."""

from __future__ import annotations

import ast

from scanlint.finding import Edit, Position
from scanlint.syntax.bindings import Function, walk_scope
from scanlint.syntax.source import Source
from scanlint.syntax.walk import walk
from scanlint.trace.unit import Unit

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
Loop = ast.For | ast.While


Change = tuple[Edit, ...]
"""Edits that keep the meaning together, and not one by one."""


def drop(unit: Unit, statement: ast.stmt) -> Edit:
    """A statement taken out with its lines, and the empty ones below where none may stay; a lone one passes."""
    lines, block = unit.source.lines, unit.block(statement)
    if len(block) == 1:
        return unit.source.put(statement, "pass")
    gone, below = unit.source.drop(statement), statement.end_lineno or 0
    begins = block[0] is statement or not lines[statement.lineno - 2].strip()
    while begins and below < len(lines) and not lines[below].strip():
        below += 1
    return gone._replace(end=Position(below + 1, 1))


def movable(source: Source, node: ast.stmt, *owners: ast.For | ast.match_case) -> bool:
    """Whether the lines of some bodies in a statement can be indented otherwise: no string goes over several."""
    own = all(not source.lines[o.body[0].lineno - 1].encode()[: o.body[0].col_offset].strip() for o in owners)
    texts = (n for n in ast.walk(node) if isinstance(n, ast.Constant | ast.JoinedStr))
    return own and all(n.lineno == n.end_lineno for n in texts)


def within_loops(unit: Unit) -> list[Loop]:
    """The loops of a unit, the inner ones first."""
    return sorted((*unit.every(ast.For), *unit.every(ast.While)), key=lambda n: -n.lineno)


def function_of(unit: Unit, node: ast.AST) -> Function:
    """The function whose variable a name in a node is, if it binds it."""
    found = next((a for a in unit.ancestors(node) if isinstance(a, SCOPES)), unit.node)
    return found if not isinstance(found, ast.ClassDef) else unit.node


def spoken(unit: Unit, name: str) -> list[ast.Name]:
    """All places of a unit that mention a name, in the order of the text."""
    return list(unit.mentions.get(name, ()))


def alone(unit: Unit, name: str, function: Function) -> bool:
    """Whether a name is a variable of one function, which no function in it speaks of, and is never deleted."""
    shared = [n for s in unit.every(ast.Global) for n in s.names] + [
        n for s in unit.every(ast.Nonlocal) for n in s.names
    ]
    if name in shared or any(a.arg == name for a in _inner_parameters(unit, function)):
        return False
    inside = _inside(unit, function)
    return all(n in inside and not isinstance(n.ctx, ast.Del) for n in spoken(unit, name))


def _inside(unit: Unit, function: Function) -> frozenset[ast.AST]:
    """The nodes that belong to one function, not to those in it."""
    body = function.body if isinstance(function.body, list) else []
    return unit.once((_inside, function), lambda: frozenset(walk_scope(body)))


def _inner_parameters(unit: Unit, function: Function) -> list[ast.arg]:
    own = {id(a) for a in walk(function.args) if isinstance(a, ast.arg)}
    return [a for a in unit.every(ast.arg) if id(a) not in own]


def names_in(*nodes: ast.AST) -> set[str]:
    """The names that stand anywhere in these nodes."""
    return {n.id for node in nodes for n in walk(node) if isinstance(n, ast.Name)}


def pairs_of(statement: ast.stmt) -> list[tuple[ast.expr, ast.expr]]:
    """The pairs of target and value of an assignment: one for `a = x`, two for `a, b = x, y`."""
    match statement:
        case ast.Assign(
            targets=[ast.Tuple(elts=left) | ast.List(elts=left)], value=ast.Tuple(elts=right) | ast.List(elts=right)
        ) if len(left) == len(right) and not any(isinstance(e, ast.Starred) for e in (*left, *right)):
            return list(zip(left, right, strict=True))
        case ast.Assign(targets=[target], value=value):
            return [(target, value)]
    return []
