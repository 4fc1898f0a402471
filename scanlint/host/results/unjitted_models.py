"""Functions that a loop on the host calls, and that apply a model outside of jit, one operation after the other."""

from __future__ import annotations

import ast
from typing import NamedTuple

from scanlint.host.piecemeal import jitted
from scanlint.host.results.eager_updates import called_in_loops
from scanlint.syntax.bindings import walk_scope
from scanlint.syntax.walk import dotted
from scanlint.trace.domain.values import Instance
from scanlint.trace.program.repeats import loop_around
from scanlint.trace.unit import Unit
from scanlint.trace.whole_file import WholeFile


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
    spelled = dotted(call.func) or ""
    match call.func:
        case ast.Attribute(value=owner, attr="apply") if isinstance(model := unit.value(owner).callee, Instance):
            return spelled or None if unit.method(model.name, "apply") is None else None
    return unit.file.once(_applies, lambda: _applies(unit.file)).get(spelled)


def _applies(file: WholeFile) -> dict[str, str]:
    """How the file spells the `apply` of what it calls `init` of too: itself, and names and attributes that keep it."""
    calls = (call.func for call in file.kinds.of(ast.Call))
    models = {dotted(f.value) for f in calls if isinstance(f, ast.Attribute) and f.attr == "init"} - {None}
    found = {f"{model}.apply": f"{model}.apply" for model in models}
    other: set[str] = set()
    for assign in file.kinds.of(ast.Assign) if models else ():
        spelled, value = dotted(assign.targets[0]), dotted(assign.value)
        if spelled is None:
            continue
        if value in found and isinstance(assign.targets[0], ast.Attribute):
            found[spelled] = found[value]
        elif value in models and isinstance(assign.targets[0], ast.Attribute):
            found[f"{spelled}.apply"] = f"{spelled}.apply"
        else:
            other.add(spelled)
    return {spelled: value for spelled, value in found.items() if spelled not in other}
