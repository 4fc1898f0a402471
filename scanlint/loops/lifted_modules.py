"""Modules that a loop calls: Flax and Haiku make and find parameters there, which only scans of their own allow."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.finding import Withheld
from scanlint.loops.trip_count import class_named
from scanlint.syntax.bindings import walk_scope
from scanlint.trace.unit import Unit

SCANS = {"flax.linen": "nn.scan", "haiku": "hk.scan"}


def modules_called(unit: Unit, node: ast.For | ast.While) -> Iterator[Withheld]:
    """Calls in the body that run a module, or may do so in a method of one."""
    library = _library(unit)
    for call in walk_scope(node.body):
        if isinstance(call, ast.Call) and (scan := _scan(unit, call, library)) is not None:
            what = ast.unparse(call.func)
            why = f"`{what}` is run as a module, which `{scan}` can carry through a loop and `lax.scan` cannot"
            yield Withheld("lifted-module", f"{why} (line {call.lineno})")


def _library(unit: Unit) -> str | None:
    """The library of whose modules the function is a method."""
    defined = class_named(unit, unit.qualname.partition(".")[0])
    bases = [unit.resolve(base) or "" for base in defined.bases] if defined is not None else []
    return next((library for library in SCANS if f"{library}.Module" in bases), None)


def _scan(unit: Unit, call: ast.Call, library: str | None) -> str | None:
    """What scans over a module instead, where the callee is one, or is not known in a method of one."""
    match call.func:
        case ast.Call(func=maker):
            name = unit.resolve(maker) or ""
            made = name.rpartition(".")
            return SCANS.get(made[0]) if made[2][:1].isupper() else None
        case ast.Name() | ast.Attribute(value=ast.Name(id="self")) if library is not None:
            known = unit.resolve(call.func) is not None or unit.value(call.func).callee is not None
            return None if known else SCANS[library]
    return None
