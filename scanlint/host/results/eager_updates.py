"""Steps of an optimizer that run outside of jit, again and again: each operation of the update is dispatched alone."""

from __future__ import annotations

import ast
from typing import NamedTuple

from scanlint.host.results.eager_transforms import UnjittedCall, eager_call
from scanlint.jaxapi.words import words
from scanlint.syntax.bindings import Function, walk_scope
from scanlint.syntax.walk import walk
from scanlint.trace.program.repeats import loop_around
from scanlint.trace.unit import Unit

UPDATES = words("apply_updates apply_gradients")
OPTAX = words("optax.apply_updates optax.incremental_update equinox.apply_updates")
LOOPS = ast.For | ast.AsyncFor | ast.While
SHOWS = words("print next float int item append write log info set_postfix set_description add_scalar tqdm trange save")
"""Calls that nothing makes on a tracer, or that gather what a trip gives."""


class UpdateOnHost(NamedTuple):
    """The call that applies an update, and the derivative of the same function if that is outside of jit too."""

    call: ast.Call
    derivative: UnjittedCall | None


def eager_update(unit: Unit, call: ast.Call) -> UpdateOnHost | None:
    """The update that a call applies, if no jit is around it and it surely runs again and again."""
    if not _applies(unit, call) or unit.context(call).traced or unit.source.tests or _in_lambda(unit, call):
        return None
    function = unit.context(call).node
    if function is not _around(unit, call):
        return None
    loop = next((a for a in unit.around(call) if isinstance(a, LOOPS)), None)
    again = loop is not None and (unit.script or _on_the_host(loop))
    plain = function is unit.node and "." not in unit.qualname and not unit.script
    if not (again or _kept_in_object(unit, call) or (plain and called_in_loops(unit))):
        return None
    body = [function.body] if isinstance(function, ast.Lambda) else function.body
    parts = loop.body if loop is not None else body
    calls = (part for part in walk_scope(parts) if isinstance(part, ast.Call))
    return UpdateOnHost(call, next((f for c in calls if (f := eager_call(unit, c)) is not None), None))


def called_in_loops(unit: Unit) -> bool:
    """Some loop calls a function or method by its name, in its own file or in one that takes it from there."""
    top, _, name = unit.qualname.rpartition(".")
    for file in (unit.file, *(file for _, file in unit.elsewhere(top or name))):
        for call in file.called.get(name, ()):
            around = file.around(call)
            if loop_around(getattr(around, "body", ()), call):
                return True
    return False


def _applies(unit: Unit, call: ast.Call) -> bool:
    """A call adds updates to parameters: of optax, or of a training state of flax."""
    match call.func:
        case ast.Attribute(attr="apply_gradients"):
            flax = any(target.startswith("flax") for target in unit.imports.values())
            return flax and not call.args and [k.arg for k in call.keywords][:1] == ["grads"]
        case ast.Name() | ast.Attribute():
            name = unit.resolve(call.func)
            return name in OPTAX or (name == "jax.tree.map" and _renews(unit, call))
    return False


def _renews(unit: Unit, call: ast.Call) -> bool:
    """`params = jax.tree.map(f, params, grads)`: of two trees the first gets the name of what comes out."""
    match unit.parents.get(call), call.args:
        case ast.Assign(targets=[target]), [ast.Lambda() | ast.Name(), tree, _, *_]:
            return ast.unparse(target) == ast.unparse(tree)
    return False


def _in_lambda(unit: Unit, call: ast.Call) -> bool:
    return isinstance(_around(unit, call), ast.Lambda)


def _around(unit: Unit, call: ast.Call) -> Function | None:
    """The innermost function around a call; what stands at the top of a file counts as one."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    return next((a for a in unit.ancestors(call) if isinstance(a, kinds)), None)


def _on_the_host(loop: ast.AST) -> bool:
    """A loop does what no trace does: it prints, fetches, draws the next batch, or sets an attribute."""
    for part in walk(loop):
        match part:
            case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called)) if called in SHOWS:
                return True
            case ast.Attribute(value=ast.Name(id="self"), ctx=ast.Store()):
                return True
    return False


def _kept_in_object(unit: Unit, call: ast.Call) -> bool:
    """An object keeps the new parameters in place of those that the call is given: it is told to do so again."""
    given = {ast.unparse(a) for a in call.args}
    match call.func, unit.parents.get(call):
        case ast.Attribute(value=owner, attr="apply_gradients"), ast.Assign(targets=[target]):
            return isinstance(target, ast.Attribute) and ast.unparse(target) == ast.unparse(owner)
        case _, ast.Assign(targets=[ast.Attribute(value=ast.Name()) as target]):
            return ast.unparse(target) in given
    return False
