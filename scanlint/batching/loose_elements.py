"""Arrays that the host makes of a list whose elements are computed, or handed to the device, one by one."""

from __future__ import annotations

import ast
from typing import Literal, NamedTuple

from scanlint.batching.fetches import ARRAYS, NUMBERS
from scanlint.host.piecemeal import jitted
from scanlint.host.results.loose_work import LEAST, operations_of
from scanlint.host.step_loop import measures
from scanlint.loops.streams import is_array, streams_of, trips_of
from scanlint.policy.names import DRAWS, FEW_ON_HOST, PYTREES
from scanlint.settings import Settings
from scanlint.syntax.bindings import Names, reads, targets
from scanlint.trace.domain.callables import Transformed
from scanlint.trace.unit import Unit

MADE = frozenset(("jax.numpy.array", "jax.numpy.asarray", "jax.device_put"))
DERIVATIVES = frozenset(
    ("jax.grad", "jax.value_and_grad", "jax.jacfwd", "jax.jacrev", "jax.hessian", "jax.jvp", "jax.vjp")
)
VIEWS = frozenset(("items", "values", "keys", "leaves", "flatten"))


class Loose(NamedTuple):
    """A loop that treats elements one by one: `done` says how, `function` names what computes each."""

    done: Literal["handed", "fetched", "computed"]
    function: str = ""


def loose_elements(unit: Unit, node: ast.ListComp, stacks: list[ast.Call], settings: Settings) -> Loose | None:
    """The elements, if JAX makes each on its own outside of jit, and they are one array afterwards."""
    match node.generators:
        case [ast.comprehension(target=target, iter=iterable, ifs=[], is_async=0)]:
            pass
        case _:
            return None
    if not stacks or unit.source.tests or DRAWS(unit.qualname) or measures([*_calls(node)]):
        return None
    names = frozenset(targets(target))
    if any(reads(call.func) & names and not _is_method(call) for call in _calls(node.elt)) or _differ(iterable):
        return None
    if _few(unit, target, iterable, settings):
        return None
    numpy = any(unit.resolve(call.func) in ARRAYS for call in stacks)
    made = _only_made(unit, node.elt, names)
    if made and not numpy:
        return Loose("handed")
    return _computed(unit, node, iterable, names)


def _calls(node: ast.AST) -> list[ast.Call]:
    return [part for part in ast.walk(node) if isinstance(part, ast.Call)]


def _is_method(call: ast.Call) -> bool:
    """`x.reshape(-1)`: what is done with an element, which itself is not called."""
    return isinstance(call.func, ast.Attribute)


def _differ(iterable: ast.expr) -> bool:
    """The elements are those of a pytree or of few axes, as far as names tell: no two need be of one shape."""
    words = [part.id for part in ast.walk(iterable) if isinstance(part, ast.Name)]
    words += [part.attr for part in ast.walk(iterable) if isinstance(part, ast.Attribute)]
    return PYTREES(*words) or FEW_ON_HOST(*words) or not VIEWS.isdisjoint(words)


def _few(unit: Unit, target: ast.expr, iterable: ast.expr, settings: Settings) -> bool:
    if isinstance(iterable, ast.List | ast.Tuple):
        return True
    streams = tuple(streams_of(unit, target, iterable))
    trips = trips_of(unit, streams) if streams else None
    return any(s.table or s.listed for s in streams) or (trips is not None and trips <= settings.max_unrolled_trips)


def _only_made(unit: Unit, element: ast.expr, names: Names) -> bool:
    """`jnp.array(item["x"])`: an element that is no array of JAX yet is made one."""
    match element:
        case ast.Call(func=function, args=[given, *_]) if unit.resolve(function) in MADE:
            plain = isinstance(given, ast.Name | ast.Subscript | ast.Attribute)
            return plain and bool(reads(given) & names) and not unit.value(given).array
    return False


def _computed(unit: Unit, node: ast.ListComp, iterable: ast.expr, names: Names) -> Loose | None:
    """Elements each of which runs a dozen operations of JAX, or a derivative, or is fetched from an array."""
    calls = _calls(node.elt)
    if is_array(unit, iterable) and any(_fetches(unit, call, names) for call in calls):
        return Loose("fetched")
    for call in calls:
        given = reads(*call.args, *(k.value for k in call.keywords))
        value = unit.value(call.func)
        if not given & names or jitted(value):
            continue
        match value.callee:
            case Transformed(transform=transform) if transform in DERIVATIVES:
                return Loose("computed", ast.unparse(call.func))
        if operations_of(unit, value) >= LEAST:
            return Loose("computed", ast.unparse(call.func))
    return None


def _fetches(unit: Unit, call: ast.Call, names: Names) -> bool:
    """`float(x)`, `x.item()` of an element."""
    match call:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="item")):
            return name in names
        case ast.Call(func=function, args=[ast.Name(id=name)]):
            return name in names and unit.resolve(function) in NUMBERS
    return False
