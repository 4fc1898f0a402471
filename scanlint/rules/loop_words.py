"""Words that the loop rules share."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from scanlint.analysis.loops import LoopModel, Stream
from scanlint.analysis.worth import body_equations


def quoted(names: Sequence[str]) -> str:
    """`a`, `b` and `c` in backticks."""
    marked = [f"`{n}`" for n in names]
    return marked[0] if len(marked) == 1 else f"{', '.join(marked[:-1])} and {marked[-1]}" if marked else "nothing"


def times(model: LoopModel) -> str:
    """How often the body is traced."""
    if model.trips is not None:
        return f"{model.trips} times"
    stream = model.streams[0]
    return f"once per {_unit(model, stream)}"


def _unit(model: LoopModel, stream: Stream) -> str:
    code = model.unit.source.segment
    if stream.array is not None:
        return f"row of `{code(stream.array)}`"
    if stream.counted is not None:
        return f"row of `{code(stream.counted)}`"
    assert isinstance(model.node, ast.For)
    return f"step of `{code(model.node.iter)}`"


def per_trip(model: LoopModel) -> str:
    """The label under the loop's line."""
    count = max(1, round(body_equations(model)))
    return f"each trip adds about {count} equation{'s' if count != 1 else ''}"
