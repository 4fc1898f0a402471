"""What a step of the normal form changes in a text, and where each line of it comes from."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from scanlint.finding import Edit, Position
from scanlint.syntax.bindings import Function, walk_scope
from scanlint.syntax.edits import apply_edits, moved
from scanlint.syntax.source import Source
from scanlint.syntax.walk import walk
from scanlint.trace.unit import Unit

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
Loop = ast.For | ast.While


class Piece(NamedTuple):
    """A part of a text, and what stands there in normal form; `origin` is where the first line of that was written."""

    start: Position
    end: Position
    text: str
    origin: Position | None = None


Change = tuple[Piece, ...]
"""Pieces that keep the meaning together, and not one by one."""


class Written:
    """The statements of a unit as text, and how they are changed."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.source: Source = unit.source

    def code(self, node: ast.AST) -> str:
        """The text of a node."""
        return self.source.segment(node)

    def span(self, node: ast.AST) -> tuple[Position, Position]:
        """Where a node begins and ends."""
        return self.source.start(node), self.source.end(node)

    def put(self, node: ast.AST, code: str) -> Piece:
        """Other text in the place of a node."""
        return Piece(self.source.start(node), self.source.end(node), code)

    def drop(self, statement: ast.stmt) -> Piece:
        """A statement taken out with its lines; a block that has no other one passes."""
        if len(self.unit.block(statement)) == 1:
            return self.put(statement, "pass")
        return Piece(Position(statement.lineno, 1), Position((statement.end_lineno or 0) + 1, 1), "")

    def lines(self, statement: ast.stmt, made: Sequence[str]) -> Piece:
        """Other lines, without their margins, in the place of a statement that has lines of its own."""
        return self.put(statement, f"{self.source.newline}{self.source.margin(statement)}".join(made))

    def above(self, statement: ast.stmt, made: Sequence[str]) -> Piece:
        """Lines, without their margins, above a statement."""
        return self._at(statement.lineno, statement, made)

    def below(self, statement: ast.stmt, made: Sequence[str]) -> Piece:
        """Lines below a statement, at its margin."""
        return self._at((statement.end_lineno or 0) + 1, statement, made)

    def _at(self, line: int, statement: ast.stmt, made: Sequence[str]) -> Piece:
        place = Position(line, 1)
        return Piece(
            place, place, "".join(f"{self.source.margin(statement)}{code}{self.source.newline}" for code in made)
        )

    def between(self, start: Position, end: Position, pieces: Iterable[Piece]) -> str:
        """The text from one place up to another, with the pieces that lie there."""
        edits = [Edit(p.start, p.end, p.text) for p in pieces if start <= p.start and p.end <= end]
        lines = [*self.source.lines[start.line - 1 : end.line]]
        tail = lines[-1][end.column - 1 :]
        text = apply_edits("".join(lines), [moved(e, 1 - start.line) for e in edits])[start.column - 1 :]
        return text.removesuffix(tail) if tail else text

    def body(self, statements: Sequence[ast.stmt], pieces: Iterable[Piece], margin: str) -> list[str] | None:
        """The lines of some statements with these pieces, at another margin; None where a line stands further out."""
        old = self.source.margin(statements[0])
        text = self.between(Position(statements[0].lineno, 1), self.source.end(statements[-1]), pieces)
        lines = [line.rstrip("\r\n") for line in text.splitlines(keepends=True)]
        if any(line.strip() and not line.startswith(old) for line in lines):
            return None
        return [f"{margin}{line.removeprefix(old)}" if line.strip() else "" for line in lines]


def within_loops(unit: Unit) -> list[Loop]:
    """The loops of a unit, the inner ones first."""
    return sorted((*unit.every(ast.For), *unit.every(ast.While)), key=lambda n: -n.lineno)


def function_of(unit: Unit, node: ast.AST) -> Function:
    """The function whose variable a name in a node is, if it binds it."""
    found = next((a for a in unit.ancestors(node) if isinstance(a, SCOPES)), unit.node)
    return found if not isinstance(found, ast.ClassDef) else unit.node


def spoken(unit: Unit, name: str) -> list[ast.Name]:
    """All places of a unit where a name stands, in the order of the text."""
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
    key = (_inside, function)
    if key not in unit.models:
        unit.models[key] = frozenset(walk_scope(function.body if isinstance(function.body, list) else []))
    found = unit.models[key]
    assert isinstance(found, frozenset)
    return found


def _inner_parameters(unit: Unit, function: Function) -> list[ast.arg]:
    own = {id(a) for a in walk(function.args) if isinstance(a, ast.arg)}
    return [a for a in unit.every(ast.arg) if id(a) not in own]


def names_in(*nodes: ast.AST) -> set[str]:
    """The names that stand anywhere in these nodes."""
    return {n.id for node in nodes for n in walk(node) if isinstance(n, ast.Name)}


def pairs_of(statement: ast.stmt) -> list[tuple[ast.expr, ast.expr]]:
    """What an assignment binds to what, one by one: `a = x`, or `a, b = x, y`."""
    match statement:
        case ast.Assign(
            targets=[ast.Tuple(elts=left) | ast.List(elts=left)], value=ast.Tuple(elts=right) | ast.List(elts=right)
        ) if len(left) == len(right) and not any(isinstance(e, ast.Starred) for e in (*left, *right)):
            return list(zip(left, right, strict=True))
        case ast.Assign(targets=[target], value=value):
            return [(target, value)]
    return []
