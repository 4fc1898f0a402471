"""Rows of an array that stay one array: `keys = split(key, n)`, then `key, rest = keys[0], keys[1:]`."""

from __future__ import annotations

import ast

from scanlint.finding import Edit, Outcome, Position, Rewrite, Withheld
from scanlint.host.results.unpacked_arrays import UnpackedArray
from scanlint.rewrite.emit.snippets import fresh, plural
from scanlint.trace.unit import Unit


def as_slices(unit: Unit, found: UnpackedArray) -> Outcome:
    """The statement with slices of the array, and the list where it was stacked again."""
    source, statement, rest = unit.source, found.statement, found.rest.id
    if found.other is not None:
        return Withheld("list-used-otherwise", f"`{rest}` is used as a list (line {getattr(found.other, 'lineno', 0)})")
    if source.lines[statement.lineno - 1][: statement.col_offset].strip() or not isinstance(statement, ast.Assign):
        return Withheld("layout", f"other code stands on the line of the statement (line {statement.lineno})")
    if len(found.heads) == 0:
        text = f"{rest} = {source.segment(statement.value)}"
    else:
        rows = fresh(unit.names, plural(found.heads[0]), "rows")
        heads = ", ".join(f"{rows}[{number}]" for number in range(len(found.heads)))
        margin = f"{source.newline}{source.margin(statement)}"
        bound = ", ".join([*found.heads, rest])
        text = f"{rows} = {source.segment(statement.value)}{margin}{bound} = {heads}, {rows}[{len(found.heads)}:]"
    edits = [Edit(source.start(statement), source.end(statement), text)]
    edits += [_without_stack(unit, call, rest) for call in found.stacked]
    return Rewrite(tuple(edits), "other")


def _without_stack(unit: Unit, call: ast.Call, rest: str) -> Edit:
    """The array in place of the call that made it of the list; a statement that only bound it again goes."""
    statement = unit.parents.get(call)
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]) if name == rest and _stands_alone(unit, statement):
            return Edit(Position(statement.lineno, 1), Position((statement.end_lineno or 0) + 1, 1), "")
    return Edit(unit.source.start(call), unit.source.end(call), rest)


def _stands_alone(unit: Unit, statement: ast.stmt) -> bool:
    """Nothing else stands on the lines of a statement, and its block has others."""
    lines, last = unit.source.lines, statement.end_lineno or statement.lineno
    before = lines[statement.lineno - 1][: statement.col_offset].strip()
    behind = lines[last - 1].encode()[statement.end_col_offset or 0 :].strip()
    return not before and not behind and len(unit.block(statement)) > 1
