"""Roughly how many operations of JAX Python dispatches, one by one, on one trip of a host loop, and what they cost."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from scanlint.jaxapi.canonical import JITS
from scanlint.jaxapi.words import words
from scanlint.loops.loop import LoopModel
from scanlint.loops.streams import is_array, streams_of, trips_of
from scanlint.trace.domain.callables import Closure, Code, Named, Partial, Transformed
from scanlint.trace.domain.values import UNKNOWN, Instance, Value
from scanlint.trace.unit import Unit

MAKE = "zeros ones full arange eye array stack concatenate vstack hstack append pad"
COSTLY = ("jax.random.", *(f"jax.numpy.{name}" for name in words(MAKE)))
HANDED_IN = 20.0
"""A model or another function that is handed in, of which nothing is known: seldom less than that."""
LAYER = 3.0
ROW = 2.0
"""What the next row of an array dispatches to a loop over it."""
MANY = 1000
NESTED = 4
"""The trips of an inner loop whose number is not known."""
INTERVAL = 10
"""The trips between two logs or the like, where their number is not known."""
DEEPEST = 5
JAX = ("jax.", "optax.", "equinox.", "flax.", "haiku.")
PROGRAMS = JITS | words("jax.lax.scan jax.lax.fori_loop jax.lax.while_loop jax.lax.cond jax.lax.switch jax.lax.map")
"""What is compiled as a whole: one dispatch, whatever it holds."""
TIMES = {
    "jax.grad": 3.0,
    "jax.value_and_grad": 3.0,
    "jax.jacfwd": 2.0,
    "jax.jacrev": 3.0,
    "jax.hessian": 6.0,
    "jax.jvp": 2.0,
    "jax.vjp": 3.0,
}
"""How many operations a derivative runs for each one of the function."""


class _Scale(NamedTuple):
    """What is counted of `x[i]`, of a slice, of `x.at[i].set(v)` and of the functions that are `COSTLY`."""

    read: float
    cut: float
    update: float
    costly: float


OPERATIONS = _Scale(read=2.0, cut=1.0, update=4.0, costly=1.0)
ADDITIONS = _Scale(read=16.0, cut=10.0, update=50.0, costly=8.0)
"""Measured on CPU with small arrays, where an addition takes as long as a call of a jitted function, some 10 us."""


def dispatches(model: LoopModel) -> float:
    """How many operations one trip dispatches, those of the project's functions that it calls counted."""
    return _trip(model, _Known(HANDED_IN, {}, OPERATIONS))


def cost(model: LoopModel) -> float:
    """The time of these operations, in that of an addition."""
    if "cost" not in model.measured:
        model.measured["cost"] = _trip(model, _Known(HANDED_IN, {}, ADDITIONS))
    return model.measured["cost"]


def reckoned(model: LoopModel) -> float:
    """What all trips may cost, in additions; of those whose number is not known there are some thousand."""
    return (MANY if model.trips is None else model.trips) * max(cost(model), 1.0)


def evident(model: LoopModel) -> float:
    """The number of operations without what is handed in: that may be one program already."""
    return _trip(model, _Known(0.0, {}, OPERATIONS))


def called(code: Code) -> float:
    """The number of operations of a function of the project; a layer or the like that it calls counts for a few."""
    return _function(code, _Known(LAYER, {}, OPERATIONS), 0)


def takes_rows(model: LoopModel) -> bool:
    """Whether the loop goes over the rows of a jax array, each of which is read from the device."""
    return any(s.array is not None and is_array(model.unit, s.array) for s in model.streams)


def _trip(model: LoopModel, known: _Known) -> float:
    test = [model.node.test] if isinstance(model.node, ast.While) else []
    taken = ROW if takes_rows(model) else 0.0
    return taken + _all(_Place(model.unit), [*model.node.body, *test], known, 0)


class _Known(NamedTuple):
    """What functions that are handed in count for, what is known of others, and what is counted."""

    handed_in: float
    codes: dict[Code, float]
    scale: _Scale

    @property
    def whole(self) -> float:
        """What such a function counts for where a transform is applied to it: it is no layer."""
        return HANDED_IN if self.handed_in else 0.0


class _Place(NamedTuple):
    """Where an expression stands: in the unit, or in another function of the project."""

    at: Unit | Code

    def value(self, node: ast.expr) -> Value:
        return self.at.value(node) if isinstance(self.at, Unit) else self.at.record.values.get(node, UNKNOWN)

    def callee(self, node: ast.expr) -> Value:
        """What a call of an expression runs."""
        value = self.value(node)
        if value.callee is None and isinstance(self.at, Code) and isinstance(node, ast.Name):
            return value if self._given(node) else self.at.scope.lookup(node.id) or value
        return value

    def name(self, node: ast.expr) -> str | None:
        if isinstance(self.at, Unit):
            return self.at.resolve(node)
        return None if self._given(node) else self.at.scope.annotation(node)

    def _given(self, node: ast.expr) -> bool:
        """Whether an expression begins with a parameter of the function."""
        while isinstance(node, ast.Attribute | ast.Subscript):
            node = node.value
        own = [a.arg for a in self.at.parameters()] if isinstance(self.at, Code) else []
        return isinstance(node, ast.Name) and node.id in own


def _all(place: _Place, body: Sequence[ast.AST], known: _Known, depth: int) -> float:
    return sum(_count(place, part, known, depth) for part in body)


def _count(place: _Place, node: ast.AST, known: _Known, depth: int) -> float:
    """What works on arrays; a nested loop counts once per trip."""
    match node:
        case ast.FunctionDef() | ast.ClassDef() | ast.Lambda():
            return 0.0
        case ast.For(iter=iterable, body=body):
            return _count(place, iterable, known, depth) + _trips(place, node) * _all(place, body, known, depth)
        case ast.While(test=test, body=body):
            return NESTED * _all(place, [test, *body], known, depth)
        case ast.If(test=test, body=body, orelse=orelse):
            then, other = _all(place, body, known, depth) / _seldom(test), _all(place, orelse, known, depth)
            return _count(place, test, known, depth) + max(then, other)
        case ast.ListComp(elt=element) | ast.GeneratorExp(elt=element):
            return NESTED * _count(place, element, known, depth)
    if isinstance(node, ast.expr) and place.value(node).static:
        return 0.0
    own = 0.0
    match node:
        case ast.BinOp() | ast.Compare() | ast.UnaryOp(op=ast.USub() | ast.Invert()) | ast.AugAssign():
            own = 1.0
        case ast.Subscript(ctx=ast.Load(), value=value, slice=index) if place.value(value).array:
            own = known.scale.cut if isinstance(index, ast.Slice) else known.scale.read
        case ast.Call(func=function):
            own = _call(place, function, known, depth)
    return own + _all(place, list(ast.iter_child_nodes(node)), known, depth)


def _seldom(test: ast.expr) -> int:
    """On which trip a test comes true once: `i % 100 == 0`; on each for all other tests."""
    match test:
        case ast.Compare(left=ast.BinOp(op=ast.Mod(), right=every), ops=[ast.Eq()]):
            match every:
                case ast.Constant(value=int(number)) if number > 0:
                    return number
            return INTERVAL
        case ast.BoolOp(op=ast.And(), values=parts):
            return max(map(_seldom, parts))
    return 1


def _trips(place: _Place, loop: ast.For) -> int:
    if isinstance(place.at, Code):
        return NESTED
    trips = trips_of(place.at, tuple(streams_of(place.at, loop.target, loop.iter)))
    return NESTED if trips is None else trips


def _call(place: _Place, function: ast.expr, known: _Known, depth: int) -> float:
    """A call, without its arguments."""
    match function:
        case ast.Attribute(value=ast.Subscript(value=ast.Attribute(attr="at"))):
            return known.scale.update
    value = place.callee(function)
    if value.callee is not None:
        return _runs(value, known, depth)
    name = place.name(function)
    if name is not None:
        return _named(name, known)
    if isinstance(function, ast.Call) and function.args and (name := place.name(function.func)) is not None:
        inner = _call(place, function.args[0], known._replace(handed_in=known.whole), depth)
        return 1.0 if name in PROGRAMS else TIMES.get(name, 1.0) * inner
    if isinstance(function, ast.Attribute):
        owner = place.value(function.value)
        return 1.0 if owner.array or not isinstance(function.value, ast.Name) else known.handed_in
    return known.handed_in


def _runs(value: Value, known: _Known, depth: int) -> float:
    """What a call of a value dispatches."""
    match value.callee:
        case Transformed(transform=transform) if transform in PROGRAMS:
            return 1.0
        case Transformed(transform=transform, function=inner):
            return TIMES.get(transform, 1.0) * (_runs(inner, known, depth) if inner.callee else known.whole)
        case Partial(function=inner):
            return _runs(inner, known, depth) if inner.callee else known.handed_in
        case Closure(code):
            return _function(code, known, depth)
        case Named(name):
            return _named(name, known)
        case Instance():
            return known.handed_in
    return 1.0


def _named(name: str, known: _Known) -> float:
    if name.startswith(COSTLY):
        return known.scale.costly
    return 1.0 if name.startswith(JAX) else 0.0


def _function(code: Code, known: _Known, depth: int) -> float:
    if depth >= DEEPEST:
        return known.handed_in
    if code not in known.codes:
        known.codes[code] = 0.0  # it may call itself
        body: list[ast.AST] = [code.node.body] if isinstance(code.node, ast.Lambda) else list(code.node.body)
        known.codes[code] = _all(_Place(code), body, known, depth + 1)
    return known.codes[code]
