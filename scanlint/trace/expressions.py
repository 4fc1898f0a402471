"""Abstract evaluation of expressions: what each one is while JAX traces."""

from __future__ import annotations

import ast
from collections.abc import Callable

from scanlint.jaxapi.canonical import BUILTINS
from scanlint.trace import operators
from scanlint.trace.attributes import attribute
from scanlint.trace.calls import dispatch
from scanlint.trace.domain.callables import Method, Named
from scanlint.trace.domain.elements import element, indexed_ndim, items_of, iterated, length_of
from scanlint.trace.domain.evidence import Reason
from scanlint.trace.domain.values import (
    STATIC,
    STATIC_INT,
    UNKNOWN,
    Kind,
    Unset,
    Value,
    but,
    constant,
    contents,
    element_of,
    gathered,
    holds_tracer,
    join,
    join_all,
    record,
)
from scanlint.trace.evaluator import Evaluator


class Expressions(Evaluator):
    """Evaluates each kind of expression."""

    def eval(self, node: ast.expr) -> Value:
        """The value of an expression, noted for the rules."""
        value = _EVALUATORS.get(node.__class__, _unknown)(self, node)
        if self.values is not None:
            self.values[node] = UNKNOWN if self.quiet else value
        return value

    def apply(self, node: ast.Call, function: Value, args: list[Value], keywords: dict[str, Value]) -> Value:
        return dispatch.apply(self, node, function, args, keywords)

    def decorate(self, node: ast.expr, function: Value) -> Value:
        """The function under one decorator; one that is not known leaves it as it is."""
        decorator = self.eval(node)
        self.decorator = node
        applied = self.apply(ast.copy_location(ast.Call(node, [], []), node), decorator, [function], {})
        self.decorator = None
        foreign = isinstance(decorator.callee, Named) and decorator.callee.name.startswith(
            ("numba.", "builtins.property")
        )
        return applied if applied is not UNKNOWN or foreign else function


def _unknown(self: Evaluator, node: ast.expr) -> Value:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            self.eval(child)
    return UNKNOWN


def _constant(self: Evaluator, node: ast.Constant) -> Value:
    return constant(node.value)


def _name(self: Evaluator, node: ast.Name) -> Value:
    found = self.frame.lookup(node.id)
    if found is not None:
        return found
    found = self.frame.code.scope.lookup(node.id)
    if found is not None:
        return found
    return Value(Kind.STATIC, callee=Named(f"builtins.{node.id}")) if node.id in BUILTINS else UNKNOWN


def _attribute(self: Evaluator, node: ast.Attribute) -> Value:
    return attribute(self, self.eval(node.value), node.attr, node)


def _subscript(self: Evaluator, node: ast.Subscript) -> Value:
    value, key = self.eval(node.value), self.eval(node.slice)
    match value.callee:
        case Method(receiver, "at"):
            return Value(Kind.STATIC, callee=Method(receiver, "at"))
    if value.container is not None:
        found = element(value, key, node.slice)
        if found.origin == "shape" and key.constant == -1:
            return but(found, origin="feature")
        return found
    if value.array:
        ndim = indexed_ndim(value.ndim, node.slice)
        if not value.traced and holds_tracer(key):  # a row of a constant table: which one is known when it runs
            return self.made(node, Reason("", self.frame.code.scope, node, key.why), value.dtype, ndim, operands=(key,))
        return but(value, ndim=ndim, constant=Unset.UNSET, callee=None)
    if value.traced:
        sliced = isinstance(node.slice, ast.Tuple) or _has_ellipsis(node.slice)  # `params[1:]` may be a list
        return but(value, array=sliced, ndim=None, dtype=None, callee=None)
    if key.traced and key.array:
        return self.made(node, Reason("", self.frame.code.scope, node, key.why), operands=(key,))
    if value.static and value.callee is None:
        return STATIC_INT if value.dtype == "int" else STATIC
    return UNKNOWN


def _has_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


def _slice(self: Evaluator, node: ast.Slice) -> Value:
    parts = [self.eval(p) for p in (node.lower, node.upper, node.step) if p is not None]
    return STATIC if all(p.static for p in parts) else UNKNOWN


def _sequence(self: Evaluator, node: ast.Tuple | ast.List | ast.Set) -> Value:
    name = type(node).__name__.lower()
    if ast.Starred in map(type, node.elts):
        values = [self.eval(e) for e in node.elts]
        rows = [items_of(v) if isinstance(e, ast.Starred) else (v,) for v, e in zip(values, node.elts, strict=True)]
        if None not in rows:
            return gathered(name, tuple(v for row in rows for v in row or ()))
        inner = [element_of(v) if isinstance(e, ast.Starred) else v for v, e in zip(values, node.elts, strict=True)]
        return gathered(name, None, join_all(tuple(inner)))
    return gathered(name, tuple([self.eval(e) for e in node.elts]))


def _dict(self: Evaluator, node: ast.Dict) -> Value:
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
    """The items that `**value` puts into a dict."""
    if value.container != "dict":
        return (UNKNOWN,)
    return () if value.items == () else contents(value) or (UNKNOWN,)


def _if_exp(self: Evaluator, node: ast.IfExp) -> Value:
    test = self.truth(node.test)
    if test.certain:
        return self.eval(node.body if test.constant else node.orelse)
    return join(self.eval(node.body), self.eval(node.orelse), loop=test.traced)


def _named_expr(self: Evaluator, node: ast.NamedExpr) -> Value:
    value = self.eval(node.value)
    self.name(node.target, value, node)
    return value


def _lambda(self: Evaluator, node: ast.Lambda) -> Value:
    return self.closure(node, "<lambda>")


def _string(self: Evaluator, node: ast.JoinedStr) -> Value:
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            self.eval(part.value)
    return Value(Kind.STATIC, dtype="str")


def _starred(self: Evaluator, node: ast.Starred) -> Value:
    return self.eval(node.value)


def _comprehension(self: Evaluator, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Value:
    saved = dict(self.env)
    count: int | None = None
    if (parts := _one_by_one(self, node)) is not None:
        return gathered("list", parts)
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
        return gathered("list", (but(element, constant=Unset.UNSET),) * count)
    return gathered("list", None, but(element, constant=Unset.UNSET))


MOST_FUNCTIONS = 8
"""Functions in a comprehension that are called one by one; what more of them give is joined."""


def _one_by_one(
    self: Evaluator, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
) -> tuple[Value, ...] | None:
    """The elements of `f(x) for f in functions`, where the functions are known."""
    match node:
        case ast.ListComp(generators=[ast.comprehension(ifs=[], is_async=0) as generator]):
            pass
        case ast.GeneratorExp(generators=[ast.comprehension(ifs=[], is_async=0) as generator]):
            pass
        case _:
            return None
    items = self.eval(generator.iter).items or ()
    if not 1 < len(items) <= MOST_FUNCTIONS or not any(_calls(item) for item in items):
        return None
    saved, values, made = dict(self.env), self.values, []
    noted: dict[ast.AST, Value] = {}
    for item in items:
        self.values = {} if values is not None else None
        self.name(generator.target, item, generator)
        made.append(self.eval(node.elt))
        for part, value in (self.values or {}).items():
            noted[part] = join(noted[part], value) if part in noted else value
        self.env.clear()
        self.env.update(saved)
    self.values = values
    if values is not None:
        values |= noted
    return tuple(made)


def _calls(item: Value) -> bool:
    """Whether an item is a function, or has one among its own items."""
    return item.callee is not None or any(part.callee is not None for part in item.items or ())


def _yield(self: Evaluator, node: ast.Yield) -> Value:
    self.frame.yielded.append(self.eval(node.value) if node.value is not None else constant(None))
    return UNKNOWN


def _yield_from(self: Evaluator, node: ast.YieldFrom) -> Value:
    self.frame.yielded.append(iterated(self.eval(node.value)))
    return UNKNOWN


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
    ast.Call: dispatch.call,
    ast.Yield: _yield,
    ast.YieldFrom: _yield_from,
}
