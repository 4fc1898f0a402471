"""Loops outside traced code into programs: what is read on each trip is collected, what must stay is said."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from scanlint.finding import Outcome, Rewrite, Withheld
from scanlint.loops.loop import LoopModel
from scanlint.rewrite.lower.loops.loop_passes import to_rolled_loop, to_while_loop
from scanlint.rewrite.normalize.accumulators.fetched_numbers import with_numbers


def to_one_program(model: LoopModel, remarks: Sequence[Withheld]) -> Outcome:
    """The loop rolled. `remarks` are what it does on the host besides: of that, fetched numbers can be collected."""
    others = [remark for remark in remarks if remark.code != "fetched"]
    if others:
        return others[0]
    if remarks:
        step = with_numbers(model)
        return step if isinstance(step, Rewrite) else remarks[0]
    return to_while_loop(model) if isinstance(model.node, ast.While) else to_rolled_loop(model)
