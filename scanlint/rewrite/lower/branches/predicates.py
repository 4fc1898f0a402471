"""A Python test as one array expression: `and`, `or`, `not` and chained comparisons spelled for tracers."""

from __future__ import annotations

import ast
from collections.abc import Callable

from scanlint.finding import Withheld
from scanlint.loops.concrete_uses import boolean, unfetched
from scanlint.rewrite.lower.expressions.quantifiers import membership
from scanlint.trace.unit import Unit

Spell = Callable[[str], str]


def predicate(unit: Unit, test: ast.expr, spell: Spell) -> str | Withheld:
    """The source of a test that holds for tracers, with the value that Python's own would have as a bool."""
    match test:
        case ast.BoolOp(op=op, values=values):
            parts = [predicate(unit, v, spell) for v in values]
            for part in parts:
                if isinstance(part, Withheld):
                    return part
            texts = [str(p) for p in parts]
            if all(boolean(unit, v) for v in values):
                return (" & " if isinstance(op, ast.And) else " | ").join(_side(t) for t in texts)
            name = spell("jax.numpy.logical_and" if isinstance(op, ast.And) else "jax.numpy.logical_or")
            out = texts[0]
            for text in texts[1:]:
                out = f"{name}({out}, {text})"
            return out
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = predicate(unit, operand, spell)
            return inner if isinstance(inner, Withheld) else f"{spell('jax.numpy.logical_not')}({inner})"
        case ast.Compare(left=left, ops=ops, comparators=comparators) if len(ops) > 1:
            if any(isinstance(n, ast.Call | ast.NamedExpr) for c in comparators[:-1] for n in ast.walk(c)):
                return Withheld("chained-call", f"a call in a chained comparison at line {test.lineno}")
            sides = [left, *comparators]
            links = [ast.unparse(ast.Compare(a, [op], [b])) for a, op, b in zip(sides, ops, comparators, strict=False)]
            return " & ".join(f"({link})" for link in links)
        case ast.Compare(ops=[ast.In() | ast.NotIn()]) if unit.value(test).traced:
            return membership(unit, test, spell)
        case ast.NamedExpr():
            return Withheld("walrus", f"`:=` in a test at line {test.lineno}")
    return unfetched(unit, test) or unit.source.segment(test)


def _side(code: str) -> str:
    """An expression as one side of `&` or `|`."""
    alone = isinstance(ast.parse(f"({code})", mode="eval").body, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
    return code if alone else f"({code})"
