"""Whether rolling a loop pays: trips times the size of the body, and where an unknown trip count comes from."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial

from scanlint.loops.constant_tables import met, number_kind
from scanlint.loops.loop import LoopModel
from scanlint.loops.rows.buffers import writes_rows
from scanlint.loops.sizes.affine import window
from scanlint.loops.sizes.lengths import rows_at_most
from scanlint.loops.streams import Stream, is_array, range_length, trips_of
from scanlint.loops.trip_count import Count, count_of, stated
from scanlint.policy.cost import body_equations, equations, nested_trips
from scanlint.policy.docstrings import described, said_short
from scanlint.policy.names import COST, FEW_SAID, INTENDED, MEASURES, UNROLLED
from scanlint.settings import Settings
from scanlint.syntax.bindings import parameters, reads, targets, walk_scope
from scanlint.trace.domain.values import holds_tracer
from scanlint.trace.unit import IN_TESTS, Unit

FEW_TRIPS = 4
"""How many trips are reckoned with where nothing says that there are many."""
NESTS = 2
"""How many times as many trips as of one loop are many in a nest of short ones, which spell out something fixed."""
BUILTIN = frozenset({"list", "tuple", "dict", "set", "view"})
GATHERS = frozenset({"extend", "insert", "add", "update", "setdefault"})


def worth_rolling(model: LoopModel, settings: Settings, by_hand: Callable[[LoopModel], bool]) -> bool:
    """Known trips: enough of them, and enough equations in all. Unknown ones count as many if an array gives them.

    `by_hand` tells whether a loop has no rewrite: the loop has to be worth the work.
    """
    tests = model.unit.source.tests
    size = body_equations(model)
    trips = model.trips if model.trips is not None else _stated_trips(model.unit, model.streams)
    if trips is not None:
        nested = nested_trips(model.unit, model.node.body)
        most = settings.max_unrolled_trips * (1 if trips > settings.max_unrolled_trips else NESTS)
        least = settings.min_unrolled_equations * (IN_TESTS if tests else 1)
        return trips * nested > most and trips * size >= least and not deliberate(model)
    if size < 1 or tests:
        return False
    if _makes_objects(model) or _said_short(model, settings) or _names_sites(model):
        return False
    many = any(s.kind == "rows" or _many(model, s, size, settings) for s in model.streams)
    small = size * FEW_TRIPS < settings.min_unrolled_equations
    return many and not deliberate(model) and not (small and by_hand(model))


def _names_sites(model: LoopModel) -> bool:
    """Whether each trip draws what a model gives a name of its own: as many as somebody is to look at."""
    return any(obstacle.code == "handled-call" for obstacle in model.obstacles)


def worth_mapping(
    unit: Unit, node: ast.ListComp, streams: tuple[Stream, ...], element: ast.expr, settings: Settings
) -> bool:
    """Whether batching a comprehension that counts pays: it computes an array of each of many numbers.

    On the host the caller knows that JAX computes it.
    """
    if unit.context(node).traced and not values_traced(unit, element):
        return False
    trips = trips_of(unit, streams)
    trips = trips if trips is not None else _stated_trips(unit, streams)
    if trips is not None:
        least = settings.min_unrolled_equations
        return trips > settings.max_unrolled_trips and trips * equations(unit, element) >= least
    counts = [stream_count(unit, s) for s in streams if s.kind == "range"]
    names = [name for count in counts for name in count.names]
    short = FEW_SAID(described(unit, node, names)) or said_short(unit, node, names, settings.max_unrolled_trips)
    told = any(count.origin in ("shape", "argument") for count in counts)
    return not short and (told or (not unit.context(node).traced and handed(unit, streams)))


def handed(unit: Unit, streams: Sequence[Stream]) -> bool:
    """Whether a parameter without a default says how many trips there are."""
    arguments = getattr(unit.node, "args", None)
    given = set(parameters(arguments)[: -len(arguments.defaults) or None]) if arguments is not None else set()
    return any(isinstance(s.stop, ast.Name) and s.stop.id in given for s in streams)


def written_out(model: LoopModel) -> bool:
    """Whether the numbers of a list stand for choices: they decide a branch, or something needs them as they are."""
    if not any(s.table for s in model.streams):
        return False
    tests = [p.test for p in walk_scope(model.node.body) if isinstance(p, ast.If | ast.IfExp | ast.While | ast.Assert)]
    floats = [s for s in model.streams if s.array is not None and number_kind(model.unit, s.array) == "float"]
    apart = any(_apart(model, s) for s in floats)
    return bool(model.obstacles) or bool(reads(*tests) & model.staged) or apart


def applies_parts(model: LoopModel) -> bool:
    """Whether each trip calls another function, which it finds by its number in a list of them."""
    unit, numbers = model.unit, set(model.targets)
    called = {n.func.id for n in unit.every(ast.Call) if isinstance(n.func, ast.Name)}
    for part in walk_scope(model.node.body):
        match part:
            case ast.Call(func=ast.Subscript(value=listed, slice=at)):
                pass
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Subscript(value=listed, slice=at)) if name in called:
                pass
            case _:
                continue
        if reads(at) & numbers and not unit.value(listed).array:
            return True
    return False


def gathers_parts(model: LoopModel) -> bool:
    """Whether a constructor gathers the parts of its object in a list: each is another object, however it is made."""
    function = next((a for a in model.unit.ancestors(model.node) if isinstance(a, ast.FunctionDef)), model.unit.node)
    if not isinstance(function, ast.FunctionDef) or function.name not in ("__init__", "__post_init__", "setup"):
        return False
    made = parameters(function.args)[:1]
    for part in walk_scope(model.node.body):
        match part:
            case ast.Call(func=ast.Attribute(value=ast.Attribute(value=ast.Name(id=own)), attr="append" | "extend")):
                if own in made:
                    return True
    return False


def _apart(model: LoopModel, stream: Stream) -> bool:
    """Whether a float of a list is read where it is not known which carried array gives it its dtype."""
    names = set(targets(stream.target))
    loads = [n for n in walk_scope(model.node.body) if isinstance(n, ast.Name) and n.id in names]
    return len({met(model.unit, n, model.carried) for n in loads}) != 1 or any(
        met(model.unit, n, model.carried) is None for n in loads
    )


def stages_arrays(model: LoopModel) -> bool:
    """Whether what the loop computes is known to be traced; what hands it to NumPy cannot run so."""
    names = set(model.carried) | set(model.last_values)
    parts = list(walk_scope(model.node.body))
    over = any(s.kind == "rows" or stream_count(model.unit, s).origin == "shape" for s in model.streams)
    staged = any(_stages(model.unit, p, names) or (over and _applies(model.unit, p, names)) for p in parts)
    return staged and not any(_leaves(model.unit, p) for p in parts)


def _leaves(unit: Unit, part: ast.AST) -> bool:
    """Whether NumPy is given a traced array, which fails under a trace: code that works runs elsewhere."""
    match part:
        case ast.Call(func=function, args=[first, *_]) if values_traced(unit, first):
            return unit.resolve(function) in ("numpy.array", "numpy.asarray")
    return False


def _stages(unit: Unit, part: ast.AST, names: set[str]) -> bool:
    """Whether a statement gives a traced value to one of these names, or puts one into a list."""
    match part:
        case ast.Assign(targets=bound, value=value) if values_traced(unit, value):
            stored = any(_element(unit, t) or _item(t, names) for t in bound)
            return stored or bool(names & {n.id for t in bound for n in ast.walk(t) if isinstance(n, ast.Name)})
        case ast.AugAssign(target=ast.Name(id=name), value=value) if name in names:
            return values_traced(unit, value) or values_traced(unit, part.target)
        case ast.AugAssign(target=ast.Name(), op=ast.Add(), value=ast.List(elts=elements)):
            return any(values_traced(unit, e) for e in elements)
        case ast.AugAssign(target=ast.Subscript() as target, value=value):
            return (_element(unit, target) or _item(target, names)) and values_traced(unit, value)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(), attr="append"), args=[element])):
            return values_traced(unit, element)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(), attr="insert"), args=[_, element])):
            return values_traced(unit, element)
    return False


def _applies(unit: Unit, part: ast.AST, names: set[str]) -> bool:
    """Whether one of these names, or a list, gets what a function gives that is not known: `h = self.cell(x, h)`."""
    match part:
        case ast.Assign(targets=bound, value=value):
            return bool(names & {n.id for t in bound for n in ast.walk(t) if isinstance(n, ast.Name)}) and _applied(
                unit, value
            )
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(), attr="append"), args=[element])):
            return _applied(unit, element)
    return False


def _applied(unit: Unit, node: ast.expr) -> bool:
    """Whether such a function is given a traced array."""
    match node:
        case ast.Call(func=ast.Name() | ast.Attribute() as function, args=args):
            unknown = unit.resolve(function) is None and unit.value(function).callee is None
            method = isinstance(function, ast.Attribute) and unit.value(function.value).container in BUILTIN
            return unknown and not method and any(unit.value(a).traced and unit.value(a).array for a in args)
    return False


def _item(target: ast.expr, names: set[str]) -> bool:
    """Whether a target is an item of one of these names, which are carried for it."""
    return isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name) and target.value.id in names


def _element(unit: Unit, target: ast.expr) -> bool:
    """Whether a target is an element of a list, or of a list in one."""
    at = target
    while isinstance(at, ast.Subscript):
        if isinstance(at.slice, ast.Constant | ast.Slice | ast.Tuple):
            return False
        at = at.value
    return at is not target and isinstance(at, ast.Name) and unit.value(at).container in ("list", None)


def values_traced(unit: Unit, node: ast.expr) -> bool:
    """Whether an expression, or something inside the container or the copy of an object that it is, is traced.

    So is what a function that was handed in makes of tracers.
    """
    if holds_tracer(unit.value(node)) or unit.value(node).origin == "called":
        return True
    match node:
        case ast.Dict(values=values):
            return any(values_traced(unit, v) for v in values)
        case ast.Call(func=function, keywords=[_, *_] as changes) if unit.resolve(function) == "dataclasses.replace":
            return any(values_traced(unit, k.value) for k in changes)
    return False


def _stated_trips(unit: Unit, streams: Sequence[Stream]) -> int | None:
    """The trips that the file states by slices, by defaults and by its own calls."""
    rows = [rows_at_most(unit, s.array) for s in streams if s.kind == "rows" and s.array is not None]
    if short := [count for count in rows if count is not None]:
        return min(short)
    for stream in streams:
        if stream.kind == "range" and stream.stop is not None:
            trips = range_length(stream, partial(_most, unit, stream))
            if trips is not None:
                return trips
    return None


def _most(unit: Unit, stream: Stream, bound: ast.expr) -> int | None:
    """The number that is stated for a bound; a start to count up from that is some length is at least 0."""
    known = stated(unit, bound)
    if known is None and bound is stream.start and unit.value(bound).origin == "shape" and not _down(unit, stream):
        return 0
    return known


def _down(unit: Unit, stream: Stream) -> bool:
    """Whether a range is known to count down."""
    step = stated(unit, stream.step) if stream.step is not None else 1
    return step is not None and step < 0


def _makes_objects(model: LoopModel) -> bool:
    """Whether the loop feeds a list or a set with things that are not known to be arrays."""
    for part in walk_scope(model.node.body):
        match part:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(), attr=attr), args=args)):
                if attr in GATHERS and not any(values_traced(model.unit, a) for a in args):
                    return True
    return False


def _many(model: LoopModel, stream: Stream, size: float, settings: Settings) -> bool:
    """Whether an unknown number of trips is taken for a large one."""
    if stream.counted is not None:
        return is_array(model.unit, stream.counted)
    count = stream_count(model.unit, stream)
    if _takes_dicts(model) or FEW_SAID(described(model.unit, model.node, count.names)):
        return False
    if count.origin in ("shape", "argument"):
        return True
    return count.origin == "field" and _large_field(model, size, settings)


def _takes_dicts(model: LoopModel) -> bool:
    """Whether each trip of a traced loop takes a dict by its number: no row of an array has entries with names.

    So the trips are as many as there are dicts in a list, such as the layers of a model.
    """
    if not model.unit.context(model.node).traced:
        return False
    parts = list(walk_scope(model.node.body))
    taken: set[str] = set()
    for part in parts:
        match part:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _is_taken(model, value):
                taken.add(name)
    for part in parts:
        match part:
            case ast.Subscript(value=value, slice=ast.Constant(value=str())):
                if _is_taken(model, value) or (isinstance(value, ast.Name) and value.id in taken):
                    return True
    return False


def _is_taken(model: LoopModel, value: ast.expr) -> bool:
    """Whether an expression is `xs[i]`, by the number of the trip."""
    match value:
        case ast.Subscript(slice=ast.Name(id=name)):
            return name in model.staged
    return False


def _said_short(model: LoopModel, settings: Settings) -> bool:
    """Whether the file says in words that there are few trips."""
    names = [n for s in model.streams if s.kind == "range" for n in stream_count(model.unit, s).names]
    return said_short(model.unit, model.node, names, settings.max_unrolled_trips)


def stream_count(unit: Unit, stream: Stream) -> Count:
    """The origin of the bounds of a range, and the names in them."""
    counts = [count_of(unit, bound) for bound in (stream.stop, stream.start, stream.step) if bound is not None]
    names = frozenset[str]().union(*(c.names for c in counts))
    return Count(next((c.origin for c in counts if c.origin is not None), None), names)


def _large_field(model: LoopModel, size: float, settings: Settings) -> bool:
    """An attribute may well be a small setting: only a grid, rows of arrays or long lists speak for many trips."""
    if size * FEW_TRIPS < settings.min_unrolled_equations / 2:
        return False
    return _grid(model) or writes_rows(model) or (_fills_list(model) and not _ragged(model))


def _grid(model: LoopModel) -> bool:
    """Whether another loop of unknown length runs inside this one: the trips multiply."""
    for part in walk_scope(model.node.body):
        match part:
            case ast.For(iter=ast.Call(func=ast.Name(id="range"), args=args)):
                counts = [count_of(model.unit, a) for a in args]
                if any(c.origin is not None for c in counts):
                    return True
    return False


def _ragged(model: LoopModel) -> bool:
    """Whether the trips read slices of different lengths."""
    slices = [p for p in walk_scope(model.node.body) if isinstance(p, ast.Slice)]
    return any(reads(p) & model.staged and window(p, model.staged) is None for p in slices)


def _fills_list(model: LoopModel) -> bool:
    """Whether every trip adds to a list, or fills a place of one that was made as long as the loop."""
    return any(_stages(model.unit, statement, set()) for statement in model.node.body)


def deliberate(model: LoopModel) -> bool:
    """Whether the docstring, or a comment before the loop, says that the author wants it unrolled.

    That a loop of known length is unrolled is no news: only a reason or an intention counts there.
    """
    return model.unit.once((deliberate, model), lambda: _deliberate(model))


def _deliberate(model: LoopModel) -> bool:
    around = [model.function, *model.unit.ancestors(model.function)]
    functions = [f for f in around if isinstance(f, ast.FunctionDef)]
    if not model.unit.context(model.node).traced and MEASURES(model.unit.qualname):
        return True
    if INTENDED(*(words for function in functions for words in _said(model, function))):
        return True
    said = _said(model, functions[0]) if functions and model.trips is None else []
    return any(UNROLLED(words) and not COST(words) for words in said)


def _said(model: LoopModel, function: ast.FunctionDef) -> list[str]:
    """The docstring of a function around a loop, and the comments in it before the loop."""
    comments = _comments(model.unit.source.lines[function.lineno - 1 : model.node.lineno])
    return [ast.get_docstring(function) or "", *comments]


def _comments(lines: Sequence[str]) -> list[str]:
    """The comments in some lines; those on lines of their own that follow each other are one."""
    found: list[str] = []
    going_on = False
    for line in lines:
        code, mark, text = line.partition("#")
        alone = bool(mark) and not code.strip()
        if mark and alone and going_on:
            found[-1] += " " + text.strip()
        elif mark:
            found.append(text.strip())
        going_on = alone
    return found
