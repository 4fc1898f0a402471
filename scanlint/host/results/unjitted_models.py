"""Functions that a loop on the host calls, and that apply a model outside of jit, one operation after the other."""

from __future__ import annotations

import ast
from typing import NamedTuple

from scanlint.host.piecemeal import jitted
from scanlint.host.results.eager_updates import called_in_loops
from scanlint.syntax.bindings import walk_scope
from scanlint.trace.domain.values import Instance
from scanlint.trace.program.repeats import loop_around
from scanlint.trace.unit import Unit


class AppliedModel(NamedTuple):
    """The call that applies a model, and as which expression its `apply` is known where that is made."""

    call: ast.Call
    apply: str


def applied_model(unit: Unit, function: ast.FunctionDef) -> AppliedModel | None:
    """The first call of the `apply` of a model in a function that loops call; loops of its own speak for themselves."""
    if unit.source.tests or function is not unit.node or unit.script or unit.context(function).traced:
        return None
    for call in walk_scope(function.body):
        if not isinstance(call, ast.Call):
            continue
        spelled = apply_of(unit, call)
        if spelled is not None and not loop_around(function.body, call) and called_in_loops(unit):
            return AppliedModel(call, spelled)
    return None


def apply_of(unit: Unit, call: ast.Call) -> str | None:
    """As which expression the `apply` that a call runs is known where its model is made; None where it is jitted."""
    if jitted(unit.value(call.func)):
        return None
    known, spelled = unit.once(apply_of, lambda: _applies(unit)), ast.unparse(call.func)
    match call.func:
        case ast.Attribute(value=owner, attr="apply") if isinstance(model := unit.value(owner).callee, Instance):
            return spelled if unit.method(model.name, "apply") is None else None
    return known.get(spelled)


def _applies(unit: Unit) -> dict[str, str]:
    """How the file spells the `apply` of what it calls `init` of too: itself, and names and attributes that keep it."""
    calls = unit.file.kinds.of(ast.Call)
    models = {ast.unparse(c.func.value) for c in calls if isinstance(c.func, ast.Attribute) and c.func.attr == "init"}
    found = {f"{model}.apply": f"{model}.apply" for model in models}
    other: set[str] = set()
    for assign in unit.file.kinds.of(ast.Assign):
        spelled, value = ast.unparse(assign.targets[0]), ast.unparse(assign.value)
        if value in found and isinstance(assign.targets[0], ast.Attribute):
            found[spelled] = value
        elif value in models and isinstance(assign.targets[0], ast.Attribute):
            found[f"{spelled}.apply"] = f"{spelled}.apply"
        else:
            other.add(spelled)
    return {spelled: value for spelled, value in found.items() if spelled not in other}
