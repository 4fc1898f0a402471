"""Records what Python decides by itself: the outcomes of tests on lengths, shapes, dtypes and numbers of Python.

A trace follows one outcome of each, so that equal programs tell nothing of the other. `n // 4`, `n % 4`, `n >> 4` and
`min(n, 4)` decide by their number too: whether `n` lies beyond it; `table.get(n)` by the keys.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import cast

import jax
import numpy as np

from ..runtime.line_marks import StaticTest, chose, weighed
from .branch_cover import MARK as COVERED
from .branch_cover import before_raising, silent

TEST, BEYOND, HELD = "__scanlint_choice__", "__scanlint_beyond__", "__scanlint_key__"
DECIDED = (bool, int, float, str, type(None), tuple, list, dict)
STEPPED = (ast.FloorDiv, ast.Mod, ast.RShift)
LIMITS = frozenset(["min", "max", "minimum", "maximum", "clip"])
KINDS = frozenset(["isinstance", "issubclass", "callable", "hasattr"])
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def recorders(version: str) -> dict[str, object]:
    """The functions that the marks of a version call, by their names."""

    def test(place: tuple[int, int, int, int], value: object) -> object:
        if type(value) in DECIDED:
            chose(StaticTest(version, *place), bool(value))
        elif isinstance(value, jax.Array | np.ndarray | np.bool_) and value.dtype == np.bool_:
            return weighed(StaticTest(version, *place), value)
        return value

    def beyond(place: tuple[int, int, int, int], number: int, value: object) -> object:
        if type(value) in (int, float):
            chose(StaticTest(version, *place, number), value > number)  # type: ignore[operator]
        return value

    def held(place: tuple[int, int, int, int], table: object, key: object) -> object:
        if type(table) is dict and type(key) in (int, str, float, tuple):
            chose(StaticTest(version, *place), key in table)
        return key

    return {TEST: test, BEYOND: beyond, HELD: held}


def with_choices(tree: ast.Module) -> ast.Module:
    """The tree with marks at the tests of its functions; it changes the tree that it is given.

    What reads no name of a function is the same on every call. Tests of kinds and of presence, and those whose arm only
    raises, need not come out in both ways.
    """
    _ChoiceMarker(frozenset(before_raising(tree))).visit(tree)
    return ast.fix_missing_locations(tree)


class _ChoiceMarker(ast.NodeTransformer):
    """`raising`: the `if` statements after which the function raises."""

    def __init__(self, raising: frozenset[ast.stmt]) -> None:
        self.raising = raising
        self.local: frozenset[str] = frozenset()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self.inside(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self.inside(node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return self.inside(node)

    def inside(self, node: Function) -> ast.AST:
        """The body of a function; its decorators and defaults are computed once."""
        outside, self.local = self.local, self.local | frozenset(_bound(node))
        if isinstance(node, ast.Lambda):
            node.body = self.visit(node.body)
        else:
            node.body = [self.visit(statement) for statement in node.body]
        self.local = outside
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        if node not in self.raising and not any(map(silent, (node.body, node.orelse))):
            node.test = self.marked(node.test)
        node.body = [self.visit(s) for s in node.body]
        node.orelse = [self.visit(s) for s in node.orelse]
        return node

    def visit_While(self, node: ast.While) -> ast.AST:
        node.test = self.marked(node.test)
        return self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        node.test = self.marked(node.test)
        return self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        node.ifs = [self.marked(test) for test in node.ifs]
        return self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        node.values = [self.marked(value) for value in node.values]
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        return self.generic_visit(node) if self.fixed(node) else self.wrapped(TEST, node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        match node:
            case ast.BinOp(op=op, right=ast.Constant(value=int() as number)) if isinstance(op, STEPPED):
                bits = isinstance(op, ast.RShift)
                node.left = self.limited(node.left, (1 << min(number, 30)) - 1 if bits else number - 1)
                return node
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        numbers = [a.value for a in node.args if isinstance(a, ast.Constant) and type(a.value) is int]
        if name in (TEST, BEYOND, HELD):  # what is in it has its marks
            return node
        if name == COVERED:
            node.args[1:] = [self.marked(test) for test in node.args[1:]]
            return node
        if name in LIMITS and numbers:
            node.args = [self.limited(a, numbers[-1]) if not isinstance(a, ast.Starred) else a for a in node.args]
            return node
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name() | ast.Dict() as table, attr="get"), args=[key, *_]):
                node.args[0] = key if self.fixed(key) else self.wrapped(HELD, key, table)
        return self.generic_visit(node)

    def marked(self, test: ast.expr) -> ast.expr:
        """A test with a mark, unless it has one."""
        called = test.func.id if isinstance(test, ast.Call) and isinstance(test.func, ast.Name) else ""
        if called in (TEST, COVERED) or isinstance(test, ast.Compare | ast.Constant) or self.fixed(test):
            return cast("ast.expr", self.visit(test))
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test.operand = self.marked(test.operand)
            return test
        return self.wrapped(TEST, test)

    def limited(self, value: ast.expr, number: int) -> ast.expr:
        """A value with a mark that tells on which side of a number it lies."""
        return (
            cast("ast.expr", self.visit(value))
            if self.fixed(value)
            else self.wrapped(BEYOND, value, ast.Constant(number))
        )

    def fixed(self, value: ast.expr) -> bool:
        """Whether nothing is decided by a value, or the same on every call."""
        names = (n.id for n in ast.walk(value) if isinstance(n, ast.Name))
        return _of_kinds(value) or self.local.isdisjoint(names)

    def wrapped(self, name: str, value: ast.expr, *more: ast.expr) -> ast.expr:
        place = (value.lineno, value.col_offset, value.end_lineno or value.lineno, value.end_col_offset or 0)
        tested = name == TEST and isinstance(value, ast.Compare)
        inner = cast("ast.expr", self.generic_visit(value) if tested else self.visit(value))
        call = ast.Call(ast.Name(name, ast.Load()), [ast.Constant(place), *more, inner], [])  # type: ignore[arg-type]
        return ast.copy_location(call, value)


def in_words(choice: StaticTest, outcome: bool, text: str) -> str:
    """A test that came out in one way only, as it is written: "`len(xs) == 5` at line 3 was never true"."""
    told = f"`{written(choice, text)}` at line {choice.line} of the {choice.version} version was never"
    if choice.number is None:
        return f"{told} {'true' if outcome else 'false'}"
    return f"{told} {'above' if outcome else 'at most'} {choice.number}"


def written(choice: StaticTest, text: str) -> str:
    """A test as it stands in the text of its version, on one line."""
    lines = text.splitlines()[choice.line - 1 : choice.end_line]
    lines[-1] = lines[-1].encode()[: choice.end_column].decode()
    lines[0] = lines[0].encode()[choice.column :].decode()
    return " ".join(line.strip() for line in lines)


def _bound(node: Function) -> Iterator[str]:
    """The names that a function binds, in functions inside of it too."""
    for part in ast.walk(node):
        match part:
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                yield name


def _of_kinds(test: ast.expr) -> bool:
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _of_kinds(operand)
        case ast.Compare(ops=ops):
            return all(isinstance(op, ast.Is | ast.IsNot) for op in ops)
        case ast.Call(func=ast.Name(id=name)):
            return name in KINDS
    return False
