"""Names that a test shows not to be None, where it holds and behind it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from scanlint.syntax.bindings import Function, binds, parameters
from scanlint.syntax.walk import by_kind


def not_none(test: ast.expr, outcome: bool) -> Iterator[str]:
    """The names that are not None where a test comes out so."""
    match test:
        case ast.Name(id=name) if outcome:
            yield name
        case ast.Compare(left=ast.Name(id=name), ops=[operator], comparators=[ast.Constant(value=None)]):
            if isinstance(operator, ast.IsNot if outcome else ast.Is):
                yield name
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from not_none(operand, not outcome)
        case ast.BoolOp(op=operator, values=values) if isinstance(operator, ast.And if outcome else ast.Or):
            for value in values:
                yield from not_none(value, outcome)


def alias(function: Function, test: ast.If, name: str) -> str | None:
    """The parameter that a name still is at a test: both stand in the body itself, and nothing rebinds either before.

    The parameter must not be rebound at all, for functions made here read it whenever they run.
    """
    body = function.body if isinstance(function.body, list) else []
    before = body[: body.index(test)] if test in body else []
    if not any(_renames(s, name) for s in before):
        return None
    match [s for s in before if name in _rebound([s])]:
        case [ast.Assign(targets=[ast.Name()], value=ast.Name(id=other))]:
            taken = other in parameters(function.args) and other not in _rebound(body)
            return other if taken else None
    return None


def _renames(statement: ast.stmt, name: str) -> bool:
    """Whether a statement is `name = other`."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=bound)], value=ast.Name()):
            return bound == name
    return False


def _rebound(statements: Sequence[ast.stmt]) -> frozenset[str]:
    """Every name that some statements may bind, or functions in them for the one around."""
    shared = (n.names for n in by_kind(*statements).of(ast.Nonlocal))
    return binds(*statements).union(*shared)
