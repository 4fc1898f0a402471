"""Abstract calls of methods: of arrays, of containers, of strings, and of what is not known."""

from __future__ import annotations

import ast

from scanlint.trace.calls import derivative_rules
from scanlint.trace.calls.jax_results import ARRAY_ONLY_METHODS, CASTS, PYTHON_METHODS, describe
from scanlint.trace.domain.callables import Named, Transformed
from scanlint.trace.domain.elements import iterated
from scanlint.trace.domain.values import (
    STATIC,
    STATIC_INT,
    UNKNOWN,
    Value,
    but,
    contents,
    element_of,
    gathered,
    join_all,
)
from scanlint.trace.evaluator import Evaluator

PYTHON_TYPES = frozenset(f"builtins.{name}" for name in ("bool", "int", "float", "complex"))
MUTATORS = frozenset(["append", "insert", "extend", "add", "update"])


def method(
    self: Evaluator, node: ast.Call, receiver: Value, name: str, args: list[Value], keywords: dict[str, Value]
) -> Value:
    """A method of an array, a container, a string, or of something that is not known."""
    if isinstance(receiver.callee, Transformed):
        return derivative_rules.define(self, receiver.callee, name, args)
    if receiver.container is not None:
        return _container_method(self, node, receiver, name, args, keywords)
    if receiver.known and isinstance(receiver.constant, str):
        return STATIC
    if name == "at" or (name in ("set", "add", "multiply", "get", "min", "max") and _indexed_update(node)):
        return self.made(node, receiver.why, receiver.dtype, receiver.ndim, operands=(receiver, *args))
    if receiver.array or (receiver.traced and name not in ("replace", "items", "keys", "values", "get", "_replace")):
        if name in PYTHON_METHODS and receiver.traced and not self.caught:
            return _python_value(receiver, name, args)
        if name in PYTHON_METHODS or name == "block_until_ready":
            return UNKNOWN
        if not receiver.array and name not in ARRAY_ONLY_METHODS:
            return UNKNOWN
        result = describe(f"jax.numpy.{name}", [receiver, *args], keywords)
        dtype = _type_named(args[0]) if name == "astype" and args else result.dtype
        ndim = receiver.ndim if name == "astype" else result.ndim
        return self.made(node, receiver.why, dtype, ndim, operands=(receiver, *args))
    if receiver.traced and name in ("replace", "_replace"):
        return receiver
    if receiver.traced and name in ("items", "values", "keys"):
        return _view(name, UNKNOWN)
    return UNKNOWN


def _type_named(value: Value) -> str | None:
    """The dtype that a type stands for: `int`, `jnp.float32`."""
    if not isinstance(value.callee, Named):
        return None
    name = value.callee.name
    return CASTS.get(name) or (name.removeprefix("builtins.") if name in PYTHON_TYPES else None)


def _python_value(receiver: Value, name: str, args: list[Value]) -> Value:
    """The Python value that `x.item()` and `x.tolist()` would have; for a tracer they raise an error."""
    if name == "item" and receiver.array and not args:
        return but(receiver, ndim=0)
    if name == "tolist" and receiver.array and receiver.ndim == 0:
        return receiver
    if name == "tolist" and receiver.array:
        return gathered("list", None, but(receiver, ndim=None if receiver.ndim is None else receiver.ndim - 1))
    return UNKNOWN


def _indexed_update(node: ast.Call) -> bool:
    """`x.at[i].set(...)`."""
    match node.func:
        case ast.Attribute(value=ast.Subscript(value=ast.Attribute(attr="at"))):
            return True
    return False


def _view(name: str, inner: Value) -> Value:
    if name == "items":
        return gathered("view", None, gathered("tuple", (STATIC, inner)))
    return gathered("view", None, STATIC if name == "keys" else inner)


def _container_method(
    self: Evaluator, node: ast.Call, receiver: Value, name: str, args: list[Value], keywords: dict[str, Value]
) -> Value:
    """A method of a list, tuple or dict; those that change a named list change what the name is."""
    match name:
        case "items" | "keys" | "values":
            inside = receiver.items or tuple(receiver.fields.values())
            return _view(name, join_all(inside) if inside else receiver.element or UNKNOWN)
        case "get" | "pop" | "setdefault":
            key = args[0].constant if args else None
            return receiver.fields.get(key, UNKNOWN) if isinstance(key, str) else element_of(receiver)
        case "_replace" | "replace" | "copy":
            named_args = {k: v for k, v in keywords.items() if k != "**"}
            return but(receiver, fields={**receiver.fields, **named_args}) if receiver.fields else receiver
        case "index" | "count":
            return STATIC_INT
    match node.func:
        case ast.Attribute(value=ast.Name(id=target)) if name in MUTATORS and args:
            _mutate(self, target, receiver, name, args)
        case ast.Attribute(value=ast.Attribute(value=owner, attr=attribute)) if name in MUTATORS and args:
            added = UNKNOWN if name == "update" else iterated(args[0]) if name == "extend" else args[-1]
            element = join_all((*contents(receiver), added))
            self.set_attribute(self.eval(owner), attribute, gathered(receiver.container or "list", None, element))
    return UNKNOWN


def _mutate(self: Evaluator, target: str, receiver: Value, name: str, args: list[Value]) -> None:
    if target not in self.env:
        return
    if name == "append" and receiver.container == "list":
        if not self.loops and receiver.items is not None and len(receiver.items) < 32:
            self.env[target] = gathered("list", (*receiver.items, args[0]))
            return
        inside = [*(receiver.items or ()), *([receiver.element] if receiver.element else []), args[0]]
        self.env[target] = gathered("list", None, join_all(tuple(inside)))
        return
    self.env[target] = gathered(receiver.container or "list", None, UNKNOWN)
