"""Whether rolling a loop pays: trips times the size of the body, and where an unknown trip count comes from."""

from __future__ import annotations

import ast
import re

from scanlint.analysis.flow import walk_scope
from scanlint.analysis.loops import LoopModel, Stream, is_array
from scanlint.analysis.unit import Unit
from scanlint.analysis.values import Value, contents
from scanlint.settings import Settings

FEW = re.compile(r"(?i)layer|block|stage|depth|ndim|axes|agent|player|head|team")
UNROLLS = re.compile(r"(?i)\bunroll(?!ed-)")
CALL, INDEX, UNKNOWN_CALL = 2.0, 4.0, 3.0


def worth_rolling(model: LoopModel, settings: Settings) -> bool:
    """Known trips: enough of them, and enough equations in all. Unknown ones count as many if an array gives them."""
    if deliberate(model):
        return False
    if model.trips is not None:
        long = model.trips > settings.max_unrolled_trips
        return long and model.trips * body_equations(model) >= settings.min_unrolled_equations
    if body_equations(model) < 1:
        return False
    return any(stream.kind == "rows" or long_by_origin(model, stream) for stream in model.streams)


def stages_arrays(model: LoopModel) -> bool:
    """Whether what the loop computes is known to be traced."""
    values = model.unit.values
    names = set(model.carried) | set(model.last_values)
    for part in walk_scope(model.node.body):
        match part:
            case ast.Assign(targets=bound, value=value) if values_traced(model.unit, value):
                if names & {n.id for t in bound for n in ast.walk(t) if isinstance(n, ast.Name)}:
                    return True
            case ast.AugAssign(target=ast.Name(id=name), value=value) if name in names:
                if values_traced(model.unit, value) or values_traced(model.unit, part.target):
                    return True
    return any(values_traced(model.unit, o.element) for o in model.outputs) and bool(values)


def values_traced(unit: Unit, node: ast.expr) -> bool:
    """Whether an expression, or something inside the container that it is, is traced."""
    return _holds_traced(unit.value(node))


def _holds_traced(value: Value, depth: int = 4) -> bool:
    return value.traced or (depth > 0 and any(_holds_traced(v, depth - 1) for v in contents(value)))


def body_equations(model: LoopModel) -> float:
    """A rough count of the equations that one trip adds."""
    return sum(_equations(model.unit, s) for s in model.node.body)


def _equations(unit: Unit, node: ast.AST) -> float:
    """Counts what works on arrays; nested loops count once per trip."""
    match node:
        case ast.For(iter=iterable, body=body):
            trips = _nested_trips(unit, iterable)
            return _equations(unit, iterable) + trips * sum(_equations(unit, s) for s in body)
        case ast.FunctionDef() | ast.ClassDef() | ast.Lambda():
            return 0.0
    own = 0.0
    match node:
        case ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.AugAssign():
            static = isinstance(node, ast.expr) and unit.value(node).static
            own = 0.0 if static else 1.0
        case ast.Subscript(ctx=ast.Load(), value=value) if is_array(unit, value) or unit.value(value).traced:
            own = INDEX
        case ast.Call(func=function):
            own = _call(unit, node, function)
    return own + sum(_equations(unit, child) for child in ast.iter_child_nodes(node))


def _call(unit: Unit, call: ast.Call, function: ast.expr) -> float:
    if unit.value(call).static:
        return 0.0
    name = unit.resolve(function)
    if name is None:
        return UNKNOWN_CALL
    if name in unit.weights:
        return unit.weights[name]
    return CALL if name.startswith("jax.") else (0.0 if name.startswith("builtins.") else UNKNOWN_CALL)


def _nested_trips(unit: Unit, iterable: ast.expr) -> int:
    match iterable:
        case ast.Call(args=[stop]):
            known = unit.value(stop).constant
            return known if isinstance(known, int) and not isinstance(known, bool) else 4
    return 4


def long_by_origin(model: LoopModel, stream: Stream) -> bool:
    """Whether an unknown trip count comes from the length of an array or from an argument that callers choose."""
    if stream.counted is not None:
        return is_array(model.unit, stream.counted)
    bounds = [model.unit.value(b) for b in (stream.stop, stream.start) if b is not None]
    return any(b.origin in ("shape", "argument") for b in bounds) and FEW.search(_spelled(stream)) is None


def _spelled(stream: Stream) -> str:
    return " ".join(ast.unparse(b) for b in (stream.start, stream.stop) if b is not None)


def deliberate(model: LoopModel) -> bool:
    """Whether a comment between the start of the function and the loop says that the author wants it unrolled."""
    first = getattr(model.flow.function, "lineno", model.node.lineno)
    comments = [line.partition("#")[2] for line in model.unit.source.lines[first - 1 : model.node.lineno]]
    return any(UNROLLS.search(comment) for comment in comments)
