"""Dicts of lists that a loop appends to: the lists get names of their own, and the dict is made after the loop."""

from __future__ import annotations

from scanlint.finding import NOT_APPLICABLE, Edit, Next, Position, Rewrite, Step
from scanlint.loops.accumulators.dict_histories import History, histories
from scanlint.loops.loop import LoopModel
from scanlint.rewrite.emit.snippets import fresh
from scanlint.syntax.source import Source


def with_named_lists(model: LoopModel) -> Step:
    """The loop with a name for each list, which it can return row by row."""
    found = histories(model)
    if not found:
        return NOT_APPLICABLE
    unit, node = model.unit, model.node
    source, taken = unit.source, set(unit.names)
    stack, needed = unit.spell("jax.numpy.stack")
    edits: list[Edit] = []
    lines: list[str] = []
    for one in found:
        names = _names(one, taken)
        made = [f"{name} = []" for name in names.values()]
        edits.append(Edit(source.start(one.made), source.end(one.made), _block(source, made, source.margin(node))))
        edits += [Edit(source.start(place), source.end(place), names[key]) for key, place in one.appends.items()]
        lines += [f"{name} = {stack}({name})" for name in names.values()]
        pairs = ", ".join(f"{source.segment(key)}: {names[str(key.value)]}" for key in one.keys)
        lines.append(f"{one.name} = {{{pairs}}}")
    line = node.end_lineno or node.lineno
    below = Position(line, len(source.lines[line - 1].rstrip("\r\n")) + 1)
    margin = source.margin(node)
    edits.append(Edit(below, below, f"{source.newline}{margin}{_block(source, lines, margin)}"))
    return Rewrite(tuple(edits), "scan", (needed,) if needed else (), (Next(node, reported=True),))


def _names(one: History, taken: set[str]) -> dict[str, str]:
    """A free name for the list of each key: the key itself, if it is one."""
    names = {}
    for key in one.appends:
        wanted = [key] if key.isidentifier() else []
        names[key] = fresh(taken, *wanted, f"{one.name}_{key}" if key.isidentifier() else f"{one.name}_list")
        taken.add(names[key])
    return names


def _block(source: Source, lines: list[str], margin: str) -> str:
    return f"{source.newline}{margin}".join(lines)
