"""The order in which an expression is evaluated: what it reads from before, and what it surely binds by `:=`."""

from __future__ import annotations

import ast
from collections.abc import Callable

Names = frozenset[str]
Reads = Callable[[ast.AST], Names]
NONE: Names = frozenset()
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def evaluated(node: ast.AST | None, reads: Reads, bound: Names = NONE) -> tuple[Names, Names]:
    """The names that evaluating reads from before it, and those that it has surely bound by `:=` in the end.

    `reads` gives the names of a part without looking at its order. `bound` were bound by parts that came before.
    """
    if node is None:
        return NONE, bound
    if isinstance(node, ast.NamedExpr):
        found, bound = evaluated(node.value, reads, bound)
        return found, bound | {node.target.id}
    if isinstance(node, (ast.Name, *_SCOPES)):
        return reads(node) - bound, bound
    sure, maybe = _parts(node)
    found = NONE
    for part in sure:
        more, bound = evaluated(part, reads, bound)
        found |= more
    for part in maybe:
        found |= evaluated(part, reads, bound)[0]
    return found, bound


def _parts(node: ast.AST) -> tuple[list[ast.AST], list[ast.AST]]:
    """What is evaluated in any case, in its order, and what may be left out."""
    match node:
        case ast.BoolOp(values=[first, *rest]):
            return [first], [*rest]
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return [test], [body, orelse]
        case ast.Compare(left=left, comparators=[first, *rest]):
            return [left, first], [*rest]
        case ast.Dict(keys=keys, values=values):
            pairs = zip(keys, values, strict=True)
            return [part for pair in pairs for part in pair if part is not None], []
        case ast.Assign(targets=targets, value=value):
            return [value, *targets], []
        case ast.AnnAssign(target=target, value=value):
            return [part for part in (value, target) if part is not None], []
        case ast.Assert(test=test, msg=message):
            return [test], [message] if message is not None else []
    return list(ast.iter_child_nodes(node)), []
