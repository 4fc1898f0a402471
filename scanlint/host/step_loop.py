"""Loops outside traced code that thread a state through JAX: what they go over, carry, and whether that is worth it."""

from __future__ import annotations

import ast
import re
from functools import partial
from typing import NamedTuple

from scanlint.finding import Withheld
from scanlint.host.host_work import HostWork, holds_array
from scanlint.jaxapi.words import words
from scanlint.loops.loop import LoopModel
from scanlint.loops.module_layers import by_default
from scanlint.loops.streams import range_length, streams_of
from scanlint.loops.trip_count import stated
from scanlint.policy.docstrings import described, said_short
from scanlint.policy.names import CLOCKS, DRAWS, FEW_ON_HOST
from scanlint.policy.worth import deliberate, stream_count
from scanlint.settings import Settings
from scanlint.syntax.bindings import Names, reads, targets, walk_scope
from scanlint.trace.domain.callables import Closure, Code, Transformed
from scanlint.trace.unit import Unit

PROGRESS = re.compile(r"(?i)^(?:tqdm\w*|t?n?range|progress\w*|track|alive_it|prange)$")
DEVICES = words("ppermute psum psum_scatter all_gather all_to_all axis_index shard_map pmean")
NAMED = (ast.Attribute, ast.Name)
MANY = 1000
"""Trips from which one program pays in a test, which is run once: a dispatch takes some 0.1 ms, compiling 0.1 s."""
COMPUTES = ("jax.numpy.", "jax.lax.", "jax.random.", "jax.nn.", "jax.scipy.", "optax.")
GROWS = re.compile(r"\.(?:concatenate|append|hstack|vstack|column_stack|stack|insert|pad|r_|c_)$")
"""Functions whose result is larger than what they are given."""


class HostLoop(NamedTuple):
    """A host loop that does JAX's work only. `remarks` keep it from being rolled; `step` is the jitted function."""

    model: LoopModel
    state: tuple[str, ...]
    step: str | None
    remarks: tuple[Withheld, ...]


def host_loop(model: LoopModel, settings: Settings) -> HostLoop | None:
    """The loop as something that could be one `lax.scan`, if all that it does is JAX's work on a state."""
    unit, node = model.unit, model.node
    assert isinstance(node, ast.For)
    plain, wrapper = unwrapped(unit, node.iter)
    if wrapper is not None:
        model = LoopModel(unit, node, tuple(streams_of(unit, node.target, plain)))
    if (
        node.orelse
        or not model.streams
        or any(s.table or s.listed for s in model.streams)
        or not long(model, settings)
        or deliberate(model)
        or _apart(model)
    ):
        return None
    state = state_of(model)
    if not state or not by_jax(model, state):
        return None
    work = HostWork(model)
    if work.remarks is None:
        return None
    remarks = work.remarks
    if wrapper is not None:
        remarks = [Withheld("progress-bar", f"`{wrapper}` shows how far the loop is (line {node.lineno})"), *remarks]
    step = _step(model, state, work.steps)
    if step is None and _draws(model):
        return None
    if step is None and not remarks and any(o.code == "index-needs-int" for o in model.obstacles):
        return None
    return HostLoop(model, state, step, tuple(remarks))


def unwrapped(unit: Unit, iterable: ast.expr, depth: int = 0) -> tuple[ast.expr, str | None]:
    """What a progress bar goes over, and the bar as it is spelled; the iterable itself where there is no bar."""
    if depth > 3:
        return iterable, None
    match iterable:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[inner, *_]) if PROGRESS.search(name):
            if name.endswith("trange"):
                return ast.copy_location(ast.Call(ast.Name("range", ast.Load()), [inner], []), iterable), name
            return (inner, name) if name not in ("range", "prange") else (iterable, None)
        case ast.IfExp(body=body, orelse=orelse):
            first, second = unwrapped(unit, body, depth + 1), unwrapped(unit, orelse, depth + 1)
            if ast.dump(first[0]) == ast.dump(second[0]):
                return second[0] if second[1] is None else first[0], first[1] or second[1]
        case ast.Name(id=name):
            bound = [n for n in unit.every(ast.Assign) if name in targets(n.targets[0])]
            if len(bound) == 1 and isinstance(bound[0].value, ast.Call | ast.IfExp):
                inner, wrapper = unwrapped(unit, bound[0].value, depth + 1)
                return (inner, wrapper) if wrapper is not None else (iterable, None)
    return iterable, None


def long(model: LoopModel, settings: Settings) -> bool:
    """Whether there may be many trips: enough of them, or a number that is not known and is not one of few things."""
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


def state_of(model: LoopModel) -> tuple[str, ...]:
    """The carried names that hold arrays which JAX works out anew on each trip; none where one of them grows."""
    unit, found, carried = model.unit, set[str](), frozenset(model.carried)
    bound = [
        part for part in walk_scope(model.node.body) if isinstance(part, ast.Assign | ast.AugAssign | ast.AnnAssign)
    ]
    for _ in bound:
        before = len(found)
        for statement in bound:
            value = statement.value
            if value is None:
                continue
            names = set(_bound(statement))
            if names & carried and _grows(unit, value):
                return ()
            if _worked_out(unit, value, frozenset(found)):
                found |= names
        if len(found) == before:
            break
    return tuple(name for name in model.carried if name in found)


def _bound(statement: ast.Assign | ast.AugAssign | ast.AnnAssign) -> list[str]:
    if isinstance(statement, ast.Assign):
        return [name for target in statement.targets for name in targets(target)]
    return targets(statement.target)


def _grows(unit: Unit, value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and GROWS.search(unit.resolve(value.func) or "") is not None


def _worked_out(unit: Unit, value: ast.expr, known: Names) -> bool:
    """Whether an expression gives arrays other than a random key, or comes from a function that JAX transforms.

    `known` are names that hold what JAX worked out.
    """
    found = unit.value(value)
    inside = (*(found.items or ()), *([found.element] if found.element is not None else ()))
    if found.dtype == "key" or (inside and all(v.dtype == "key" for v in inside)):
        return False
    if holds_array(found):
        return found.container not in ("list", "set")
    match value:
        case ast.Name(id=name):
            return name in known
        case ast.BinOp(left=left, right=right):
            return _worked_out(unit, left, known) or _worked_out(unit, right, known)
        case ast.Call(func=function, args=args, keywords=keywords):
            given = [*args, *(k.value for k in keywords)]
            transformed = isinstance(unit.value(function).callee, Transformed)
            return transformed or any(unit.value(a).dtype == "key" for a in given)
    return False


def by_jax(model: LoopModel, state: tuple[str, ...]) -> bool:
    """Whether it is JAX that works on the state: a call of it in the body, or what the state starts as."""
    unit, function = model.unit, model.flow.function
    if any(_is_jax(unit, part) for part in walk_scope(model.node.body)):
        return True
    before = [s for s in walk_scope(getattr(function, "body", [])) if isinstance(s, ast.Assign)]
    starts = [s.value for s in before if s.lineno < model.node.lineno and set(targets(s.targets[0])) & set(state)]
    return any(_is_jax(unit, part) for value in starts for part in ast.walk(value))


def _is_jax(unit: Unit, part: ast.AST) -> bool:
    match part:
        case ast.Call(func=ast.Attribute(value=ast.Subscript(value=ast.Attribute(attr="at")))):
            return True
        case ast.Call(func=function, args=args):
            callee = unit.value(function).callee
            match callee:
                case Transformed():
                    return True
                case Closure(code):
                    return code.mode.traced or any(_is_jax_name(code, n) for n in ast.walk(code.node))
            name = unit.resolve(function) or ""
            return name.startswith(COMPUTES) or any(unit.value(a).dtype == "key" for a in args)
    return False


def _is_jax_name(code: Code, node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and (code.scope.annotation(node) or "").startswith(COMPUTES)


def _apart(model: LoopModel) -> bool:
    """Whether the function looks at a clock (what it measures may be the dispatch), or runs on each of many devices."""
    function = model.flow.function
    parts = list(ast.walk(function))
    called = [ast.unparse(part.func) for part in parts if isinstance(part, ast.Call)]
    named = {part.attr if isinstance(part, ast.Attribute) else part.id for part in parts if isinstance(part, NAMED)}
    kernels = any("pallas" in name for name in (model.unit.source.path, *model.unit.imports.values()))
    return kernels or CLOCKS(*called) or not DEVICES.isdisjoint(named)


def _draws(model: LoopModel) -> bool:
    """Whether a function, or the file that it is in, draws: that is done once a picture, for people to look at."""
    return model.trips is None and DRAWS(model.unit.qualname, model.unit.source.path)


def _step(model: LoopModel, state: tuple[str, ...], steps: list[str]) -> str | None:
    """The jitted function that is called, best the one that makes the state."""
    for statement in model.node.body:
        match statement:
            case ast.Assign(targets=[bound], value=ast.Call(func=function)) if set(targets(bound)) & set(state):
                if ast.unparse(function) in steps:
                    return ast.unparse(function)
    return steps[0] if steps else None
