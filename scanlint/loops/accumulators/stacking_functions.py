"""Functions of the project that make one pytree of many, leaf by leaf: `stack_states(states)`."""

from __future__ import annotations

import ast
from collections.abc import Callable

from scanlint.trace.domain.callables import ClassRef, Closure, Code
from scanlint.trace.unit import Unit

STACKS = {"jax.numpy.stack", "jax.numpy.array", "jax.numpy.asarray"}
TREE_MAPS = {"jax.tree.map", "jax.tree_util.tree_map", "jax.tree_map", "jax.tree_multimap"}
Resolve = Callable[[ast.expr], str | None]


def stacks_leaves(each: ast.Lambda, resolve: Resolve) -> bool:
    """`lambda *leaves: jnp.stack(leaves)`"""
    match each:
        case ast.Lambda(
            args=ast.arguments(args=[], vararg=ast.arg(arg=name)), body=ast.Call(args=[first], keywords=[]) as call
        ):
            return isinstance(first, ast.Name) and first.id == name and resolve(call.func) in STACKS
    return False


def stacks_each_part(unit: Unit, call: ast.Call, element: ast.expr) -> bool:
    """Whether a call of a function of the project gives what a scan gives that collects elements like this one."""
    match unit.value(call.func).callee:
        case Closure(code, _, None) if isinstance(code.node, ast.FunctionDef) and len(code.parameters()) == 1:
            pass
        case _:
            return False
    body = code.node.body[1:] if ast.get_docstring(code.node) is not None else code.node.body
    match body:
        case [ast.Return(value=ast.Call() as made)]:
            return _of_all(code, made) or _field_by_field(unit, code, made, element)
    return False


def _of_all(code: Code, made: ast.Call) -> bool:
    """`jax.tree.map(lambda *leaves: jnp.stack(leaves), *elements)`"""
    match made.args:
        case [ast.Lambda() as each, ast.Starred(value=ast.Name(id=name))] if not made.keywords:
            known = code.scope.annotation(made.func) in TREE_MAPS and name == code.parameters()[0].arg
            return known and stacks_leaves(each, code.scope.annotation)
    return False


def _field_by_field(unit: Unit, code: Code, made: ast.Call, element: ast.expr) -> bool:
    """`State(jnp.stack([s.x for s in states]), jnp.stack([s.y for s in states]))`, of elements that are a `State`."""
    known = unit.value(element)
    fields = list(known.fields)
    made_of = code.scope.lookup(made.func.id) if isinstance(made.func, ast.Name) else None
    if not fields or made_of is None or made_of.callee != ClassRef(known.container or ""):
        return False
    given = [*zip(fields, made.args, strict=False), *((k.arg, k.value) for k in made.keywords)]
    return len(given) == len(fields) and all(_stacked_field(code, part) == name for name, part in given)


def _stacked_field(code: Code, part: ast.expr) -> str | None:
    """The field of each element that an expression stacks."""
    match part:
        case ast.Call(
            func=function,
            args=[
                ast.ListComp(
                    elt=ast.Attribute(value=ast.Name(id=base), attr=field),
                    generators=[ast.comprehension(target=ast.Name(id=one), iter=ast.Name(id=every), ifs=[])],
                )
            ],
            keywords=[],
        ) if base == one and every == code.parameters()[0].arg:
            return field if code.scope.annotation(function) in STACKS else None
    return None
