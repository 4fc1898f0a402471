"""Loops outside traced code that thread a state through JAX: what they go over, carry, and whether that is worth it."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import partial
from typing import NamedTuple

from scanlint.finding import Withheld
from scanlint.host.doors import by_the_host, surely_jax, worked_out
from scanlint.host.eager_work import EagerWork
from scanlint.host.host_work import HostWork
from scanlint.host.threaded_state import by_jax, ends, state_of
from scanlint.host.threaded_state import worked_out as worked_by_jax
from scanlint.jaxapi.words import words
from scanlint.loops.growth import larger_carries
from scanlint.loops.jumps import JUMPS
from scanlint.loops.loop import LoopModel
from scanlint.loops.module_layers import by_default
from scanlint.loops.streams import range_length, streams_of, unwrapped
from scanlint.loops.trip_count import stated
from scanlint.policy.docstrings import described, said_short
from scanlint.policy.names import CLOCKS, DRAWS, FEW_ON_HOST
from scanlint.policy.worth import deliberate, stream_count
from scanlint.settings import Settings
from scanlint.syntax.bindings import binds, reads, targets
from scanlint.syntax.walk import kinds_of
from scanlint.trace.hints.numpy_made import by_numpy
from scanlint.trace.unit import Unit

DEVICES = words("ppermute psum psum_scatter all_gather all_to_all axis_index shard_map pmean")
MANY = 1000
"""Trips from which one program pays in a test, which is run once: a dispatch takes some 0.1 ms, compiling 0.1 s."""


class HostLoop(NamedTuple):
    """A host loop around a jitted `step` that does JAX's work only. `remarks` keep it from being rolled."""

    model: LoopModel
    state: tuple[str, ...]
    step: str
    remarks: tuple[Withheld, ...]


def host_loop(model: LoopModel, settings: Settings) -> HostLoop | None:
    """The loop as something that could be one `lax.scan`, if all that it does is to run a jitted step on a state."""
    return model.unit.once((host_loop, model), lambda: _host_loop(model, settings))


def _host_loop(model: LoopModel, settings: Settings) -> HostLoop | None:
    model, bar = without_bar(model)
    if ruled_out(model, settings):
        return None
    worked = worked_by_jax(model)
    state = state_of(model, worked)
    grows = next(larger_carries(model.unit, model.node, state), None) is not None
    if not state or grows or not by_jax(model, state) or not ends(model, worked):
        return None
    searches = isinstance(model.node, ast.While) or any(o.code in JUMPS for o in model.obstacles)
    work = EagerWork(model, worked) if searches else HostWork(model)
    step = step_of(model, state, work.steps) or next(iter(work.steps), None)
    if work.remarks is None or step is None:
        return None
    return HostLoop(model, state, step, (*bar, *numpy_rows(model), *work.remarks))


def without_bar(model: LoopModel) -> tuple[LoopModel, tuple[Withheld, ...]]:
    """A loop without the progress bar around what it goes over, and that there is one; made once for all that ask."""
    unit, node = model.unit, model.node
    plain, wrapper = unwrapped(unit, node.iter) if isinstance(node, ast.For) else (None, None)
    if wrapper is None or plain is None or not isinstance(node, ast.For):
        return model, ()
    made = unit.once((without_bar, model), lambda: LoopModel(unit, node, tuple(streams_of(unit, node.target, plain))))
    return made, (Withheld("progress-bar", f"`{wrapper}` shows how far the loop is (line {node.lineno})"),)


def ruled_out(model: LoopModel, settings: Settings) -> bool:
    """Whether a loop goes over something else than numbers and rows, makes few trips, or is as it is on purpose."""
    return model.unit.once((ruled_out, model), lambda: _ruled_out(model, settings))


def _ruled_out(model: LoopModel, settings: Settings) -> bool:
    node = model.node
    if isinstance(node, ast.For):
        if not model.streams or any(s.table or s.listed for s in model.streams) or not long(model, settings):
            return True
    elif model.unit.source.tests:
        return True
    return (
        bool(node.orelse)
        or deliberate(model)
        or _measures(model)
        or on_devices(model)
        or any(by_numpy(model.unit, p.value) for p in _read(model))
    )


def _read(model: LoopModel) -> list[ast.Subscript]:
    """The rows `xs[i]` that the loop variable reads of what is not surely an array of JAX."""
    bound = binds(*model.node.body)
    reading = [n for s in model.node.body for n in ast.walk(s) if isinstance(n, ast.Subscript)]
    named = [n for n in reading if isinstance(n.value, ast.Name | ast.Attribute) and not reads(n.value) & bound]
    return [n for n in named if reads(n.slice) & model.staged and not surely_jax(model.unit, n.value)]


def numpy_rows(model: LoopModel) -> tuple[Withheld, ...]:
    """That NumPy works on the rows if it made them, in double precision, before JAX takes what comes out."""
    unit, places = model.unit, _read(model)
    arrays = [s.array for s in model.streams if s.array is not None and not surely_jax(unit, s.array)]
    names = frozenset(n for s in model.streams if s.array in arrays for n in targets(s.target))
    found = worked_out(unit, model.node.body, (), names, places) if places or arrays else None
    made = [*arrays, *(place.value for place in places)]
    return (by_the_host(unit, made[0], found),) if found is not None else ()


def long(model: LoopModel, settings: Settings) -> bool:
    """Whether there may be many trips: enough of them, or a number that is not known and is not one of few things."""
    return model.unit.once((long, model), lambda: _long(model, settings))


def _long(model: LoopModel, settings: Settings) -> bool:
    most = settings.max_unrolled_trips
    if model.unit.source.tests:
        return model.trips is not None and model.trips >= MANY
    if model.trips is not None:
        return model.trips > most
    bounds = [b for s in model.streams for b in (s.start, s.stop) if b is not None]
    counted = [n for s in model.streams if s.kind == "range" for n in stream_count(model.unit, s).names]
    texts = [text for b in bounds for text in _spelled(model.unit, b)]
    texts += [" ".join(counted), described(model.unit, model.node, counted)]
    if FEW_ON_HOST(*texts):
        return False
    if said_short(model.unit, model.node, counted, most):
        return False
    if any((known := by_default(model.unit, b)) is not None and known <= most for b in bounds):
        return False
    if any(_listed(model, b) for b in bounds):
        return False
    said = [range_length(s, partial(stated, model.unit)) for s in model.streams if s.kind == "range" and s.stop]
    return not any(trips is not None and trips <= most for trips in said)


def _listed(model: LoopModel, bound: ast.expr) -> bool:
    """Whether a bound is a number out of a Python list that a loop around goes over: `for start, width in blocks`."""
    unit = model.unit
    for around in unit.ancestors(model.node):
        match around:
            case ast.For(target=target, iter=ast.Name() as listed) if reads(bound) & set(targets(target)):
                return not unit.value(listed).array
    return False


def _spelled(unit: Unit, bound: ast.expr) -> list[str]:
    """A bound as it is written, and what the names in it stand for."""
    names = {n.id for n in ast.walk(bound) if isinstance(n, ast.Name)}
    values = [n.value for n in unit.every(ast.Assign) if names & set(targets(n.targets[0]))]
    return [ast.unparse(node) for node in (bound, *values)]


def _measures(model: LoopModel) -> bool:
    """Whether the function looks at a clock: what it measures may be the dispatch."""
    function = model.function
    return model.unit.once((_measures, function), lambda: measures(kinds_of(function).of(ast.Call)))


def measures(calls: Iterable[ast.Call]) -> bool:
    """Whether one of these calls looks at a clock."""
    return CLOCKS(*(ast.unparse(call.func) for call in calls))


def on_devices(model: LoopModel) -> bool:
    """Whether the function is a kernel, or runs on each of many devices."""
    return model.unit.once((on_devices, model.function), lambda: _names_devices(model))


def _names_devices(model: LoopModel) -> bool:
    inside = kinds_of(model.function)
    named = {*(part.attr for part in inside.of(ast.Attribute)), *(part.id for part in inside.of(ast.Name))}
    kernels = any("pallas" in name for name in (model.unit.source.path, *model.unit.imports.values()))
    return kernels or not DEVICES.isdisjoint(named)


def draws(model: LoopModel) -> bool:
    """Whether a function, or the file that it is in, draws: that is done once a picture, for people to look at."""
    return model.trips is None and DRAWS(model.unit.qualname, model.unit.source.path)


def step_of(model: LoopModel, state: tuple[str, ...], steps: list[str]) -> str | None:
    """The jitted function that makes the state."""
    for statement in model.node.body:
        match statement:
            case ast.Assign(targets=[bound], value=ast.Call(func=function)) if set(targets(bound)) & set(state):
                if ast.unparse(function) in steps:
                    return ast.unparse(function)
    return None
