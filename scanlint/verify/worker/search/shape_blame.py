"""Whether the new version or the guess is to blame where the new version rejects guessed shapes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection

from ..infer.specs import Specs
from ..proof.paths import in_turns, opposite
from ..runtime.line_marks import ReachedLines
from .attempts import Attempts
from .shape_search import Failure

WAYS: tuple[Callable[[int], bool], ...] = (in_turns, opposite, lambda asked: True, lambda asked: False)


def to_blame(inputs: Attempts, new: ast.Module, specs: Specs, failure: Failure) -> bool:
    """Whether the new version fails in a computation that the old one does with these shapes: its operands differ.

    It is not to blame if it fails in an operation of its own (a carry that grows, arms or lengths that differ), which
    may be due to the guessed shapes, nor if the old version rejects the shapes on another path.
    """
    failing = _done(new, failure.lines[-1:])
    if not failing:
        return False
    reached = ReachedLines()
    if any(inputs.attempt(specs, truth=way, reached=reached) is not None for way in WAYS):
        return False
    return failing <= _done(inputs.loaded.tree, reached.lines)


def _done(tree: ast.Module, lines: Collection[int]) -> set[str]:
    """The expressions that the simple statements on these lines compute."""
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.Assign(value=value) | ast.Return(value=ast.expr() as value) | ast.Expr(value=value):
                if any(node.lineno <= line <= (node.end_lineno or node.lineno) for line in lines):
                    found.add(ast.dump(value))
    return found
