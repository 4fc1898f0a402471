"""Put a call of the hook at the head of the wanted functions of a syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Mapping

HOOK = "__scanlint_seen__"
Wanted = dict[tuple[str, int], int]
Definition = ast.FunctionDef | ast.AsyncFunctionDef


def instrument(tree: ast.Module, wanted: Mapping[tuple[str, int], int]) -> ast.Module:
    """The tree with the hook in it; lines and names stay, so that tracebacks and `inspect` do not change."""
    _visit(tree, "", wanted)
    return tree


def _visit(node: ast.AST, prefix: str, wanted: Mapping[tuple[str, int], int]) -> None:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            qualname = prefix + child.name
            _visit(child, f"{qualname}.", wanted)
            index = wanted.get((qualname, child.lineno))
            if index is not None and isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                _hook(child, index)
        else:
            _visit(child, prefix, wanted)


def _hook(function: Definition, index: int) -> None:
    at = 1 if ast.get_docstring(function, clean=False) is not None else 0
    if at >= len(function.body):
        return
    first = function.body[at]
    arguments: list[ast.expr] = [ast.Constant(index), *(ast.Name(name, ast.Load()) for name in parameters(function))]
    call = ast.Expr(ast.Call(ast.Name(HOOK, ast.Load()), arguments, []))
    for node in ast.walk(call):
        if isinstance(node, (ast.expr, ast.stmt)):
            node.lineno, node.col_offset = first.lineno, first.col_offset
            node.end_lineno, node.end_col_offset = first.lineno, first.col_offset
    function.body.insert(at, call)


def parameters(function: Definition) -> list[str]:
    """All names that a call binds, in the order of the definition."""
    a = function.args
    names = [x.arg for x in (*a.posonlyargs, *a.args)]
    names += [a.vararg.arg] if a.vararg else []
    names += [x.arg for x in a.kwonlyargs]
    return names + ([a.kwarg.arg] if a.kwarg else [])
