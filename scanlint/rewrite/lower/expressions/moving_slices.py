"""A slice of fixed length at a traced start, as `lax.dynamic_slice_in_dim`."""

from __future__ import annotations

import ast

from scanlint.branches.traced_sizes import fixed_window
from scanlint.finding import Outcome, Withheld
from scanlint.rewrite.emit.in_place import in_place
from scanlint.rewrite.emit.snippets import on_one_line
from scanlint.rewrite.emit.spelling import Spelling
from scanlint.trace.unit import Unit


def to_dynamic_slice(unit: Unit, node: ast.Subscript) -> Outcome:
    """`x[i : i + 3]` as `lax.dynamic_slice_in_dim(x, i, 3)`, which must lie within the array."""
    found = fixed_window(unit, node)
    if found is None:
        return Withheld("moving-length", f"`{ast.unparse(node)}` is no window of known length (line {node.lineno})")
    spelling, source = Spelling(unit), unit.source
    array, start = on_one_line(source.segment(node.value)), on_one_line(source.segment(found.start))
    axis = f", axis={found.axis}" if found.axis else ""
    code = f"{spelling('jax.lax.dynamic_slice_in_dim')}({array}, {start}, {found.length}{axis})"
    return in_place(unit, node, code, "other", spelling)
