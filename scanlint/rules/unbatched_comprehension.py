"""unbatched-comprehension: a list comprehension over examples that `jnp.stack` or `jnp.array` makes into an array."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from scanlint.dataflow.around import defuse_of
from scanlint.finding import Report, Withheld
from scanlint.loops.loop import few
from scanlint.loops.streams import Stream, streams_of, trips_of
from scanlint.rules.base import Context, Rule
from scanlint.syntax.bindings import targets
from scanlint.trace.unit import Unit

if TYPE_CHECKING:
    from scanlint.batching.examples import Batch

OF_LISTS = frozenset(("jax.numpy.array", "jax.numpy.asarray"))
"""What makes an array of lists in a list."""


class UnbatchedComprehension(Rule[ast.ListComp | ast.GeneratorExp]):
    """`jnp.stack([f(x) for x in xs])`, and `ys = [f(x) for x in xs]` of which nothing but `jnp.stack(ys)` is made."""

    code = "SCN302"
    name = "unbatched-comprehension"

    def check(self, node: ast.ListComp | ast.GeneratorExp, context: Context) -> Iterator[Report]:
        unit = context.unit
        stacks = _stacks(unit, node) if isinstance(node, ast.ListComp) else []
        gathers = _gathers(unit, node, stacks) if isinstance(node, ast.ListComp) else None
        kept = isinstance(node, ast.ListComp) and (bool(stacks) or gathers is not None)
        found = _examples(context, node, stacks, gathers) if kept and isinstance(node, ast.ListComp) else None
        if found is None or not isinstance(node, ast.ListComp):
            said = list(_advice(node, context))
            yield from said
            if not said:
                yield from _loose(node, stacks, context)
            return
        from scanlint.rewrite.lower.batches.batch_map import comprehension_to_vmap

        code = unit.source.segment(node.generators[0].iter)
        if context.traced(node):
            message = f"tracing `{unit.context(node).qualname}` unrolls this comprehension once per element of `{code}`"
        else:
            message = f"this comprehension computes one element at a time over `{code}`"
        yield context.report(
            stacks[0] if stacks and stacks[0].args[0] is node else node,
            message,
            label="no element needs another one's result",
            help="compute the elements together with `jax.vmap`",
            trips=found.trips,
            primitive="vmap",
            outcome=comprehension_to_vmap(found.batch, node, stacks, found.number),
        )


def _advice(node: ast.ListComp | ast.GeneratorExp, context: Context) -> Iterator[Report]:
    """What is said of one that calls a jitted function for each element, where no batch is evident."""
    from scanlint.batching.one_by_one import comprehension

    function = comprehension(context.unit, node, context.settings) if not context.traced(node) else None
    if function is None:
        return
    code = context.unit.source.segment(node.generators[0].iter)
    report = context.report(
        node,
        f"this comprehension calls the jitted `{function}` for one element of `{code}` at a time",
        label="one dispatch for each element",
        help="hand it all elements at once by `jax.vmap`, or by `jax.lax.map(..., batch_size=...)`",
        primitive="vmap",
        outcome=Withheld("not-a-batch", "it is not known to treat each element on its own"),
        level="advice",
    )
    yield report._replace(outcome=None)  # no form of it is another one


def _loose(node: ast.ListComp | ast.GeneratorExp, stacks: list[ast.Call], context: Context) -> Iterator[Report]:
    """What is said of elements that JAX makes one by one outside of jit."""
    from scanlint.batching.loose_elements import loose_elements

    if context.traced(node):
        return
    found = loose_elements(context.unit, node, stacks, context.settings)
    if found is None:
        return
    code = "` and `".join(dict.fromkeys(context.unit.source.segment(g.iter) for g in node.generators))
    match found.done:
        case "handed":
            message = f"this comprehension hands the device one element of `{code}` at a time"
            cure = "make one array on the host, `np.stack([...])`, and hand that over"
        case "fetched":
            message = f"this comprehension fetches one element of `{code}` at a time"
            cure = f"fetch all at once before, `np.asarray({code})`, or compute the elements by `jax.vmap`"
        case "computed":
            message = (
                f"this comprehension runs `{found.function}` for one element of `{code}` at a time, outside of jit"
            )
            cure = "compute all elements at once by `jax.vmap`, in a function that is jitted"
        case "same":
            message = f"this comprehension computes the same array for each element of `{code}`"
            cure = "compute it once, and repeat it: `jnp.broadcast_to(...)` or `jnp.tile(...)`"
        case "looped":
            message = f"this comprehension runs `{found.function}` for one element of `{code}` at a time, on the host"
            cure = (
                f"make the loop in `{found.loops}` a `lax.while_loop` or `lax.scan`, without casts to Python numbers: "
                f"then `jax.vmap` runs all elements at once"
            )
    report = context.report(node, message, label="a dispatch or more for each element", help=cure, level="advice")
    yield report._replace(outcome=None)


class _Examples(NamedTuple):
    """What a comprehension computes of each example, how many there are, and what each result is cast to."""

    batch: Batch
    trips: int | None
    number: str | None


def _examples(
    context: Context, node: ast.ListComp, stacks: Sequence[ast.Call], gathers: str | None
) -> _Examples | None:
    """The examples of a comprehension that is made an array by `stacks`, or by `gathers` as a row of one."""
    match node:
        case ast.ListComp(
            elt=element, generators=[ast.comprehension(target=target, iter=iterable, ifs=[], is_async=0)]
        ):
            pass
        case _:
            return None
    from scanlint.batching.examples import find_batch
    from scanlint.batching.fetches import ARRAYS, Fetch, fetch
    from scanlint.host.callees import by_jax
    from scanlint.loops.obstacles import caught
    from scanlint.policy.worth import handed

    unit = context.unit
    if caught(unit, node) is not None:
        return None
    streams = tuple(streams_of(unit, target, iterable))
    trips = trips_of(unit, streams)
    if not streams or few(unit, trips, context.settings):
        return None
    numpy = any(unit.resolve(call.func) in ARRAYS for call in stacks)
    found = fetch(unit, element) if not context.traced(node) else Fetch(element, None)
    if numpy and (context.traced(node) or not by_jax(unit, found.value)):
        return None
    rows = _examples(context, element, (), gathers) if isinstance(element, ast.ListComp) and gathers else None
    inner = rows.batch if rows is not None and rows.number is None else None
    listed = gathers if isinstance(element, ast.List) or unit.value(element).container == "list" else None
    find = partial(find_batch, unit, node, streams, (), (found.value,), gathers=listed, inner=inner)
    batch = find()
    known = context.traced(node) or ((trips is not None or handed(unit, streams)) and by_jax(unit, found.value))
    if batch is None and known and _by_number(context, node, streams, found.value):
        batch = find(numbered=True)
    return _Examples(batch, trips, found.number) if batch is not None else None


def _stacks(unit: Unit, node: ast.ListComp) -> list[ast.Call]:
    """The calls that make arrays of a list, where nothing else is done with it."""
    parent = unit.parents.get(node)
    match parent:
        case ast.Call() if _is_stack(unit, parent, node):
            return [parent]
        case ast.Assign(targets=[ast.Name() as target]) if any(_stacked(unit, target.id)):
            loads = _reads(unit, target)
            calls = [call for n in loads if isinstance(call := unit.parents.get(n), ast.Call)]
            stacked = all(_is_stack(unit, call, n) for call, n in zip(calls, loads, strict=False))
            once = bool(calls) and len(calls) == len(loads)
            return calls if once and stacked and not any(c.args[1:] or c.keywords for c in calls) else []
    return []


def _gathers(unit: Unit, node: ast.ListComp, stacks: Sequence[ast.Call]) -> str | None:
    """What makes one array of this list and of those in it, as it is spelled: `jnp.array([[f(x, y) for y in ys] ...])`.

    None where nothing does: `jnp.stack` takes no lists.
    """
    outer = unit.parents.get(node)
    if isinstance(outer, ast.ListComp) and outer.elt is node:
        return _gathers(unit, outer, _stacks(unit, outer))
    if not stacks or any(unit.resolve(call.func) not in OF_LISTS for call in stacks):
        return None
    return unit.source.segment(stacks[0].func)


def _stacked(unit: Unit, name: str) -> Iterator[bool]:
    """For each call that is handed a name alone, whether it makes an array of it: that is told without def-use."""
    for call in unit.every(ast.Call):
        match call.args:
            case [ast.Name(id=given) as array] if given == name:
                yield _is_stack(unit, call, array)


def _reads(unit: Unit, target: ast.Name) -> list[ast.Name]:
    """The places that read what one assignment gives a name, if they read nothing else; none where that is unclear."""
    web = defuse_of(unit).web(target)
    if web is None or len(web.definitions) != 1:
        return []
    reads = [n for n in web.reads if isinstance(n, ast.Name)]
    return sorted(reads, key=lambda n: (n.lineno, n.col_offset)) if len(reads) == len(web.reads) else []


def _is_stack(unit: Unit, call: ast.Call, array: ast.expr) -> bool:
    from scanlint.batching.examples import STACKS
    from scanlint.batching.fetches import ARRAYS

    name = unit.resolve(call.func)
    options = ("axis",) if name == "jax.numpy.stack" else ("dtype",)
    plain = len(call.args) <= 2 and all(k.arg in options for k in call.keywords)
    return plain and call.args[:1] == [array] and name in STACKS | ARRAYS


def _by_number(context: Context, node: ast.ListComp, streams: tuple[Stream, ...], element: ast.expr) -> bool:
    """Whether arrays are computed of many numbers, for which tracers may stand."""
    from scanlint.loops.obstacles import index_needs_int
    from scanlint.policy.worth import worth_mapping

    staged = frozenset(n for s in streams for n in targets(s.target))
    if next(index_needs_int(context.unit, element, staged), None) is not None:
        return False
    return worth_mapping(context.unit, node, streams, element, context.settings)
