"""Names in statements and expressions, judged by the text alone: what is read, what is bound, what is free."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from scanlint.effort import WATCH
from scanlint.syntax.walk import children, walk

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Names = frozenset[str]
NONE: Names = frozenset()
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def parameters(arguments: ast.arguments) -> list[str]:
    """The parameter names of a function in order, `*args` and `**kwargs` included."""
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return [a.arg for a in [*named, *filter(None, (arguments.vararg, arguments.kwarg))]]


def defaults(arguments: ast.arguments) -> dict[str, ast.expr]:
    """The default expression of each parameter that has one."""
    positional = [*arguments.posonlyargs, *arguments.args]
    given = arguments.defaults
    table = {a.arg: d for a, d in zip(positional[len(positional) - len(given) :], given, strict=True)}
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return table | {a.arg: d for a, d in named if d is not None}


def reads(*nodes: ast.AST | None) -> Names:
    """The free names that evaluating these expressions (or running these statements) may read."""
    WATCH.tick()
    found: set[str] = set()
    stack = [n for n in nodes if n is not None]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load | ast.Del):
                found.add(node.id)
        elif isinstance(node, _SCOPES):
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
    """The same, each once, in the order of the text."""
    found: dict[str, None] = {}
    for node in nodes:
        _collect_binds(node, found)
    return list(found)


def _collect_binds(node: ast.AST, found: dict[str, None]) -> None:
    match node:
        case ast.Name(id=name, ctx=ast.Store()):
            found.setdefault(name)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            found.setdefault(name)
            return
        case ast.Lambda():
            return
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            for inner in walk(node):
                if isinstance(inner, ast.NamedExpr):
                    _collect_binds(inner.target, found)
            return
        case ast.alias(name=name, asname=asname):
            found.setdefault((asname or name).split(".")[0])
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            found.setdefault(name)
    for child in children(node):
        _collect_binds(child, found)


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
    stack = list(nodes)[::-1]
    while stack:
        WATCH.tick()
        node = stack.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            stack += reversed(children(node))
