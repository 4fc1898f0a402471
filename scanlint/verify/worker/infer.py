"""What each parameter must be, from how the function and its callees use it."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from .need import (
    ARRAY_ATTRIBUTES,
    KEY_CALLS,
    MATRIX_CALLS,
    SAME_SHAPE,
    SQUARE_CALLS,
    STATIC_CALLS,
    VECTOR_CALLS,
    WEIGHT,
    Need,
)

MAX_DEPTH = 4


class Inference:
    """Walks functions with a map from local names to needs."""

    def __init__(self, functions: Mapping[str, ast.FunctionDef | ast.AsyncFunctionDef], depth: int = 0) -> None:
        self.functions = dict(functions)
        self.depth = depth
        self.names: dict[str, Need] = {}
        self.loops: dict[str, int | str] = {}
        self.extents: dict[str, str] = {}
        self.counters: dict[str, Need] = {}

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, needs: Mapping[str, Need]) -> None:
        self.names = {**self.names, **needs}
        body = node.body if isinstance(node.body, list) else [node.body]
        for statement in body:
            self.walk(statement)

    def walk(self, node: ast.AST) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.functions[node.name] = node
                inner = Inference(self.functions, self.depth)
                inner.names = {k: v for k, v in self.names.items() if k not in _parameters(node)}
                inner.function(node, {})
                return
            case ast.Assign(targets=[target], value=value):
                self.assign(target, value)
            case ast.For(target=target, iter=iterable):
                self.iterate(target, iterable)
            case ast.comprehension(target=target, iter=iterable):
                self.iterate(target, iterable)
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp() | ast.DictComp():
                for generator in node.generators:
                    self.walk(generator)
            case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test) | ast.Assert(test=test):
                self.truth(test)
            case ast.Call():
                self.call(node)
            case ast.Compare():
                self.compare(node)
            case ast.BinOp(left=left, op=op, right=right):
                self.arithmetic(left, op, right)
            case ast.Subscript() | ast.Attribute():
                self.need(node)
        for child in ast.iter_child_nodes(node):
            self.walk(child)

    def need(self, node: ast.AST) -> Need | None:
        """The need that an expression stands for, if it is a path from a parameter."""
        match node:
            case ast.Name(id=name):
                return self.names.get(name)
            case ast.Attribute(value=value, attr=attr):
                base = self.need(value)
                if base is None:
                    return None
                if attr in ARRAY_ATTRIBUTES and not base.attributes:
                    base.is_array = True
                    if attr in ("T", "mT"):
                        base.perhaps(2)
                    return None
                return base.attributes.setdefault(attr, Need())
            case ast.Subscript(value=value, slice=index):
                return self.subscript(value, index)
            case ast.Call(func=ast.Attribute(attr="map" | "tree_map"), args=[ast.Lambda() as function, tree]):
                return self.taken(function, tree)
        return None

    def taken(self, function: ast.Lambda, tree: ast.expr) -> Need | None:
        """`tree.map(lambda p: p[i], blocks)` is one entry of `blocks`: its uses are those of `blocks`, less an axis."""
        need = self.need(tree)
        match function.body:
            case ast.Subscript(value=ast.Name(), slice=ast.Name(id=index)) if need is not None:
                need.leaf = need.leaf or Need()
                need.leaf.at_least(1)
                if index in self.loops:
                    need.leaf.sizes.setdefault(0, self.loops[index])
                return need
        return None

    def subscript(self, value: ast.expr, index: ast.expr) -> Need | None:
        match value:
            case ast.Attribute(value=inner, attr="shape"):
                base = self.need(inner)
                if base is not None and isinstance(index, ast.Constant) and isinstance(index.value, int):
                    base.at_least(index.value + 1 if index.value >= 0 else -index.value)
                return None
            case ast.Attribute(value=inner, attr="at"):
                value = inner
        self.index(index)
        base = self.need(value)
        if base is None:
            return None
        if isinstance(index, ast.Constant) and isinstance(index.value, str):
            return base.keys.setdefault(index.value, Need())
        entries = index.elts if isinstance(index, ast.Tuple) else [index]
        axes = [e for e in entries if not (isinstance(e, ast.Constant) and e.value in (None, ...))]
        base.at_least(len(axes))
        for axis, entry in enumerate(axes):
            if isinstance(entry, ast.Name) and entry.id in self.loops:
                size = self.loops[entry.id]
                known = base.sizes.setdefault(axis, size)
                if size in self.counters and isinstance(known, str):
                    self.counters[str(size)].counts = known
        if len(axes) == 1 and not isinstance(axes[0], ast.Slice):
            return base.of_element()
        return None

    def index(self, index: ast.expr) -> None:
        for entry in index.elts if isinstance(index, ast.Tuple) else [index]:
            for end in (entry.lower, entry.upper) if isinstance(entry, ast.Slice) else (entry,):
                need = self.need(end) if isinstance(end, (ast.Name, ast.Attribute, ast.Subscript)) else None
                if need is not None:
                    need.is_int = True
                    need.is_range = need.is_range or isinstance(entry, ast.Slice)

    def assign(self, target: ast.expr, value: ast.expr) -> None:
        match target, value:
            case ast.Tuple(elts=targets), ast.Attribute(value=inner, attr="shape"):
                need = self.need(inner)
                if need is not None:
                    need.is_array, need.exact = True, len(targets)
                    for axis, t in enumerate(targets):
                        if isinstance(t, ast.Name):
                            self.extents[t.id] = need.extent(axis)
            case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
                for t, v in zip(targets, values, strict=False):
                    self.assign(t, v)
            case ast.Tuple(elts=targets), _:
                need = self.need(value)
                if need is not None:
                    need.parts = need.parts or [Need() for _ in targets]
                    for t, part in zip(targets, need.parts, strict=False):
                        if isinstance(t, ast.Name):
                            self.names[t.id] = part
                else:
                    self.forget(target, value)
            case ast.Name(id=name), _:
                need = self.need(value)
                bound = self.bound(value) if not isinstance(value, ast.Constant) else None
                if isinstance(bound, str):
                    self.extents[name] = bound
                need = need or self.shaped_like(value)
                if need is not None:
                    self.names[name] = need
                else:
                    self.forget(target, value)

    def shaped_like(self, value: ast.expr) -> Need | None:
        """The value whose shape an elementwise expression most likely has: its first plain name."""
        match value:
            case ast.BinOp(left=left, op=op, right=right) if not isinstance(op, ast.MatMult):
                sides = [
                    self.names.get(s.id) if isinstance(s, ast.Name) else self.shaped_like(s) for s in [left, right]
                ]
                return next((n for n in sides if n is not None and not n.is_int), None)
            case ast.Call(func=ast.Attribute(attr=attr), args=[ast.Name(id=name), *_]) if attr in SAME_SHAPE:
                return self.names.get(name)
        return None

    def forget(self, target: ast.expr, value: ast.expr | None = None) -> None:
        """A name bound to something else; `x = step(x)` keeps what `x` is."""
        used = {n.id for n in ast.walk(value) if isinstance(n, ast.Name)} if value else set()
        for node in ast.walk(target):
            if isinstance(node, ast.Name) and node.id not in used:
                self.names.pop(node.id, None)

    def iterate(self, target: ast.expr, iterable: ast.expr) -> None:
        match iterable:
            case ast.Call(func=ast.Name(id="range"), args=args):
                for argument in args:
                    need = self.need(argument)
                    if need is not None:
                        need.is_int = need.is_range = True
                stop = args[1] if len(args) > 1 else args[0] if args else None
                bound = self.bound(stop) if stop is not None else None
                counter = self.names.get(stop.id) if isinstance(stop, ast.Name) else None
                if bound is None and counter is not None and not counter.is_array:
                    bound = counter.counted()
                    self.counters[bound] = counter
                if bound is not None and isinstance(target, ast.Name):
                    self.loops[target.id] = bound
            case ast.Call(func=ast.Name(id="enumerate"), args=[inner, *_]):
                if isinstance(target, ast.Tuple) and len(target.elts) == 2:
                    self.iterate(target.elts[1], inner)
            case ast.Call(func=ast.Name(id="zip"), args=args):
                targets = target.elts if isinstance(target, ast.Tuple) else []
                shared: str | int | None = None
                for t, a in zip(targets, args, strict=False):
                    self.iterate(t, a)
                    need = self.need(a)
                    if need is not None:
                        shared = shared or need.extent(0)
                        need.sizes[0] = shared
            case ast.Call(func=ast.Name(id="reversed"), args=[inner]) | ast.Subscript(value=inner, slice=ast.Slice()):
                self.iterate(target, inner)
            case _:
                need = self.need(iterable)
                if need is not None:
                    need.at_least(1)
                    self.bind(target, need.of_element())

    def bound(self, stop: ast.expr) -> int | str | None:
        """What a loop's bound is: a number, or the extent of an array's axis."""
        match stop:
            case ast.Constant(value=int() as n):
                return n
            case ast.Name(id=name):
                return self.extents.get(name)
            case ast.Subscript(value=ast.Attribute(value=inner, attr="shape"), slice=ast.Constant(value=int() as axis)):
                need = self.need(inner)
                return need.extent(axis) if need is not None and axis >= 0 else None
            case ast.Call(func=ast.Name(id="len"), args=[inner]):
                need = self.need(inner)
                return need.extent(0) if need is not None else None
        return None

    def bind(self, target: ast.expr, need: Need) -> None:
        if isinstance(target, ast.Name):
            self.names[target.id] = need
        elif isinstance(target, ast.Tuple):
            need.parts = need.parts or [Need() for _ in target.elts]
            for t, part in zip(target.elts, need.parts, strict=False):
                self.bind(t, part)

    def truth(self, test: ast.expr) -> None:
        match test:
            case ast.Name() | ast.Attribute():
                need = self.need(test)
                if need is not None:
                    need.is_flag = True
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                self.truth(inner)
            case ast.BoolOp(values=values):
                for value in values:
                    self.truth(value)

    def compare(self, node: ast.Compare) -> None:
        for side, other in zip([node.left, *node.comparators], [*node.comparators, node.left], strict=False):
            need = self.need(side)
            if need is None:
                continue
            if isinstance(other, ast.Attribute) and self.need(other) is None:
                need.members.append(other)
            for value in _literals(other):
                need.constants.add(value)
                if isinstance(value, int) and not isinstance(value, bool) and isinstance(node.ops[0], (ast.Eq, ast.In)):
                    need.is_int = need.is_int or not need.floating

    def arithmetic(self, left: ast.expr, op: ast.operator, right: ast.expr) -> None:
        for side, other in ((left, right), (right, left)):
            need = self.need(side)
            match op:
                case ast.MatMult():
                    self.multiplied(side, need)
                case ast.Div() | ast.Pow() if need is not None:
                    need.floating = True
                case ast.Add() | ast.Sub() if need is not None:
                    need.perhaps(self.rank_of(other) if _product(other) else 0)

    def multiplied(self, side: ast.expr, need: Need | None) -> None:
        """One side of `@`; what stands between two `@` is a matrix."""
        if need is not None:
            need.is_array = True
            need.at_least(1)
            if isinstance(side, (ast.Subscript, ast.Attribute)) or WEIGHT.match(_last(side)):
                need.perhaps(2)
        match side:
            case ast.BinOp(op=ast.MatMult(), right=middle):
                inner = self.need(middle)
                if inner is not None:
                    inner.is_array = True
                    inner.perhaps(2)

    def rank_of(self, node: ast.expr) -> int:
        """The rank that an expression most likely has."""
        match node:
            case ast.BinOp(left=left, op=ast.MatMult(), right=right):
                ranks = [max(self.rank_of(s), 1) for s in (left, right)]
                return max(sum(ranks) - 2, 0)
            case ast.BinOp(left=left, right=right):
                return max(self.rank_of(left), self.rank_of(right))
            case ast.Attribute(value=value, attr="T" | "mT"):
                return max(self.rank_of(value), 2)
        need = self.need(node)
        return 0 if need is None else need.guessed_rank()

    def call(self, node: ast.Call) -> None:
        need = self.need(node.func) if isinstance(node.func, (ast.Name, ast.Subscript)) else None
        if need is not None:
            need.arity = len(node.args)
        match node.func:
            case ast.Name(id="len"):
                for argument in node.args:
                    inner = self.need(argument)
                    if inner is not None:
                        inner.at_least(1)
            case ast.Name(id=name) if name in self.functions:
                self.into(self.functions[name], node)
            case ast.Attribute(value=value, attr=attr):
                self.library(value, attr, node)

    def into(self, callee: ast.FunctionDef | ast.AsyncFunctionDef, node: ast.Call) -> None:
        """Follow arguments into a function of the same module."""
        if self.depth >= MAX_DEPTH:
            return
        names = [a.arg for a in (*callee.args.posonlyargs, *callee.args.args)]
        pairs = [*zip(names, node.args, strict=False), *((k.arg, k.value) for k in node.keywords if k.arg)]
        needs = {name: need for name, value in pairs if (need := self.need(value)) is not None}
        for argument in (*callee.args.posonlyargs, *callee.args.args):
            if argument.arg in needs and needs[argument.arg].annotation is None:
                needs[argument.arg].annotation = argument.annotation
        if needs:
            Inference(self.functions, self.depth + 1).function(callee, needs)

    def library(self, value: ast.expr, attr: str, node: ast.Call) -> None:
        base = ast.unparse(value)
        first = self.need(node.args[0]) if node.args else None
        if (
            attr in KEY_CALLS
            and base.split(".")[-1] in ("random", "jr", "jrandom", "rnd", "jrd", "rng")
            and first is not None
        ):
            first.is_key = True
        if attr in VECTOR_CALLS:
            for argument in node.args[:2]:
                inner = self.need(argument)
                if inner is not None:
                    inner.is_array = True
                    inner.at_least(1)
        if attr in SQUARE_CALLS | MATRIX_CALLS and first is not None and not (attr == "solve" and len(node.args) < 2):
            first.square() if attr in SQUARE_CALLS else first.at_least(2)
        if attr in STATIC_CALLS and first is not None:
            first.is_int = first.is_range = True
        if attr in ("map", "tree_map") and node.args and isinstance(node.args[0], ast.Lambda):
            self.mapped(node.args[0], node.args[1:])
        if attr == "scan" and len(node.args) >= 3 and isinstance(node.args[0], ast.Name):
            self.scanned(node)
        receiver = self.need(value)
        if receiver is not None and attr not in ARRAY_ATTRIBUTES:
            receiver.methods.add(attr)

    def mapped(self, function: ast.Lambda, trees: list[ast.expr]) -> None:
        needs: dict[str, Need] = {}
        for argument, tree in zip(function.args.args, trees, strict=False):
            need = self.need(tree)
            if need is not None:
                need.leaf = need.leaf or Need()
                needs[argument.arg] = need.leaf
        inner = Inference(self.functions, self.depth)
        inner.loops = self.loops
        inner.function(function, needs)

    def scanned(self, node: ast.Call) -> None:
        body = self.functions.get(node.args[0].id) if isinstance(node.args[0], ast.Name) else None
        xs = self.need(node.args[2])
        if body is None or self.depth >= MAX_DEPTH or len(body.args.args) != 2:
            return
        needs: dict[str, Need] = {}
        init = self.need(node.args[1])
        if init is not None:
            needs[body.args.args[0].arg] = init
        if xs is not None:
            xs.at_least(1)
            needs[body.args.args[1].arg] = xs.of_element()
        inner = Inference(self.functions, self.depth + 1)
        inner.names = dict(self.names)
        inner.function(body, needs)


def _parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    a = node.args
    return {x.arg for x in (*a.posonlyargs, *a.args, *a.kwonlyargs)}


def _product(node: ast.expr) -> bool:
    """Whether a matrix product stands in a sum or difference."""
    match node:
        case ast.BinOp(op=ast.MatMult()):
            return True
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
            return _product(left) or _product(right)
    return False


def _last(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _literals(node: ast.expr) -> list[object]:
    match node:
        case ast.Constant(value=value):
            return [value]
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return [-value]
        case ast.Tuple(elts=elts) | ast.List(elts=elts) | ast.Set(elts=elts):
            return [v for e in elts for v in _literals(e)]
    return []


def infer(
    node: ast.FunctionDef | ast.AsyncFunctionDef,
    functions: Mapping[str, ast.FunctionDef | ast.AsyncFunctionDef],
) -> dict[str, Need]:
    """The needs of all parameters of a function."""
    a = node.args
    needs: dict[str, Need] = {}
    positional = [*a.posonlyargs, *a.args]
    defaults = [None] * (len(positional) - len(a.defaults)) + list(a.defaults)
    for argument, default in [
        *zip(positional, defaults, strict=False),
        *zip(a.kwonlyargs, a.kw_defaults, strict=False),
    ]:
        need = needs[argument.arg] = Need(annotation=argument.annotation)
        if default is not None:
            found = _literals(default)
            need.default = found[0] if found else default
    # What is learnt late of one value tells of another that was seen early.
    for _ in range(2):
        Inference(functions).function(node, needs)
    return needs
