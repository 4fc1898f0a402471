"""Runs a function on shapes alone: loops once or twice, both arms of branches, callees of its file."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from ..runtime.free_names import placed_parameters
from .dims import ONE, Dim
from .shape_expressions import Names, ShapeExpressions
from .shape_values import (
    IMPOSSIBLE,
    Arr,
    ChangedFunction,
    ItemValues,
    LocalFunction,
    ManyValues,
    NamedValues,
    Num,
    Value,
)

DEEPEST = 4
PLAIN = frozenset(["jit", "checkpoint", "remat", "partial"])
WRITES = frozenset(["set", "add", "multiply", "divide", "min", "max", "power", "mul"])


class ShapeWalk(ShapeExpressions):
    """Runs statements and calls; `returned` is the result so far."""

    def __init__(
        self, functions: Mapping[str, ast.FunctionDef | ast.AsyncFunctionDef], numbers: Collection[str] = ()
    ) -> None:
        super().__init__(functions, numbers)
        self.returned: Value = None
        self.depth = 0

    # -- statements

    def run(self, body: Sequence[ast.stmt]) -> None:
        for statement in body:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.FunctionDef():
                self.names[node.name] = LocalFunction(node, self.names)
            case ast.Assign(targets=targets, value=value):
                found = self.of(value)
                if isinstance(targets[0], ast.Name) and targets[0].id in _read(value):
                    self.updated(self.names.get(targets[0].id), found)
                for target in targets:
                    self.bind(target, found)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self.bind(target, self.of(value))
            case ast.AugAssign(target=target, op=op, value=value):
                before = self.of(target)
                found = self.operation(before, op, self.of(value))
                self.updated(before, found)
                self.bind(target, found)
            case ast.For(target=target, iter=iterable):
                entry = self.entry(iterable)
                self.loop(node, lambda: self.bind(target, entry))
            case ast.While(test=test):
                self.loop(node, lambda: self.truth(self.of(test)))
            case ast.If(test=test, body=body, orelse=orelse):
                self.truth(self.of(test))
                self.branch(body, orelse)
            case ast.With(body=body):
                self.run(body)
            case ast.Return(value=ast.expr() as value):
                found = self.of(value)
                self.returned = found if self.returned is None else self.returned
            case ast.Expr(value=value):
                self.of(value)

    def loop(self, node: ast.For | ast.While, trip: object) -> None:
        """One trip, and a second one where names became arrays; what is carried keeps its shape."""
        for again in (False, True):
            before = dict(self.names)
            assert callable(trip)
            trip()
            self.run(node.body)
            for name, value in before.items():
                self.steady(value, self.names.get(name))
            changed = (n for n, v in before.items() if type(v) is not type(self.names.get(n)) and v is not None)
            if again or not any(changed):
                break
        self.run(node.orelse)

    def branch(self, body: Sequence[ast.stmt], orelse: Sequence[ast.stmt]) -> None:
        before = dict(self.names)
        self.run(body)
        first, self.names = self.names, before
        self.run(orelse)
        for name, value in first.items():
            if isinstance(value, Arr) or self.names.get(name) is None:
                self.names[name] = value

    def bind(self, target: ast.expr, value: Value) -> None:
        match target:
            case ast.Name(id=name):
                self.names[name] = value
            case ast.Tuple(elts=targets) | ast.List(elts=targets) if not any(
                isinstance(t, ast.Starred) for t in targets
            ):
                if isinstance(value, Arr) and value.shape:
                    self.same(value.shape[0], Dim(len(targets)), value.by) if len(targets) > 1 else None
                parts = value.parts if isinstance(value, ItemValues) else (self.first(value),) * len(targets)
                for at, inner in enumerate(targets):
                    self.bind(inner, parts[at] if at < len(parts) else None)
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str() as key)):
                held = self.names.get(name)
                if isinstance(held, NamedValues):
                    self.names[name] = NamedValues({**held.held, key: value})

    def entry(self, iterable: ast.expr) -> Value:
        """Bind the target of a loop for one trip."""
        match iterable:
            case ast.Call(func=ast.Name(id="range"), args=args):
                for node in (n for a in args for n in ast.walk(a) if isinstance(n, ast.Name)):
                    self.noted(self.read, self.of(node), 1)
                return Num(None, _end([v.size if isinstance(v := self.of(a), Num) else None for a in args]), trip=True)
            case ast.Call(func=ast.Name(id="enumerate"), args=[inner, *_]):
                return ItemValues((Num(trip=True), self.entry(inner)))
            case ast.Call(func=ast.Name(id="zip"), args=args):
                values = [self.of(a) for a in args]
                rows = [v for v in values if isinstance(v, Arr) and v.shape]
                for row in rows[1:]:
                    self.dims.unify(rows[0].shape[0], row.shape[0])
                return ItemValues(tuple(map(self.row, values)))
            case ast.Call(func=ast.Name(id="reversed"), args=[inner]):
                return self.entry(inner)
        return self.row(self.of(iterable))

    def row(self, value: Value) -> Value:
        self.noted(self.read, value, 1)
        found = self.first(value)
        return replace(found, trip=True) if isinstance(found, Arr) else found

    # -- calls

    def call(self, node: ast.Call) -> Value:
        match node.func:
            case ast.Name(id="range" | "enumerate" | "zip" | "reversed"):
                return ManyValues(self.entry(node))
            case ast.Attribute(value=ast.Subscript(value=ast.Attribute(value=base, attr="at"), slice=place), attr=attr):
                return self.written(self.of(base), place, attr, [self.of(a) for a in node.args])
            case ast.Attribute(value=ast.Name(id=name), attr="append") if node.args:
                entry = self.of(node.args[0])
                self.names[name] = (
                    ManyValues(entry) if isinstance(self.names.get(name), ItemValues | ManyValues) else None
                )
                return None
        args = [self.of(a) for a in node.args if not isinstance(a, ast.Starred)]
        named = {k.arg: self.of(k.value) for k in node.keywords if k.arg}
        given = [_constant(a) for a in node.args]
        told = {k.arg: _constant(k.value) for k in node.keywords if k.arg}
        if isinstance(node.func, ast.Attribute):
            owner = self.of(node.func.value)
            if isinstance(owner, Arr):
                return self.library(node.func.attr, [owner, *args], named, [..., *given], told)
            if owner is None:
                return self.function(node.func.attr, args, named, given, told)
        elif isinstance(node.func, ast.Name) and self.of(node.func) is None:
            return self.function(node.func.id, args, named, given, told)
        return self.applied(self.of(node.func), args, named)

    def written(self, base: Value, place: ast.expr, attr: str, args: Sequence[Value]) -> Value:
        """`x.at[i].set(v)` has the shape of `x`; `v` broadcasts to what is written over."""
        part = self.indexed(base, place)
        if attr == "get" or attr not in WRITES:
            return part
        value = args[0] if args else None
        if isinstance(part, Arr) and isinstance(value, Arr):
            if len(value.shape) > len(part.shape):
                self.against(IMPOSSIBLE, part.by | value.by)
            else:
                self.joined(part.shape, value.shape, part.by | value.by)
        return base

    def function(
        self,
        name: str,
        args: Sequence[Value],
        named: Mapping[str, Value],
        given: Sequence[object],
        told: Mapping[str, object],
    ) -> Value:
        """A function by its last name: those that take functions, then what the library knows."""
        first = args[0] if args else None
        match name:
            case "len":
                size = self.length(first)
                return Num(size)
            case "float" | "int" | "bool":
                return first if isinstance(first, Num) else Num()
            case "list" | "tuple" | "dict" | "asarray":
                return first
            case "abs" | "max" | "min" if isinstance(first, Num):
                return Num()
            case "vmap" | "grad" | "value_and_grad":
                return ChangedFunction(name, first, named.get("in_axes", args[1] if len(args) > 1 else None))
            case "scan" if len(args) > 2:
                return self.scanned(first, args[1], args[2])
            case "fori_loop" if len(args) > 3:
                self.steady(args[3], self.applied(args[2], [Num(), args[3]], {}))
                return args[3]
            case "while_loop" if len(args) > 2:
                self.steady(args[2], self.applied(args[1], [args[2]], {}))
                return args[2]
            case "cond" if len(args) > 2:
                found, _ = (self.applied(f, args[3:], {}) for f in args[1:3])
                return found
            case "einsum" if isinstance(first, str):
                return self.summed(first, args[1:])
        if name in PLAIN:
            return first if len(args) == 1 else None
        return self.library(name, args, named, given, told)

    def scanned(self, body: Value, start: Value, rows: Value) -> Value:
        found = self.applied(body, [start, self.mapped(rows)], {})
        if not isinstance(found, ItemValues) or len(found.parts) != 2:
            return None
        carry, out = found.parts
        self.steady(start, carry)
        length = self.length(rows) or self.dims.fresh()
        return ItemValues((start, self.with_axis(out, 0, length) if isinstance(out, Arr) else None))

    def mapped(self, value: Value) -> Value:
        """One row of each array."""
        match value:
            case ItemValues(parts=parts):
                return ItemValues(tuple(map(self.mapped, parts)))
            case NamedValues(held=held):
                return NamedValues({n: self.mapped(v) for n, v in held.items()})
        return self.first(value)

    def applied(self, function: Value, args: Sequence[Value], named: Mapping[str, Value]) -> Value:
        match function:
            case LocalFunction(node=node, names=names):
                return self.into(node, names, args, named)
            case ChangedFunction(kind="vmap", function=inner, axes=None):
                rows = [v for v in args if isinstance(v, Arr) and v.shape]
                for row in rows[1:]:
                    self.same(rows[0].shape[0], row.shape[0], rows[0].by | row.by)
                found = self.applied(inner, [self.mapped(a) for a in args], {})
                return self.with_axis(found, 0, rows[0].shape[0]) if isinstance(found, Arr) and rows else None
            case ChangedFunction(kind="grad" | "value_and_grad" as kind, function=inner):
                found = self.applied(inner, args, named)
                if isinstance(found, Arr) and found.shape:
                    self.against(IMPOSSIBLE, found.by)
                return args[0] if args and kind == "grad" else ItemValues((Arr(()), *args[:1]))
        return None

    def into(
        self, node: ast.FunctionDef | ast.Lambda, names: Names, args: Sequence[Value], named: Mapping[str, Value]
    ) -> Value:
        """The result of a function of the file, or of one that is defined in it."""
        if self.depth >= DEEPEST or node.args.vararg or node.args.kwarg:
            return None
        listed = [parameter.arg for parameter in placed_parameters(node.args)]
        usual = dict(zip(listed[::-1], map(self.of, node.args.defaults[::-1]), strict=False))
        outside = self.names, self.returned
        self.names, self.returned = {**names, **usual, **dict(zip(listed, args, strict=False)), **named}, None
        self.depth += 1
        if isinstance(node, ast.Lambda):
            self.returned = self.of(node.body)
        else:
            self.run(node.body)
        found = self.returned
        self.depth -= 1
        self.names, self.returned = outside
        return found


def _end(sizes: Sequence[Dim | None]) -> Dim | None:
    """The bound that the numbers of a `range` stay below; one that counts down starts there."""
    match sizes:
        case [stop] | [_, stop]:
            return stop
        case [Dim() as start, _, Dim(const=-1, terms=())]:
            return start.plus(ONE)
    return None


def _read(node: ast.expr) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _constant(node: ast.expr) -> object:
    """The value of a constant; `...` for what is none, so that None is a constant."""
    try:
        found: object = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return ...
    return found
