"""Calls of `lax.scan` whose `xs` only say how often."""

from __future__ import annotations

import ast
from itertools import takewhile
from typing import NamedTuple

from scanlint.loops.scans.scan_bodies import GivenBefore, body_argument, scan_body
from scanlint.syntax.bindings import Function, reads
from scanlint.syntax.walk import walk
from scanlint.trace.unit import Unit

ALL_NAMES = frozenset(("locals", "vars", "eval", "exec"))
"""Functions that may read a name without naming it."""
MAKERS = ("jax.numpy.zeros", "jax.numpy.ones", "jax.numpy.empty", "jax.numpy.arange")


NUMERIC = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
"""Operators that no tuple has."""


class DummyScan(NamedTuple):
    """A scan whose `xs` is thrown away; `made` is the statement that makes it under a name of its own.

    `counted`: its length surely is a number; a size that nothing is known of may be a shape.
    """

    call: ast.Call
    step: str
    xs: ast.expr
    length: ast.expr
    made: ast.Assign | None
    counted: bool


def dummy_scan(unit: Unit, call: ast.Call) -> DummyScan | None:
    """The scan, if its step never reads what it gets of `xs`."""
    if isinstance(call.func, ast.Attribute) and call.func.attr != "scan":
        return None
    if unit.resolve(call.func) != "jax.lax.scan" or any(isinstance(a, ast.Starred) for a in call.args):
        return None
    given = {k.arg: k.value for k in call.keywords}
    xs = call.args[2] if len(call.args) > 2 else given.get("xs")
    run = body_argument(call)
    if xs is None or run is None or None in given or len(call.args) > 3:
        return None
    made: ast.Assign | None = None
    length = _length(unit, xs)
    if length is None and isinstance(xs, ast.Name):
        made = _only_for_this(unit, xs)
        length = _length(unit, made.value) if made is not None else None
    body = scan_body(unit, run)
    if length is None or body is None or not _never_read(body.function, body.given):
        return None
    return DummyScan(call, body.name, xs, length, made, _counted(unit, made.value if made is not None else xs, length))


def _counted(unit: Unit, xs: ast.expr, length: ast.expr) -> bool:
    """The length surely is a number: `jnp.zeros(size)` takes a shape as well, `jnp.arange(size)` does not."""
    match xs:
        case ast.Call(func=function, args=[size, *_]) if unit.resolve(function) != "jax.numpy.arange":
            return size is not length or any(_number(unit, use) for use in _uses(unit, size))
    return True


def _uses(unit: Unit, size: ast.expr) -> list[ast.expr]:
    """A size, and all the places that read it under the same name."""
    named = unit.mentions.get(size.id, []) if isinstance(size, ast.Name) else []
    return [size, *named]


def _number(unit: Unit, size: ast.expr) -> bool:
    """The value is a number as far as this place tells: no shape can be taken away from, or counted with."""
    if unit.value(size).dtype == "int" or (isinstance(size, ast.BinOp) and isinstance(size.op, NUMERIC)):
        return True
    match unit.parents.get(size):
        case ast.BinOp(op=op):
            return isinstance(op, NUMERIC)
        case ast.Call(func=function):
            return unit.resolve(function) in ("builtins.range", "jax.numpy.arange", "builtins.int")
        case ast.Compare(ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()], comparators=[other]):
            return unit.value(other).dtype == "int"
    return False


def _length(unit: Unit, xs: ast.expr) -> ast.expr | None:
    """The number of rows of an array that holds nothing of interest."""
    match xs:
        case ast.Call(func=function, args=[size, *rest], keywords=keywords) if unit.resolve(function) in MAKERS:
            if unit.resolve(function) == "jax.numpy.arange" and (rest or not all(k.arg == "dtype" for k in keywords)):
                return None
            return _first(unit, size)
        case ast.BinOp(left=ast.List(elts=[ast.Constant(value=None)]), op=ast.Mult(), right=count):
            return None if count is None else count
    return None


def _first(unit: Unit, size: ast.expr) -> ast.expr | None:
    match size:
        case ast.Tuple(elts=[first, *_]) | ast.List(elts=[first, *_]):
            return None if isinstance(first, ast.Starred) else first
        case ast.Constant(value=int()):
            return size
        case ast.Constant() | ast.Starred():
            return None
    value = unit.value(size)
    shape = value.container is not None or value.items is not None or isinstance(value.constant, tuple | float)
    named = isinstance(size, ast.Name | ast.Attribute) and ast.unparse(size).endswith(("shape", "size_", "dims"))
    return None if shape or named else size


def _only_for_this(unit: Unit, xs: ast.Name) -> ast.Assign | None:
    """The assignment of a name that is bound once and read once, here."""
    uses = [n for n in walk(unit.node) if isinstance(n, ast.Name) and n.id == xs.id]
    if len(uses) != 2:
        return None
    for statement in walk(unit.node):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)]) if name == xs.id:
                return statement
    return None


def _never_read(function: Function, given: GivenBefore) -> bool:
    """The function, whose first arguments are given, never reads the second of those that it is called with."""
    arguments, body = function.args, [function.body] if isinstance(function, ast.Lambda) else function.body
    positional = [a.arg for a in (*arguments.posonlyargs, *arguments.args)][given.first :]
    handed = [*takewhile(lambda name: name not in given.named, positional)][:2]
    return len(handed) == 2 and handed[1] not in reads(*body) and not reads(*body) & ALL_NAMES
