"""Calls that need the value of a tracer: Python's number types, `math`, NumPy, and text."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Literal, NamedTuple

from scanlint.jaxapi.host_functions import TWINS
from scanlint.trace.domain.values import Value, holds_tracer
from scanlint.trace.unit import Unit

TYPES = {f"builtins.{name}": name for name in ("bool", "complex", "float", "int")}
METHODS = frozenset(["item", "tolist"])
Kind = Literal["type", "method", "host", "text", "print"]


class Cast(NamedTuple):
    """A place where Python needs the value of a tracer: `needed` is that tracer, `name` what asks for it.

    Only "print" does not fail: it shows the tracer.
    """

    kind: Kind
    name: str
    needed: ast.expr


def cast_at(unit: Unit, node: ast.AST) -> Cast | None:
    """The cast that a node is."""
    match node:
        case ast.Call(func=function):
            return _call(unit, node, unit.resolve(function))
        case ast.JoinedStr():
            part = next(_formatted(unit, node), None)
            return Cast("text", "an f-string", part) if part is not None else None
    return None


def _call(unit: Unit, node: ast.Call, name: str | None) -> Cast | None:
    match node:
        case ast.Call(args=[needed], keywords=[]) if name in TYPES and _is_tracer(unit, node, needed):
            return Cast("type", TYPES[name or ""], needed)
        case ast.Call(func=ast.Attribute(value=needed, attr=attr)) if name is None and attr in METHODS:
            value = unit.value(node)
            given = unit.value(needed).traced and (value.traced or value.container is not None)
            return Cast("method", attr, needed) if given else None
        case ast.Call() if name in TWINS:
            return _host(unit, node, name or "")
        case ast.Call(args=args) if name == "builtins.print":
            texts = [a for a in args if isinstance(a, ast.JoinedStr)]
            if any(next(_formatted(unit, text), None) is not None for text in texts):
                return None  # that fails first, and is said
            shown = next((a for a in args if _shows(unit, a)), None)
            return Cast("print", "print", shown) if shown is not None else None
    return None


def _is_tracer(unit: Unit, node: ast.Call, needed: ast.expr) -> bool:
    return unit.value(node).traced and unit.value(needed).traced


def _host(unit: Unit, node: ast.Call, name: str) -> Cast | None:
    made = unit.value(node)
    if not (made.traced or holds_tracer(made)):
        return None
    given = [*node.args, *(k.value for k in node.keywords)]
    needed = next((a for a in given if holds_tracer(unit.value(a))), None)
    return Cast("host", name, needed) if needed is not None else None


def _formatted(unit: Unit, text: ast.JoinedStr) -> Iterator[ast.expr]:
    """The arrays in an f-string that are given a format, for which a tracer fails."""
    for part in text.values:
        if isinstance(part, ast.FormattedValue) and part.format_spec is not None and part.conversion == -1:
            if _array(unit.value(part.value)):
                yield part.value


def _shows(unit: Unit, argument: ast.expr) -> bool:
    if isinstance(argument, ast.JoinedStr):
        parts = [part.value for part in argument.values if isinstance(part, ast.FormattedValue)]
        return any(_array(unit.value(p)) for p in parts) and next(_formatted(unit, argument), None) is None
    return _array(unit.value(argument))


def _array(value: Value) -> bool:
    return value.traced and value.array
