"""Errors of the new version that refute nothing: a long recursion, no elements, fewer than none; and their places."""

from __future__ import annotations

import ast
import traceback

import jax

from ..runtime.calling import Values, without_elements, without_trips
from ..runtime.jax_errors import Fact, first_line, in_staged_body, says
from ..runtime.line_marks import ReachedLines
from ..runtime.version_pair import VersionPair
from .result_trees import empty

DEEP, MANY = "the new version nests deeper than Python allows", 100
"""A recursion that so large a number counts down may go too deep once it is traced; any other has no end."""
LONGEST = 60
NOTHING = "the new version raises where there are no elements"


def spared(pair: VersionPair, values: Values, expected: object, error: Exception, *, free: bool) -> tuple[str, str]:
    """What is said, with the words by which that is known, where an error refutes nothing; else empty.

    A loop over `range(n)` makes no trip where `n` is negative; an array of `n` rows cannot be made.
    """
    text = f"{type(error).__name__}: {first_line(error, 200)}"
    if isinstance(error, RecursionError) and (deep := [n for n, x in values.items() if type(x) is int and x >= MANY]):
        told = f"{DEEP}, for {', '.join(f'{n} = {values[n]}' for n in deep)}"
        return told, told
    below = next((n for n, x in values.items() if type(x) is int and x < 0), None)
    if below is not None and (says(error, Fact.NEGATIVE_SIZE) or tripless(pair, values)):
        told = f"the new version raises where `{below}` is negative: {text}"
        return told, told
    nothing = without_elements(values) or _idle(pair, values, error, free=free)
    if empty(expected) or (nothing and (in_staged_body(error) or not jax.tree_util.tree_leaves(expected))):
        return f"{NOTHING}: {text}", NOTHING
    return "", ""


def _idle(pair: VersionPair, values: Values, error: Exception, *, free: bool) -> bool:
    """Whether an error is due to a loop that makes no trip: there are no rows to index, or too few for a window."""
    if without_trips(values, error):
        return True
    return not free and in_staged_body(error) and says(error, Fact.WINDOW) and tripless(pair, values)


def tripless(pair: VersionPair, values: Values) -> bool:
    """Whether there are no elements, or a loop of the old version makes no trip."""
    if without_elements(values) or pair.old.function is None:
        return without_elements(values)
    reached = ReachedLines()
    with reached.watching():
        pair.run_old(values)
    loops = [n for n in ast.walk(pair.old.function) if isinstance(n, ast.For)]
    return any(loop.lineno in reached.lines and loop.body[0].lineno not in reached.lines for loop in loops)


def place_of(error: BaseException, file: str, tree: ast.Module) -> str:
    """The statement of a file, or the head of one, in which an error was raised; empty where it was in no such."""
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == file]
    if not lines:
        return ""
    around = [n for n in ast.walk(tree) if isinstance(n, ast.stmt) and n.lineno <= lines[-1] <= (n.end_lineno or 0)]
    return _head(max(around, key=lambda node: node.lineno)) if around else ""


def _head(node: ast.stmt) -> str:
    match node:
        case ast.If(test=test):
            text = f"if {ast.unparse(test)}"
        case ast.While(test=test):
            text = f"while {ast.unparse(test)}"
        case ast.For(target=target, iter=iterable):
            text = f"for {ast.unparse(target)} in {ast.unparse(iterable)}"
        case _:
            text = ast.unparse(node).partition("\n")[0]
    return f"`{text if len(text) <= LONGEST else text[: LONGEST - 3] + '...'}`"
