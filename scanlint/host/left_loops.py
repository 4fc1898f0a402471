"""Loops on the host that were looked at and left: whether they run JAX, and what speaks against one program of it."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from scanlint.finding import LeftLoop, Withheld
from scanlint.host.step_loop import long, without_bar
from scanlint.host.threaded_state import calls_jax
from scanlint.loops.loop import LoopModel
from scanlint.settings import Settings
from scanlint.syntax.bindings import walk_scope
from scanlint.trace.unit import Unit

SAID = {
    "no-jax": "runs nothing of JAX that is known",
    "few-trips": "makes few trips",
    "not-an-array": "goes over what is not known to be an array or a range",
    "little-to-gain": "hands a state from trip to trip, and no program in its place is known to save much",
    "not-a-batch": "is not known to treat each example on its own",
}


def left_loops(unit: Unit, reported: Collection[ast.AST], settings: Settings) -> Iterator[LeftLoop]:
    """The loops of a unit outside of traced code, but those that are reported, or a part of them, and inner ones."""
    reported = {*reported, *(loop for node in reported if (loop := _loop_of(unit, node)) is not None)}
    nodes: list[ast.For | ast.While] = [*unit.every(ast.For), *unit.every(ast.While)]
    for node in nodes:
        around = [node, *unit.ancestors(node)]
        if unit.context(node).traced or unit.silenced(node) or any(a in reported for a in around):
            continue
        why = _why(LoopModel(unit, node), settings)
        yield LeftLoop(unit.source.path, node.lineno, why.code, why.message)


def _loop_of(unit: Unit, node: ast.AST) -> ast.AST | None:
    """The loop that an expression is a part of."""
    around = unit.ancestors(node) if isinstance(node, ast.expr) else ()
    return next((a for a in around if isinstance(a, ast.For | ast.While)), None)


def _why(model: LoopModel, settings: Settings) -> Withheld:
    model, _ = without_bar(model)
    loop = isinstance(model.node, ast.For)
    if not any(calls_jax(model.unit, part) for part in walk_scope(model.node.body)):
        return _said("no-jax")
    if loop and not model.streams:
        return _said("not-an-array")
    if loop and not long(model, settings):
        return _said("few-trips")
    if model.obstacles:
        return model.obstacles[0]
    if model.carried:
        return _said("little-to-gain")
    return _said("not-a-batch")


def _said(code: str) -> Withheld:
    return Withheld(code, SAID[code])
