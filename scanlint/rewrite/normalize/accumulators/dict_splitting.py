"""Dicts of lists that a loop appends to: the lists get names of their own, and the dict is made after the loop."""

from __future__ import annotations

from scanlint.finding import NOT_APPLICABLE, Edit, Next, Rewrite, Step
from scanlint.loops.loop import LoopModel
from scanlint.loops.rows.dict_histories import History, histories
from scanlint.rewrite.emit.snippets import claimed


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
        edits.append(source.put(one.made, f"{source.newline}{source.margin(node)}".join(made)))
        edits += [source.put(place, names[key]) for key, place in one.appends.items()]
        lines += [f"{name} = {stack}({name})" for name in names.values()]
        pairs = ", ".join(f"{source.segment(key)}: {names[str(key.value)]}" for key in one.keys)
        lines.append(f"{one.name} = {{{pairs}}}")
    edits.append(source.behind(node, *lines))
    return Rewrite(tuple(edits), "scan", (needed,) if needed else (), (Next(node, reported=True),))


def _names(one: History, taken: set[str]) -> dict[str, str]:
    """A free name for the list of each key: the key itself, if it is one."""
    names = {}
    for key in one.appends:
        wanted = [key] if key.isidentifier() else []
        names[key] = claimed(taken, *wanted, f"{one.name}_{key}" if key.isidentifier() else f"{one.name}_list")
    return names
