"""Abstract evaluation of expressions: what each one is while JAX traces."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache

from scanlint.jaxapi.canonical import BUILTINS, canonical
from scanlint.trace import operators
from scanlint.trace.calls import dispatch
from scanlint.trace.calls.derivative_rules import RULES
from scanlint.trace.calls.jax_results import ARRAY_METHODS, SAME_ATTRIBUTES, STATIC_ATTRIBUTES
from scanlint.trace.domain.callables import ClassRef, Closure, Frame, Instance, Method, Named, Transformed, World
from scanlint.trace.domain.elements import element, indexed_ndim, iterated, length_of, stored, unpacked
from scanlint.trace.domain.evidence import Reason
from scanlint.trace.domain.values import (
    AXIS,
    RANK,
    STATIC,
    STATIC_INT,
    UNKNOWN,
    Kind,
    OneOf,
    Unset,
    Value,
    constant,
    contents,
    element_of,
    gathered,
    holds_tracer,
    join,
    join_all,
    record,
)
from scanlint.trace.members import class_member, constant_of, kept, member


class Expressions:
    """Evaluates expressions in one frame; keeps the value of each node."""

    def __init__(self, world: World, frame: Frame) -> None:
        self.world = world
        self.frame = frame
        self.env = frame.env
        self.record = frame.code.record
        self.values = None if frame.scratch or not self.record.keep else {} if frame.joining else self.record.values
        self.quiet = 0
        self.loops = 0
        self.decorator: ast.expr | None = None
        self.statement: ast.AST | None = None

    @property
    def traced(self) -> bool:
        return self.frame.mode.traced

    def eval(self, node: ast.expr) -> Value:
        """The value of an expression, noted for the rules."""
        value = _EVALUATORS.get(type(node), _unknown)(self, node)
        if self.values is not None:
            self.values[node] = UNKNOWN if self.quiet else value
        return value

    def truth(self, node: ast.expr) -> Value:
        """The value of a test. The truth of a bare name whose value was never computed is no evidence."""
        value = self.eval(node)
        if not value.traced or value.array or not self.bare(node):
            return value
        if self.values is not None:
            self.values[node] = UNKNOWN
        return UNKNOWN

    def bare(self, node: ast.expr) -> bool:
        """Whether nothing shows that an expression gives an array: of what numbers index, every element is one."""
        match node:
            case ast.Subscript(slice=ast.Tuple() | ast.Slice() | ast.Constant(value=None)):
                return False
            case ast.Subscript(slice=ast.Constant()):
                return True
            case ast.Subscript(slice=index):
                found = self.eval(index)
                return not (found.traced or found.dtype == "int")
        return isinstance(node, ast.Name | ast.Attribute)

    def made(
        self,
        node: ast.AST,
        why: Reason | None = None,
        dtype: str | None = None,
        ndim: int | None = None,
        array: bool = True,
        operands: Iterable[Value] = (),
    ) -> Value:
        """What a call of JAX gives here: a tracer, or in host code (of no tracers, under `vmap`) a concrete array."""
        if not self.traced or (self.frame.mode.batched and not any(holds_tracer(v) for v in operands)):
            return Value(Kind.UNKNOWN, array, dtype=dtype, ndim=ndim)
        return Value(Kind.TRACED, array, dtype=dtype, ndim=ndim, why=why or Reason("", self.frame.code.scope, node))

    def closure(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, name: str) -> Value:
        """A function defined here."""
        code = self.world.code(node, f"{self.frame.code.qualname}.<locals>.{name}", self.frame)
        if code not in self.frame.made:
            self.frame.made.append(code)
        return Value(Kind.STATIC, callee=Closure(code, self.frame))

    def decorate(self, node: ast.expr, function: Value) -> Value:
        """The function under one decorator; one that is not known leaves it as it is."""
        decorator = self.eval(node)
        self.decorator = node
        applied = dispatch.apply(self, ast.copy_location(ast.Call(node, [], []), node), decorator, [function], {})
        self.decorator = None
        foreign = isinstance(decorator.callee, Named) and decorator.callee.name.startswith(
            ("numba.", "builtins.property")
        )
        return applied if applied is not UNKNOWN or foreign else function

    def name(self, target: ast.expr, value: Value, statement: ast.AST) -> None:
        """Assign in a statement, which becomes the evidence of what it names."""
        self.statement = statement
        self.bind(target, value)
        self.statement = None

    def bind(self, target: ast.expr, value: Value) -> None:
        """Assign a value to a target."""
        match target:
            case ast.Name(id=name):
                if value.traced and self.statement is not None:
                    value = self.credited(value, name, self.statement)
                self.env[name] = UNKNOWN if name in self.frame.shared else value
                self.note(target, value)
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                for part, inner in zip(elts, unpacked(value, elts), strict=True):
                    self.bind(part.value if isinstance(part, ast.Starred) else part, inner)
            case ast.Attribute(value=owner):
                self.set_attribute(self.eval(owner), target.attr, value)
            case ast.Subscript(value=ast.Name(id=name) as owner):
                self.eval(target.slice)
                self.env[name] = stored(self.eval(owner), target.slice, value)
            case ast.Subscript():
                self.eval(target.value)
                self.eval(target.slice)

    def credited(self, value: Value, name: str, statement: ast.AST) -> Value:
        """A traced value with the statement that names it as the nearest link of its evidence."""
        why = value.why
        if why is not None and not why.text and why.node is getattr(statement, "value", None):
            why = why.cause
        return replace(value, why=Reason("", self.frame.code.scope, statement, why, name))

    def note(self, node: ast.AST, value: Value) -> None:
        if self.values is not None:
            self.values[node] = UNKNOWN if self.quiet else value

    def set_attribute(self, owner: Value, name: str, value: Value) -> None:
        """`self.x = ...`: what any method of the class may read later."""
        if isinstance(owner.callee, Instance):
            info = self.world.class_info(owner.callee.name)
            if info is not None:
                self.world.give(info, name, kept(value))


def _unknown(self: Expressions, node: ast.expr) -> Value:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            self.eval(child)
    return UNKNOWN


def _constant(self: Expressions, node: ast.Constant) -> Value:
    return constant(node.value)


def _name(self: Expressions, node: ast.Name) -> Value:
    found = self.frame.lookup(node.id)
    if found is not None:
        return found
    found = self.frame.code.scope.lookup(node.id)
    if found is not None:
        return found
    return Value(Kind.STATIC, callee=Named(f"builtins.{node.id}")) if node.id in BUILTINS else UNKNOWN


def _attribute(self: Expressions, node: ast.Attribute) -> Value:
    return attribute(self, self.eval(node.value), node.attr, node)


def attribute(self: Expressions, value: Value, name: str, node: ast.AST) -> Value:
    """`value.name`."""
    match value.callee:
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
            found = member(self.world, value, name, self.frame.mode)
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
    """What `base.name` is outside the project; files spell the same names again and again."""
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


def _subscript(self: Expressions, node: ast.Subscript) -> Value:
    value, key = self.eval(node.value), self.eval(node.slice)
    match value.callee:
        case Method(receiver, "at"):
            return Value(Kind.STATIC, callee=Method(receiver, "at"))
    if value.container is not None:
        found = element(value, key, node.slice)
        if found.origin == "shape" and key.constant == -1:
            return replace(found, origin="feature")
        return found
    if value.array:
        ndim = indexed_ndim(value.ndim, node.slice)
        if not value.traced and holds_tracer(key):  # a row of a constant table: which one is known when it runs
            return self.made(node, Reason("", self.frame.code.scope, node, key.why), value.dtype, ndim, operands=(key,))
        return replace(value, ndim=ndim, constant=Unset.UNSET, callee=None)
    if value.traced:
        sliced = isinstance(node.slice, ast.Tuple) or _has_ellipsis(node.slice)  # `params[1:]` may be a list
        return replace(value, array=sliced, ndim=None, dtype=None, callee=None)
    if key.traced and key.array:
        return self.made(node, Reason("", self.frame.code.scope, node, key.why), operands=(key,))
    if value.static and value.callee is None:
        return STATIC_INT if value.dtype == "int" else STATIC
    return UNKNOWN


def _has_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


def _slice(self: Expressions, node: ast.Slice) -> Value:
    parts = [self.eval(p) for p in (node.lower, node.upper, node.step) if p is not None]
    return STATIC if all(p.static for p in parts) else UNKNOWN


def _sequence(self: Expressions, node: ast.Tuple | ast.List | ast.Set) -> Value:
    name = type(node).__name__.lower()
    if ast.Starred in map(type, node.elts):
        values = [self.eval(e) for e in node.elts]
        inner = [element_of(v) if isinstance(e, ast.Starred) else v for v, e in zip(values, node.elts, strict=True)]
        return gathered(name, None, join_all(tuple(inner)))
    return gathered(name, tuple([self.eval(e) for e in node.elts]))


def _dict(self: Expressions, node: ast.Dict) -> Value:
    keys = [None if k is None else self.eval(k).constant for k in node.keys]
    values = [self.eval(v) for v in node.values]
    if keys and all(isinstance(k, str) for k in keys):
        return record("dict", {str(k): v for k, v in zip(keys, values, strict=True)})
    if not values:
        return Value(Kind.STATIC, container="dict", items=())
    if None in keys:
        merged = [(v,) if key is not None else _items(v) for key, v in zip(node.keys, values, strict=True)]
        parts = tuple(part for row in merged for part in row)
        return Value(Kind.UNKNOWN, container="dict", element=join_all(parts) if parts else UNKNOWN)
    return gathered("dict", None, join_all(tuple(values)))


def _items(value: Value) -> tuple[Value, ...]:
    """What `**value` puts into a dict."""
    if value.container != "dict":
        return (UNKNOWN,)
    return () if value.items == () else contents(value) or (UNKNOWN,)


def _if_exp(self: Expressions, node: ast.IfExp) -> Value:
    test = self.truth(node.test)
    if test.certain:
        return self.eval(node.body if test.constant else node.orelse)
    return join(self.eval(node.body), self.eval(node.orelse), loop=test.traced)


def _named_expr(self: Expressions, node: ast.NamedExpr) -> Value:
    value = self.eval(node.value)
    self.name(node.target, value, node)
    return value


def _lambda(self: Expressions, node: ast.Lambda) -> Value:
    return self.closure(node, "<lambda>")


def _string(self: Expressions, node: ast.JoinedStr) -> Value:
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            self.eval(part.value)
    return Value(Kind.STATIC, dtype="str")


def _starred(self: Expressions, node: ast.Starred) -> Value:
    return self.eval(node.value)


def _comprehension(self: Expressions, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Value:
    saved = dict(self.env)
    count: int | None = None
    for generator in node.generators:
        iterable = self.eval(generator.iter)
        count = length_of(iterable) if len(node.generators) == 1 and not generator.ifs else None
        self.name(generator.target, iterated(iterable), generator)
        for condition in generator.ifs:
            self.truth(condition)
    if isinstance(node, ast.DictComp):
        self.eval(node.key)
        element = self.eval(node.value)
    else:
        element = self.eval(node.elt)
    self.env.clear()
    self.env.update(saved)
    if isinstance(node, ast.DictComp):
        return Value(Kind.UNKNOWN, container="dict", element=element)
    if count is not None and count <= 16:
        return gathered("list", (replace(element, constant=Unset.UNSET),) * count)
    return gathered("list", None, replace(element, constant=Unset.UNSET))


def _yield(self: Expressions, node: ast.Yield) -> Value:
    self.frame.yielded.append(self.eval(node.value) if node.value is not None else constant(None))
    return UNKNOWN


def _yield_from(self: Expressions, node: ast.YieldFrom) -> Value:
    self.frame.yielded.append(iterated(self.eval(node.value)))
    return UNKNOWN


def _call(self: Expressions, node: ast.Call) -> Value:
    return dispatch.call(self, node)


_EVALUATORS: dict[type[ast.AST], Callable[..., Value]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.Tuple: _sequence,
    ast.List: _sequence,
    ast.Set: _sequence,
    ast.Dict: _dict,
    ast.BinOp: operators.binary_operator,
    ast.UnaryOp: operators.unary_operator,
    ast.BoolOp: operators.bool_operator,
    ast.Compare: operators.compare_operator,
    ast.IfExp: _if_exp,
    ast.NamedExpr: _named_expr,
    ast.Lambda: _lambda,
    ast.JoinedStr: _string,
    ast.Starred: _starred,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _comprehension,
    ast.Call: _call,
    ast.Yield: _yield,
    ast.YieldFrom: _yield_from,
}
