"""Lists that get an element on some trips alone get one on each; what reads them picks those trips out.

`if i >= burn: draws.append(x)`: the index tells which trips these are.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from scanlint.dataflow.around import defuse_of
from scanlint.finding import NOT_APPLICABLE, Next, Rewrite, Step, Withheld
from scanlint.loops.loop import LoopModel
from scanlint.loops.rows.branch_appends import APPENDS, list_of
from scanlint.loops.rows.lists import ListRow, list_rows
from scanlint.loops.streams import Stream
from scanlint.rewrite.emit.snippets import fresh
from scanlint.rewrite.emit.spelling import Spelling
from scanlint.syntax.bindings import binds, reads
from scanlint.syntax.walk import substituted

Spell = Callable[[str], str]


def on_each_trip(model: LoopModel) -> Step:
    """`if i >= 20: draws.append(x)` as `draws.append(x)`, and `draws[20:]` where it is read.

    The first such branch, if nothing but appends is in the way, and trips need each other.
    """
    if not (model.obstacles and model.carried) or any(o.code not in APPENDS for o in model.obstacles):
        return NOT_APPLICABLE
    for statement in model.node.body:
        match statement:
            case ast.If(test=test, body=body, orelse=[]):
                names = {name for s in body if (name := list_of(s)) is not None}
                stream = _counted(model, test) if len(names) == len(body) else None
                found = {row.name: row for row in list_rows(model.unit, model.node)} if stream is not None else {}
                rows = [found[name] for name in names if name in found and _only_read_after(model, found[name])]
                if stream is not None and len(rows) == len(names):
                    return _written(model, statement, stream, [use for row in rows for use in row.outside])
    return NOT_APPLICABLE


def _only_read_after(model: LoopModel, row: ListRow) -> bool:
    """A list is empty before the loop, and after it is read as a whole or by items."""
    if row.first or row.inside or len(row.writes) > 1:
        return False
    parents, after = model.unit.parents, defuse_of(model.unit).after
    read = all(after(n, model.node) and isinstance(n.ctx, ast.Load) for n in row.outside)
    return read and not any(isinstance(parents[n], ast.Attribute) for n in row.outside)


def _written(model: LoopModel, branch: ast.If, stream: Stream, uses: list[ast.Name]) -> Step:
    unit, source, spell, test = model.unit, model.unit.source, Spelling(model.unit), branch.test
    appends = source.body(branch.body, (), "")
    if appends is None:
        return Withheld("layout", f"lines of the branch stand further out than it does (line {branch.lineno})")
    kept, edits = _slice(stream, test), [source.drop(branch)._replace(text=source.ahead(branch, *appends).text)]
    if kept is None:
        numbers, kept = _numbers(stream, source.segment, spell), fresh(unit.names, "kept", "wanted")
        lines = list[str]()
        if isinstance(test, ast.BoolOp):
            trips = fresh(unit.names, "trips", "numbers")
            lines, numbers = [f"{trips} = {numbers}"], trips
        lines.append(f"{kept} = {_asked(test, ast.unparse(stream.target), numbers)}")
        edits.append(source.beneath(model.node, *lines))
    edits += [source.put(n, f"{n.id}[{kept}]") for n in uses]
    return Rewrite(tuple(edits), "scan", spell.imports, (Next(model.node, reported=True),))


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


def _slice(stream: Stream, test: ast.expr) -> str | None:
    """The trips as a slice, where they are written in numbers: with a name in it, it could count from the end."""
    if stream.start is not None or stream.step is not None or stream.reverse:
        return None
    match test:
        case ast.Compare(left=ast.Name(), ops=[op], comparators=[ast.Constant(value=int(bound))]) if bound >= 0:
            match op:
                case ast.GtE() | ast.Gt():
                    return f"{bound + isinstance(op, ast.Gt)}:"
                case ast.Lt() | ast.LtE():
                    return f":{bound + isinstance(op, ast.LtE)}"
        case ast.Compare(
            left=ast.BinOp(left=ast.Name(), op=ast.Mod(), right=ast.Constant(value=int(step))),
            ops=[ast.Eq()],
            comparators=[ast.Constant(value=int(first))],
        ) if 0 <= first < step:
            return f"{first or ''}::{step}"
        case ast.Compare(
            left=ast.BinOp(
                left=ast.BinOp(left=ast.Name(), op=ast.Add(), right=ast.Constant(value=1)),
                op=ast.Mod(),
                right=ast.Constant(value=int(step)),
            ),
            ops=[ast.Eq()],
            comparators=[ast.Constant(value=0)],
        ) if step > 0:
            return f"{step - 1}::{step}"
    return None


def _numbers(stream: Stream, code: Callable[[ast.AST], str], spell: Spell) -> str:
    """What the loop variable is on all trips, as an array of NumPy: it is known when tracing."""
    parts = [code(p) for p in (stream.start, stream.stop, stream.step) if p is not None]
    parts = ["0", *parts] if stream.step is not None and stream.start is None else parts
    return f"{spell('numpy.arange')}({', '.join(parts)})" + ("[::-1]" if stream.reverse else "")


def _asked(test: ast.expr, index: str, numbers: str) -> str:
    """A test of the loop variable, asked of all its values at once."""
    match test:
        case ast.BoolOp(op=op, values=values):
            joined = " & " if isinstance(op, ast.And) else " | "
            return joined.join(f"({_asked(v, index, numbers)})" for v in values)
        case ast.UnaryOp(op=ast.Not(), operand=ast.Compare() | ast.BoolOp() as operand):
            return f"~({_asked(operand, index, numbers)})"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _asked(ast.Compare(operand, [ast.Eq()], [ast.Constant(0)]), index, numbers)
        case ast.Compare():
            array = ast.parse(numbers, mode="eval").body
            named = lambda node: array if isinstance(node, ast.Name) and node.id == index else None  # noqa: E731
            return ast.unparse(substituted(test, named))
    return _asked(ast.Compare(test, [ast.NotEq()], [ast.Constant(0)]), index, numbers)
