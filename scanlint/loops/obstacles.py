"""What keeps a loop from being rolled: effects, jumps, containers that change, Python values that become tracers."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from scanlint.dataflow.items import made_inside
from scanlint.dataflow.liveness import Flow
from scanlint.finding import Withheld
from scanlint.loops.concrete_uses import decides, fetched, in_test, is_logic, limit, number_cast
from scanlint.loops.constant_tables import is_table
from scanlint.loops.effects import changes, effects
from scanlint.loops.growth import larger_carries
from scanlint.loops.jumps import jumps_of
from scanlint.loops.numbers.body import Body
from scanlint.loops.python_parameters import library_arguments, static_arguments, tested_arguments
from scanlint.loops.rows.collected import Output
from scanlint.loops.rows.recent import Recent
from scanlint.loops.sizes.affine import moving_arange, window
from scanlint.loops.sizes.masked_reductions import masked
from scanlint.loops.sizes.padded_sums import open_ended
from scanlint.loops.streams import streams_of
from scanlint.loops.trip_count import class_named
from scanlint.syntax.bindings import Names, binds, reads, walk_scope
from scanlint.trace.domain.values import Value
from scanlint.trace.unit import Unit

MAKERS = ("zeros", "ones", "empty", "full", "eye", "arange", "linspace", "tri", "identity", "broadcast_to", "tile")
SHAPED = frozenset(f"jax.numpy.{name}" for name in MAKERS) | {
    "jax.random.split",
    "jax.lax.iota",
    "jax.lax.broadcasted_iota",
}
KINDS = ("bool", "int", "float", "complex")
"""Python numbers that tracers would not be."""
_BLOCKS = ast.If | ast.For | ast.While | ast.With | ast.Try | ast.Match
NEEDS_INT = frozenset(
    f"builtins.{name}" for name in ("int", "float", "bool", "str", "print", "min", "max", "any", "all", "sorted")
)


def obstacles(
    unit: Unit,
    node: ast.For | ast.While,
    flow: Flow,
    carried: tuple[str, ...],
    outputs: tuple[Output | Recent, ...],
    staged: Names,
    items: Names,
) -> Iterator[Withheld]:
    """Each thing that keeps the loop from being rolled, in the order of the text within each kind.

    `items` are dicts and lists that may be changed in place.
    """
    appended = {o.append for o in outputs}
    if (handling := caught(unit, node)) is not None:
        yield Withheld("try", f"a handler of the `try` at line {handling.lineno} would see no trip fail")
    yield from jumps_of(node)
    body = list(walk_scope(node.body))
    skip = {inner for statement in appended for inner in (statement, getattr(statement, "value", statement))}
    filled = {target for statement in appended for target in targets_of(statement)}
    skip |= filled
    own, bound = made_inside(unit, node, flow, carried), binds(node)
    for part in body:
        if part not in skip and not _sets_item(part, items) and not changes(part, own):
            yield from effects(unit, part, own, bound=bound)
    yield from modules_called(unit, node)
    yield from _names(unit, node, flow, carried, items)
    for name, statement in larger_carries(unit, node, carried):
        yield Withheld("carry-shape-grows", f"`{name}` is larger after each trip (line {statement.lineno})")
    kept: set[ast.AST] = filled | {place for o in outputs if isinstance(o, Recent) for place in o.places}
    kept |= {p for p in body if isinstance(p, ast.Slice) and (open_ended(unit, p) or masked(unit, p) is not None)}
    yield from _ints(unit, (part for part in body if part not in kept), staged, carried)
    yield from _numbers(unit, node, flow, carried)
    for part in body:
        if isinstance(part, ast.Call) and (asked := reads(*tested_arguments(unit, part)) & staged):
            what = f"`{ast.unparse(part.func)}(...)` branches on `{min(asked)}`"
            yield Withheld("callee-branches", f"{what}, as a Python value (line {part.lineno})")


def caught(unit: Unit, node: ast.AST) -> ast.Try | ast.TryStar | None:
    """The `try` of the same function that catches what a node raises."""
    inner = node
    for around in unit.around(node):
        if isinstance(around, ast.Try | ast.TryStar) and around.handlers and inner in around.body:
            return around
        inner = around
    return None


def _numbers(unit: Unit, node: ast.For | ast.While, flow: Flow, carried: tuple[str, ...]) -> Iterator[Withheld]:
    """Python numbers that would be others as tracers: ints that leave int32, floats that double precision rounds."""
    streams = tuple(streams_of(unit, node.target, node.iter)) if isinstance(node, ast.For) else ()
    for meeting in Body(unit, node, streams, carried).departing(flow.live_after(node)):
        yield meeting.obstacle


def targets_of(statement: ast.stmt) -> list[ast.expr]:
    """The targets that a statement assigns to."""
    match statement:
        case ast.Assign(targets=found):
            return found
        case ast.AugAssign(target=target):
            return [target]
    return []


def _sets_item(part: ast.AST, items: Names) -> bool:
    match part:
        case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store()):
            return name in items
    return False


def _names(
    unit: Unit, node: ast.For | ast.While, flow: Flow, carried: tuple[str, ...], items: Names
) -> Iterator[Withheld]:
    """Names that cannot be carried."""
    bound = flow.bound_before(node)
    local = set(_functions(node))
    for name in sorted(local & (flow.live_after(node) | {*carried})):
        yield Withheld("carry-not-an-array", f"the function `{name}` is used in a later trip or after the loop")
    for name in carried:
        if name not in bound:
            known = any(
                name in binds(s) for s in flow.graph.places if s.lineno < node.lineno and not isinstance(s, _BLOCKS)
            )
            when = "a value before the loop on some paths only" if known else "no value before the loop"
            yield Withheld("maybe-undefined", f"`{name}` has {when} (line {node.lineno})")
            continue
        yield from _start(unit, node, name)
    written = binds(*node.body) | items
    for closure, names in flow.closures.items():
        if closure in local:
            continue
        shared = names & (written | binds(*([node.target] if isinstance(node, ast.For) else [])))
        if shared and not spent(unit, flow, node, closure):
            name = sorted(shared)[0]
            yield Withheld("closure", f"`{closure}`, defined outside the loop, reads `{name}`, which the loop rebinds")


def spent(unit: Unit, flow: Flow, node: ast.stmt, closure: str) -> bool:
    """Whether a local function was only ever handed to `cond`, `scan` and their like, and before a statement."""
    if closure in flow.live_after(node) | reads(node):
        return False
    calls = [unit.parents.get(n) for n in unit.every(ast.Name) if n.id == closure and isinstance(n.ctx, ast.Load)]
    return all(isinstance(c, ast.Call) and (unit.resolve(c.func) or "").startswith("jax.lax.") for c in calls)


def _functions(node: ast.For | ast.While) -> Iterator[str]:
    """The names under which the body makes functions."""
    for part in ast.walk(node):
        match part:
            case ast.FunctionDef(name=name) | ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda()):
                yield name


def _start(unit: Unit, node: ast.For | ast.While, name: str) -> Iterator[Withheld]:
    """A carry that starts as something that is not an array, number or pytree."""
    value = unit.before.get((node, name))
    if value is None:
        return
    if value.known and isinstance(value.constant, str | None | bytes):
        yield Withheld("carry-not-an-array", f"`{name}` starts as `{value.constant!r}`")
    if value.array and value.dtype in KINDS:
        after = _end(unit, node, name)
        if after is not None and after.dtype in KINDS and KINDS.index(after.dtype) > KINDS.index(value.dtype):
            what = f"`{name}` starts as {value.dtype} and becomes {after.dtype}"
            yield Withheld("carry-type-changes", f"{what} in the first trip (line {node.lineno})")
    if value.container in ("list", "set"):
        for part in walk_scope(node.body):
            match part:
                case ast.AugAssign(target=ast.Name(id=target), op=ast.Add()) if target == name:
                    yield Withheld("carry-shape-grows", f"the list `{name}` grows at line {part.lineno}")


def _end(unit: Unit, node: ast.For | ast.While, name: str) -> Value | None:
    """What a name is at the end of a trip, where the last statement that binds it does so on every trip."""
    last = next((s for s in reversed(node.body) if name in binds(s)), None)
    match last:
        case ast.Assign(targets=[ast.Name()], value=value):
            return unit.value(value)
    return None


def _ints(unit: Unit, body: Iterable[ast.AST], staged: Names, carried: tuple[str, ...]) -> Iterator[Withheld]:
    """Places that need a Python int (or another static value) and would get a tracer."""
    for part in body:
        for name, what in _needs_static(unit, part, staged, carried):
            yield Withheld("index-needs-int", f"{what} needs `{name}` as a Python value (line {part.lineno})")  # type: ignore[attr-defined]


def index_needs_int(unit: Unit, element: ast.AST, staged: Names) -> Iterator[Withheld]:
    """The indices, slices and sizes of an expression or a statement by itself that need a Python integer."""
    yield from _ints(unit, walk_scope([element]), staged, ())


def _needs_static(unit: Unit, part: ast.AST, staged: Names, carried: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    def staged_in(*nodes: ast.AST | None) -> str | None:
        names = reads(*nodes) & staged
        return sorted(names)[0] if names else None

    match part:
        case ast.Slice(lower=lower, upper=upper, step=step):
            name = staged_in(lower, upper, step)
            if name and window(part, staged) is None:
                yield name, "a slice whose length changes"
        case ast.Subscript(value=value, slice=index) if not isinstance(index, ast.Slice):
            known = unit.value(value)
            name = staged_in(index) if not isinstance(value, ast.Attribute) or value.attr != "at" else None
            if name and is_table(unit, value, carried) and isinstance(index, ast.Name | ast.BinOp):
                return
            if name and (known.container in ("list", "tuple", "dict") or (known.static and not known.array)):
                yield name, f"`{ast.unparse(value)}[...]`"
        case ast.FormattedValue(value=value):
            if name := staged_in(value):
                yield name, "an f-string"
        case ast.BinOp(left=ast.Constant(value=str()), op=ast.Mod(), right=value):
            if name := staged_in(value):
                yield name, "a text that is formatted"
        case ast.Call(func=function, args=args):
            if name := staged_in(*static_arguments(unit, part)):
                yield name, f"a static argument of `{ast.unparse(function)}`"
            called = unit.resolve(function) or ""
            if called == "jax.numpy.arange" and moving_arange(part, staged) is not None:
                return
            if number_cast(unit, part) is not None or limit(unit, part) is not None:
                return
            if fetched(unit, part) is not None and decides(unit, part):
                return
            if called.startswith("jax.") and (name := staged_in(*library_arguments(called, part))):
                yield name, f"`{ast.unparse(function)}(...)`"
                return
            first = args[: 1 if called in SHAPED and "full" in called else None]
            listed = called == "builtins.range" and not _iterated(unit, part)
            if listed or called in NEEDS_INT or called.startswith(("numpy.", "math.")) or called in SHAPED:
                if name := staged_in(*first):
                    if called != "jax.random.split" or staged_in(*args[1:]):
                        yield name, f"`{ast.unparse(function)}(...)`"
        case ast.Match(subject=subject):
            if name := staged_in(subject):
                yield name, "a `match`"
        case ast.Dict(keys=keys):
            if name := staged_in(*keys):
                yield name, "a dictionary key"
        case ast.BoolOp() | ast.UnaryOp(op=ast.Not()) | ast.Compare(ops=[_, _, *_]) if not in_test(unit, part):
            name = staged_in(part)
            if name and not is_logic(unit, part):
                yield name, f"`{ast.unparse(part)}`"


def _iterated(unit: Unit, call: ast.Call) -> bool:
    """Whether a range is what a `for` statement goes over, itself or as part of a `zip` and the like."""
    for ancestor in unit.ancestors(call):
        match ancestor:
            case ast.For(iter=iterable):
                return any(n is call for n in ast.walk(iterable))
            case ast.Call(func=ast.Name(id="reversed" | "enumerate" | "zip" | "list" | "tuple" | "tqdm")):
                continue
        return False
    return False


SCANS = {"flax.linen": "nn.scan", "haiku": "hk.scan"}


def modules_called(unit: Unit, node: ast.For | ast.While) -> Iterator[Withheld]:
    """Calls in the body that run a module, or may do so in a method of one."""
    library = _library(unit)
    for call in walk_scope(node.body):
        if isinstance(call, ast.Call) and (scan := _scan(unit, call, library)) is not None:
            what = ast.unparse(call.func)
            why = f"`{what}` is run as a module, which `{scan}` can carry through a loop and `lax.scan` cannot"
            yield Withheld("lifted-module", f"{why} (line {call.lineno})")


def _library(unit: Unit) -> str | None:
    """The library of whose modules the function is a method."""
    defined = class_named(unit, unit.qualname.partition(".")[0])
    bases = [unit.resolve(base) or "" for base in defined.bases] if defined is not None else []
    return next((library for library in SCANS if f"{library}.Module" in bases), None)


def _scan(unit: Unit, call: ast.Call, library: str | None) -> str | None:
    """What scans over a module instead, where the callee is one, or is not known in a method of one."""
    match call.func:
        case ast.Call(func=maker):
            name = unit.resolve(maker) or ""
            made = name.rpartition(".")
            return SCANS.get(made[0]) if made[2][:1].isupper() else None
        case ast.Name() | ast.Attribute(value=ast.Name(id="self")) if library is not None:
            known = unit.resolve(call.func) is not None or unit.value(call.func).callee is not None
            return None if known else SCANS[library]
    return None
