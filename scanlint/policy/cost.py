"""Roughly how many equations one trip of a loop adds."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from scanlint.jaxapi.words import words
from scanlint.loops.loop import LoopModel
from scanlint.loops.streams import is_array, streams_of, trips_of
from scanlint.trace.domain.callables import Closure, Partial, Transformed
from scanlint.trace.domain.values import Instance, OneOf
from scanlint.trace.unit import Unit

CALL, INDEX, UNKNOWN_CALL = 2.0, 4.0, 3.0
STACKED = 1.0
"""What an element of a list costs when the list is stacked: it gets an axis of its own."""
NESTED = 4
"""The trips of an inner loop whose number is not known."""


RUNNERS = words(
    "jax.lax.cond jax.lax.switch jax.lax.scan jax.lax.fori_loop jax.lax.while_loop jax.lax.map jax.lax.associative_scan"
)


def body_equations(model: LoopModel) -> float:
    """A rough count of the equations that one trip adds."""
    if "size" not in model.measured:
        model.measured["size"] = _sum(model.unit, model.node.body, {})
    return model.measured["size"]


def equations(unit: Unit, element: ast.expr) -> float:
    """A rough count of the equations that an expression adds."""
    return _equations(unit, element, {})


def _sum(unit: Unit, body: Sequence[ast.AST], local: dict[ast.AST, float]) -> float:
    return sum(_equations(unit, s, local) for s in body)


def _equations(unit: Unit, node: ast.AST, local: dict[ast.AST, float]) -> float:
    """Counts what works on arrays; nested loops count once per trip. `local`: sizes of local functions."""
    match node:
        case ast.For(iter=iterable, body=body):
            trips = _trips(unit, node)
            return _equations(unit, iterable, local) + (NESTED if trips is None else trips) * _sum(unit, body, local)
        case ast.FunctionDef() | ast.ClassDef() | ast.Lambda():
            return 0.0
    own = 0.0
    match node:
        case ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.AugAssign():
            own = 0.0 if isinstance(node, ast.expr) and _is_python(unit, node) else 1.0
        case ast.Subscript(ctx=ast.Load(), value=value) if is_array(unit, value) or unit.value(value).traced:
            own = _index(unit, node)
        case ast.Call(func=function):
            own = _call(unit, node, function, local)
    return own + sum(_equations(unit, child, local) for child in ast.iter_child_nodes(node))


def _is_python(unit: Unit, node: ast.expr) -> bool:
    """Whether an expression is worked out while tracing, as those on the index of an unrolled loop are."""
    value = unit.value(node)
    return value.static or (value.dtype == "int" and not value.array and not value.traced)


def _index(unit: Unit, node: ast.Subscript) -> float:
    """Reading a list adds nothing; a slice with bounds that are Python numbers is one equation."""
    if unit.value(node.value).container in ("list", "tuple", "dict"):
        return 0.0
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return 1.0 if all(isinstance(p, ast.Slice) for p in parts) else INDEX


def _call(unit: Unit, call: ast.Call, function: ast.expr, local: dict[ast.AST, float]) -> float:
    if unit.value(call).static:
        return 0.0
    if _is_append(unit, function):
        return STACKED
    name = unit.resolve(function) or _heaviest(unit, function)
    if name is None:
        inner = _local(unit, function)
        return UNKNOWN_CALL if inner is None else _body(unit, inner, local)
    if (weight := unit.weight(name)) is not None:
        return weight
    if name in RUNNERS:
        return CALL + sum(_handed(unit, a, local) for a in (*call.args, *(k.value for k in call.keywords)))
    return CALL if name.startswith("jax.") else (0.0 if name.startswith("builtins.") else UNKNOWN_CALL)


def _handed(unit: Unit, argument: ast.expr, local: dict[ast.AST, float]) -> float:
    """The equations of a function that a branch or a loop of JAX is given; anything else counts where it stands."""
    match argument:
        case ast.Lambda(body=body):
            return _equations(unit, body, local)
        case ast.List(elts=functions) | ast.Tuple(elts=functions):
            return sum(_handed(unit, f, local) for f in functions)
        case ast.Name() | ast.Attribute():
            inner = _local(unit, argument)
            name = _heaviest(unit, argument)
            return _body(unit, inner, local) if inner is not None else (unit.weight(name) if name else None) or 0.0
    return 0.0


def _body(unit: Unit, function: ast.FunctionDef, local: dict[ast.AST, float]) -> float:
    if function not in local:
        local[function] = UNKNOWN_CALL  # it may call itself
        local[function] += _sum(unit, function.body, local)
    return local[function]


def _is_append(unit: Unit, function: ast.expr) -> bool:
    return (
        isinstance(function, ast.Attribute)
        and function.attr == "append"
        and unit.value(function.value).container == "list"
    )


def _heaviest(unit: Unit, function: ast.expr) -> str | None:
    """The canonical name of the function of the project that an expression is; the heaviest, if it may be several."""
    names = [name for name in map(_defined, _callees(unit.value(function).callee)) if name is not None]
    return max(names, key=lambda name: unit.weight(name) or 0.0, default=None)


def _callees(callee: object) -> Iterator[object]:
    """The functions that may be called, without the transforms around them."""
    while isinstance(callee, Transformed | Partial):
        callee = callee.function
    if isinstance(callee, OneOf):
        for value in callee.values:
            yield from _callees(value.callee)
    else:
        yield callee


def _defined(callee: object) -> str | None:
    """The canonical name of a function or method of the project; an object stands for its `__call__`."""
    if isinstance(callee, Closure) and "<locals>" not in callee.code.qualname:
        return f"{callee.code.scope.name}.{callee.code.qualname}"
    return f"{callee.name}.__call__" if isinstance(callee, Instance) else None


def _local(unit: Unit, function: ast.expr) -> ast.FunctionDef | None:
    """The function defined in this unit that a name stands for, if only one does."""
    if not isinstance(function, ast.Name):
        return None
    found = [n for n in unit.every(ast.FunctionDef) if n.name == function.id and n is not unit.node]
    return found[0] if len(found) == 1 else None


def nested_trips(unit: Unit, body: Sequence[ast.AST]) -> int:
    """The number of times that the innermost body runs in one trip, where a loop is all that the body does."""
    match [s for s in body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]:
        case [ast.For(body=inner) as loop]:
            return (_trips(unit, loop) or 1) * nested_trips(unit, inner)
    return 1


def _trips(unit: Unit, loop: ast.For) -> int | None:
    return trips_of(unit, tuple(streams_of(unit, loop.target, loop.iter)))
