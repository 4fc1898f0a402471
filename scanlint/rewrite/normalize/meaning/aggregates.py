"""Scalar replacement: the parts of an object of the function's own that goes nowhere, as names of their own."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from scanlint.finding import Edit
from scanlint.rewrite.emit.snippets import claimed
from scanlint.rewrite.normalize.meaning.changes import Change, alone, function_of, spoken
from scanlint.syntax.source import Source
from scanlint.trace.unit import Unit


class Scalars(NamedTuple):
    """What an object is made of, by key; `style` says how a part is read."""

    style: str
    values: dict[str, ast.expr]


def scalars(unit: Unit) -> Iterator[Change]:
    """`s = SimpleNamespace(x=a)`, `s.x = f(s.x)` as `x = a`, `x = f(x)`; and so with dicts and lists."""
    seen: set[str] = set()
    for statement in sorted(unit.every(ast.Assign), key=lambda s: s.lineno):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)]) if name not in seen:
                seen.add(name)
                if (made := _replaced(unit, statement, name)) is not None:
                    yield made


def _parts(unit: Unit, value: ast.expr) -> Scalars | None:
    match value:
        case ast.Call(args=[], keywords=[_, *_] as keywords) if all(k.arg is not None for k in keywords):
            named = {str(k.arg): k.value for k in keywords}
            called = unit.resolve(value.func)
            if called == "types.SimpleNamespace":
                return Scalars("attribute", named)
            return Scalars("key", named) if called == "builtins.dict" else None
        case ast.Dict(keys=[_, *_] as keys, values=values):
            texts = [k.value for k in keys if isinstance(k, ast.Constant) and isinstance(k.value, str)]
            return Scalars("key", dict(zip(texts, values, strict=True))) if len(set(texts)) == len(keys) else None
        case ast.List(elts=[_, *_] as elements) if not any(isinstance(e, ast.Starred) for e in elements):
            return Scalars("place", {str(at): e for at, e in enumerate(elements)})
    return None


def _replaced(unit: Unit, statement: ast.Assign, name: str) -> Change | None:
    """The change that gives each part of an object a name, if each use of it is one of a part."""
    parts = _parts(unit, statement.value)
    if parts is None or not alone(unit, name, function_of(unit, statement)) or _nested(unit, statement):
        return None
    sheet, taken = unit.source, set(unit.names)
    names: dict[str | None, str] = {}
    for key in parts.values:
        wanted = [key] if key.isidentifier() and parts.style != "place" else []
        names[key] = claimed(taken, *wanted, f"{name}_{key}")
    pieces: list[Edit] = []
    for place in spoken(unit, name):
        around = unit.parents[place]
        if isinstance(place.ctx, ast.Store):
            whole = _parts(unit, around.value) if isinstance(around, ast.Assign) and around.targets == [place] else None
            if whole is None or whole.style != parts.style or whole.values.keys() != parts.values.keys():
                return None
            pieces.append(_bound(sheet, around, names, whole))  # type: ignore[arg-type]
            continue
        part = _key(around, place, parts.style)
        if part not in names or isinstance(getattr(around, "ctx", None), ast.Del):
            return None
        if not _inside(pieces, sheet, around):
            pieces.append(sheet.put(around, names[part]))
    return _joined(pieces) if len(pieces) > 1 else None


def _nested(unit: Unit, statement: ast.Assign) -> bool:
    """Whether an object is made on some paths only."""
    return any(isinstance(a, ast.If | ast.Try | ast.With) for a in unit.ancestors(statement) if a is not unit.node)


def _inside(pieces: list[Edit], sheet: Source, node: ast.AST) -> bool:
    start, end = sheet.start(node), sheet.end(node)
    return any(p.start <= start and end <= p.end for p in pieces)


def _joined(pieces: list[Edit]) -> Change | None:
    """The pieces, if none is part of another."""
    ordered = sorted(pieces)
    apart = all(one.end <= other.start for one, other in pairwise(ordered))
    return tuple(ordered) if apart else None


def _key(around: ast.AST, place: ast.Name, style: str) -> str | None:
    match around:
        case ast.Attribute(value=value, attr=attr) if value is place and style == "attribute":
            return attr
        case ast.Subscript(value=value, slice=ast.Constant(value=str(key))) if value is place and style == "key":
            return key
        case ast.Subscript(value=value, slice=ast.Constant(value=int(at))) if value is place and style == "place":
            return str(at) if not isinstance(at, bool) and at >= 0 else None
    return None


def _bound(sheet: Source, statement: ast.Assign, names: dict[str | None, str], parts: Scalars) -> Edit:
    """The statement that makes the object, as one that binds its parts; what it reads of the object by their names."""
    own = statement.targets[0]
    assert isinstance(own, ast.Name)
    codes = {key: _renamed(sheet, value, own.id, names, parts.style) for key, value in parts.values.items()}
    if len(codes) == 1 or not _reads(parts, own.id):
        return sheet.instead(statement, *(f"{names[key]} = {code}" for key, code in codes.items()))
    left = ", ".join(names[key] for key in codes)
    return sheet.instead(statement, f"{left} = {', '.join(codes.values())}")


def _reads(parts: Scalars, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for v in parts.values.values() for n in ast.walk(v))


def _renamed(sheet: Source, value: ast.expr, name: str, names: dict[str | None, str], style: str) -> str:
    """The text of a value in which the parts of an object go by their names."""
    found = [(n, key) for n in ast.walk(value) if (key := _read_key(n, name, style)) is not None]
    start, end = sheet.start(value), sheet.end(value)
    return sheet.between(start, end, [sheet.put(n, names.get(key, key)) for n, key in found])


def _read_key(node: ast.AST, name: str, style: str) -> str | None:
    match node:
        case ast.Attribute(value=ast.Name(id=owner) as place) | ast.Subscript(value=ast.Name(id=owner) as place):
            return _key(node, place, style) if owner == name else None
    return None
