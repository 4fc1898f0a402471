"""Lists that a loop appends to on some of its trips alone, as its index tells: `if i >= burn: draws.append(x)`."""

from __future__ import annotations

import ast
from typing import NamedTuple

from scanlint.loops.accumulators.branch_appends import APPENDS, list_of
from scanlint.loops.loop import LoopModel
from scanlint.loops.streams import Stream
from scanlint.syntax.bindings import binds, reads


class Thinned(NamedTuple):
    """A branch that only appends, and the places after the loop that read the lists.

    `test` tells the trips on which it does by the loop variable of `stream`, and by Python values.
    """

    branch: ast.If
    uses: tuple[ast.Name, ...]
    stream: Stream
    test: ast.expr


def thinned(model: LoopModel) -> Thinned | None:
    """The first such branch, if nothing but appends is in the way, and trips need each other."""
    if not (model.obstacles and model.carried) or any(o.code not in APPENDS for o in model.obstacles):
        return None
    for statement in model.node.body:
        match statement:
            case ast.If(test=test, body=body, orelse=[]):
                names = {name for s in body if (name := list_of(s)) is not None}
                stream = _counted(model, test) if len(names) == len(body) else None
                uses = [_uses(model, name) for name in names]
                if stream is not None and None not in uses:
                    return Thinned(statement, tuple(n for found in uses for n in found or ()), stream, test)
    return None


def _uses(model: LoopModel, name: str) -> list[ast.Name] | None:
    """The places after the loop that read a list which is empty before it; None where more is done with it."""
    unit, node = model.unit, model.node
    block = unit.block(node)
    at = block.index(node)
    named = [n for n in ast.walk(model.flow.function) if isinstance(n, ast.Name) and n.id == name]
    inside = [n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == name]
    made = [s for s in block[:at] if name in _emptied(s)]
    anew = next((s for s in block[at + 1 :] if isinstance(s, ast.Assign) and name in binds(s)), None)
    end = (anew.end_lineno or 0) if anew is not None else max(n.lineno for n in named)
    after = [n for n in named if (node.end_lineno or 0) < n.lineno <= end and isinstance(n.ctx, ast.Load)]
    before = [n for n in named if n.lineno <= end and n not in after and n not in inside]
    plain = not any(isinstance(unit.parents[n], ast.Attribute) for n in after)
    stores = 1 + (anew is not None)
    return after if plain and len(made) == len(inside) == 1 and len(before) == stores else None


def _emptied(statement: ast.stmt) -> list[str]:
    """The lists that a statement makes without elements: `ys = []`, `xs, ys = [], []`."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.List(elts=[])):
            return [name]
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(targets) == len(values):
            pairs = zip(targets, values, strict=True)
            return [t.id for t, v in pairs if isinstance(t, ast.Name) and isinstance(v, ast.List) and not v.elts]
    return []


def _counted(model: LoopModel, test: ast.expr) -> Stream | None:
    """The range whose loop variable, with Python values that the loop does not change, decides a test."""
    for stream in model.streams:
        if stream.kind == "range" and isinstance(stream.target, ast.Name) and stream.counted is None:
            index = stream.target.id
            names = [n for n in ast.walk(test) if isinstance(n, ast.Name) and n.id != index]
            still = not reads(test) & (binds(*model.node.body) | set(model.targets) - {index})
            if index in reads(test) and still and _plain(test) and all(model.unit.value(n).static for n in names):
                return stream
    return None


def _plain(test: ast.expr) -> bool:
    """Whether a test means the same of an array of numbers, for each of them: arithmetic and comparisons."""
    match test:
        case ast.BoolOp(values=values):
            return all(isinstance(v, ast.Compare | ast.BoolOp | ast.UnaryOp) and _plain(v) for v in values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _plain(operand)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return not isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn) and _plain(left) and _plain(right)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Mod() | ast.FloorDiv(), right=right):
            return _plain(left) and _plain(right)
    return isinstance(test, ast.Name | ast.Constant)
