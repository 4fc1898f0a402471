"""Calls of `lax.scan` spelled as they are meant."""

from __future__ import annotations

import ast

from scanlint.finding import Edit, Outcome, Position, Rewrite, Withheld
from scanlint.loops.scans.scan_calls import DummyScan
from scanlint.rewrite.emit.line_breaks import within
from scanlint.trace.unit import Unit


def without_xs(unit: Unit, scan: DummyScan) -> Outcome:
    """`lax.scan(f, init, jnp.zeros(n))` as `lax.scan(f, init, None, length=n)`."""
    source, size = unit.source, unit.source.segment(scan.length)
    if not scan.counted:
        what = f"`{size}` may be a shape, and is no length then (line {scan.length.lineno})"
        return Withheld("shape-or-length", f"{what}: annotate `{size}` as `int`")
    edits = [source.put(scan.xs, "None")]
    if not any(k.arg == "length" for k in scan.call.keywords):
        last = source.end(
            max([scan.xs, *(k.value for k in scan.call.keywords)], key=lambda n: (n.end_lineno, n.end_col_offset))
        )
        text = f", length={source.segment(scan.length)}"
        if last == edits[0].end:
            edits = [Edit(edits[0].start, edits[0].end, f"None{text}")]
        else:
            edits.append(Edit(last, last, text))
    statement = next(a for a in unit.ancestors(scan.call) if isinstance(a, ast.stmt))
    edits = [*within(source, statement, edits)]
    if scan.made is not None:
        line, end = scan.made.lineno, (scan.made.end_lineno or scan.made.lineno)
        edits.append(Edit(Position(line, 1), Position(end + 1, 1), ""))
    return Rewrite(tuple(edits), "other")
