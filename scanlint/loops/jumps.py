"""The statements that leave a loop, or a trip of it: `break`, `continue`, `return`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.finding import Withheld
from scanlint.syntax.bindings import walk_scope

Loop = ast.For | ast.While
Jump = ast.Break | ast.Continue | ast.Return
SUSPENDS = ast.Yield | ast.YieldFrom | ast.Await
JUMPS = frozenset({"break", "continue", "return-in-loop", "loop-else"})


def jumps_in(*block: ast.stmt) -> Iterator[Jump]:
    """The statements that leave a loop, or a trip of it, whose body (or part of it) this is."""
    stack: list[tuple[ast.AST, bool]] = [(s, True) for s in reversed(block)]
    while stack:
        part, own = stack.pop()
        if isinstance(part, ast.Return) or (own and isinstance(part, ast.Break | ast.Continue)):
            yield part
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.expr):
            continue
        if isinstance(part, ast.For | ast.While | ast.AsyncFor):
            stack += [(child, own) for child in reversed(part.orelse)] + [(child, False) for child in part.body[::-1]]
            continue
        stack += [(child, own) for child in reversed(list(ast.iter_child_nodes(part)))]


def jumps_of(node: Loop) -> Iterator[Withheld]:
    """Why a loop with jumps of its own, with an `else` or with a `yield` cannot be rolled as it is."""
    for jump in jumps_in(*node.body):
        match jump:
            case ast.Break():
                yield Withheld("break", f"the loop is left early at line {jump.lineno}")
            case ast.Continue():
                yield Withheld("continue", f"a trip is cut short at line {jump.lineno}")
            case ast.Return():
                yield Withheld("return-in-loop", f"the function returns from the loop at line {jump.lineno}")
    for part in walk_scope(node.body):
        if isinstance(part, SUSPENDS):
            yield Withheld("generator", f"the loop yields at line {part.lineno}")
    if node.orelse:
        yield Withheld("loop-else", f"the loop has an `else` (line {node.orelse[0].lineno})")
