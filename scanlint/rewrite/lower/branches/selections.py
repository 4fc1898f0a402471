"""What `jnp.where` may choose between, computing both: Python numbers beside arrays, arrays of several dtypes."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from scanlint.loops.concrete_uses import boolean
from scanlint.rewrite.lower.branches.arm_types import Leaf, Spell, number, numeral, total
from scanlint.trace.unit import Unit


def selectable(unit: Unit, leaves: Sequence[Leaf]) -> bool:
    """Whether `jnp.where` gives what a branch between these values would give, its derivative too."""
    nodes = [leaf.node for leaf in leaves]
    return filled(unit, leaves) or promoted(unit, nodes) or truths(unit, nodes)


def chosen(spell: Spell, test: str, body: str, orelse: str, *, sure: bool) -> str:
    """The choice between two expressions; the test itself where it is `sure` to be a truth value, and chooses one."""
    if sure and {body, orelse} == {"True", "False"}:
        return test if body == "True" else f"{spell('jax.numpy.logical_not')}({test})"
    return f"{spell('jax.numpy.where')}({test}, {body}, {orelse})"


def filled(unit: Unit, leaves: Sequence[Leaf]) -> bool:
    """Whether Python numbers, or names that may hold one still, stand beside arrays that may be computed in any case.

    `jnp.where` gives such numbers the dtype of the array and its shape; `lax.cond` would ask for both.
    """
    arrays = []
    for leaf in leaves:
        node = leaf.node
        if isinstance(node, ast.Name) and numeral(unit, node.id) and not unit.value(leaf.bound).traced:
            continue
        known = None if node is None else number(unit, node)
        if node is None or isinstance(known, bool | complex) or (known is None and unit.value(node).static):
            return False
        if known is None:
            arrays.append(node)
    return 0 < len(arrays) < len(leaves) and all(_drawn(unit, a) or total(unit, a) for a in arrays)


def promoted(unit: Unit, nodes: Sequence[ast.expr | None]) -> bool:
    """Each is an array that may be computed in any case: `jnp.where` promotes their dtypes as a sum would."""
    return _of_one_sort(unit, nodes) and all(n is not None and _evident(unit, n) and total(unit, n) for n in nodes)


def truths(unit: Unit, nodes: Sequence[ast.expr | None]) -> bool:
    """Each is a truth value of names and numbers, or a name of which as much is unknown: nothing derives them."""
    found = [
        n for n in nodes if n is not None and (boolean(unit, n) or (isinstance(n, ast.Name) and _unknown(unit, n)))
    ]
    if len(found) < len(nodes) or not any(boolean(unit, node) for node in found):
        return False
    calls = (p for n in found for p in ast.walk(n) if isinstance(p, ast.Call | ast.BinOp))
    return all(isinstance(c, ast.Call) and unit.resolve(c.func) == "jax.numpy.logical_not" for c in calls)


def _unknown(unit: Unit, node: ast.expr) -> bool:
    value = unit.value(node)
    known = value.dtype or value.container or value.callee or value.static
    return isinstance(node, ast.Name) and not known


def plain_choice(unit: Unit, nodes: Sequence[ast.expr | None]) -> bool:
    """Each is the name of an array, or a Python number or its name; numbers alone are of one type."""
    kinds: set[str | None] = set()
    arrays = False
    for node in nodes:
        known = None if node is None else number(unit, node)
        if known is not None:
            kinds.add(type(known).__name__)
        elif isinstance(node, ast.Name) and numeral(unit, node.id):
            kinds |= {value.dtype for n in unit.every(ast.Name) if n.id == node.id and (value := unit.value(n)).static}
        elif isinstance(node, ast.Name) and _evident(unit, node):
            arrays = True
        else:
            return False
    return _of_one_sort(unit, nodes) and kinds <= {"int", "float"} and (arrays or len(kinds) == 1)


def _of_one_sort(unit: Unit, nodes: Sequence[ast.expr | None]) -> bool:
    """All are truth values, or none is."""
    return len({n is not None and unit.value(n).dtype == "bool" for n in nodes}) == 1


def _evident(unit: Unit, node: ast.expr) -> bool:
    """An array, or what is ordered beside one: no tree of arrays, and no number of Python that is known as such."""
    value = unit.value(node)
    if value.static or value.container is not None or value.callee is not None:
        return False
    if isinstance(node, ast.BinOp) and not value.array:  # of `y += x` no node stands in the text
        return _evident(unit, node.left) or _evident(unit, node.right)
    return value.array or (isinstance(node, ast.Name) and (_ordered(unit, node.id) or _array(unit, node.id)))


def _array(unit: Unit, name: str) -> bool:
    """Wherever a name is read it is a tracer, and somewhere an array: what it holds before a branch is no node."""
    loads = [unit.value(n) for n in unit.every(ast.Name) if n.id == name and isinstance(n.ctx, ast.Load)]
    return any(value.array for value in loads) and all(value.traced for value in loads)


def _ordered(unit: Unit, name: str) -> bool:
    """It is asked which is larger, a name or an array."""
    ordered = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
    for test in unit.every(ast.Compare):
        sides = [test.left, *test.comparators]
        for one, op, other in zip(sides, test.ops, sides[1:], strict=False):
            named = [isinstance(side, ast.Name) and side.id == name for side in (one, other)]
            if isinstance(op, ordered) and any(named) and any(unit.value(side).array for side in (one, other)):
                return True
    return False


def _drawn(unit: Unit, node: ast.expr) -> bool:
    """`sigma * jax.random.normal(key, x.shape)`"""
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult(), right=right):
            sides = (left, right)
            return any(_drawn(unit, s) for s in sides) and all(_drawn(unit, s) or total(unit, s) for s in sides)
        case ast.Call(func=function):
            return (unit.resolve(function) or "").startswith("jax.random.")
    return False
