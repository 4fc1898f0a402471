"""Paths from parameters: the need that an expression refers to."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from .need import ARRAY_ATTRIBUTES, Need

ORDERS = frozenset(["argsort", "lexsort", "permutation"])

SAME_PARAMETERS = {"grad", "value_and_grad", "jacfwd", "jacrev", "jacobian", "hessian", "jit", "checkpoint", "remat"}
SAME_PARAMETERS |= {"filter_grad", "filter_value_and_grad", "filter_jit"}


class Places:
    """What local names refer to: needs of parameters or of their parts."""

    def __init__(self, functions: Mapping[str, ast.FunctionDef | ast.AsyncFunctionDef], depth: int = 0) -> None:
        self.functions = dict(functions)
        self.depth = depth
        self.names: dict[str, Need] = {}
        self.counters: set[str] = set()  # variables of loops over numbers
        self.closures: set[str] = set()  # functions that are made here
        self.sorted: set[str] = set()  # local arrays that permute rows
        self.computed: dict[str, ast.expr] = {}  # what local arrays were computed as
        self.keyed: set[str] = set()  # loop variables that are keys of a dict
        self.carried: frozenset[str] = frozenset()  # names that the loops around bind anew: they keep their shapes

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
                    return None
                return base.attributes.setdefault(attr, Need())
            case ast.Subscript(value=value, slice=index):
                return self.subscript(value, index)
            case ast.Call(func=ast.Attribute(attr="map" | "tree_map"), args=[ast.Lambda() as function, tree]):
                return self.taken(function, tree)
            case ast.Call(func=ast.Attribute(value=value, attr="lower" | "upper" | "casefold" | "strip"), args=[]):
                return self.need(value)
            case ast.Call(func=ast.Attribute(attr="asarray"), args=[value, *_]):
                return self.need(value)
        return None

    def taken(self, function: ast.Lambda, tree: ast.expr) -> Need | None:
        """`tree.map(lambda p: p[i], blocks)` is one entry of `blocks`: its uses are those of `blocks`, less an axis."""
        need = self.need(tree)
        match function.body:
            case ast.Subscript(value=ast.Name(), slice=ast.Name()) if need is not None:
                need.leaf = need.leaf or Need()
                need.leaf.at_least(1)
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
                self.subscript(inner, index)
                if (updated := self.need(inner)) is not None:
                    updated.is_array, updated.element = True, None  # `.set` is no method of what is indexed
                return None
        self.index(index)
        base = self.need(value)
        if base is None:
            return None
        if isinstance(index, ast.Constant) and isinstance(index.value, str):
            return base.keys.setdefault(index.value, Need())
        if isinstance(index, ast.Name) and index.id in self.keyed:
            return base.of_keys()
        entries = index.elts if isinstance(index, ast.Tuple) else [index]
        axes = [e for e in entries if not (isinstance(e, ast.Constant) and e.value in (None, ...))]
        base.at_least(len(axes))
        if len(axes) == 1 and not isinstance(axes[0], ast.Slice):
            return base if self.orders(axes[0]) else base.of_element()
        return None

    def over_keys(self, target: ast.expr, iterable: ast.expr, body: ast.AST) -> None:
        """Take what a loop goes over for a dict where its variable is a key of it: `for k in p: p[k]`, `p.items()`."""
        match target, iterable:
            case ast.Name(id=key), ast.Name(id=table):
                held = (n for n in ast.walk(body) if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name))
                if not any(n.value.id == table and isinstance(n.slice, ast.Name) and n.slice.id == key for n in held):  # type: ignore[attr-defined]
                    return
                inner, value = iterable, None
            case ast.Name(id=key), ast.Call(func=ast.Attribute(value=inner, attr="keys"), args=[]):
                value = None
            case ast.Tuple(elts=[ast.Name(id=key), value]), ast.Call(
                func=ast.Attribute(value=inner, attr="items"), args=[]
            ):
                pass
            case _:
                return
        need = self.need(inner)
        if need is not None and not need.is_array:
            self.keyed.add(key)
            found = need.of_keys()
            if value is not None:
                self.bind(value, found)

    def written(self, node: ast.expr) -> ast.Lambda | None:
        """The lambda that is called: in place, by its name, or through `jax.grad` and its like."""
        match node:
            case ast.Lambda():
                return node
            case ast.Name(id=name) if isinstance(found := self.computed.get(name), ast.Lambda):
                return found
            case ast.Name(id=name) if name in self.computed and passes(self.computed[name]):
                return self.written(self.computed[name])
            case ast.Call(args=[inner, *_]) if passes(node) and isinstance(inner, ast.Lambda | ast.Name):
                return self.written(inner)
        return None

    def orders(self, index: ast.expr) -> bool:
        """Whether an index puts all rows into an order: `x[jnp.argsort(y)]`."""
        match index:
            case ast.Name(id=name):
                return name in self.sorted
            case ast.Call(func=ast.Attribute(attr=attr)):
                return attr in ORDERS
        return False

    def index(self, index: ast.expr) -> None:
        for entry in index.elts if isinstance(index, ast.Tuple) else [index]:
            for end in (entry.lower, entry.upper) if isinstance(entry, ast.Slice) else (entry,):
                for term in _terms(end):
                    if (need := self.need(term)) is not None:
                        need.is_int = True
                        need.is_range = need.is_range or (isinstance(entry, ast.Slice) and term is end)

    def bind(self, target: ast.expr, need: Need) -> None:
        if isinstance(target, ast.Name):
            self.names[target.id] = need
        elif isinstance(target, ast.Tuple):
            need.parts = need.parts or [Need() for _ in target.elts]
            for t, part in zip(target.elts, need.parts, strict=False):
                self.bind(t, part)

    def forget(self, target: ast.expr, value: ast.expr | None = None) -> None:
        """A name is bound to another value; for `x = step(x)` the need of `x` is kept."""
        if isinstance(target, ast.Name) and value is not None and self.orders(value):
            self.sorted.add(target.id)
        used = {n.id for n in ast.walk(value) if isinstance(n, ast.Name)} if value else set()
        for node in ast.walk(target):
            if isinstance(node, ast.Name) and node.id not in used:
                self.names.pop(node.id, None)


def _terms(end: ast.expr | None) -> Iterator[ast.expr]:
    """What an index is computed from, as far as it is a path."""
    match end:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Mod() | ast.FloorDiv(), right=right):
            yield from _terms(left)
            yield from _terms(right)
        case ast.Name() | ast.Attribute() | ast.Subscript():
            yield end


def passes(changed: ast.expr) -> bool:
    """Whether a function is changed into one of the same parameters: `jax.value_and_grad(loss)`."""
    return isinstance(changed, ast.Call) and ast.unparse(changed.func).rpartition(".")[2] in SAME_PARAMETERS
