"""Operators and builtins that ask for the truth of a tracer, into functions of JAX that give the same value."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from scanlint.branches.tracer_truth import EXTREMES, QUANTIFIERS, SORTED, Asking, asks, first_asked
from scanlint.finding import Outcome, Withheld
from scanlint.loops.concrete_uses import boolean
from scanlint.loops.effects import on_host
from scanlint.rewrite.emit.snippets import on_one_line
from scanlint.rewrite.emit.spelling import Spelling
from scanlint.rewrite.lower.branches.predicates import predicate
from scanlint.rewrite.lower.branches.ternaries import Chosen, choice, placed
from scanlint.rewrite.lower.expressions.duplicates import again, untouched
from scanlint.rewrite.lower.expressions.extremes import to_extreme
from scanlint.rewrite.lower.expressions.quantifiers import folded, membership, ordered, quantified
from scanlint.trace.domain.callables import Closure
from scanlint.trace.unit import Unit


def to_logic(unit: Unit, node: Asking) -> Outcome:
    """Rewrite `and`, `or`, `not`, `in`, `min` and `max` as the array operations that accept tracers."""
    for part in ast.walk(node):
        if isinstance(part, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom):
            return Withheld("side-effect", f"`{ast.unparse(part)}` stands in it (line {node.lineno})")
    if isinstance(unit.parents.get(node), ast.Expr):
        return Withheld("no-value", f"nothing is done with its value (line {node.lineno})")
    if isinstance(node, ast.Call) and unit.resolve(node.func) in EXTREMES:
        return to_extreme(unit, node)
    return placed(unit, node, lambda spelling, cast: _made(unit, node, spelling, cast))


def _made(unit: Unit, node: Asking, spelling: Spelling, cast: bool) -> Chosen | Withheld:
    made = _Logic(unit, spelling, cast).value(node)
    if isinstance(made, Withheld):
        return made
    loose = isinstance(ast.parse(f"({made.code})", mode="eval").body, ast.BoolOp)
    return made._replace(code=f"({made.code})") if loose and not untouched(unit, node) else made


def logical(code: str) -> Chosen:
    """An expression of logic."""
    return Chosen(code, "logical")


@dataclass(frozen=True, slots=True)
class _Logic:
    unit: Unit
    spell: Spelling
    cast: bool

    def value(self, node: ast.expr) -> Chosen | Withheld:
        """The source of an expression whose value is the same for tracers."""
        unit = self.unit
        match node:
            case ast.UnaryOp() | ast.Compare() | ast.BoolOp() if (known := _wrong_rank(unit, node)) is not None:
                return Withheld("not-a-scalar", f"`{ast.unparse(known)}` has axes (line {node.lineno})")
            case ast.UnaryOp(op=ast.Not()):
                return self._made(predicate(unit, node, self.spell))
            case ast.Compare(ops=[ast.In() | ast.NotIn()]):
                return self._made(membership(unit, node, self.spell))
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                return self._chain([left, *comparators], ops)
            case ast.BoolOp():
                return self._operator(node)
            case ast.Call(func=function) if unit.resolve(function) in QUANTIFIERS:
                return self._made(quantified(unit, node, self.spell))
            case ast.Call(func=function) if unit.resolve(function) == SORTED:
                return self._made(ordered(unit, node, self.spell))
        return logical(unit.source.segment(node))

    def _made(self, code: str | Withheld) -> Chosen | Withheld:
        return code if isinstance(code, Withheld) else logical(code)

    def _chain(self, sides: list[ast.expr], ops: list[ast.cmpop]) -> Chosen | Withheld:
        """`0 < x < 1` as `jnp.logical_and(0 < x, x < 1)`."""
        for side in sides[1:-1]:
            if not again(self.unit, side):
                return Withheld("operand-twice", f"`{ast.unparse(side)}` would be computed twice (line {side.lineno})")
        links = [ast.Compare(a, [op], [b]) for a, op, b in zip(sides, ops, sides[1:], strict=False)]
        return logical(folded(self.spell, "jax.numpy.logical_and", [ast.unparse(link) for link in links]))

    def _operator(self, node: ast.BoolOp) -> Chosen | Withheld:
        """`and` and `or`: what is known when tracing and stands before the first tracer stays Python's."""
        place = first_asked(self.unit, node) or 0
        while place and not self.unit.value(node.values[place - 1]).static:
            place -= 1
        head, rest = node.values[:place], node.values[place:]
        for operand in rest:
            if problem := self._refused(operand):
                return problem
        made = self._bools(node.op, rest) if any(boolean(self.unit, v) for v in rest) else self._numbers(node.op, rest)
        if isinstance(made, Withheld) or not head:
            return made
        word = " and " if isinstance(node.op, ast.And) else " or "
        return made._replace(code=word.join([*(on_one_line(ast.unparse(v)) for v in head), made.code]))

    def _refused(self, operand: ast.expr) -> Withheld | None:
        """The reason why an operand cannot be computed as an array, or does something besides."""
        value = self.unit.value(operand)
        odd = value.container is not None or (value.known and not isinstance(value.constant, bool | int | float))
        if odd or isinstance(operand, ast.Tuple | ast.List | ast.Dict | ast.Set | ast.JoinedStr):
            return Withheld("not-an-array", f"`{ast.unparse(operand)}` is no array (line {operand.lineno})")
        for part in ast.walk(operand):
            called = self.unit.resolve(part.func) if isinstance(part, ast.Call) else None
            if isinstance(part, ast.Call) and called is not None and on_host(self.unit, part):
                return Withheld("side-effect", f"`{called}` is host code (line {operand.lineno})")
        return None

    def _bools(self, op: ast.boolop, values: list[ast.expr]) -> Chosen | Withheld:
        """Operands that are bools: computed in any case, but for what may fail to come to an end or does more."""
        name = "jax.numpy.logical_and" if isinstance(op, ast.And) else "jax.numpy.logical_or"
        codes: list[str] = []
        for place, operand in enumerate(values):
            if place and guarded(self.unit, operand):
                return self._skipping(op, values, place)
            made = self.truth(operand)
            if isinstance(made, Withheld):
                return made
            codes.append(made)
        return logical(folded(self.spell, name, codes))

    def _skipping(self, op: ast.boolop, values: list[ast.expr], place: int) -> Chosen | Withheld:
        """`a and f(b)` with `f` run only where `a` holds."""
        first = self._bools(op, values[:place])
        rest = self._bools(op, values[place:])
        if isinstance(first, Withheld) or isinstance(rest, Withheld):
            return first if isinstance(first, Withheld) else rest
        arms = (f"lambda: {rest.code}", "lambda: False")
        body, orelse = arms if isinstance(op, ast.And) else ("lambda: True", arms[0])
        return Chosen(f"{self.spell('jax.lax.cond')}({first.code}, {body}, {orelse})", "cond")

    def truth(self, operand: ast.expr) -> str | Withheld:
        """An operand where only its truth counts."""
        if asks(self.unit, operand) and not isinstance(operand, ast.Call):
            made = self.value(operand)
            return made if isinstance(made, Withheld) else made.code
        return predicate(self.unit, operand, self.spell)

    def _numbers(self, op: ast.boolop, values: list[ast.expr]) -> Chosen | Withheld:
        """`a or b` as `a if a else b`, which is the same."""
        for operand in values[:-1]:
            if not again(self.unit, operand):
                what = ast.unparse(operand)
                return Withheld("operand-twice", f"`{what}` would be computed twice (line {operand.lineno})")
        out = values[-1]
        for operand in reversed(values[:-1]):
            body, orelse = (out, operand) if isinstance(op, ast.And) else (operand, out)
            out = ast.copy_location(ast.IfExp(operand, body, orelse), operand)
        assert isinstance(out, ast.IfExp)
        return choice(self.unit, out, self.spell, cast=self.cast)


def _wrong_rank(unit: Unit, node: ast.expr) -> ast.expr | None:
    """An operand with axes, of which Python cannot tell the truth either."""
    match node:
        case ast.UnaryOp(operand=operand):
            asked = [operand]
        case ast.BoolOp(values=values):
            asked = values[:-1]
        case ast.Compare(ops=[ast.In() | ast.NotIn()], left=left):
            asked = [left]
        case ast.Compare(left=left, comparators=comparators):
            asked = [left, *comparators[:-1]]
        case _:
            return None
    return next((n for n in asked if (unit.value(n).ndim or 0) > 0), None)


HARMLESS = ("jax.numpy.", "jax.nn.", "jax.random.", "jax.scipy.", "builtins.", "jax.tree", "numpy.", "math.")
EFFECTS = ("jax.debug.", "jax.experimental.", "jax.pure_callback", "jax.lax.while_loop", "builtins.print")


def guarded(unit: Unit, operand: ast.expr) -> bool:
    """Whether an operand calls what may loop without end, has an effect, or is not known."""
    return any(isinstance(part, ast.Call) and _risky(unit, part) for part in ast.walk(operand))


def _risky(unit: Unit, call: ast.Call) -> bool:
    name = unit.resolve(call.func)
    if name is not None and name.startswith(EFFECTS):
        return True
    if name is not None and (name.startswith(HARMLESS) or name.startswith("jax.lax.")):
        return False
    callee = unit.value(call.func).callee
    if isinstance(callee, Closure):
        return any(_loops(part) for part in ast.walk(callee.code.node))
    if name is None and isinstance(call.func, ast.Attribute):
        return not (unit.value(call.func.value).array or unit.value(call.func.value).traced)
    return True


def _loops(part: ast.AST) -> bool:
    """Whether a part of a function may run on for ever, or does more than to compute."""
    match part:
        case ast.While() | ast.Raise() | ast.Assert():
            return True
        case ast.Attribute(attr="while_loop" | "callback" | "print" | "pure_callback" | "io_callback"):
            return True
        case ast.Name(id="while_loop" | "print" | "pure_callback" | "io_callback"):
            return True
    return False
