"""Tells the function that a node belongs to."""

from __future__ import annotations

import ast

from scanlint.syntax.bindings import Function
from scanlint.syntax.walk import children


def owners(function: Function) -> dict[ast.AST, Function]:
    """The innermost function around each node below a function, itself included; the parameters are its own."""
    found: dict[ast.AST, Function] = {}
    stack: list[tuple[ast.AST, Function]] = [(n, function) for n in _body(function)]
    found.update((a, function) for a in _parameters(function))
    while stack:
        node, owner = stack.pop()
        found[node] = owner
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            stack += [(n, node) for n in _body(node)]
            stack += [(n, owner) for n in (*node.args.defaults, *node.args.kw_defaults) if n is not None]
            stack += [(n, owner) for n in getattr(node, "decorator_list", ())]
            found.update((a, node) for a in _parameters(node))
        else:
            stack += [(n, owner) for n in children(node)]
    return found


def _body(function: Function) -> list[ast.AST]:
    return [function.body] if isinstance(function, ast.Lambda) else [*function.body]


def _parameters(function: Function) -> list[ast.arg]:
    a = function.args
    return [*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg))]
