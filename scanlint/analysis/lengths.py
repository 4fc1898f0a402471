"""How many rows an array has, where the function that makes it writes that down."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from scanlint.analysis.flow import targets
from scanlint.analysis.unit import Unit
from scanlint.analysis.words import words

DEEPEST = 4
_SHAPED = words("zeros ones empty full")
_DRAWN = words("normal uniform bits truncated_normal exponential gumbel laplace logistic")
_SAME = words("astype copy")


def rows_written(unit: Unit, array: ast.expr, depth: int = 0) -> int | None:
    """The length of the first axis: of `jnp.zeros((8, 3))`, `jax.random.split(key, 80)`, or a name for one of these."""
    if depth > DEEPEST:
        return None
    match array:
        case ast.Name(id=name):
            made = _made(unit, name)
            return rows_written(unit, made, depth + 1) if made is not None else None
        case ast.Call(func=ast.Attribute(value=inner, attr=attr)) if attr in _SAME and unit.value(inner).array:
            return rows_written(unit, inner, depth + 1)
        case ast.Call(func=function, args=args, keywords=keywords) if not _spread(array):
            return _call(unit, unit.resolve(function) or "", args, {k.arg or "": k.value for k in keywords})
    return None


def _spread(call: ast.Call) -> bool:
    return any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords)


def _made(unit: Unit, name: str) -> ast.expr | None:
    """What a name of the unit is bound to, if it is bound once."""
    stores = [n for n in unit.every(ast.Name) if n.id == name and not isinstance(n.ctx, ast.Load)]
    if len(stores) != 1 or any(n.arg == name for n in unit.every(ast.arg)):
        return None
    match unit.parents.get(stores[0]):
        case ast.Assign(targets=[ast.Name() as target], value=value) if targets(target) == [name]:
            return value
    return None


def _call(unit: Unit, name: str, args: Sequence[ast.expr], keywords: dict[str, ast.expr]) -> int | None:
    root, _, last = name.rpartition(".")
    match root, last, args:
        case "jax.numpy", "arange", [stop] if not keywords.keys() - {"dtype"}:
            return _number(unit, stop)
        case "jax.numpy", "arange", [_, _] | [_, _, _] if not keywords.keys() - {"dtype"}:
            bounds = [unit.value(a).constant for a in args]
            whole = [b for b in bounds if isinstance(b, int)]
            return len(range(*whole)) if len(whole) == len(bounds) and whole[2:] != [0] else None
        case "jax.numpy", "linspace", [_, _, count, *_] if not keywords.keys() - {"dtype", "endpoint"}:
            return _number(unit, count)
        case "jax.numpy", "linspace", [_, _] if not keywords.keys() - {"dtype", "endpoint", "num"}:
            return _number(unit, keywords["num"]) if "num" in keywords else None
        case "jax.numpy", "array" | "asarray" | "stack", [ast.List(elts=rows) | ast.Tuple(elts=rows), *_]:
            plain = not any(isinstance(r, ast.Starred) for r in rows) and "axis" not in keywords and len(args) == 1
            return len(rows) if plain and "ndmin" not in keywords else None
        case "jax.numpy", _, [shape, *_] if last in _SHAPED:
            return _first(unit, shape)
        case "jax.random", "split", [_, count]:
            return _first(unit, count)
        case "jax.random", _, [_, shape, *_] if last in _DRAWN:
            return _first(unit, shape)
        case "jax.random", _, [_] if last in _DRAWN and "shape" in keywords:
            return _first(unit, keywords["shape"])
    return None


def _first(unit: Unit, shape: ast.expr) -> int | None:
    match shape:
        case ast.Tuple(elts=[first, *_]) | ast.List(elts=[first, *_]):
            return _number(unit, first)
    return _number(unit, shape)


def _number(unit: Unit, node: ast.expr) -> int | None:
    known = unit.value(node).constant
    return known if isinstance(known, int) and not isinstance(known, bool) and known >= 0 else None
