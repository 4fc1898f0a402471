"""Ranges that count down to read arrays by index: what a scan with `reverse=True` goes over."""

from __future__ import annotations

import ast
from typing import NamedTuple

from scanlint.loops.loop import LoopModel
from scanlint.loops.streams import Stream
from scanlint.rewrite.emit.snippets import shifted


class Downward(NamedTuple):
    """The numbers from `lower` to before `upper` (as source), gone through from the last one down."""

    lower: str
    upper: str


def downward(model: LoopModel) -> Downward | None:
    """What a loop counts down over, where it is one range by 1 whose numbers read arrays.

    Arrays that are not known to be as long as the loop go on to be read by index, which is clamped where it runs over.
    """
    if len(model.streams) != 1 or not isinstance(model.streams[0].target, ast.Name):
        return None
    between = _limits(model, model.streams[0])
    if between is None or any(model.unit.value(bound).traced for bound in model.bounds):
        return None
    reads = _reads(model, model.streams[0].target.id)
    return Downward(*between) if any(isinstance(read, ast.Subscript) for read in reads) else None


def _limits(model: LoopModel, stream: Stream) -> tuple[str, str] | None:
    """The same numbers as a range that counts up, as source."""
    code = model.unit.source.segment
    if stream.kind != "range" or stream.stop is None:
        return None
    if stream.reverse and stream.step is None:
        return code(stream.start) if stream.start is not None else "0", code(stream.stop)
    if stream.reverse or stream.start is None or model.unit.value(stream.step).constant != -1:
        return None
    return shifted(code(stream.stop), 1), shifted(code(stream.start), 1)


def _reads(model: LoopModel, index: str) -> list[ast.AST]:
    """What each use of the loop variable is part of: the `xs[i]` that it reads a row by, or the index of one."""
    found: list[ast.AST] = []
    gone = model.gone
    for part in ast.walk(ast.Module(model.node.body, [])):
        if isinstance(part, ast.Name) and part.id == index and part not in gone:
            above = [a for a in model.unit.ancestors(part) if isinstance(a, ast.expr)]
            found.append(next((a for a in above if isinstance(a, ast.Subscript)), part))
    return found
