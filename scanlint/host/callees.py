"""What a host loop calls for each example: whether it would run on tracers, by what is known of the callee."""

from __future__ import annotations

import ast
from functools import partial

from scanlint.host.provenance import of_jax
from scanlint.host.purity import WAITS, computes
from scanlint.host.traceable import traceable
from scanlint.syntax.bindings import Names, parameters, reads
from scanlint.trace.domain.callables import Closure, Method, Partial, Transformed
from scanlint.trace.domain.values import OneOf, Value
from scanlint.trace.unit import Unit


def stageable(unit: Unit, node: ast.AST, own: Names = frozenset(), varying: Names | None = None) -> bool:
    """Whether a part of a host loop would do the same on tracers, once its branches on arrays are staged.

    Lists of its `own` are made anew by each trip; only names that are `varying` become tracers, if these are told.
    """
    return traceable(unit, node, known=partial(_stageable, unit, own, varying))


def _stageable(unit: Unit, own: Names, varying: Names | None, part: ast.AST) -> bool:
    match part:
        case ast.Call():
            return runs_on_tracers(unit, part) or _fills(unit, own, part)
        case ast.If(test=test) | ast.IfExp(test=test):
            settled = varying is not None and not reads(test) & varying
            return (settled or _of_arrays(unit, test)) and _outside(unit, part)
    return False


def _of_arrays(unit: Unit, test: ast.expr) -> bool:
    """Whether a test asks an array, which is a tracer in a batch."""
    value = unit.value(test)
    return (value.array and value.container is None) or by_jax(unit, test)


def runs_on_tracers(unit: Unit, call: ast.Call) -> bool:
    """Whether a callee of which something is known would do the same on tracers."""
    return _computes(unit.value(call.func)) or handed_in(unit, call) or cast_away(unit, call) is not None


def _outside(unit: Unit, part: ast.AST) -> bool:
    """Whether a branch is one of the loop itself, not of a function that it calls or makes."""
    for ancestor in unit.ancestors(part):
        if isinstance(ancestor, ast.For | ast.ListComp):
            return True
        if isinstance(ancestor, ast.FunctionDef | ast.Lambda):
            return False
    return False


def _fills(unit: Unit, own: Names, call: ast.Call) -> bool:
    """Whether a call puts something into a list that the trip has made."""
    match call.func:
        case ast.Attribute(value=ast.Name(id=name) as filled, attr="append" | "extend" | "insert") if name in own:
            return unit.value(filled).container == "list"
    return False


def cast_away(unit: Unit, node: ast.AST) -> ast.expr | None:
    """The array of one number that `float(x)` fetches, where the array would do as well."""
    match node:
        case ast.Call(func=function, args=[inner], keywords=[]) if unit.resolve(function) == "builtins.float":
            value = unit.value(inner)
            return inner if value.array and value.container is None and value.dtype in (None, "float") else None
    return None


def uncast(unit: Unit, node: ast.expr) -> ast.expr:
    """An expression without such a cast."""
    return cast_away(unit, node) or node


def _computes(function: Value) -> bool:
    match function.callee:
        case Closure() | Transformed() | Partial():
            return computes(function)
        case OneOf(values):
            return all(_computes(value) for value in values)
        case Method(receiver, name):
            return receiver.array and name not in WAITS
    return False


def by_jax(unit: Unit, node: ast.expr) -> bool:
    """Whether JAX surely computes an array, or a function that was handed in is given arrays of JAX to do so.

    That something is used as an array is not enough: NumPy's are used alike, and hold doubles.
    """
    if unit.value(node).container is not None:
        return False
    if of_jax(unit, node):
        return True
    given = [*node.args, *(k.value for k in node.keywords)] if isinstance(node, ast.Call) else []
    return isinstance(node, ast.Call) and handed_in(unit, node) and any(of_jax(unit, a) for a in given)


def handed_in(unit: Unit, call: ast.Call) -> bool:
    """Whether a call of a function that was handed in gives it an array of JAX: so it takes such, as tracers are."""
    match call.func:
        case ast.Name(id=name) if unit.value(call.func).callee is None and _is_parameter(unit, call, name):
            pass
        case ast.Attribute(value=ast.Name(id=receiver), attr=name) if unit.value(call.func).callee is None:
            if not _is_kept(unit, receiver, name):
                return False
        case _:
            return False
    given = [*call.args, *(k.value for k in call.keywords)]
    return any(unit.value(a).array and unit.value(a).container is None for a in given)


def _is_kept(unit: Unit, receiver: str, name: str) -> bool:
    """Whether a method's object keeps under a name what its `__init__` was handed, and nothing else."""
    owner, _, _ = unit.qualname.rpartition(".")
    arguments = parameters(unit.node.args)
    if not owner or not arguments or arguments[0] != receiver:
        return False
    found = unit.file.definitions.get(owner)
    stores = [
        (method, statement)
        for method in (found.body if isinstance(found, ast.ClassDef) else ())
        if isinstance(method, ast.FunctionDef)
        for statement in ast.walk(method)
        if isinstance(statement, ast.Attribute) and statement.attr == name and not isinstance(statement.ctx, ast.Load)
    ]
    return len(stores) == 1 and _takes(stores[0][0], stores[0][1])


def _takes(method: ast.FunctionDef, store: ast.Attribute) -> bool:
    """Whether a method is an `__init__` that sets an attribute to one of its parameters."""
    for statement in method.body if method.name == "__init__" else ():
        match statement:
            case ast.Assign(targets=[target], value=ast.Name(id=given)) if target is store:
                return given in parameters(method.args)
    return False


def _is_parameter(unit: Unit, node: ast.AST, name: str) -> bool:
    """Whether a name is that of a parameter, of the function around a node or of one around that, and of no more."""
    if any(n.id == name and not isinstance(n.ctx, ast.Load) for n in unit.every(ast.Name)):
        return False
    functions = [a for a in unit.ancestors(node) if isinstance(a, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)]
    return any(name in parameters(function.args) for function in functions)
