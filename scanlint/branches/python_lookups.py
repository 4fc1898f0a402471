"""Lists, tuples, ranges, dicts and arrays of NumPy that are indexed by a tracer, which they cannot take."""

from __future__ import annotations

import ast
from typing import Literal, NamedTuple

from scanlint.syntax.bindings import parameters
from scanlint.trace.domain.values import Value, contents, holds_tracer
from scanlint.trace.hints.numpy_made import by_numpy
from scanlint.trace.unit import Unit

Holder = Literal["list", "tuple", "range", "dict", "numpy"]


class TracedSubscript(NamedTuple):
    """One subscript of something of Python by a tracer; `callables`: what is looked up are functions.

    `numbers`: all that is in it are numbers of Python, or it is an array of NumPy.
    """

    node: ast.Subscript
    key: ast.expr
    holder: Holder
    callables: bool
    numbers: bool


def lookup_at(unit: Unit, node: ast.AST) -> TracedSubscript | None:
    """The tracer that a subscript hands to something of Python."""
    if not isinstance(node, ast.Subscript) or isinstance(node.slice, ast.Slice):
        return None
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    key = next((part for part in parts if not isinstance(part, ast.Slice) and holds_tracer(unit.value(part))), None)
    if key is None:
        return None
    held = unit.value(node.value)
    holder = _holder(unit, node, held)
    if holder is None:
        return None
    inside = contents(held)
    callables = bool(inside) and all(value.callee is not None and value.container is None for value in inside)
    numbers = holder == "numpy" or (bool(inside) and all(v.static and v.dtype in ("int", "float") for v in inside))
    return TracedSubscript(node, key, holder, callables, numbers)


def _holder(unit: Unit, node: ast.Subscript, held: Value) -> Holder | None:
    match held.container:
        case "list" | "tuple" | "range" | "dict" as known:
            return known if not isinstance(node.slice, ast.Tuple) or known == "dict" else None
        case None if isinstance(held.constant, range):
            return "range"
    if held.container is not None or held.array or held.traced or held.callee is not None:
        return None
    return "numpy" if isinstance(node.ctx, ast.Load) and _table(unit, node.value) else None


def _table(unit: Unit, node: ast.expr) -> bool:
    """Whether a name is bound once, to what NumPy makes."""
    if not isinstance(node, ast.Name) or node.id in parameters(unit.node.args):
        return False
    places = unit.file.binders.get(node.id, [])
    return len(places) == 1 and isinstance(places[0], ast.Name) and by_numpy(unit, node)
