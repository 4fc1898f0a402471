"""`any`, `all`, `in` and `sorted` over tracers."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from scanlint.finding import Withheld
from scanlint.trace.unit import Unit

Spell = Callable[[str], str]
MOST_COMPARED = 4
EXACT = 1 << 24
"""Whole numbers below are floats of single precision too."""


def stacked(unit: Unit, node: ast.expr, spell: Spell) -> str | Withheld:
    """The source of the iterated elements as one array."""
    value, code = unit.value(node), unit.source.segment(node)
    if value.traced and value.array:
        if (value.ndim or 1) > 1:
            return Withheld("not-a-scalar", f"the rows of `{ast.unparse(node)}` have axes (line {node.lineno})")
        return code
    if value.traced and value.container is None:
        return f"{spell('jax.numpy.asarray')}({code})"
    match node:
        case ast.GeneratorExp():
            inside = code[1:-1] if code.startswith("(") else code
            return f"{spell('jax.numpy.array')}([{inside}])"
        case ast.List() | ast.Tuple() | ast.ListComp():
            return f"{spell('jax.numpy.array')}({code})"
    if value.container in ("list", "tuple"):
        return f"{spell('jax.numpy.array')}({code})"
    return f"{spell('jax.numpy.array')}(list({code}))"


def quantified(unit: Unit, call: ast.Call, spell: Spell) -> str | Withheld:
    """`any(xs)` as `jnp.any(xs)`."""
    made = stacked(unit, call.args[0], spell)
    if isinstance(made, Withheld):
        return made
    name = "any" if unit.resolve(call.func) == "builtins.any" else "all"
    return f"{spell(f'jax.numpy.{name}')}({made})"


def ordered(unit: Unit, call: ast.Call, spell: Spell) -> str | Withheld:
    """`sorted(xs)` as `list(jnp.sort(xs))`, for whole numbers: the order of NaNs is another."""
    value = unit.value(call.args[0])
    inside = value if value.array else value.element or (value.items or (value,))[0]
    line = call.lineno
    if len(call.args) > 1 or call.keywords:
        return Withheld("own-order", f"`sorted` has an order of its own at line {line}")
    if inside.dtype not in ("int", "bool"):
        return Withheld("nan-order", f"`sorted` and `jnp.sort` put NaNs in other places (line {line})")
    made = stacked(unit, call.args[0], spell)
    return made if isinstance(made, Withheld) else f"list({spell('jax.numpy.sort')}({made}))"


def membership(unit: Unit, node: ast.Compare, spell: Spell) -> str | Withheld:
    """`x in (1, 2)` as `jnp.isin(x, jnp.array((1, 2)))`, and `x in xs` as `jnp.any(xs == x)`."""
    [among], left = node.comparators, unit.source.segment(node.left)
    code = _among(unit, node, among, left, spell)
    if isinstance(code, Withheld) or isinstance(node.ops[0], ast.In):
        return code
    return f"{spell('jax.numpy.logical_not')}({code})"


def _among(unit: Unit, node: ast.Compare, among: ast.expr, left: str, spell: Spell) -> str | Withheld:
    if unit.value(among).container is None:
        if (unit.value(among).ndim or 1) > 1:
            return Withheld("not-a-scalar", f"the rows of `{ast.unparse(among)}` have axes (line {node.lineno})")
        return f"{spell('jax.numpy.any')}({ast.unparse(ast.Compare(among, [ast.Eq()], [node.left]))})"
    numbers = [v.constant for v in unit.value(among).items or ()]
    if all(type(n) is int and abs(n) < EXACT for n in numbers):
        return f"{spell('jax.numpy.isin')}({left}, {spell('jax.numpy.array')}({unit.source.segment(among)}))"
    if len(numbers) > MOST_COMPARED or not isinstance(among, ast.Tuple | ast.List):
        return Withheld("many-numbers", f"`in` compares with {len(numbers)} numbers at line {node.lineno}")
    links = [ast.unparse(ast.Compare(node.left, [ast.Eq()], [n])) for n in among.elts]
    return folded(spell, "jax.numpy.logical_or", links)


def folded(spell: Spell, function: str, codes: Sequence[str]) -> str:
    """Calls of a function of two arguments, one inside another, that join several expressions from the left."""
    first, *rest = codes
    for code in rest:
        first = f"{spell(function)}({first}, {code})"
    return first
