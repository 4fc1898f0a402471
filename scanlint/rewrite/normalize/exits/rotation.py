"""`while True` that a test at its end leaves, as one trip and a loop."""

from __future__ import annotations

import ast

from scanlint.finding import Edit, Next, Position, Rewrite, mark
from scanlint.loops.exits import forever, jumps_in, successor
from scanlint.loops.loop import LoopModel
from scanlint.rewrite.emit.snippets import on_one_line
from scanlint.rewrite.normalize.exits.flagged_body import Leaving, comments, negated

SHORT = 6
"""Statements that a trip may have to be written once more."""


def until(model: LoopModel, leaving: Leaving, left: list[str], returned: str | None) -> Rewrite | None:
    """`while True` up to a test at its end, as one trip before a loop: where what it binds has no value before."""
    node, source = model.node, model.unit.source
    match node.body:
        case [*trip, ast.If(test=test, body=[ast.Break() | ast.Return()], orelse=[]) as last] if trip:
            pass
        case _:
            return None
    bound = model.flow.bound_before(node)
    new = [n for n in left if n not in bound and successor(node, n) is None]
    if not (forever(node) and len(list(jumps_in(*node.body))) == 1 and new and len(trip) <= SHORT) or node.orelse:
        return None
    margin = leaving.margin(node, 0)
    body = leaving.raw(node.body[0].lineno, trip[-1].end_lineno or 0, 0)
    inner = margin + leaving.indent
    first = [margin + line.removeprefix(inner) for line in body if line.strip()[:1] not in ("", "#")]
    if any(line.strip() and not line.startswith(inner) for line in body):
        return None
    said = [f"{inner}{c}" for c in comments(source.lines[last.lineno - 1 : last.end_lineno])]
    above = [inner + line.strip() for line in leaving.raw((trip[-1].end_lineno or 0) + 1, last.lineno - 1, 0) if line]
    code = on_one_line(negated(model.unit, test))
    lines = [*first, f"{margin}{mark(0)}while {code}:", *leaving.below_header(node), *above, *said, *body]
    if returned is not None:
        lines.append(f"{margin}return {returned}")
    edit = Edit(Position(node.lineno, 1), source.end(node), leaving.newline.join(lines))
    return Rewrite((edit,), "while_loop", next=(Next(),))
