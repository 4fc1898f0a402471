"""New states of an optimizer that a step computes and neither reads nor returns: each step starts from the old one."""

from __future__ import annotations

import ast
from typing import NamedTuple

from scanlint.dataflow.around import defuse_of, source_of
from scanlint.syntax.bindings import parameters, walk_scope
from scanlint.trace.unit import Unit

STATELESS = frozenset(["optax.sgd", "optax.scale", "optax.identity", "optax.set_to_zero"])


class LostState(NamedTuple):
    """The target that holds the new state, and the parameter that held the old one."""

    target: ast.Name
    old: str


def lost_state(unit: Unit, statement: ast.Assign) -> LostState | None:
    """The state that `updates, state = optimizer.update(grads, state)` makes, if the updates alone go on."""
    match statement:
        case ast.Assign(
            targets=[ast.Tuple(elts=[ast.Name(id=updates), ast.Name() as target])],
            value=ast.Call(func=ast.Attribute(value=owner, attr="update"), args=[_, ast.Name(id=old), *_]),
        ):
            pass
        case _:
            return None
    function = unit.context(statement).node
    if isinstance(function, ast.Lambda) or old not in parameters(function.args) or target.id.startswith("_"):
        return None
    if not _applied(unit, function, updates) or _keeps_nothing(unit, owner):
        return None
    flow = defuse_of(unit)
    return None if any(flow.uses(made) for made in flow.made(target)) else LostState(target, old)


def _applied(unit: Unit, function: ast.FunctionDef | ast.AsyncFunctionDef, updates: str) -> bool:
    """A function applies updates to parameters, so that it is a step and no look at what an update would be."""
    for part in walk_scope(function.body):
        match part:
            case ast.Call(args=[_, ast.Name(id=given), *_]) if given == updates:
                if (unit.resolve(part.func) or "").endswith(".apply_updates"):
                    return True
    return False


def _keeps_nothing(unit: Unit, owner: ast.expr) -> bool:
    """An optimizer has no state worth the name."""
    made = source_of(unit, owner) if isinstance(owner, ast.Name) else owner
    if not isinstance(made, ast.Call) or unit.resolve(made.func) not in STATELESS:
        return False
    return len(made.args) < 2 and not any(keyword.arg == "momentum" for keyword in made.keywords)
