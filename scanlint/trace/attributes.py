"""Evaluates `value.name` for an abstract value."""

from __future__ import annotations

import ast
from functools import lru_cache

from scanlint.jaxapi.canonical import canonical
from scanlint.trace.calls.derivative_rules import RULES
from scanlint.trace.calls.jax_results import ARRAY_METHODS, SAME_ATTRIBUTES, STATIC_ATTRIBUTES
from scanlint.trace.domain.callables import ClassRef, Method, Named, Transformed
from scanlint.trace.domain.values import (
    AXIS,
    RANK,
    STATIC,
    STATIC_INT,
    UNKNOWN,
    Instance,
    Kind,
    OneOf,
    Value,
    constant,
    join_all,
)
from scanlint.trace.evaluator import Evaluator
from scanlint.trace.members import FIRST, class_member, constant_of, member, rewrapped


def attribute(self: Evaluator, value: Value, name: str, node: ast.AST) -> Value:
    """`value.name`."""
    match value.callee:
        case Named("jax.config") if name == "jax_disable_jit" and self.frame.mode.traced:
            return constant(False)  # what is run so is not traced
        case Named(base):
            return constant_of(f"{base}.{name}") or self.world.find(f"{base}.{name}") or _named(base, name)
        case Method(receiver, "at"):
            return Value(Kind.STATIC, callee=Method(receiver, name))
        case ClassRef(owner):
            return class_member(self.world, owner, name)
        case OneOf(choices) if all(isinstance(c.callee, Instance) for c in choices):
            return join_all(tuple(attribute(self, choice, name, node) for choice in choices))
        case Transformed() if name in RULES:
            return Value(Kind.STATIC, callee=Method(value, name))
        case Instance() if name in ("_replace", "replace") and value.fields:
            return Value(Kind.STATIC, callee=Method(value, name))
        case Instance():
            made = self.frame.code.name not in FIRST  # one that makes the object may wrap its own methods
            found = (rewrapped(self.world, value, name) if made else None) or member(
                self.world, value, name, self.frame.mode
            )
            if found is not None:
                return found
    if name in value.fields:
        return value.fields[name]
    if name in STATIC_ATTRIBUTES:
        return _static_attribute(value, name)
    if value.array and name in SAME_ATTRIBUTES:
        return value
    if (value.array and name in ARRAY_METHODS) or name == "at":
        return Value(Kind.STATIC, callee=Method(value, name))
    if value.container is not None or (value.known and isinstance(value.constant, str)):
        return Value(Kind.STATIC, callee=Method(value, name))
    if value.callee is None and value.traced:
        return Value(Kind.UNKNOWN, callee=Method(value, name))
    return STATIC if value.static and value.callee is None else UNKNOWN


@lru_cache(10_000)
def _named(base: str, name: str) -> Value:
    """The canonical name of `base.name` outside the project, kept as files spell the same names again and again."""
    return Value(Kind.STATIC, callee=Named(canonical(f"{base}.{name}")))


def _static_attribute(value: Value, name: str) -> Value:
    if value.container is None and (value.array or value.traced):
        if name == "ndim" and value.ndim is not None:
            return constant(value.ndim)
        if name == "shape":
            items = tuple([AXIS] * value.ndim) if value.ndim is not None else None
            return Value(Kind.STATIC, container="tuple", items=items, element=AXIS)
    if name == "shape" and value.kind is Kind.UNKNOWN:
        return Value(Kind.STATIC, container="tuple", element=AXIS)
    if name == "size":
        return AXIS
    if name == "ndim":
        return RANK
    return STATIC_INT if name in ("itemsize", "nbytes") else STATIC
