"""`jax.tree.map` and its kin."""

from __future__ import annotations

import ast

from scanlint.trace.domain.values import STATIC, UNKNOWN, Kind, Unset, Value, but, gathered, join, join_all
from scanlint.trace.evaluator import Evaluator


def tree_call(self: Evaluator, node: ast.Call, name: str, args: list[Value], keywords: dict[str, Value]) -> Value:
    """One of `jax.tree.*`, `jax.tree_util.tree_*`, `jax.flatten_util.*`."""
    last = name.rpartition(".")[2].removeprefix("tree_")
    match last:
        case "map" | "map_with_path":
            return _tree_map(self, node, args, last)
        case "leaves":
            return gathered("list", None, leaf_of(args[0])) if args else UNKNOWN
        case "flatten":
            return gathered("tuple", (gathered("list", None, leaf_of(args[0])), STATIC)) if args else UNKNOWN
        case "reduce" if len(args) > 1:
            first = args[2] if len(args) > 2 else leaf_of(args[1])
            return _tree_reduce(self, node, args[0], first, leaf_of(args[1]))
        case "all" | "structure" | "treedef_is_leaf" | "register_pytree_node":
            return STATIC if last != "all" else UNKNOWN
        case "ravel_pytree":
            return gathered("tuple", (self.made(node, ndim=1), UNKNOWN))
        case "unflatten" | "transpose":
            return UNKNOWN
    return UNKNOWN


def _apply(self: Evaluator, node: ast.Call, function: Value, args: list[Value]) -> Value:
    return self.apply(node, function, args, {})


def _tree_reduce(self: Evaluator, node: ast.Call, function: Value, first: Value, leaf: Value) -> Value:
    """The result of a Python loop over the leaves: nothing is staged, so a Python number between others stays one."""
    first = but(first, constant=Unset.UNSET)
    result = _apply(self, node, function, [first, leaf])
    result = _apply(self, node, function, [join(first, result), leaf])
    return but(result, constant=Unset.UNSET)


def leaf_of(tree: Value) -> Value:
    """Any leaf of a tree."""
    if tree.container is not None:
        inside = [*(tree.items or ()), *tree.fields.values(), *([tree.element] if tree.element else [])]
        return join_all(tuple(leaf_of(v) for v in inside)) if inside else UNKNOWN
    if tree.traced:
        return but(tree, array=True, ndim=tree.ndim if tree.array else None)
    return but(tree, constant=Unset.UNSET) if tree.known else tree


def _tree_map(self: Evaluator, node: ast.Call, args: list[Value], last: str) -> Value:
    if len(args) < 2:
        return UNKNOWN
    leaves = [leaf_of(tree) for tree in args[1:]]
    result = _apply(self, node, args[0], [STATIC, *leaves] if last == "map_with_path" else leaves)
    return _rebuilt(args[1], but(result, constant=Unset.UNSET) if result.known else result)


def _rebuilt(tree: Value, leaf: Value) -> Value:
    """A tree of the same structure whose leaves are all this."""
    if tree.container is not None:
        items = None if tree.items is None else tuple(_rebuilt(v, leaf) for v in tree.items)
        fields = {k: _rebuilt(v, leaf) for k, v in tree.fields.items()}
        element = None if tree.element is None else _rebuilt(tree.element, leaf)
        return but(tree, kind=Kind.UNKNOWN, constant=Unset.UNSET, items=items, fields=fields, element=element)
    if tree.array:
        return leaf
    if tree.traced and leaf.traced:
        return but(tree, ndim=None, dtype=None)
    return Value(leaf.kind, why=leaf.why) if leaf.traced else UNKNOWN
