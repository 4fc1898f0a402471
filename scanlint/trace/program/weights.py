"""Roughly how many equations a call adds to a traced program."""

from __future__ import annotations

import ast

from scanlint.jaxapi.words import words
from scanlint.trace.domain.callables import Closure, Code, Partial, Transformed, World
from scanlint.trace.domain.values import Instance, Value

DEEPEST = 4
LARGEST = 10_000.0
RANDOM, LINEAR, SHUFFLE = 60.0, 30.0, 15.0
_LIGHT_RANDOM = frozenset(["key", "PRNGKey", "fold_in", "key_data", "wrap_key_data"])
_HEAVY = {
    **dict.fromkeys(words("quantile percentile unique"), 40.0),
    **dict.fromkeys(words("median interp searchsorted"), 20.0),
    **dict.fromkeys(words("sort argsort"), SHUFFLE),
    **dict.fromkeys(words("convolve logsumexp cross"), 10.0),
    **dict.fromkeys(words("softmax log_softmax gelu std"), 8.0),
    "cov": 12.0,
    "var": 6.0,
    "roll": 4.0,
    "mean": 3.0,
    "einsum": 3.0,
}


def library_weight(name: str) -> float | None:
    """The weight of one of JAX's functions; None for a light one."""
    root, _, last = name.rpartition(".")
    if root == "jax.random":
        return 20.0 if last in _LIGHT_RANDOM or last == "split" else RANDOM
    if root.endswith(("linalg", "fft", "special", "stats")) or ".stats." in name:
        return LINEAR
    return _HEAVY.get(last) if name.startswith("jax.") else None


class Weights:
    """Weights of functions by canonical name, summed up through the calls that they make when they are asked for."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._known: dict[Code, float] = {}

    def of(self, name: str) -> float | None:
        """The weight of a function; None for one that is light, or not known."""
        return self._weight(name, 0)

    def _weight(self, name: str, depth: int) -> float | None:
        known = library_weight(name)
        if known is not None or depth >= DEEPEST:
            return known
        value = self._world.find(name)
        code = _code(value) if value is not None else None
        return self._function(code, depth) if code is not None else None

    def _own(self, code: Code, function: ast.expr) -> str | None:
        """The method that `self.f` is, or the `__call__` of the class of which it is an object."""
        info = self._world.class_info(code.owner) if code.owner is not None else None
        if info is None or not isinstance(function, ast.Attribute):
            return None
        if not isinstance(function.value, ast.Name) or function.value.id != code.first:
            return None
        if function.attr in info.methods:
            return f"{info.name}.{function.attr}"
        part = self._world.attribute(info, function.attr)
        return f"{part.callee.name}.__call__" if part is not None and isinstance(part.callee, Instance) else None

    def _function(self, code: Code, depth: int) -> float:
        """Operators and calls in a function; a loop counts its body a few times."""
        if code not in self._known:
            self._known[code] = 1.0
            self._known[code] = min(self._body(code, code.node, depth), LARGEST)
        return self._known[code]

    def _body(self, code: Code, node: ast.AST, depth: int) -> float:
        total = 0.0
        for child in ast.iter_child_nodes(node):
            match child:
                case ast.BinOp() | ast.Compare() | ast.UnaryOp() | ast.AugAssign():
                    total += 1.0
                case ast.Call(func=function):
                    name = self._own(code, function) or code.scope.annotation(function)
                    weight = self._weight(name, depth + 1) if name is not None else None
                    total += weight if weight is not None else 2.0 if name and name.startswith("jax.") else 1.0
                case ast.For():
                    total += 4.0 * self._body(code, child, depth)
                    continue
            total += self._body(code, child, depth)
        return total


def _code(value: Value) -> Code | None:
    match value.callee:
        case Closure(code):
            return code
        case Partial(function) | Transformed(_, function):
            return _code(function)
    return None
