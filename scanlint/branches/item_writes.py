"""Assignments to items of arrays of JAX, which cannot be changed: `x[0] = 1.0`, `x[i] += v`."""

from __future__ import annotations

import ast
from typing import NamedTuple

from scanlint.dataflow.around import defuse_of
from scanlint.syntax.bindings import parameters
from scanlint.trace.domain.values import Value
from scanlint.trace.hints.array_uses import array_uses
from scanlint.trace.unit import Unit

MAKERS = ("jax.numpy.", "jax.random.", "jax.nn.", "jax.lax.")


class ItemWrite(NamedTuple):
    """One assignment to an item of an array: `array[index] = value`, or with an operator."""

    statement: ast.Assign | ast.AugAssign | ast.AnnAssign
    target: ast.Subscript

    @property
    def array(self) -> ast.expr:
        return self.target.value


def item_writes(unit: Unit, statement: ast.AST) -> list[ItemWrite]:
    """The items of arrays of JAX that a statement assigns to."""
    match statement:
        case ast.Assign(targets=targets):
            parts = [part for target in targets for part in _parts(target)]
        case ast.AugAssign(target=target):
            parts = [target]
        case _:
            return []
    return [ItemWrite(statement, p) for p in parts if isinstance(p, ast.Subscript) and _immutable(unit, p.value)]


def _parts(target: ast.expr) -> list[ast.expr]:
    match target:
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            return [part for element in elts for part in _parts(element)]
        case ast.Starred(value=value):
            return _parts(value)
    return [target]


def _immutable(unit: Unit, array: ast.expr) -> bool:
    """An expression surely gives an array of JAX: a tracer that is used as one, or the result of a function of JAX."""
    value = unit.value(array)
    if not value.array or value.container is not None or value.callee is not None:
        return False
    if not isinstance(array, ast.Name):
        return value.traced
    return not _told_by_elements(unit, array, value) if value.traced else _made_by_jax(unit, array)


def _told_by_elements(unit: Unit, name: ast.Name, value: Value) -> bool:
    """Whether only the use of its elements tells that a parameter is an array: it may be a list of arrays."""
    if value.why is None or not isinstance(value.why.node, ast.arg):
        return False
    for function in unit.ancestors(name):
        if isinstance(function, ast.FunctionDef) and name.id in parameters(function.args):
            whole = array_uses(function, unit.resolve, elements=False)
            return name.id not in whole and name.id in array_uses(function, unit.resolve)
    return False


def _made_by_jax(unit: Unit, name: ast.Name) -> bool:
    """Every definition that reaches this assignment binds the name to a result of a function of JAX."""
    bound = [place for place in unit.mentions.get(name.id, []) if not isinstance(place.ctx, ast.Load)]
    if not bound or name.id not in unit.local_names:
        return False
    made = [_value(unit, place) for place in bound]
    if not any(_makes(unit, value) for value in made):
        return False
    if all(_makes(unit, value) for value in made):
        return True
    flow = defuse_of(unit)
    reaching = flow.definitions(name)
    return bool(reaching) and all(_makes(unit, flow.source(found)) for found in reaching)


def _value(unit: Unit, place: ast.Name) -> ast.expr | None:
    """The value of `name = value`, for a statement that binds this name and no other."""
    match unit.parents.get(place):
        case ast.Assign(targets=[ast.Name()], value=value):
            return value
    return None


def _makes(unit: Unit, made: ast.expr | None) -> bool:
    match made:
        case ast.Call(func=called):
            return unit.value(made).array and ((unit.resolve(called) or "").startswith(MAKERS) or _updates(called))
    return False


def _updates(called: ast.expr) -> bool:
    """Whether this is a method of `x.at[i]`, such as `x.at[i].set`: only arrays of JAX have them."""
    match called:
        case ast.Attribute(value=ast.Subscript(value=ast.Attribute(attr="at"))):
            return True
    return False
