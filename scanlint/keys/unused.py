"""Keys that a split gives and nothing reads, in functions that use another key twice or may let others do so."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.dataflow.around import defuse_of
from scanlint.keys.found import key_mistakes, key_summary
from scanlint.keys.summaries import parts
from scanlint.trace.unit import Unit


def is_missed(unit: Unit) -> bool:
    """A function uses some key twice, or draws from one that it returns: a key that is left over is the cure."""
    summary = key_summary(unit)
    if summary is None:
        return False
    returned = set(parts(summary.returned))
    return any(use.kind == "draw" and use.term in returned for use in summary.drawn) or bool(key_mistakes(unit))


def unused_keys(unit: Unit, call: ast.Call) -> Iterator[ast.Name]:
    """The names that one split binds for nothing. The name of the key that is split may be: it is kept for later."""
    match unit.parents.get(call):
        case ast.Assign(targets=[ast.Tuple(elts=parts) | ast.List(elts=parts)]):
            old = call.args[0].id if call.args and isinstance(call.args[0], ast.Name) else None
            names = [n for n in map(_named, parts) if n is not None and n.id != old and not n.id.startswith("_")]
            shared = {n for s in unit.every(ast.Global) for n in s.names}
            shared.update(n for s in unit.every(ast.Nonlocal) for n in s.names)
            for name in names if not unit.script else ():
                if name.id not in shared and _is_unread(unit, name):
                    yield name


def _named(part: ast.expr) -> ast.Name | None:
    """The name that a part of the targets is, or that takes all keys that are left."""
    inner = part.value if isinstance(part, ast.Starred) else part
    return inner if isinstance(inner, ast.Name) else None


def _is_unread(unit: Unit, name: ast.Name) -> bool:
    flow = defuse_of(unit)
    made = flow.made(name)
    return bool(made) and not any(flow.uses(definition) for definition in made) and not _is_captured(unit, name)


def _is_captured(unit: Unit, name: ast.Name) -> bool:
    """Whether an inner function may read the name."""
    owner = next((a for a in unit.ancestors(name) if isinstance(a, ast.FunctionDef | ast.Lambda)), unit.node)
    for place in unit.mentions.get(name.id, ()):
        around = next((a for a in unit.ancestors(place) if isinstance(a, ast.FunctionDef | ast.Lambda)), unit.node)
        if around is not owner and isinstance(place.ctx, ast.Load):
            return True
    return False
