"""Names in statements and expressions, judged by the text alone: what is read, what is bound, what is free."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from scanlint.effort import WATCH
from scanlint.syntax.walk import children, walk

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Names = frozenset[str]
NONE: Names = frozenset()
_COMPREHENSIONS = frozenset([ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp])
_SCOPES = frozenset([ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda]) | _COMPREHENSIONS
_CLOSED = frozenset([ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda])
_BINDING = frozenset([ast.alias, ast.ExceptHandler, ast.MatchAs, ast.MatchStar])


def parameters(arguments: ast.arguments) -> list[str]:
    """The parameter names of a function in order, `*args` and `**kwargs` included."""
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return [a.arg for a in [*named, *filter(None, (arguments.vararg, arguments.kwarg))]]


def defaults(arguments: ast.arguments) -> dict[str, ast.expr]:
    """The default expression of each parameter that has one."""
    if not arguments.defaults and not any(arguments.kw_defaults):
        return {}
    positional = [*arguments.posonlyargs, *arguments.args]
    given = arguments.defaults
    table = {a.arg: d for a, d in zip(positional[len(positional) - len(given) :], given, strict=True)}
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return table | {a.arg: d for a, d in named if d is not None}


def argument_of(call: ast.Call, place: int, name: str) -> ast.expr | None:
    """The argument of a call by place or by name; by name alone where `place` is -1."""
    if 0 <= place < len(call.args):
        return call.args[place]
    return next((keyword.value for keyword in call.keywords if keyword.arg == name), None)


def reads(*nodes: ast.AST | None) -> Names:
    """The free names that evaluating these expressions (or running these statements) may read."""
    WATCH.tick()
    found: set[str] = set()
    stack = [n for n in nodes if n is not None]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Name):
            if node.ctx.__class__ is not ast.Store:
                found.add(node.id)
        elif node.__class__ in _SCOPES:
            found |= free(node)
        else:
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                found.add(node.target.id)
            stack += children(node)
    return frozenset(found)


def free(scope: ast.AST) -> Names:
    """The names that a function, lambda or comprehension takes from outside."""
    match scope:
        case ast.Lambda(args=args, body=body):
            return (reads(body) - frozenset(parameters(args))) | reads(*args.defaults, *args.kw_defaults)
        case ast.FunctionDef(args=args, body=body) | ast.AsyncFunctionDef(args=args, body=body):
            outer = [s for s in body if isinstance(s, ast.Nonlocal | ast.Global)]
            shared = frozenset(n for s in outer for n in s.names)
            local = (binds(*body) | frozenset(parameters(args))) - shared
            header = reads(*args.defaults, *args.kw_defaults, *scope.decorator_list)
            return (reads(*body) - local) | shared | header
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            local = frozenset(n for g in scope.generators for n in targets(g.target))
            parts: list[ast.AST] = [*scope.generators]
            parts += [scope.key, scope.value] if isinstance(scope, ast.DictComp) else [scope.elt]
            first = reads(scope.generators[0].iter)
            return (reads(*parts) - local) | first
    return NONE


def targets(target: ast.AST) -> list[str]:
    """The names that an assignment target binds, in order."""
    match target:
        case ast.Name(id=name):
            return [name]
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            return [n for e in elements for n in targets(e)]
        case ast.Starred(value=value):
            return targets(value)
    return []


def binds(*nodes: ast.AST) -> Names:
    """The names that these statements may bind in their own scope."""
    return frozenset(binds_in_order(*nodes))


def binds_in_order(*nodes: ast.AST) -> list[str]:
    """The names that these statements may bind in their own scope, each once, in the order of the text."""
    found: dict[str, None] = {}
    for node in nodes:
        _collect_binds(node, found)
    return list(found)


def _collect_binds(node: ast.AST, found: dict[str, None]) -> None:
    stack = [node]
    while stack:
        node = stack.pop()
        kind = node.__class__
        if kind is ast.Name:
            if isinstance(node, ast.Name) and node.ctx.__class__ is ast.Store:
                found.setdefault(node.id)
        elif kind in _CLOSED:
            if kind is not ast.Lambda:
                found.setdefault(node.name)  # type: ignore[attr-defined]
        elif kind in _COMPREHENSIONS:
            for inner in walk(node):
                if isinstance(inner, ast.NamedExpr):
                    _collect_binds(inner.target, found)
        else:
            if kind in _BINDING:
                _bind(node, found)
            stack += children(node)[::-1]


def _bind(node: ast.AST, found: dict[str, None]) -> None:
    """The name that an import, a handler or a pattern binds."""
    match node:
        case ast.alias(name=name, asname=asname):
            found.setdefault((asname or name).split(".")[0])
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            found.setdefault(name)


def stores(*nodes: ast.AST) -> Names:
    """The names whose items these statements set: `state["s"] = ...`, `pair[0] += ...`."""
    found: set[str] = set()
    for part in walk_scope(nodes):
        match part:
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store()):
                found.add(name)
    return frozenset(found)


def walk_scope(nodes: Iterable[ast.AST]) -> Iterable[ast.AST]:
    """Every node below these that belongs to the same function (nested ones are given, not entered)."""
    WATCH.tick()
    stack = list(nodes)[::-1]
    while stack:
        node = stack.pop()
        yield node
        if node.__class__ not in _CLOSED:
            stack += children(node)[::-1]
