"""Records which lines of the code under test run: a call before each statement reports its line."""

from __future__ import annotations

import ast
import contextlib
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import jax
import numpy as np

MARK = "__scanlint_line__"


class StaticTest(NamedTuple):
    """A test by which Python decides: the version, where it stands, and the number that it compares with, if any."""

    version: str
    line: int
    column: int
    end_line: int
    end_column: int
    number: int | None = None


Outcome = tuple[StaticTest, bool]


@dataclass
class ReachedLines:
    """The lines whose statements have begun, of each version and together, and how many statements have.

    `choices` are the outcomes of the tests by which Python decided, `data` those of the elements of tests of arrays,
    with how many of them there were.
    """

    events: int = 0
    lines: set[int] = field(default_factory=set)
    of: dict[str, set[int]] = field(default_factory=dict)
    choices: dict[StaticTest, set[bool]] = field(default_factory=dict)
    data: dict[StaticTest, Counter[bool]] = field(default_factory=dict)

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Record what runs, in place of an outer recorder."""
        _WATCHING.append(self)
        try:
            yield
        finally:
            _WATCHING.pop()

    def reach(self, line: int) -> None:
        self.events += 1
        self.lines.add(line)

    def one_sided(self) -> set[Outcome]:
        """The tests that Python decided in one way only, with the way in which it never did."""
        return {(choice, False in seen) for choice, seen in self.choices.items() if len(seen) == 1}


@dataclass
class LocalNames(ReachedLines):
    """The local names of one function when its last statement began."""

    function: str = ""
    found: dict[str, object] = field(default_factory=dict)

    def reach(self, line: int) -> None:
        frame = sys._getframe(2)
        if frame.f_code.co_name == self.function:
            self.found = dict(frame.f_locals)


_WATCHING: list[ReachedLines] = []


def reached(line: int, version: str = "") -> None:
    """A statement on this line of a version is about to be run."""
    if _WATCHING:
        _WATCHING[-1].reach(line)
        _WATCHING[-1].of.setdefault(version, set()).add(line)


def chose(choice: StaticTest, outcome: bool) -> None:
    """Python has decided by a test."""
    if _WATCHING:
        _WATCHING[-1].choices.setdefault(choice, set()).add(outcome)


_FORCED: dict[StaticTest, bool] = {}


@contextlib.contextmanager
def forced(choice: StaticTest, outcome: bool) -> Iterator[None]:
    """Within, a test of arrays has this outcome for all their elements."""
    _FORCED[choice] = outcome
    try:
        yield
    finally:
        del _FORCED[choice]


def weighed(choice: StaticTest, array: jax.Array | np.ndarray | np.bool_) -> object:
    """What counts as the outcome of a test of arrays, which is noted; tracers tell nothing."""
    if choice in _FORCED:
        return array == array if _FORCED[choice] else array != array
    if not _WATCHING or isinstance(array, jax.core.Tracer):
        return array
    plain, seen = np.asarray(array), _WATCHING[-1].data.setdefault(choice, Counter())
    true = int(np.count_nonzero(plain))
    seen.update({outcome: count for outcome, count in ((True, true), (False, plain.size - true)) if count})
    return array


def marked(tree: ast.Module) -> ast.Module:
    """The tree with a mark before each statement of its functions; it changes the tree that it is given.

    A trace function (`sys.settrace`) would be called for every frame of JAX too, which doubles the time.
    """
    _LineMarker().visit(tree)
    return ast.fix_missing_locations(tree)


class _LineMarker(ast.NodeTransformer):
    def __init__(self) -> None:
        self.inside = False

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self.definition(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self.definition(node)

    def definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        outside, self.inside = self.inside, True
        node.body = self.block(node.body, first=1 if ast.get_docstring(node) is not None else 0)
        self.inside = outside
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        outside, self.inside = self.inside, False
        self.generic_visit(node)
        self.inside = outside
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for name, value in ast.iter_fields(node):
            if not (isinstance(value, list) and value):
                continue
            if isinstance(value[0], ast.stmt):
                setattr(node, name, self.block(value))
            elif isinstance(value[0], ast.ExceptHandler | ast.match_case):
                for part in value:
                    self.visit(part)
        return node

    def block(self, body: list[ast.stmt], first: int = 0) -> list[ast.stmt]:
        """A mark before each statement but the `first` ones."""
        found: list[ast.stmt] = []
        for at, statement in enumerate(body):
            if self.inside and at >= first:
                call = ast.Call(ast.Name(MARK, ast.Load()), [ast.Constant(statement.lineno)], [])
                found.append(ast.copy_location(ast.Expr(call), statement))
            self.visit(statement)
            found.append(statement)
        return found
