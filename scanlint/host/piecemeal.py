"""Host loops that run JAX piecemeal and do other things beside it: what is dispatched, and what stands in the way."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from scanlint.finding import Withheld
from scanlint.host.dispatches import cost, dispatches, evident
from scanlint.host.eager_work import EagerWork
from scanlint.host.host_work import HostWork
from scanlint.host.provenance import of_jax
from scanlint.host.results.each_trip import is_chosen
from scanlint.host.step_loop import long, measures, on_devices, without_bar
from scanlint.host.threaded_state import (
    called_in,
    calls_jax,
    ends,
    gathered_only,
    holds,
    runs_jax,
    state_of,
    worked_out,
)
from scanlint.jaxapi.canonical import JITS
from scanlint.jaxapi.words import words
from scanlint.loops.constant_tables import host_array
from scanlint.loops.jumps import jumps_in
from scanlint.loops.loop import LoopModel
from scanlint.loops.streams import Stream
from scanlint.policy.names import DRAWS
from scanlint.policy.worth import deliberate
from scanlint.settings import Settings
from scanlint.syntax.bindings import Names, binds, reads, targets, walk_scope
from scanlint.syntax.walk import kinds_of
from scanlint.trace.domain.callables import Closure, Code, Method, Named, Partial, Transformed
from scanlint.trace.domain.values import OneOf, Value
from scanlint.trace.unit import Unit

LEAST = 40
"""What a trip must cost, in additions, to be worth a word where something has to be taken out of the way first."""
OWN = 8
"""Those of its operations that must be known."""
FEWEST = 500
"""Trips, where their number is known, from which the dispatches of a jitted step are worth a word: some 50 ms."""
ALL = 20_000
"""What all trips must cost together where their number is known: some 0.2 s."""
ELSEWHERE = ("generator", "iterator", "try", "context-manager", "carry-shape-grows", "loop-else", "handled-call")
"""What makes a loop one that belongs on the host, or whose trips have no shape in common."""
LAST = ("index-needs-int", "callee-branches", "python-int", "python-float", "maybe-undefined")
"""What is to be seen to when nothing else is in the way."""
LISTS = ("list-escapes", "list-never-stacked", "list-used-otherwise", "list-made-elsewhere", "conditional-append")
"""What is easily stacked instead."""
OURS = ("jax.", "numpy.", "builtins.", "math.", "optax.", "flax.")
DRAWN = ("numpy.random.",)
LOOPS = words("jax.lax.scan jax.lax.fori_loop jax.lax.while_loop jax.lax.map jax.lax.associative_scan")
MOST = 200
"""Functions that are looked into for a unit."""
PICTURES = ("matplotlib.", "seaborn.", "plotly.", "imageio.", "cv2.", "PIL.")


class Piecemeal(NamedTuple):
    """One such loop. `step` is the jitted function that makes the state, None where operations run one by one.

    `hindered`, the gravest first: what has to be dealt with before the loop can be one program.
    """

    model: LoopModel
    state: tuple[str, ...]
    step: str | None
    operations: int
    hindered: tuple[Withheld, ...]


def piecemeal(model: LoopModel, settings: Settings) -> Piecemeal | None:
    """The loop, if JAX makes a state on each trip for the next one, and something else keeps it on the host."""
    own = list(own_statements(model.node))
    calls = [part for s in own for part in walk_scope([s]) if isinstance(part, ast.Call)]
    if not any(calls_jax(model.unit, call) for call in calls):
        return None
    model, bar = without_bar(model)
    if ruled_out(model, settings):
        return None
    worked = worked_out(model)
    state = tuple(name for name in state_of(model, worked) if not gathered_only(model, name))
    kept = _kept(own)
    if not (ends(model, worked) or _counts(model.node)) or foreign(model, own):
        return None
    if any(reads(test).isdisjoint(binds(*model.node.body) | model.staged) for test in _left_by(own)):
        return None
    step = _step(model.unit, own, frozenset(state), kept)
    if step is None and (cost(model) < LEAST or evident(model) < OWN or not (kept or _recurs(model, state))):
        return None
    if step is None and not any(_by_jax(model.unit, s, frozenset(state), kept, worked) for s in own):
        return None
    if step is None and any(_goes_over_data(model.unit, s, frozenset(state)) for s in own):
        return None
    if model.trips is not None and (model.trips < FEWEST if step else model.trips * cost(model) < ALL):
        return None
    if long_step(model.unit, calls):
        return None
    now_and_then = {"context-manager"} if _opens_now_and_then(model.unit, model.node, own) else set[str]()
    if not ({o.code for o in model.obstacles} - now_and_then).isdisjoint(ELSEWHERE):
        return None
    hindered = (*in_the_way(model, own), *_refused(model, worked), *bar)
    if not hindered:
        return None
    return Piecemeal(model, (*state, *kept), step, round(dispatches(model)), hindered)


def ruled_out(model: LoopModel, settings: Settings) -> bool:
    """Whether there are few trips, or the loop measures, draws or is as it is on purpose."""
    unit, node = model.unit, model.node
    if isinstance(node, ast.For):
        if not model.streams or any(_is_few(model, s) or s.listed or _strides(s) for s in model.streams):
            return True
        if not long(model, settings):
            return True
    elif unit.source.tests:
        return True
    calls = [part for part in ast.walk(node) if isinstance(part, ast.Call)]
    return draws_pictures(unit, calls) or measures(calls) or on_devices(model) or deliberate(model)


def draws_pictures(unit: Unit, calls: list[ast.Call]) -> bool:
    """Whether some calls draw, or the function is called so."""
    return any((unit.resolve(call.func) or "").startswith(PICTURES) for call in calls) or DRAWS(unit.qualname)


def _opens_now_and_then(unit: Unit, node: ast.For | ast.While, own: list[ast.stmt]) -> bool:
    """Whether a `with` in the loop only opens a file, and only on some trips, as a periodic checkpoint does."""
    withs = [statement for statement in own if isinstance(statement, ast.With)]
    managers = [item.context_expr for statement in withs for item in statement.items]
    opened = all(isinstance(m, ast.Call) and ast.unparse(m.func).endswith("open") for m in managers)
    return opened and all(is_chosen(unit, statement, node) for statement in withs)


def _is_few(model: LoopModel, stream: Stream) -> bool:
    """Whether a stream is a table of Python numbers; an array of NumPy of unknown length is an order of rows."""
    return stream.table and not (
        model.trips is None and stream.array is not None and host_array(model.unit, stream.array)
    )


def _strides(stream: Stream) -> bool:
    """Whether a range counts by more than one: what its trips run are chunks already."""
    match stream.step:
        case None | ast.Constant(value=1) | ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1)):
            return False
    return True


def _left_by(own: list[ast.stmt]) -> Iterator[ast.expr]:
    """The tests by which a loop is left early."""
    for statement in own:
        if isinstance(statement, ast.If) and next(jumps_in(*statement.body), None) is not None:
            yield statement.test


def _recurs(model: LoopModel, state: tuple[str, ...]) -> bool:
    """Whether a trip takes up what the one before has made, rather than making all anew until it will do."""
    return not model.flow.live_at_body(model.node).isdisjoint(state)


def _counts(node: ast.For | ast.While) -> bool:
    """Whether a `while` asks for a number that each trip counts up or down."""
    asked = reads(node.test) if isinstance(node, ast.While) else frozenset[str]()
    for statement in node.body:
        match statement:
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Add() | ast.Sub(), value=ast.Constant()):
                if name in asked:
                    return True
    return False


def own_statements(node: ast.For | ast.While) -> Iterator[ast.stmt]:
    """The statements of a loop but for those of the loops in it, which have trips of their own."""
    stack: list[ast.AST] = [*node.body]
    while stack:
        part = stack.pop(0)
        if isinstance(part, ast.For | ast.While | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if isinstance(part, ast.stmt):
            yield part
            stack[:0] = [child for child in ast.iter_child_nodes(part) if isinstance(child, ast.stmt)]


def _kept(own: list[ast.stmt]) -> tuple[str, ...]:
    """The attributes that each trip reads and sets: `self.state = step(self.state)`."""
    stored = {ast.unparse(p) for s in own for p in walk_scope([s]) if _is_attribute(p) and not _loaded(p)}
    loaded = {ast.unparse(p) for s in own for p in walk_scope([s]) if _is_attribute(p) and _loaded(p)}
    return tuple(sorted(stored & loaded))


def _is_attribute(part: ast.AST) -> bool:
    return isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name)


def _loaded(part: ast.AST) -> bool:
    return isinstance(getattr(part, "ctx", None), ast.Load)


def _step(unit: Unit, own: list[ast.stmt], state: Names, kept: tuple[str, ...]) -> str | None:
    """The jitted function that makes the state, which it is given."""
    for statement in own:
        match statement:
            case ast.Assign(targets=bound, value=ast.Call(func=function)):
                made = {n for t in bound for n in targets(t)} & state
                sets = [t for t in bound if any(ast.unparse(p) in kept for p in ast.walk(t) if _is_attribute(p))]
                if (made or sets) and jitted(unit.value(function)):
                    return ast.unparse(function)
    return None


def long_step(unit: Unit, calls: list[ast.Call]) -> bool:
    """Whether something that is called runs a loop of JAX itself: beside that a dispatch is little."""
    known = unit.once(long_step, dict[Code, bool])
    return any(_loops_inside(unit.value(call.func), known) for call in calls)


def _loops_inside(function: Value, known: dict[Code, bool]) -> bool:
    match function.callee:
        case Transformed(function=inner) | Partial(function=inner):
            return _loops_inside(inner, known)
        case Closure(code) if code in known or len(known) < MOST:
            if code not in known:
                known[code] = False  # it may call itself
                calls = [call.func for call in kinds_of(code.node).of(ast.Call)]
                own = any((code.scope.annotation(called) or "") in LOOPS for called in calls)
                known[code] = own or any(_loops_inside(called_in(code, called), known) for called in calls)
            return known[code]
    return False


def jitted(function: Value) -> bool:
    """Whether a call runs what is compiled, on some path at least: a step may be jitted under a flag."""
    match function.callee:
        case OneOf(choices):
            return any(map(jitted, choices))
        case Transformed(transform=transform):
            return transform in JITS
        case Partial(function=inner):
            return jitted(inner)
        case Closure(code):
            return bool(code.jits)
    return False


def _by_jax(unit: Unit, statement: ast.stmt, state: Names, kept: tuple[str, ...], worked: Names) -> bool:
    """Whether a statement sets the state, or an attribute that is `kept`, to what JAX surely computes."""
    match statement:
        case ast.Assign(targets=[ast.Attribute() as bound], value=ast.Name(id=name)) if name in worked:
            return ast.unparse(bound) in kept
        case ast.Assign(targets=bound, value=value):
            sets = any(ast.unparse(t) in kept for t in bound) or any(n in state for t in bound for n in targets(t))
        case ast.AugAssign(target=target, value=value):
            sets = ast.unparse(target) in (*kept, *state)
        case _:
            return False
    return sets and (of_jax(unit, value) or any(calls_jax(unit, part) for part in ast.walk(value)))


def _goes_over_data(unit: Unit, statement: ast.stmt, state: Names) -> bool:
    """Whether the state is made by a function of the project that goes over batches or the like: that is an epoch."""
    match statement:
        case ast.Assign(targets=bound, value=ast.Call(func=function)) if {n for t in bound for n in targets(t)} & state:
            match unit.value(function).callee:
                case Closure(code) if isinstance(code.node, ast.FunctionDef):
                    given = {argument.arg for argument in code.parameters()}
                    over = [p.iter for p in walk_scope(code.node.body) if isinstance(p, ast.For)]
                    return any(reads(it) & given and not ast.unparse(it).startswith("range(") for it in over)
    return False


def _runs(unit: Unit, call: ast.Call) -> bool:
    match unit.value(call.func).callee:
        case Transformed():
            return True
        case Closure(code):
            return runs_jax(unit, code)
    return False


def foreign(model: LoopModel, own: list[ast.stmt]) -> bool:
    """Whether what JAX is given on each trip comes from elsewhere: a loader of data, an environment, a solver."""
    unit = model.unit
    taken: set[str] = set()
    for statement in own:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
            if _is_foreign(unit, statement.value):
                taken |= {n for t in statement.targets for n in targets(t)}
    calls = [p for s in own for p in walk_scope([s]) if isinstance(p, ast.Call)]
    given = [a for c in calls if _runs(unit, c) for a in (*c.args, *(k.value for k in c.keywords))]
    made = (part for argument in given for part in ast.walk(argument) if isinstance(part, ast.Call))
    return bool(reads(*given) & taken) or any(_is_foreign(unit, call) for call in made)


def _is_foreign(unit: Unit, call: ast.Call) -> bool:
    """Whether nothing is known of a callee, or it is another library's."""
    match unit.value(call.func).callee:
        case Transformed() | Closure() | Partial() | Method():
            return False
        case Named(name):
            spelled: str | None = name
        case _:
            spelled = unit.resolve(call.func)
    return spelled is None or not spelled.startswith(OURS) or spelled.startswith(DRAWN) or spelled == "builtins.next"


def in_the_way(model: LoopModel, own: list[ast.stmt]) -> list[Withheld]:
    """The obstacles: first what makes a jitted function another program on each trip."""
    calls = [p for s in own for p in walk_scope([s]) if isinstance(p, ast.Call)]
    static = [f"a static argument of `{ast.unparse(c.func)}`" for c in calls if jitted(model.unit.value(c.func))]

    def rank(why: Withheld) -> int:
        if any(why.message.startswith(text) for text in static):
            return 0
        return 3 if why.code in LAST else 2 if why.code in LISTS else 1

    return sorted(model.obstacles, key=rank)


def _refused(model: LoopModel, worked: Names) -> Iterator[Withheld]:
    """The first statement that belongs on the host, or what is to be seen there."""
    searches = isinstance(model.node, ast.While)
    work = EagerWork(model, worked) if searches else HostWork(model)
    if isinstance(work.refused, ast.If) and holds(model.unit, work.refused.test, worked):
        test = ast.unparse(work.refused.test)
        yield Withheld("waits-to-decide", f"`if {test}` waits for the device (line {work.refused.lineno})")
    elif work.refused is not None:
        first = ast.unparse(work.refused).partition("\n")[0]
        yield Withheld("host-work", f"`{first}` runs on the host (line {work.refused.lineno})")
    yield from work.remarks or ()
