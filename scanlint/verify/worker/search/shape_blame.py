"""Where the new version rejects guessed shapes: is it to blame, or the guess?"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection

from ..infer.specs import Specs
from ..runtime.line_marks import ReachedLines
from .attempts import Attempts
from .shape_search import Failure

WAYS: tuple[Callable[[int], bool], ...] = (
    lambda asked: asked % 2 == 1,
    lambda asked: asked % 2 == 0,
    lambda asked: True,
    lambda asked: False,
)


def to_blame(inputs: Attempts, new: ast.Module, specs: Specs, failure: Failure) -> bool:
    """Whether the new version fails at what the old one does too with these shapes: it gives it other operands.

    It is not where it fails at something of its own (a carry that grows, arms or lengths that differ): that may be due
    to shapes that nobody means. Nor where the old version rejects the shapes on another of its ways.
    """
    failing = _done(new, failure.lines[-1:])
    if not failing:
        return False
    reached = ReachedLines()
    if any(inputs.attempt(specs, truth=way, reached=reached) is not None for way in WAYS):
        return False
    return failing <= _done(inputs.loaded.tree, reached.lines)


def _done(tree: ast.Module, lines: Collection[int]) -> set[str]:
    """What the simple statements on these lines compute."""
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.Assign(value=value) | ast.Return(value=ast.expr() as value) | ast.Expr(value=value):
                if any(node.lineno <= line <= (node.end_lineno or node.lineno) for line in lines):
                    found.add(ast.dump(value))
    return found
