"""`min` and `max` of tracers, with the operand that Python gives where one of them is a NaN."""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass

from scanlint.branches.tracer_truth import EXTREMES
from scanlint.finding import Outcome, Withheld
from scanlint.rewrite.emit.in_place import in_place
from scanlint.rewrite.emit.snippets import side
from scanlint.rewrite.emit.spelling import Spelling
from scanlint.rewrite.lower.expressions.duplicates import Naming, again
from scanlint.rewrite.lower.expressions.quantifiers import stacked
from scanlint.trace.domain.values import Value
from scanlint.trace.unit import Unit


def to_extreme(unit: Unit, call: ast.Call) -> Outcome:
    """`max(x, y)` as `jnp.maximum(x, y)` where `y` is never a NaN, which Python passes over; else as a choice.

    At a tie the gradient of `jnp.maximum` goes to both in halves: the choice is the plainer rewrite.
    """
    made = _Extreme(unit, call).outcome(exact=False)
    exact = _Extreme(unit, call).outcome(exact=True)
    if isinstance(made, Withheld) or isinstance(exact, Withheld) or made.edits == exact.edits:
        return made
    return made._replace(plainer=exact)


def never_nan(unit: Unit, node: ast.expr) -> bool:
    """Whether a value is a whole number, or a number that is known when tracing."""
    value = unit.value(node)
    if isinstance(value.constant, float):
        return not math.isnan(value.constant)
    return value.dtype in ("int", "bool") or (value.static and not value.array)


@dataclass
class _Operand:
    code: str
    node: ast.expr
    plain: bool
    """It may be written twice."""
    name: str = ""


class _Extreme:
    """One call on its way."""

    def __init__(self, unit: Unit, call: ast.Call) -> None:
        self.unit, self.call = unit, call
        self.spell = Spelling(unit)
        self.naming = Naming(unit, call)

    def outcome(self, *, exact: bool) -> Outcome:
        code = self._code(self.call, exact=exact)
        if isinstance(code, Withheld):
            return code
        return in_place(self.unit, self.call, code, "logical", self.spell, self.naming.before)

    def _code(self, call: ast.Call, *, exact: bool) -> str | Withheld:
        if call.keywords or any(isinstance(a, ast.Starred) for a in call.args):
            return Withheld("own-order", f"`{ast.unparse(call.func)}` is given more than numbers (line {call.lineno})")
        high = self.unit.resolve(call.func) == "builtins.max"
        nodes = call.args
        if len(nodes) == 1:
            match nodes[0]:
                case ast.List(elts=[_, _, *_] as elts) | ast.Tuple(elts=[_, _, *_] as elts):
                    nodes = elts
                case _:
                    return self._over(nodes[0], high=high)
        if problem := self._refused(nodes):
            return problem
        first, *rest = nodes
        code = self._operand(first, exact=exact)
        clean = never_nan(self.unit, first)
        for node in rest:
            other = self._operand(node, exact=exact)
            if isinstance(code, Withheld):
                return code
            if isinstance(other, Withheld):
                return other
            code = self._two(code, other, clean, high=high, exact=exact)
            clean = clean and never_nan(self.unit, node)
        return code if isinstance(code, Withheld) else code.code

    def _refused(self, nodes: list[ast.expr]) -> Withheld | None:
        for node in nodes:
            value = self.unit.value(node)
            if value.container is not None or (value.known and not isinstance(value.constant, bool | int | float)):
                return Withheld("not-an-array", f"`{ast.unparse(node)}` is no array (line {node.lineno})")
            if (value.ndim or 0) > 0:
                return Withheld("not-a-scalar", f"`{ast.unparse(node)}` has axes (line {node.lineno})")
        return None

    def _operand(self, node: ast.expr, *, exact: bool) -> _Operand | Withheld:
        if isinstance(node, ast.Call) and self.unit.resolve(node.func) in EXTREMES and self.unit.value(node).traced:
            inner = self._code(node, exact=exact)
            name = "largest" if self.unit.resolve(node.func) == "builtins.max" else "smallest"
            return inner if isinstance(inner, Withheld) else _Operand(inner, node, False, name)
        return _Operand(self.unit.source.segment(node), node, again(self.unit, node))

    def _two(self, one: _Operand, other: _Operand, clean: bool, *, high: bool, exact: bool) -> _Operand | Withheld:
        """`other if other > one else one`: `clean` says that `one` is never a NaN."""
        if never_nan(self.unit, other.node) and not (exact and self._once(one) and self._once(other)):
            name = "jax.numpy.maximum" if high else "jax.numpy.minimum"
            return _Operand(f"{self.spell(name)}({one.code}, {other.code})", one.node, plain=False)
        if clean and not other.plain:
            name = "jax.numpy.fmax" if high else "jax.numpy.fmin"
            return _Operand(f"{self.spell(name)}({other.code}, {one.code})", one.node, plain=False)
        if not (self._once(one) and self._once(other)):
            what = one if not one.plain else other
            return Withheld("operand-twice", f"`{what.code}` would be computed twice (line {self.call.lineno})")
        a = one.code if one.plain else self.naming(one.code, one.name or "first")
        b = other.code if other.plain else self.naming(other.code, other.name or "other")
        test = f"{side(b)} {'>' if high else '<'} {side(a)}"
        code = f"{self.spell('jax.numpy.where')}({test}, {b}, {a})"
        return _Operand(code, one.node, False, "largest" if high else "smallest")

    def _once(self, operand: _Operand) -> bool:
        return operand.plain or self.naming.possible

    def _over(self, node: ast.expr, *, high: bool) -> str | Withheld:
        """The extreme of what is iterated: Python keeps a NaN that comes first, and passes over those that follow."""
        value = self.unit.value(node)
        name = "max" if high else "min"
        made = stacked(self.unit, node, self.spell)
        if isinstance(made, Withheld):
            return made
        inside = value if value.array else _element(value)
        if inside is not None and inside.dtype in ("int", "bool"):
            return f"{self.spell(f'jax.numpy.{name}')}({made})"
        if isinstance(node, ast.Name) and value.traced:
            made = node.id
        else:
            if not self.naming.possible:
                return Withheld("nan-order", f"`{name}` passes over NaNs but the first value (line {node.lineno})")
            made = self.naming(made, "values")
        isnan, place, where = (self.spell(f"jax.numpy.{n}") for n in ("isnan", f"nanarg{name}", "where"))
        return f"{made}[{where}({isnan}({made}[0]), 0, {place}({made}))]"


def _element(value: Value) -> Value | None:
    """The inferred value of an element of the sequence."""
    if value.element is not None:
        return value.element
    kinds = {v.dtype for v in value.items or ()}
    return (value.items or (None,))[0] if len(kinds) == 1 else None
