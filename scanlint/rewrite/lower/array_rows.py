"""Rows of an array that stay one array: `keys = split(key, n)`, then `key, rest = keys[0], keys[1:]`."""

from __future__ import annotations

import ast

from scanlint.finding import Edit, Outcome, Rewrite, Withheld
from scanlint.host.results.unpacked_arrays import UnpackedArray
from scanlint.rewrite.emit.snippets import fresh, plural
from scanlint.trace.unit import Unit


def as_slices(unit: Unit, found: UnpackedArray) -> Outcome:
    """The statement with slices of the array, and the list where it was stacked again."""
    source, statement, rest = unit.source, found.statement, found.rest.id
    if found.other is not None:
        return Withheld("list-used-otherwise", f"`{rest}` is used as a list (line {getattr(found.other, 'lineno', 0)})")
    if not source.alone(statement) or not isinstance(statement, ast.Assign):
        return Withheld("layout", f"other code stands on the line of the statement (line {statement.lineno})")
    made = source.segment(statement.value)
    lines = [f"{rest} = {made}"]
    if found.heads:
        rows = fresh(unit.names, plural(found.heads[0]), "rows")
        heads = ", ".join(f"{rows}[{number}]" for number in range(len(found.heads)))
        bound = ", ".join([*found.heads, rest])
        lines = [f"{rows} = {made}", f"{bound} = {heads}, {rows}[{len(found.heads)}:]"]
    edits = [source.instead(statement, *lines)]
    edits += [_without_stack(unit, call, rest) for call in found.stacked]
    return Rewrite(tuple(edits), "other")


def _without_stack(unit: Unit, call: ast.Call, rest: str) -> Edit:
    """The array in place of the call that made it of the list; a statement that only bound it again goes."""
    statement = unit.parents.get(call)
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]) if name == rest and unit.source.alone(statement):
            if len(unit.block(statement)) > 1:
                return unit.source.drop(statement)
    return unit.source.put(call, rest)
