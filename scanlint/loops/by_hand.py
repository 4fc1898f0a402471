"""Whether something stands in the way of rolling a loop that no mechanical step takes out of it."""

from __future__ import annotations

from scanlint.loops.accumulators.branch_appends import by_branches
from scanlint.loops.accumulators.conditional_appends import thinned
from scanlint.loops.accumulators.dict_histories import alone
from scanlint.loops.accumulators.flat_lists import flattened
from scanlint.loops.accumulators.indexed_lists import placed
from scanlint.loops.accumulators.last_element_lists import newest
from scanlint.loops.loop import LoopModel


def by_hand(model: LoopModel) -> bool:
    """Whether a person would have to change the body first."""
    if all(o.code == "closure" for o in model.obstacles) or model.read_back is not None:
        return False
    appends = by_branches(model.node.body, model.obstacles) or flattened(model.unit, model.node, model.flow)
    lists = newest(model.unit, model.node) or placed(model.unit, model.node)
    return not (appends or alone(model) or thinned(model) or lists)
