"""Tables of numbers made before a loop: lists, tuples and NumPy arrays that a traced index can read as arrays."""

from __future__ import annotations

import ast

from scanlint.analysis.unit import Unit
from scanlint.analysis.words import words

_MADE = words(
    "array asarray linspace arange zeros ones full logspace geomspace cumsum cumprod hanning hamming blackman"
)
NUMPY = frozenset(f"numpy.{name}" for name in _MADE)


def is_table(unit: Unit, node: ast.expr) -> bool:
    """Whether an expression is surely an array that NumPy made, or a list of whole numbers that is read for an index.

    A float of a list takes the dtype of what it meets, one of `jnp.asarray(list)` does not.
    """
    value = unit.value(node)
    if not isinstance(node, ast.Name) or not value.static:
        return False
    if value.container in ("list", "tuple"):
        numbers = value.items if value.items is not None else (value.element,) if value.element is not None else ()
        kinds = {n.dtype for n in numbers if n is not None}
        return bool(numbers) and None not in numbers and kinds == {"int"} and _index(unit, node)
    made = _made(unit, node)
    return made is not None and unit.resolve(made.func) in NUMPY


def _index(unit: Unit, table: ast.expr) -> bool:
    """Whether the number that is read from a table is an index itself: `x[order[i]]`."""
    number = unit.parents[table]
    at = unit.parents.get(number)
    if isinstance(at, ast.Tuple):
        number, at = at, unit.parents.get(at)
    return isinstance(at, ast.Subscript) and at.slice is number


def _made(unit: Unit, name: ast.Name) -> ast.Call | None:
    """The call that a name is bound to, if it is bound once in the unit."""
    stores = [n for n in unit.every(ast.Name) if n.id == name.id and not isinstance(n.ctx, ast.Load)]
    if len(stores) != 1 or any(n.arg == name.id for n in unit.every(ast.arg)):
        return None
    match unit.parents.get(stores[0]):
        case ast.Assign(targets=[ast.Name()], value=ast.Call() as call):
            return call
    return None
