"""Host loops whose trips run JAX's operations one by one where no state is handed on: models that are not jitted."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from scanlint.host.dispatches import HANDED_IN, called
from scanlint.host.host_work import FETCHES
from scanlint.host.piecemeal import ALL, PICTURES, draws_pictures, jitted, long_step, own_statements
from scanlint.host.purity import WAITS
from scanlint.host.results.device_values import dispatches, loops_that_dispatch
from scanlint.host.results.each_trip import is_chosen
from scanlint.host.results.unjitted_models import apply_of
from scanlint.host.results.waits import is_log
from scanlint.host.step_loop import long, measures, on_devices
from scanlint.host.threaded_state import COMPUTES, OPERATIONS, called_in, runs_jax
from scanlint.loops.loop import LoopModel
from scanlint.loops.streams import unwrapped
from scanlint.policy.worth import deliberate
from scanlint.settings import Settings
from scanlint.syntax.bindings import binds, reads, walk_scope
from scanlint.syntax.walk import kinds_of
from scanlint.trace.domain.callables import Closure, Code, Named, Transformed
from scanlint.trace.domain.values import Instance, Value
from scanlint.trace.unit import Unit

LEAST = 12
"""Operations of one trip from which one dispatch of them all is worth a word: half a millisecond or so."""


DEEPEST = 3
FILES = ("os.", "pickle.", "glob.", "json.", "h5py.", "pandas.", "numpy.load", "numpy.save", "builtins.open")
"""What a trip does that goes over files: beside that the dispatches are little."""


class LooseWork(NamedTuple):
    """Such a loop: the call that dispatches the most, whether it applies a model, and the operations of a trip."""

    call: ast.Call
    model: bool
    operations: int


def loose_work(model: LoopModel, settings: Settings) -> LooseWork | None:
    """The loop, if its trips run many operations outside of jit, and no long program beside that."""
    unit, node = model.unit, model.node
    if unit.source.tests or not long(model, settings) or deliberate(model) or on_devices(model):
        return None
    own = list(own_statements(node))
    parts = [part for statement in own for part in _expressions(statement)]
    calls = [part for part in parts if isinstance(part, ast.Call)]
    if (
        measures(calls)
        or long_step(unit, calls)
        or loops_that_dispatch(unit, node.body, settings)
        or draws_pictures(unit, calls)
    ):
        return None
    tests = [part for part in ast.walk(node.test) if isinstance(part, ast.Call)] if isinstance(node, ast.While) else []
    searches = any((unit.resolve(call.func) or "").startswith(COMPUTES) for call in tests)
    if searches or any((unit.resolve(call.func) or "").startswith(FILES) for call in calls):
        return None
    if not any(_by_host(unit, call) for call in calls) and not _shows_progress(unit, node):
        return None
    always = [part for part in parts if not is_chosen(unit, part, node)]
    called = [part for part in always if isinstance(part, ast.Call)]
    found = {call: count for call in called if (count := _operations(unit, call)) > 0}
    operations = round(sum(found.values())) + sum(isinstance(p, ast.BinOp) and unit.value(p).array for p in always)
    if not found or operations < LEAST or (model.trips is not None and model.trips * operations < ALL / 10):
        return None
    most = max(found, key=lambda call: found[call])
    applies = isinstance(unit.value(most.func).callee, Instance) or apply_of(unit, most) is not None
    return LooseWork(most, applies, operations)


def _operations(unit: Unit, call: ast.Call) -> float:
    if apply_of(unit, call) is None:
        return operations_of(unit, unit.value(call.func))
    owner = unit.value(call.func.value).callee if isinstance(call.func, ast.Attribute) else None
    code = unit.method(owner.name, "__call__") if isinstance(owner, Instance) else None
    return called(code) if code is not None else HANDED_IN


def _expressions(statement: ast.stmt) -> Iterator[ast.AST]:
    """The expressions of a statement, those of the statements in it left out."""
    heads = [part for part in ast.iter_child_nodes(statement) if not isinstance(part, ast.stmt)]
    yield from (part for part in walk_scope(heads) if not isinstance(part, ast.stmt))


def _by_host(unit: Unit, call: ast.Call) -> bool:
    """A call does something that no program of JAX could: so the loop is none that somebody might jit."""
    name = unit.resolve(call.func) or ""
    if not name and isinstance(unit.parents.get(call), ast.Expr) and unit.value(call.func).callee is None:
        return True  # called for what it does: a bar, a writer, an environment
    if name in FETCHES:
        return any(unit.value(a).array for a in call.args)
    waits = isinstance(call.func, ast.Attribute) and call.func.attr in WAITS
    return waits or is_log(call.func, name) or (dispatches(unit, call) and unit.script)


def _shows_progress(unit: Unit, node: ast.For | ast.While) -> bool:
    return isinstance(node, ast.For) and unwrapped(unit, node.iter)[1] is not None


def operations_of(unit: Unit, function: Value) -> float:
    """About how many operations a call of a function dispatches, none where it is jitted, or runs what is."""
    if jitted(function):
        return 0.0
    match function.callee:
        case Instance(name):
            code = unit.method(name, "__call__")
            return max(called(code), HANDED_IN) if code is not None and runs_jax(unit, code) else 0.0
        case Closure(code):
            whole = code.mode.traced or _is_one_piece(unit, code, 0)  # it is compiled as a whole elsewhere, or could be
            return called(code) if runs_jax(unit, code, names=OPERATIONS) and whole else 0.0
        case Transformed(function=inner):
            return operations_of(unit, inner) if inner.callee is not None else HANDED_IN
        case Named(name) if name.startswith(COMPUTES):
            return 1.0
    return 0.0


def _is_one_piece(unit: Unit, code: Code, depth: int) -> bool:
    """Whether a function, with those that it calls, runs nothing jitted and no loop around JAX's operations."""
    return unit.once((_is_one_piece, code, depth), lambda: _in_one_piece(unit, code, depth))


def _in_one_piece(unit: Unit, code: Code, depth: int) -> bool:
    nodes = kinds_of(code.node)
    looped = {c for loop in (*nodes.of(ast.For), *nodes.of(ast.While)) for c in ast.walk(loop)}
    for call in nodes.of(ast.Call):
        function = called_in(code, call.func)
        inner = function.callee.code if isinstance(function.callee, Closure) else None
        if jitted(function) or (call in looped and _works(unit, code, call)):
            return False
        if inner is not None and depth < DEEPEST and not _is_one_piece(unit, inner, depth + 1):
            return False
    return True


def host_loop_in(unit: Unit, function: Value, depth: int) -> str | None:
    """The function with a loop on the host around JAX that a call runs, one that touches no files and draws nothing.

    A loop that hands nothing on from trip to trip is none of them: it gathers what it draws, in Python's lists mostly.
    """
    match function.callee:
        case Closure(code) if depth <= DEEPEST and runs_jax(unit, code):
            pass
        case _:
            return None
    nodes = kinds_of(code.node)
    names = [code.scope.annotation(call.func) or "" for call in nodes.of(ast.Call)]
    if any(name.startswith((*FILES, *PICTURES)) for name in names):
        return None
    loops: list[ast.For | ast.While] = [*nodes.of(ast.For), *nodes.of(ast.While)]
    for loop in loops:
        works = any(_works(unit, code, call) for call in ast.walk(loop) if isinstance(call, ast.Call))
        if works and _hands_on(loop):
            return code.qualname.rpartition(".")[2]
    inner = (host_loop_in(unit, called_in(code, call.func), depth + 1) for call in nodes.of(ast.Call))
    return next((found for found in inner if found is not None), None)


def _hands_on(loop: ast.For | ast.While) -> bool:
    """A trip reads what the one before has bound."""
    made, bound = binds(*loop.body), frozenset[str]()
    heads: list[ast.AST] = [loop.test] if isinstance(loop, ast.While) else []
    for part in (*heads, *loop.body):
        if reads(part) & made - bound:
            return True
        bound |= binds(part)
    return False


def _works(unit: Unit, code: Code, call: ast.Call) -> bool:
    """A call in a function of the project runs JAX."""
    function = called_in(code, call.func)
    inner = function.callee.code if isinstance(function.callee, Closure) else None
    by_jax = (code.scope.annotation(call.func) or "").startswith(COMPUTES)
    return by_jax or jitted(function) or (inner is not None and runs_jax(unit, inner))
