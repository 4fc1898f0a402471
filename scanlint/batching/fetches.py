"""Values that a host loop fetches from the device, one by one: `float(f(x))`, `np.asarray(f(x))`, `f(x).item()`."""

from __future__ import annotations

import ast
from typing import NamedTuple

from scanlint.host.callees import by_jax
from scanlint.loops.loop import LoopModel
from scanlint.loops.rows.collected import Output
from scanlint.trace.unit import Unit

ARRAYS = frozenset(("numpy.array", "numpy.asarray", "numpy.stack"))
"""What makes a NumPy array of a list of results."""
NUMBERS = {"builtins.float": "float", "builtins.int": "int", "builtins.bool": "bool"}
WHOLE = frozenset(("numpy.array", "numpy.asarray", "jax.device_get"))


class Fetch(NamedTuple):
    """What JAX computes, and the Python number that it is made into; None where it stays an array of its dtype."""

    value: ast.expr
    number: str | None


def fetch(unit: Unit, element: ast.expr) -> Fetch:
    """What JAX computes of an element that is fetched; an element that is not is the value itself."""
    match element:
        case ast.Call(func=function, args=[inner], keywords=[]):
            name = unit.resolve(function) or ""
            if (name in NUMBERS or name in WHOLE) and by_jax(unit, inner):
                return Fetch(fetch(unit, inner).value, NUMBERS.get(name))
        case ast.Call(func=ast.Attribute(value=inner, attr="item"), args=[], keywords=[]) if by_jax(unit, inner):
            if (number := unit.value(inner).dtype) in NUMBERS.values():
                return Fetch(inner, number)
    return Fetch(element, None)


def makes_numpy(unit: Unit, call: ast.AST | None, node: ast.expr) -> bool:
    """Whether a call makes a NumPy array of a list, and does no more."""
    match call:
        case ast.Call(func=function, args=[first], keywords=keywords) if first is node:
            return unit.resolve(function) in ARRAYS and not keywords
    return False


def on_device(model: LoopModel) -> LoopModel:
    """The loop that collects what JAX computes; what is fetched of it is fetched all at once after the loop."""
    return LoopModel(
        model.unit,
        model.node,
        model.streams,
        model.starts,
        tuple(_kept(model.unit, output) for output in model.buffers),
        tuple(_kept(model.unit, output) for output in model.outputs if output not in model.buffers),
    )


def _kept(unit: Unit, output: Output) -> Output:
    found = fetch(unit, output.element)
    match output.element:
        case ast.Call(func=ast.Attribute(value=inner, attr="item"), args=[], keywords=[]) if (
            output.numpy and found.value is output.element and by_jax(unit, inner)
        ):
            found = Fetch(inner, None)  # it becomes a number of the array's dtype
    uses = [unit.parents.get(use) for use in output.uses]
    asked = any(isinstance(c, ast.Call) and (unit.resolve(c.func) or "").startswith("numpy.") for c in uses)
    numpy = output.numpy or (asked and by_jax(unit, found.value))
    return output._replace(element=found.value, numpy=numpy, dtype=output.dtype or found.number)
