"""Carries of staged loops that surely change, and arms of `cond` that surely differ: in structure, axes or dtype."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Literal, NamedTuple

from scanlint.syntax.bindings import walk_scope
from scanlint.trace.domain.values import Value, gathered
from scanlint.trace.unit import Unit

Kind = Literal["carry", "arms", "pair"]
LOOPS = {
    "jax.lax.scan": ((0, "f"), (1, "init")),
    "jax.lax.fori_loop": ((2, "body_fun"), (3, "init_val")),
    "jax.lax.while_loop": ((1, "body_fun"), (2, "init_val")),
}
CONDITIONS = frozenset(("jax.lax.cond", "jax.lax.switch"))
NOTHING = gathered("None", ())
NUMBERS = ("bool", "int", "float", "complex")


class Mismatch(NamedTuple):
    """A call of a primitive whose types differ where they must be one: `before` and `after` are these types."""

    node: ast.Call
    kind: Kind
    before: str
    after: str


def mismatch_at(unit: Unit, node: ast.Call, name: str) -> Mismatch | None:
    """The first certain mismatch of a call of one of JAX's loops and branches."""
    if name in CONDITIONS:
        return next(_arms(unit, node, name), None)
    (body_at, body_name), (init_at, init_name) = LOOPS[name]
    body, init = _argument(node, body_at, body_name), _argument(node, init_at, init_name)
    if body is None or init is None:
        return None
    for result in _results(unit, body):
        if name == "jax.lax.scan":
            if (count := _parts(result)) is None:
                continue
            if count != 2:
                return Mismatch(node, "pair", "a pair of carry and output", _described(result))
            result = (result.items or ())[0]
        differing = _differing(unit.value(init), result, dtypes=False)
        if differing is not None:
            return Mismatch(node, "carry", *differing)
    return None


def _argument(call: ast.Call, place: int, name: str) -> ast.expr | None:
    if any(isinstance(a, ast.Starred) for a in call.args):
        return None
    return call.args[place] if len(call.args) > place else next((k.value for k in call.keywords if k.arg == name), None)


def _arms(unit: Unit, node: ast.Call, name: str) -> Iterator[Mismatch]:
    if name == "jax.lax.switch":
        listed = _argument(node, 1, "branches")
        arms = listed.elts if isinstance(listed, ast.List | ast.Tuple) else []
    else:
        found = (_argument(node, 1, "true_fun"), _argument(node, 2, "false_fun"))
        arms = [arm for arm in found if arm is not None]
    results = [result for arm in arms for result in _results(unit, arm)[:1]]
    for other in results[1:]:
        if (differing := _differing(results[0], other, dtypes=True)) is not None:
            yield Mismatch(node, "arms", *differing)


def _results(unit: Unit, function: ast.expr) -> list[Value]:
    """The values that a function of this unit returns; none if its definition is not known."""
    if isinstance(function, ast.Lambda):
        return [_of(unit, function.body)]
    if not isinstance(function, ast.Name):
        return []
    found = [f for f in unit.every(ast.FunctionDef) if f.name == function.id]
    bound = [n for n in unit.mentions.get(function.id, []) if not isinstance(n.ctx, ast.Load)]
    if len(found) != 1 or bound or found[0] is unit.node or found[0].decorator_list:
        return []
    returns = [n for n in walk_scope(found[0].body) if isinstance(n, ast.Return)]
    values = [_of(unit, n.value) for n in returns if n.value is not None]
    return values if len(values) == len(returns) == 1 else []


def _of(unit: Unit, result: ast.expr) -> Value:
    """The value of a result; a None that is written there is a tree without leaves, that of a call is a guess."""
    if isinstance(result, ast.Constant) and result.value is None:
        return NOTHING
    return unit.value(result)


def _parts(value: Value) -> int | None:
    """How many parts a result has; 0 of an array, None where that is not known."""
    if value.container in ("tuple", "list", "None"):
        return len(value.items) if value.items is not None else None
    return 0 if _leaf(value) else None


def _leaf(value: Value) -> bool:
    """A value is surely an array or a number."""
    if value.container is not None or value.callee is not None:
        return False
    return (value.array and value.traced) or (value.static and value.dtype in NUMBERS)


def _differing(before: Value, after: Value, *, dtypes: bool) -> tuple[str, str] | None:
    """How two values differ that must be of one type."""
    counts = _parts(before), _parts(after)
    if None in counts:
        return None
    if counts[0] != counts[1] or before.container != after.container:
        return _described(before), _described(after)
    if before.items is not None and after.items is not None:
        pairs = zip(before.items, after.items, strict=True)
        return next((d for pair in pairs if (d := _differing(*pair, dtypes=dtypes)) is not None), None)
    axes = _axes(before), _axes(after)
    if None not in axes and axes[0] != axes[1]:
        return _described(before), _described(after)
    if dtypes and before.dtype in NUMBERS and after.dtype in NUMBERS and before.dtype != after.dtype:
        return f"of dtype {before.dtype}", f"of dtype {after.dtype}"
    return None


def _axes(value: Value) -> int | None:
    return 0 if value.static and value.dtype in NUMBERS else value.ndim


def _described(value: Value) -> str:
    if value.container == "None":
        return "None"
    if value.container in ("tuple", "list") and value.items is not None:
        return f"a {value.container} of {len(value.items)}"
    axes = _axes(value)
    return "an array" if axes is None else "a number" if axes == 0 else f"an array of {axes} axes"
