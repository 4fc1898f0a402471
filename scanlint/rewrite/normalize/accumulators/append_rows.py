"""Arrays that a loop makes longer on each trip: the rows are put into a list, which is stacked after the loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from scanlint.finding import NOT_APPLICABLE, Edit, Next, Rewrite, Step
from scanlint.loops.loop import LoopModel
from scanlint.loops.rows.growing_arrays import Growing, growing
from scanlint.rewrite.emit.spelling import Spelling
from scanlint.syntax.bindings import binds, reads


def with_lists(model: LoopModel) -> Step:
    """The loop with such lists, which it can return row by row; joined as before where these are not its rows."""
    found = growing(model.unit, model.node, model.carried)
    if not found:
        return NOT_APPLICABLE
    doubtful = any(one.joins or one.first is None for one in found)
    joined = _with_lists(model, found, joining=True) if doubtful else None
    return _with_lists(model, found)._replace(plainer=joined)


def _with_lists(model: LoopModel, found: Sequence[Growing], *, joining: bool = False) -> Rewrite:
    unit, node = model.unit, model.node
    source, spell = unit.source, Spelling(unit)

    block, lines = unit.block(node), list[str]()
    edits: list[Edit] = []
    for one in found:
        start, row, joins = one.made.value, source.segment(one.row), one.joins if joining else ""
        between = block[block.index(one.made) : block.index(node)]
        kept = not reads(start) & binds(*between, *node.body) and (one.first is not None or joining)
        inside = source.segment(one.first) if one.first is not None and not kept else ""
        edits.append(source.put(start, f"[{inside}]"))
        code = f"{one.name}.insert(0, {row})" if one.front else f"{one.name}.append({row})"
        edits.append(source.put(one.grows, code))
        lines.append(f"{one.name} = {spell('jax.numpy.stack')}({one.name})")
        made = _joined(one, source.segment(start) if kept else "", joins, spell)
        lines += [f"{one.name} = {made}"] if made != one.name else []
    edits.append(source.behind(node, *lines))
    return Rewrite(tuple(edits), "scan", spell.imports, (Next(node, model.starts),))


def _joined(one: Growing, start: str, joins: str, spell: Callable[[str], str]) -> str:
    """The stacked rows behind what the array starts as, if that was kept; joined as the loop joined them."""
    if joins == "append":
        parts = [one.name, start] if one.front else [start, one.name]
        return f"{spell('jax.numpy.append')}({', '.join(parts)})" if start else one.name
    rows = f"{spell(f'jax.numpy.{joins}')}({one.name})" if joins else one.name
    parts = [rows, start] if one.front else [start, rows]
    return f"{spell('jax.numpy.concatenate')}([{', '.join(parts)}])" if start else rows
