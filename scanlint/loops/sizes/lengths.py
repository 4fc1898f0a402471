"""How many rows an array has, where the function that makes it writes that down."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from scanlint.dataflow.around import source_of
from scanlint.jaxapi.words import words
from scanlint.loops.numbers.tables import table_rows
from scanlint.syntax.bindings import reads
from scanlint.trace.unit import Unit

DEEPEST = 4
_SHAPED = words("zeros ones empty full")
_DRAWN = words("normal uniform bits truncated_normal exponential gumbel laplace logistic")
_SAME = words("astype copy")


def rows_written(unit: Unit, array: ast.expr) -> int | None:
    """The length of the first axis: of `jnp.zeros((8, 3))`, `jax.random.split(key, 80)`, or a name for one of these."""
    rows = rows_of(unit, array)
    return number(unit, rows) if isinstance(rows, ast.expr) else rows


def rows_at_most(unit: Unit, array: ast.expr) -> int | None:
    """How many rows an array has at most, as a slice says: of `x[:2]`, `x[1:4, :]`, `x[-3:]`."""
    written = rows_written(unit, array)
    match array:
        case ast.Subscript(value=whole, slice=ast.Slice() as cut):
            return _smallest(written, _cut(unit, cut), rows_at_most(unit, whole))
        case ast.Subscript(value=whole, slice=ast.Tuple(elts=[ast.Slice() as cut, *_])):
            return _smallest(written, _cut(unit, cut), rows_at_most(unit, whole))
        case ast.Name() if written is None and (made := source_of(unit, array)) is not None:
            return rows_at_most(unit, made) if isinstance(made, ast.Subscript) else None
    return written


def _smallest(*counts: int | None) -> int | None:
    return min((count for count in counts if count is not None), default=None)


def _cut(unit: Unit, cut: ast.Slice) -> int | None:
    """How many rows a slice leaves at most; a step leaves fewer."""
    low, high = (unit.value(p).constant if p is not None else None for p in (cut.lower, cut.upper))
    low = 0 if cut.lower is None else low
    if isinstance(low, int) and cut.upper is None and low < 0:
        return -low
    if not (isinstance(low, int) and isinstance(high, int)) or (low < 0) is not (high < 0):
        return None
    return max(high - low, 0)


def made_with(unit: Unit, array: ast.expr, count: ast.expr) -> bool:
    """Whether an array was made with so many rows: a number, or the same names, which are bound once or outside."""
    rows = rows_of(unit, array)
    if isinstance(rows, ast.expr) and ast.unparse(rows) == ast.unparse(count):
        return all(_bindings(unit, name) <= 1 for name in reads(count))
    written = rows_written(unit, array)
    return written is not None and written == unit.value(count).constant


def rows_of(unit: Unit, array: ast.expr, depth: int = 0) -> ast.expr | int | None:
    """What says how many rows an array is made with."""
    if depth > DEEPEST:
        return None
    match array:
        case ast.Name():
            made = source_of(unit, array)
            return rows_of(unit, made, depth + 1) if made is not None else None
        case ast.ListComp(generators=[ast.comprehension(iter=over, ifs=[])]):
            return _counted(unit, over)
        case ast.Call(func=ast.Attribute(attr="set")) if (filled := table_rows(unit, array)) is not None:
            return filled
        case ast.Call(func=ast.Attribute(value=inner, attr=attr)) if attr in _SAME and unit.value(inner).array:
            return rows_of(unit, inner, depth + 1)
        case ast.Call(func=function, args=args, keywords=keywords) if not _spread(array):
            return _call(unit, unit.resolve(function) or "", args, {k.arg or "": k.value for k in keywords})
    return None


def _spread(call: ast.Call) -> bool:
    return any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords)


def _bindings(unit: Unit, name: str) -> int:
    """How often a name is bound in the unit, parameters included."""
    stores = sum(n.id == name and not isinstance(n.ctx, ast.Load) for n in unit.every(ast.Name))
    return stores + sum(n.arg == name for n in unit.every(ast.arg))


def _call(unit: Unit, name: str, args: Sequence[ast.expr], keywords: dict[str, ast.expr]) -> ast.expr | int | None:
    root, _, last = name.rpartition(".")
    match "numpy" if root == "jax.numpy" else root, last, args:
        case "numpy", "arange", [stop] if not keywords.keys() - {"dtype"}:
            return stop
        case "numpy", "arange", [_, _] | [_, _, _] if not keywords.keys() - {"dtype"}:
            return _in_range(unit, args)
        case "numpy", "linspace", [_, _, count, *_] if not keywords.keys() - {"dtype", "endpoint"}:
            return count
        case "numpy", "linspace", [_, _] if not keywords.keys() - {"dtype", "endpoint", "num"}:
            return keywords.get("num")
        case "numpy", "array" | "asarray" | "stack", [ast.List(elts=rows) | ast.Tuple(elts=rows), *_]:
            plain = not any(isinstance(r, ast.Starred) for r in rows) and "axis" not in keywords and len(args) == 1
            return len(rows) if plain and "ndmin" not in keywords else None
        case "numpy", "array" | "asarray" | "stack", [ast.ListComp(generators=[ast.comprehension(iter=over, ifs=[])])]:
            return _counted(unit, over) if not keywords.keys() - {"dtype"} else None
        case "numpy", "eye" | "identity", [count, *_]:
            return count
        case "numpy", _, [shape, *_] if last in _SHAPED:
            return _first(shape)
        case "jax.random", "split", [_, count]:
            return _first(count)
        case "jax.random", _, [_, shape, *_] if last in _DRAWN:
            return _first(shape)
        case "jax.random", _, [_] if last in _DRAWN and "shape" in keywords:
            return _first(keywords["shape"])
    return None


def _counted(unit: Unit, iterable: ast.expr) -> ast.expr | int | None:
    """How many elements a comprehension makes of this."""
    match iterable:
        case ast.Call(func=ast.Name(id="range"), args=[stop], keywords=[]):
            return stop
        case ast.Call(func=ast.Name(id="range"), args=bounds, keywords=[]):
            return _in_range(unit, bounds)
        case ast.List(elts=parts) | ast.Tuple(elts=parts) if not any(isinstance(p, ast.Starred) for p in parts):
            return len(parts)
    return rows_of(unit, iterable, 1)


def _in_range(unit: Unit, args: Sequence[ast.expr]) -> int | None:
    bounds = [unit.value(a).constant for a in args]
    whole = [b for b in bounds if isinstance(b, int)]
    return len(range(*whole)) if len(whole) == len(bounds) and whole[2:] != [0] else None


def _first(shape: ast.expr) -> ast.expr:
    match shape:
        case ast.Tuple(elts=[first, *_]) | ast.List(elts=[first, *_]):
            return first
    return shape


def number(unit: Unit, node: ast.expr | None) -> int | None:
    """The whole number that an expression is known to be."""
    known = node.value if isinstance(node, ast.Constant) else unit.value(node).constant
    return known if isinstance(known, int) and not isinstance(known, bool) else None
