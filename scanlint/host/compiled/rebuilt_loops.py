"""Loops of JAX outside of jit whose body is another function each time: they are traced and compiled for each one.

What `lax.scan` has compiled it finds again by its body. Measured on CPU: a scan over 100 draws takes 0.3 s with a body
that each call makes, and 0.2 ms with one of the module.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from scanlint.dataflow.around import defuse_of
from scanlint.dataflow.locations import Definition, DefinitionKind
from scanlint.host.rebuilt_jits import FUNCTIONS, is_cached, loops_around
from scanlint.jaxapi.canonical import COMPILERS, STAGED_BODIES
from scanlint.jaxapi.decorators import applied
from scanlint.syntax.bindings import Function
from scanlint.trace.domain.evidence import Reason
from scanlint.trace.unit import Unit


class RebuiltLoop(NamedTuple):
    """One such call; `function` makes the `body` and runs it, and runs again in a loop, for the reason `why`.

    Where a loop of the same function makes the body, that is `loop`. `offered`: no loop of the project is known to
    call the function, but the host does in more than one place.
    """

    call: ast.Call
    body: ast.expr
    function: Function
    loop: ast.AST | None
    why: tuple[Reason, ...]
    offered: bool = False


def rebuilt_loop(unit: Unit, node: ast.AST) -> RebuiltLoop | None:
    """The call, if it is known to be compiled again and again."""
    if not isinstance(node, ast.Call) or (places := STAGED_BODIES.get(unit.resolve(node.func) or "")) is None:
        return None
    function = next((a for a in unit.ancestors(node) if isinstance(a, FUNCTIONS)), None)
    if function is None or unit.context(node).traced or is_cached(unit, node):
        return None
    for body in node.args[places]:
        for loop in loops_around(unit, node, function):
            if _is_made(unit, body, loop):
                return RebuiltLoop(node, body, function, loop, ())
        if _is_made(unit, body, function):
            if why := unit.repeats(function):
                return RebuiltLoop(node, body, function, None, why)
            if function is unit.node and not unit.source.tests and (calls := unit.reused(function)):
                return RebuiltLoop(node, body, function, None, calls, offered=True)
    return None


def _is_made(unit: Unit, body: ast.expr, around: ast.AST) -> bool:
    """Whether a body is made anew on each run of what is around it: a lambda, or an inner function, jitted or not."""
    if isinstance(body, ast.Lambda):
        return True
    found = defuse_of(unit).definitions(body) if isinstance(body, ast.Name) else ()
    return bool(found) and all(_is_inner(unit, definition, around) for definition in found)


def _is_inner(unit: Unit, definition: Definition, around: ast.AST) -> bool:
    """Whether a function is defined inside, under nothing but a jit."""
    if definition.kind is not DefinitionKind.FUNCTION or around not in unit.ancestors(definition.node):
        return False
    return all(applied(unit.resolve, d) in COMPILERS for d in getattr(definition.node, "decorator_list", []))
