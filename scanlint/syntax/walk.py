"""A quick walk over trees: `ast.walk` costs three times as much as parsing does."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import TypeVar, cast
from weakref import WeakKeyDictionary

from scanlint.effort import WATCH
from scanlint.jaxapi.words import words

Node = TypeVar("Node", bound=ast.AST)
_NO_NODES = words(
    "id attr arg name names asname module level rest kwd_attrs kind ctx op ops is_async type_comment conversion str "
    "simple type_ignores"
)
_NODES_AFTER_ALL = {
    "Import": ("names",),
    "ImportFrom": ("names",),
    "TypeAlias": ("name", "type_params", "value"),
    "Constant": (),
    "MatchSingleton": (),
}


def _fields(kind: type[ast.AST]) -> tuple[str, ...]:
    """The fields of a kind of node that can hold nodes; those of operators and contexts are left out."""
    usual = tuple(field for field in kind._fields if field not in _NO_NODES)
    return _NODES_AFTER_ALL.get(kind.__name__, usual)


class _Fields(dict[type[ast.AST], tuple[str, ...]]):
    """The fields of each kind of node, worked out when the first one is met."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        self[kind] = _fields(kind)
        return self[kind]


FIELDS = _Fields()


_OF_ONE = frozenset([ast.Attribute, ast.keyword, ast.Starred])
_OF_TWO: dict[type[ast.AST], Callable[[object], tuple[ast.AST, ast.AST]]] = {
    ast.BinOp: attrgetter("left", "right"),
    ast.Subscript: attrgetter("value", "slice"),
    ast.AugAssign: attrgetter("target", "value"),
}
"""Kinds that always hold so many nodes: with names, constants and calls they are nearly all that there are."""


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes right below one, in the order of the text; operators and contexts are left out."""
    kind = node.__class__
    if kind is ast.Name or kind is ast.Constant:
        return []
    if kind in _OF_ONE:
        return [node.value]  # type: ignore[attr-defined]
    if kind is ast.Call:
        return [node.func, *node.args, *node.keywords]  # type: ignore[attr-defined]
    if kind in _OF_TWO:
        return [*_OF_TWO[kind](node)]
    found: list[ast.AST] = []
    for name in FIELDS[kind]:
        part = getattr(node, name, None)
        if part.__class__ is list:
            found += part if None not in part else [inner for inner in part if inner is not None]
        elif part is not None:
            found.append(part)
    return found


def walk(root: ast.AST) -> Iterator[ast.AST]:
    """Every node at or below a root, level by level as `ast.walk` gives them, without operators and contexts."""
    nodes = [root]
    for node in nodes:
        nodes += children(node)
        yield node


class Kinds(dict[type[ast.AST], list[ast.AST]]):
    """Nodes by their class."""

    def __missing__(self, kind: type[ast.AST]) -> list[ast.AST]:
        self[kind] = []
        return self[kind]

    def of(self, kind: type[Node]) -> list[Node]:
        """The nodes of just this class, in no particular order."""
        return cast("list[Node]", self.get(kind, []))


def by_kind(*roots: ast.AST) -> Kinds:
    """Every node at or below the roots; operators and contexts are left out."""
    WATCH.tick()
    stack = list(roots)
    found = Kinds()
    while stack:
        node = stack.pop()
        kind = node.__class__
        found[kind].append(node)
        if kind is ast.Name or kind is ast.Constant:  # most nodes are one of these
            continue
        if kind in _OF_ONE:
            stack.append(node.value)  # type: ignore[attr-defined]
            continue
        if kind in _OF_TWO:
            stack += _OF_TWO[kind](node)
            continue
        for name in FIELDS[kind]:
            part = getattr(node, name, None)
            if part.__class__ is list:
                stack += part if None not in part else [inner for inner in part if inner is not None]
            elif part is not None:
                stack.append(part)
    return found


_INSIDE: WeakKeyDictionary[ast.AST, Kinds] = WeakKeyDictionary()
"""By the function: what is kept of it does not hold it, or it would be kept for ever."""


def kinds_inside(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> Kinds:
    """The nodes of the body of a function by their class, walked once for all that ask."""
    known = _INSIDE.get(function)
    if known is None:
        body = function.body
        known = _INSIDE[function] = by_kind(*body) if isinstance(body, list) else by_kind(body)
    return known


def kinds_of(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> Kinds:
    """The nodes of a function by their class, its body walked once for all that ask; in the order of `by_kind`."""
    found = Kinds({function.__class__: [function]})
    behind = [] if isinstance(function, ast.Lambda) else [*function.decorator_list, function.returns]
    behind += getattr(function, "type_params", [])
    for part in (by_kind(*filter(None, behind)), kinds_inside(function), by_kind(function.args)):
        for kind, nodes in part.items():
            found[kind] += nodes
    return found


def first_line(node: ast.stmt | ast.expr) -> int:
    """The line on which a statement begins, with its decorators."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(d.lineno for d in decorators)])


def levels(root: ast.AST) -> int:
    """The depth of a tree in nodes; `a and b and c` counts as `(a and b) and c`, so does `a < b < c`."""
    deepest = 0
    stack = [(root, 1)]
    while stack:
        node, level = stack.pop()
        deepest = max(deepest, level)
        match node:
            case ast.BoolOp(values=parts) | ast.Compare(comparators=parts):
                below = level + len(parts)
            case _:
                below = level + 1
        stack += [(child, below) for child in children(node)]
    return deepest


def nested(block: Sequence[ast.stmt]) -> int:
    """The depth to which loops and branches of a block stand inside one another; an `elif` stands beside its `if`."""
    deepest = 0
    for node in block:
        match node:
            case ast.If(body=body, orelse=[ast.If()] as beside):
                deepest = max(deepest, 1 + nested(body), nested(beside))
            case ast.If(body=body, orelse=orelse) | ast.For(body=body, orelse=orelse):
                deepest = max(deepest, 1 + nested(body), 1 + nested(orelse))
            case ast.While(body=body, orelse=orelse):
                deepest = max(deepest, 1 + nested(body), 1 + nested(orelse))
            case ast.With(body=body) | ast.Try(body=body):
                deepest = max(deepest, nested(body))
    return deepest


class _Substitution(ast.NodeTransformer):
    def __init__(self, choose: Callable[[ast.AST], ast.expr | None]) -> None:
        self.choose = choose

    def visit(self, node: ast.AST) -> ast.AST:
        other = self.choose(node)
        return self.generic_visit(node) if other is None else other


def substituted(node: ast.expr, choose: Callable[[ast.AST], ast.expr | None]) -> ast.expr:
    """A copy of an expression in which other ones stand where `choose` gives them, which are not looked into."""
    made = _Substitution(choose).visit(ast.parse(ast.unparse(node), mode="eval"))
    assert isinstance(made, ast.Expression)
    return made.body


def dotted(node: ast.expr) -> str | None:
    """`a.b.c` as a string, for names and attributes of names."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None
