"""Arrays that the host makes of a list whose elements are computed, or handed to the device, one by one."""

from __future__ import annotations

import ast
from math import prod
from typing import Literal, NamedTuple

from scanlint.batching.fetches import ARRAYS, NUMBERS
from scanlint.host.piecemeal import jitted
from scanlint.host.provenance import of_jax
from scanlint.host.results.loose_work import LEAST, host_loop_in, operations_of
from scanlint.host.step_loop import measures
from scanlint.loops.constant_tables import host_array
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
MANY = 400
"""Operations of all elements together from which they are worth a word, where their number is known: some 10 ms."""
VIEWS = frozenset(("items", "values", "keys", "leaves", "flatten"))


class Loose(NamedTuple):
    """A loop that treats elements one by one: `done` says how, `function` names what computes each.

    `loops` names the function with the loop on the host that runs for each.
    """

    done: Literal["handed", "fetched", "computed", "looped", "same"]
    function: str = ""
    loops: str = ""


def loose_elements(
    unit: Unit, node: ast.ListComp | ast.GeneratorExp, stacks: list[ast.Call], settings: Settings
) -> Loose | None:
    """The elements, if JAX makes each on its own outside of jit: of one array, or to be one array afterwards."""
    match node.generators:
        case [ast.comprehension(target=target, iter=iterable, ifs=[], is_async=0)]:
            pass
        case _:
            return _pairs(unit, node, settings)
    rows = is_array(unit, iterable) or host_array(unit, iterable)
    if not (rows or (stacks and not DRAWS(unit.qualname))) or unit.source.tests or measures(_calls(node)):
        return None
    names = frozenset(targets(target))
    if any(reads(call.func) & names and not _is_method(call) for call in _calls(node.elt)) or (
        not rows and _differ(iterable)
    ):
        return None
    if isinstance(iterable, ast.List | ast.Tuple):
        return None
    streams = tuple(streams_of(unit, target, iterable))
    trips = trips_of(unit, streams) if streams else None
    if any(s.listed or (s.table and not rows) for s in streams) or (
        trips is not None and trips <= settings.max_unrolled_trips
    ):
        return None
    if stacks and not reads(node.elt) & names and _is_the_same(unit, node.elt):
        return Loose("same")
    numpy = any(unit.resolve(call.func) in ARRAYS for call in stacks)
    made = _only_made(unit, node.elt, names)
    if made and not numpy and stacks:
        return Loose("handed")
    if is_array(unit, iterable) and any(_fetches(unit, call, names) for call in _calls(node.elt)):
        return Loose("fetched") if stacks or not _is_shape(unit, node) else None
    return _computed(unit, node, rows, names, trips)


def _is_the_same(unit: Unit, element: ast.expr) -> bool:
    """Whether an element is made by pure functions of JAX alone, so that each trip makes an equal array."""
    names = [unit.resolve(call.func) or "" for call in _calls(element)]
    methods = [isinstance(call.func, ast.Attribute) and unit.value(call.func.value).array for call in _calls(element)]
    pure = all(name.startswith("jax.numpy.") or method for name, method in zip(names, methods, strict=True))
    return bool(names) and pure and of_jax(unit, element)


def _pairs(unit: Unit, node: ast.ListComp | ast.GeneratorExp, settings: Settings) -> Loose | None:
    """The elements of several ranges or arrays, or some of one, where each is computed of rows of an array."""
    streams = [s for g in node.generators if not g.is_async for s in streams_of(unit, g.target, g.iter)]
    names = frozenset(n for g in node.generators for n in targets(g.target))
    if unit.source.tests or measures(_calls(node)) or names - {n for s in streams for n in targets(s.target)}:
        return None
    if any(s.listed or s.table for s in streams) or any(unit.value(t).array for g in node.generators for t in g.ifs):
        return None
    trips = [trips_of(unit, (stream,)) for stream in streams]
    total = prod(n for n in trips if n is not None)
    few = None not in trips and total <= settings.max_unrolled_trips
    if few or any(_differ(g.iter) for g in node.generators):
        return None
    parts = [part for part in ast.walk(node.elt) if isinstance(part, ast.Subscript)]
    rows = any(s.array is not None for s in streams) or any(
        is_array(unit, part.value) and reads(part.slice) & names for part in parts
    )
    return _computed(unit, node, True, names, None if None in trips else total) if rows else None


def _is_shape(unit: Unit, node: ast.AST) -> bool:
    """Whole numbers in a tuple, as shapes are: there are few."""
    match unit.parents.get(node):
        case ast.Call(func=ast.Name(id="tuple")):
            return True
    return False


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


def _only_made(unit: Unit, element: ast.expr, names: Names) -> bool:
    """`jnp.array(item["x"])`: an element that is no array of JAX yet is made one."""
    match element:
        case ast.Call(func=function, args=[given, *_]) if unit.resolve(function) in MADE:
            plain = isinstance(given, ast.Name | ast.Subscript | ast.Attribute)
            return plain and bool(reads(given) & names) and not unit.value(given).array
    return False


def _computed(
    unit: Unit, node: ast.ListComp | ast.GeneratorExp, rows: bool, names: Names, trips: int | None
) -> Loose | None:
    """Elements each of which runs a dozen operations of JAX, a derivative, or a loop; `rows`: they are of one array."""
    for call in _calls(node.elt):
        given = reads(*call.args, *(k.value for k in call.keywords))
        value = unit.value(call.func)
        if not given & names or jitted(value):
            continue
        match value.callee:
            case Transformed(transform=transform) if transform in DERIVATIVES:
                return Loose("computed", ast.unparse(call.func))
        operations = operations_of(unit, value)
        if rows and operations == 0 and (loops := host_loop_in(unit, value, 0)) is not None:
            return Loose("looped", ast.unparse(call.func), loops)
        if operations >= LEAST or (trips is not None and trips * operations >= MANY):
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
