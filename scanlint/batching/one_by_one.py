"""Host loops and comprehensions that call a jitted function for one example at a time, where no batch is evident."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from scanlint.finding import Withheld
from scanlint.host.piecemeal import ELSEWHERE, draws_pictures, foreign, in_the_way, jitted, own_statements, ruled_out
from scanlint.host.results.eager_transforms import TRANSFORMS, outermost
from scanlint.host.results.loose_work import LEAST, operations_of
from scanlint.host.step_loop import long, measures, on_devices, without_bar
from scanlint.host.threaded_state import gathered_only, state_of
from scanlint.loops.constant_tables import host_array
from scanlint.loops.jumps import JUMPS
from scanlint.loops.loop import LoopModel
from scanlint.loops.obstacles import index_needs_int
from scanlint.loops.streams import Stream, is_array, streams_of, trips_of, unwrapped
from scanlint.policy.names import BATCHED, DRAWS, FEW_ON_HOST, PYTREES
from scanlint.policy.worth import deliberate
from scanlint.settings import Settings
from scanlint.syntax.bindings import Names, binds, reads, targets, walk_scope
from scanlint.trace.domain.values import Value
from scanlint.trace.unit import Unit


class OneByOne(NamedTuple):
    """One such loop: the `function` as it is spelled, the key that it splits, and what stands in the way first.

    `eager`: the function is not jitted, and runs a dozen operations one by one.
    """

    model: LoopModel
    function: str
    key: str | None
    hindered: Withheld
    eager: bool = False


def one_by_one(model: LoopModel, settings: Settings) -> OneByOne | None:
    """The loop, if each trip keeps what a function makes of an example, and no trip needs another one's result."""
    unit = model.unit
    compiled = any(jitted(unit.value(c.func)) for c in ast.walk(model.node) if isinstance(c, ast.Call))
    if not (compiled or any(map(_collects, own_statements(model.node)))):
        return None
    model, _ = without_bar(model)
    if not isinstance(model.node, ast.For):
        return None
    examples = not _is_left(model) and _are_examples(model, unwrapped(unit, model.node.iter)[0])
    if not examples and (ruled_out(model, settings) or not long(model, settings)):
        return None
    found = model.obstacles
    if any(o.code in (*ELSEWHERE, *JUMPS) for o in found):
        return None
    own = list(own_statements(model.node))
    if any(not gathered_only(model, name) for name in state_of(model)) or _reads_back(own):
        return None
    call = _kept_call(model, own, jitted if compiled else partial(_is_eager, unit))
    if call is None or foreign(model, own) or _shapes(unit, call, model.staged) or _draws_batches(model.node, own):
        return None
    if examples and not compiled and _are_records(call, targets(model.node.target)):
        return None
    why = next(iter(in_the_way(model, own)), None)
    why = why or Withheld("not-a-batch", "it is not known to treat each example on its own")
    return OneByOne(model, ast.unparse(call.func), _key(model), why, eager=not compiled)


def _is_eager(unit: Unit, function: Value) -> bool:
    """Whether a function of the project runs a dozen operations of JAX, or a derivative, outside of jit."""
    return outermost(function) in TRANSFORMS or operations_of(unit, function) >= LEAST


def _reads_back(own: list[ast.stmt]) -> bool:
    """A trip takes up what one before has put into the list: `states.append(step(states[-1]))`."""
    lists = [s.value.func.value for s in own if isinstance(s, ast.Expr) and _collects(s)]  # type: ignore[attr-defined]
    names = {ast.unparse(name) for name in lists}
    parts = [part for statement in own for part in walk_scope([statement])]
    return any(isinstance(part, ast.Subscript) and ast.unparse(part.value) in names for part in parts)


def _collects(statement: ast.stmt) -> bool:
    """A statement puts something into a list, or into a place of an array, or adds it up."""
    match statement:
        case ast.Assign(targets=[ast.Subscript()]) | ast.Expr(value=ast.Call(func=ast.Attribute(attr="append"))):
            return True
        case ast.AugAssign(op=ast.Add()):
            return True
        case ast.Assign(value=ast.Call(func=ast.Attribute(value=ast.Subscript(value=ast.Attribute(attr="at"))))):
            return True
    return False


def _are_examples(model: LoopModel, iterable: ast.expr) -> bool:
    """Whether a loop may go over any collection of examples, each of which it hands on as it is."""
    assert isinstance(model.node, ast.For)
    target = model.node.target
    return is_collection(model.unit, iterable, target) and binds(*model.node.body).isdisjoint(targets(target))


def is_collection(unit: Unit, iterable: ast.expr, target: ast.expr) -> bool:
    """Whether what is gone over may be any collection of examples, as far as names tell: no layers, no batches."""
    if unit.source.tests or any(True for _ in streams_of(unit, target, iterable)):
        return False
    match iterable:
        case ast.Call(func=ast.Name(id="zip"), args=[*parts], keywords=[]):
            pass
        case ast.Call(func=ast.Name(id="enumerate"), args=[inner], keywords=[]):
            parts = [inner]
        case _:
            parts = [iterable]
    words = [name for part in parts for name in _words(part)]
    plain = all(isinstance(part, ast.Name | ast.Attribute) or is_array(unit, part) for part in parts)
    return plain and not (PYTREES(*words) or FEW_ON_HOST(*words) or BATCHED(*words, *targets(target)))


def _are_records(call: ast.Call, names: Sequence[str]) -> bool:
    """A call is handed nothing but parts of what is gone over: `f(row.x)`, `f(row["x"])`."""
    parts = [p.value for a in call.args for p in ast.walk(a) if isinstance(p, ast.Attribute | ast.Subscript)]
    return not any(isinstance(n, ast.Name) and n.id in names and n not in parts for a in call.args for n in ast.walk(a))


def _draws_batches(node: ast.For, own: list[ast.stmt]) -> bool:
    """The loop counts batches, or each trip draws one: `x, y = get_batch(data, key)`."""
    called = [part.func for s in own for part in walk_scope([s]) if isinstance(part, ast.Call)]
    return BATCHED(*(word for part in (node.iter, *called) for word in _words(part)))


def _words(part: ast.expr) -> list[str]:
    return [
        n.id if isinstance(n, ast.Name) else n.attr for n in ast.walk(part) if isinstance(n, ast.Name | ast.Attribute)
    ]


def _is_left(model: LoopModel) -> bool:
    """Whether a loop draws, measures, runs on devices or is as it is on purpose."""
    calls = [part for part in ast.walk(model.node) if isinstance(part, ast.Call)]
    return draws_pictures(model.unit, calls) or measures(calls) or on_devices(model) or deliberate(model)


def _key(model: LoopModel) -> str | None:
    """The random key that each trip splits for the next one."""
    for part in walk_scope(model.node.body):
        match part:
            case ast.Call(func=function, args=[ast.Name(id=name), *_]) if name in model.carried:
                if model.unit.resolve(function) == "jax.random.split":
                    return name
    return None


def _kept_call(model: LoopModel, own: list[ast.stmt], works: Callable[[Value], bool]) -> ast.Call | None:
    """A call of a function that `works`, on something that differs from trip to trip, whose result is kept."""
    own_targets = targets(model.node.target) if isinstance(model.node, ast.For) else ()
    varying = binds(*model.node.body) | frozenset(own_targets)
    for statement in own:
        for call in walk_scope([statement]):
            if not isinstance(call, ast.Call):
                continue
            given = [*call.args, *(k.value for k in call.keywords)]
            if reads(*given) & varying and _keeps(statement, own) and works(model.unit.value(call.func)):
                return call
    return None


def _keeps(statement: ast.stmt, own: list[ast.stmt]) -> bool:
    """True if a statement keeps its result: it is appended, stored, added up, or gets a name that is kept so."""
    match statement:
        case _ if _collects(statement):
            return True
        case ast.AugAssign():
            return True
        case ast.Assign(targets=bound):
            return _stored(own, frozenset(n for t in bound for n in targets(t)))
    return False


def _stored(own: list[ast.stmt], names: Names) -> bool:
    """True if a value made of these names is appended, stored in a place or added up."""
    for statement in own:
        if isinstance(statement, ast.AugAssign) or _collects(statement):
            value = statement.value  # type: ignore[attr-defined]
            if reads(value) & names:
                return True
    return False


def _shapes(unit: Unit, call: ast.Call, staged: Names) -> bool:
    """True if a shape or a static argument differs between trips, so that each trip is another program."""
    return next(index_needs_int(unit, call, staged), None) is not None


def comprehension(unit: Unit, node: ast.ListComp | ast.GeneratorExp, settings: Settings) -> str | None:
    """The jitted function that a comprehension calls for each number or row, if there are many of them."""
    match node.generators:
        case [ast.comprehension(target=target, iter=iterable, ifs=[], is_async=0)] if not _is_nest(node.elt):
            pass
        case _:
            return None
    names = frozenset(targets(target))
    call = next((c for c in _calls(node.elt) if jitted(unit.value(c.func)) and reads(*c.args) & names), None)
    if call is None or unit.source.tests or DRAWS(unit.qualname) or measures([call]) or _stops_early(unit, node):
        return None
    if not is_collection(unit, iterable, target):
        streams = tuple(streams_of(unit, target, iterable))
        trips = trips_of(unit, streams)
        few = trips is not None and trips <= settings.max_unrolled_trips
        if not streams or few or any(s.listed or (s.table and not _is_grid(unit, s)) for s in streams):
            return None
    return None if _shapes(unit, call, names) else ast.unparse(call.func)


def _stops_early(unit: Unit, node: ast.AST) -> bool:
    """`any(f(x) for x in xs)`: not all elements may be wanted."""
    match unit.parents.get(node):
        case ast.Call(func=ast.Name(id="any" | "all" | "next")):
            return True
    return False


def _is_grid(unit: Unit, stream: Stream) -> bool:
    """An array of NumPy, which is no table of a few numbers."""
    return stream.array is not None and host_array(unit, stream.array)


def _calls(element: ast.expr) -> list[ast.Call]:
    return [part for part in walk_scope([element]) if isinstance(part, ast.Call)]


def _is_nest(element: ast.expr) -> bool:
    """Another comprehension is each element: it is told of that one."""
    return isinstance(element, ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp)
