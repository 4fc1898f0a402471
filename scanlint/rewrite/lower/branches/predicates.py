"""A Python test as one array expression: `and`, `or`, `not` and chained comparisons spelled for tracers."""

from __future__ import annotations

import ast
from collections.abc import Callable
from itertools import takewhile

from scanlint.finding import Withheld
from scanlint.host.purity import WAITS, of_jax
from scanlint.loops.concrete_uses import boolean, unfetched
from scanlint.loops.streams import is_array
from scanlint.rewrite.emit.snippets import atom
from scanlint.rewrite.lower.expressions.quantifiers import folded, membership
from scanlint.syntax.bindings import binds, reads
from scanlint.trace.calls.jax_results import ARRAY_METHODS
from scanlint.trace.unit import Unit

Spell = Callable[[str], str]
PLAIN = (ast.Compare, ast.Name, ast.Attribute, ast.Constant, ast.UnaryOp, ast.cmpop, ast.unaryop, ast.expr_context)
PRESENCE = (ast.In, ast.NotIn)


def scalar_predicate(unit: Unit, test: ast.expr, spell: Spell) -> str | Withheld:
    """The predicate as a scalar: Python takes the truth of an array of one element, whatever axes it has."""
    made = predicate(unit, test, spell)
    if isinstance(made, Withheld) or not (unit.value(test).ndim or 0):
        return made
    return f"{spell('jax.numpy.reshape')}({made}, ())"


def predicate(unit: Unit, test: ast.expr, spell: Spell) -> str | Withheld:
    """The source of a test that holds for tracers, with the value that Python's own would have as a bool."""
    match test:
        case ast.BoolOp(values=values) if unit.value(test).traced and any(map(_settled(unit, test), values)):
            return _mixed(unit, test, spell)
        case ast.BoolOp(op=op, values=values):
            parts = [predicate(unit, v, spell) for v in values]
            for part in parts:
                if isinstance(part, Withheld):
                    return part
            texts = [str(p) for p in parts]
            if all(boolean(unit, v) for v in values):
                return (" & " if isinstance(op, ast.And) else " | ").join(map(atom, texts))
            return folded(spell, "jax.numpy.logical_and" if isinstance(op, ast.And) else "jax.numpy.logical_or", texts)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = predicate(unit, operand, spell)
            return inner if isinstance(inner, Withheld) else f"{spell('jax.numpy.logical_not')}({inner})"
        case ast.Compare(left=left, ops=ops, comparators=comparators) if len(ops) > 1:
            between = [n for c in comparators[:-1] for n in ast.walk(c) if isinstance(n, ast.Call | ast.NamedExpr)]
            if not all(isinstance(n, ast.Call) and _repeatable(unit, n) for n in between):
                return Withheld("chained-call", f"a call in a chained comparison at line {test.lineno}")
            sides = [left, *comparators]
            links = [ast.unparse(ast.Compare(a, [op], [b])) for a, op, b in zip(sides, ops, comparators, strict=False)]
            return " & ".join(f"({link})" for link in links)
        case ast.Compare(ops=[ast.In() | ast.NotIn()]) if unit.value(test).traced:
            return membership(unit, test, spell)
        case ast.NamedExpr():
            return Withheld("walrus", f"`:=` in a test at line {test.lineno}")
    return unfetched(unit, test) or unit.source.segment(test)


def _repeatable(unit: Unit, call: ast.Call) -> bool:
    """Whether a call gives the same however often it is made, and is one to XLA: of JAX, or of a method of an array."""
    match call.func:
        case ast.Attribute(value=array, attr=name) if is_array(unit, array):
            return name in ARRAY_METHODS and name not in WAITS
    name = unit.resolve(call.func) or ""
    return name.startswith("jax.") and of_jax(name)  # libraries count their calls: `hk.next_rng_key()`


def _mixed(unit: Unit, test: ast.BoolOp, spell: Spell) -> str | Withheld:
    """A test of which a part is known when tracing: Python decides that part first, as `and` and `or` do.

    What it chooses between is traced whatever it decides: `x is not None and ...` may be what makes that possible.
    """
    static = list(filter(_settled(unit, test), test.values))
    traced = [v for v in test.values if v not in static]
    if not all(_harmless(unit, v) for v in static):
        known = next(v for v in static if not _harmless(unit, v))
        why = f"`{unit.source.segment(known)}` is known when tracing, and stands in one test with a traced value"
        return Withheld("static-condition", f"{why} (line {test.lineno})")
    rest = traced[0] if len(traced) == 1 else ast.copy_location(ast.BoolOp(test.op, traced), test)
    made = predicate(unit, rest, spell)
    word = " and " if isinstance(test.op, ast.And) else " or "
    return made if isinstance(made, Withheld) else word.join([*(_decided(unit, v) for v in static), made])


def _settled(unit: Unit, test: ast.expr) -> Callable[[ast.expr], bool]:
    """Whether a part of a test is known when tracing, and still is once the loops around it are rolled."""
    moving = frozenset(n for a in unit.ancestors(test) if isinstance(a, ast.For | ast.While) for n in binds(a))
    return lambda part: unit.value(part).static and not reads(part) & moving


def _decided(unit: Unit, test: ast.expr) -> str:
    """A part that Python decides, as a bool beside other parts."""
    code = unit.source.segment(test)
    of_identity = isinstance(test, ast.Compare) and all(isinstance(op, ast.Is | ast.IsNot) for op in test.ops)
    if not of_identity and not boolean(unit, test):
        return f"bool({code})"
    return f"({code})" if isinstance(test, ast.BoolOp) else code


def parted(unit: Unit, values: list[ast.expr]) -> tuple[list[ast.expr], list[ast.expr]]:
    """The parts of a test that are known when tracing, and the others; none where the order says what may be asked.

    What comes first is asked first in any case; later parts only if they cannot fail.
    """
    first = list(takewhile(lambda v: unit.value(v).static, values))
    if not any(unit.value(v).static for v in values[len(first) :]):
        return first, values[len(first) :]
    static = list(filter(_settled(unit, values[0]), values))
    if not all(_harmless(unit, v) for v in static):
        return [], list(values)
    return static, [v for v in values if v not in static]


def _harmless(unit: Unit, test: ast.expr) -> bool:
    """Whether a test asks no more than how numbers compare, lengths of arrays among them, or which flag is set.

    It may be asked before what stood before it, so nothing in it may fail: `n % k` does for a `k` of 0.
    """
    stack: list[ast.AST] = [test]
    while stack:
        part = stack.pop()
        match part:
            case ast.Compare(ops=ops, comparators=others) if any(isinstance(op, ast.Is | ast.IsNot) for op in ops):
                if not all(isinstance(other, ast.Constant) and isinstance(other.value, bool) for other in others):
                    return False
                stack += [] if _item(unit, part.left) else [part.left]
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult(), right=right):
                stack += [left, right]
            case ast.BinOp(left=left, op=ast.Mod() | ast.FloorDiv(), right=ast.Constant(value=int(divisor))) if divisor:
                stack.append(left)
            case (
                ast.Call(func=ast.Name(id="len"), args=[array])
                | ast.Subscript(value=ast.Attribute(value=array, attr="shape"), slice=ast.Constant(value=0))
            ) if is_array(unit, array):
                pass
            case _ if not isinstance(part, PLAIN) or isinstance(part, PRESENCE):
                return False
            case _:
                stack += ast.iter_child_nodes(part)
    return True


def _item(unit: Unit, value: ast.expr) -> bool:
    """Whether this is an item of an array: `flags[0]`."""
    return isinstance(value, ast.Subscript) and is_array(unit, value.value)
