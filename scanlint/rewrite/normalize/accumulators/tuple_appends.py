"""Groups of values in a list that becomes one array: `ys.append((a, b))` and `jnp.array(ys)`."""

from __future__ import annotations

from scanlint.finding import NOT_APPLICABLE, Edit, Next, Rewrite, Step
from scanlint.loops.loop import LoopModel


def with_arrays(model: LoopModel) -> Step:
    """The loop that appends `jnp.array([a, b])`."""
    groups = [o.element for o in model.outputs if o.grouped]
    if not groups:
        return NOT_APPLICABLE
    array, needed = model.unit.spell("jax.numpy.array")
    source, edits = model.unit.source, list[Edit]()
    for group in groups:
        code = source.segment(group)
        if code.startswith("(") and "\n" not in code:
            code = f"[{code[1:-1].rstrip().removesuffix(',')}]"
        edits.append(source.put(group, f"{array}({code})"))
    return Rewrite(tuple(edits), "scan", (needed,) if needed else (), (Next(model.node, reported=True),))
