"""Host loops that run JAX's operations one by one: nothing is jitted around them or in them."""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import NamedTuple

from scanlint.finding import Withheld
from scanlint.host.dispatches import cost, dispatches, evident, takes_rows
from scanlint.host.eager_work import EagerWork
from scanlint.host.step_loop import draws, numpy_rows, ruled_out, step_of, without_bar
from scanlint.host.threaded_state import by_jax, ends, gathered_only, holds, state_of, worked_out, works_in_numpy
from scanlint.loops.loop import LoopModel
from scanlint.loops.obstacles import index_needs_int
from scanlint.settings import Settings
from scanlint.syntax.bindings import Names, reads, walk_scope

LEAST = 20
"""What a trip must cost, in additions, before one program of it pays."""

LEAST_ROWS = 4
"""The same where each trip takes a row of an array on the device, of which there is one for each step of the state."""

WAIT = 12
"""Of these the wait of a loop that asks the device on each trip whether to go on: what it dispatched is done first."""

OWN = 4
"""Those of them that must be known: what is handed in may be a program already."""

LITTLE = 10
"""Known operations up to which what stands around a jitted step is no work of its own."""


class EagerLoop(NamedTuple):
    """One such loop: what goes from trip to trip, its operations, and what keeps it from being rolled."""

    model: LoopModel
    state: tuple[str, ...]
    operations: int
    remarks: tuple[Withheld, ...]


def eager_loop(model: LoopModel, settings: Settings) -> EagerLoop | None:
    """The loop as something that could be one program, if all that it does is JAX's work on a state."""
    return model.unit.once((eager_loop, model), lambda: _eager_loop(model, settings))


def _eager_loop(model: LoopModel, settings: Settings) -> EagerLoop | None:
    model, bar = without_bar(model)
    if ruled_out(model, settings):
        return None
    worked = worked_out(model)
    found = state_of(model, worked) or _searched(model, worked)
    state = tuple(name for name in found if not gathered_only(model, name))
    least = LEAST_ROWS if takes_rows(model) else LEAST - WAIT if _waits(model, worked) else LEAST
    if not state or cost(model) < least or evident(model) < OWN or not ends(model, worked):
        return None
    if not (by_jax(model, state) or (takes_rows(model) and not works_in_numpy(model, state))):
        return None
    work = EagerWork(model, worked)
    if work.remarks is None or _steps(model, frozenset(state), work.steps) or draws(model):
        return None
    slots = any(remark.code == "mutation" for remark in work.remarks)
    if not slots and _needs_int(model, work.printed):
        return None
    return EagerLoop(model, state, round(dispatches(model)), (*bar, *numpy_rows(model), *work.remarks))


def _steps(model: LoopModel, state: Names, steps: list[str]) -> bool:
    """Whether a jitted function makes the state, or is given it and the rest is little: then it is the step."""
    for part in walk_scope(model.node.body) if evident(model) < LITTLE else ():
        if isinstance(part, ast.Call) and ast.unparse(part.func) in steps and reads(*part.args) & state:
            return True
    return step_of(model, tuple(state), steps) is not None


def _needs_int(model: LoopModel, printed: Collection[ast.stmt]) -> bool:
    """Whether something but what is printed needs the number of the trip, or another staged value, as Python has it."""
    statements = [part for part in walk_scope(model.node.body) if isinstance(part, ast.stmt)]
    simple = [s for s in statements if not hasattr(s, "body") and s not in printed]
    heads = [e for s in statements for e in (getattr(s, "test", None), getattr(s, "iter", None)) if e is not None]
    return any(next(index_needs_int(model.unit, part, model.staged), None) is not None for part in [*simple, *heads])


def _waits(model: LoopModel, worked: Names) -> bool:
    """Whether a test of the loop is on what JAX works out."""
    tests = [part.test for part in ast.walk(model.node) if isinstance(part, ast.If | ast.While)]
    return any(holds(model.unit, test, worked) for test in tests)


def _searched(model: LoopModel, worked: Names) -> tuple[str, ...]:
    """What a search hands on, whose arrays only tell which way it goes on and when it ends."""
    if not _waits(model, worked):
        return ()
    after = model.flow.live_after(model.node)
    return model.carried or tuple(n for n in model.flow.order if n in worked and n in after)
