"""Narrows names in the arms of a test: to what is not None, is plain Python, or is an array of JAX."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from scanlint.syntax.bindings import Function, binds, parameters
from scanlint.syntax.regex import regex
from scanlint.syntax.walk import by_kind
from scanlint.trace.domain.values import UNKNOWN, but
from scanlint.trace.evaluator import Evaluator

_PLAIN = regex(
    r"(?:\w+\.)*(?:int|float|bool|complex|str|tuple|list|dict|integer|floating|number|Number|Integral|Real|slice)"
)
"""Types of plain Python values, and NumPy's classes of numbers, as they are spelled."""
ARRAY_TYPES = frozenset(("jax.Array", "jax.numpy.ndarray"))
"""What only arrays of JAX are, tracers among them."""


def narrow(self: Evaluator, node: ast.If, outcome: bool) -> None:
    """Change the environment at the beginning of an arm to what the test says of its names there."""
    for name, kinds in _types_asked(node.test) if outcome else ():
        listed = kinds.elts if isinstance(kinds, ast.Tuple) else [kinds]
        if all(_PLAIN.fullmatch(ast.unparse(kind)) for kind in listed):
            self.env[name] = UNKNOWN
        elif isinstance(kinds, ast.Attribute | ast.Name):
            _take_for_array(self, name, kinds)
    for name in _not_none(node.test, outcome):
        for known in (name, _alias(self.frame.code.node, node, name)):
            if known is not None and known in self.env and known not in self.frame.shared:
                self.env[known] = but(self.env[known], present=True)


def _types_asked(test: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """The names whose types a test asks for, with these types: `isinstance(x, (int, np.integer)) and ...`."""
    match test:
        case ast.BoolOp(op=ast.And(), values=values):
            for value in values:
                yield from _types_asked(value)
        case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name), kinds]):
            yield name, kinds


def _take_for_array(self: Evaluator, name: str, kind: ast.expr) -> None:
    """A name that is tested to be an array of JAX is one; what is known of a list or an object stays."""
    known = self.env.get(name, UNKNOWN)
    plain = known.static or known.known or known.container is not None or known.callee is not None
    if not plain and name not in self.frame.shared and self.frame.code.scope.annotation(kind) in ARRAY_TYPES:
        self.env[name] = but(known, array=True)


def _not_none(test: ast.expr, outcome: bool) -> Iterator[str]:
    """The names that are not None where a test comes out so."""
    match test:
        case ast.Name(id=name) if outcome:
            yield name
        case ast.Compare(left=ast.Name(id=name), ops=[operator], comparators=[ast.Constant(value=None)]):
            if isinstance(operator, ast.IsNot if outcome else ast.Is):
                yield name
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from _not_none(operand, not outcome)
        case ast.BoolOp(op=operator, values=values) if isinstance(operator, ast.And if outcome else ast.Or):
            for value in values:
                yield from _not_none(value, outcome)


def _alias(function: Function, test: ast.If, name: str) -> str | None:
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
