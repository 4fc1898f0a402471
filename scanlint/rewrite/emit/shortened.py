"""Arrays that are gone over side by side, cut to the shortest as source: there Python stops."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from scanlint.loops.sizes.lengths import without_first
from scanlint.loops.streams import Stream
from scanlint.rewrite.emit.snippets import atom
from scanlint.trace.unit import Unit


def shortened(unit: Unit, code: str, array: ast.expr | None, beside: Sequence[ast.expr]) -> str:
    """An array, cut to those at its side that may be shorter: `xs[: len(ys)]`, and `xs[:-1]` beside `xs[1:]`."""
    if not beside:
        return code
    left = without_first(unit, beside[0], array) if array is not None and len(beside) == 1 else None
    if left is not None:
        return f"{atom(code)}[:-{left}]"
    return f"{atom(code)}[: {shortest(unit, beside)}]"


def shortest(unit: Unit, arrays: Sequence[ast.expr]) -> str:
    """How many rows the shortest of some arrays has."""
    lengths = [f"len({unit.source.segment(array)})" for array in arrays]
    return lengths[0] if len(lengths) == 1 else f"min({', '.join(lengths)})"


def bounds_and_count(unit: Unit, stream: Stream) -> tuple[str, str]:
    """The bounds of a range as source, and how many numbers are in it."""
    parts = [unit.source.segment(p) for p in (stream.start, stream.stop, stream.step) if p is not None]
    if stream.step is not None and stream.start is None:
        parts.insert(0, "0")
    bounds = ", ".join(parts)
    return bounds, bounds if len(parts) == 1 else f"len(range({bounds}))"
