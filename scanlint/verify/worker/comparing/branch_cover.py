"""Branch coverage: a copy of the old version in which every test records its outcome."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from ..runtime.loading import find

MARK = "__scanlint_test__"
LOOP = object()
"""A mark that is recorded in the place of a tested value, at a loop before its first trip."""
HELD = "__scanlint_held_"
Statements = list[ast.stmt]
Way = tuple[tuple[int, bool], ...]


@dataclass
class Coverage:
    """The tests on changed lines: the outcomes that are needed, and those that were seen.

    `trips` is how many trips loops of changed lines made in the runs that were compared. `heads` are the times that
    the run came to such a loop, by its point, with the length of the trail then; `made` the trips of the last run.
    """

    changed: frozenset[int] = frozenset()
    needed: dict[tuple[int, bool], str] = field(default_factory=dict)
    seen: set[tuple[int, bool]] = field(default_factory=set)
    trail: list[tuple[int, bool]] = field(default_factory=list)
    heads: list[tuple[int, int]] = field(default_factory=list)
    made: frozenset[int] = frozenset()
    trips: set[int] = field(default_factory=set)

    def record(self, point: int, value: object = LOOP) -> bool:
        """The truth of a tested value, asked once as the source does; a loop that is come to has none."""
        if value is LOOP:
            self.heads.append((point, len(self.trail)))
            return True
        outcome = bool(value)
        self.trail.append((point, outcome))
        return outcome

    def begin(self) -> None:
        """Begin the run of a case: what traces and searches recorded before does not count."""
        self.trail.clear()
        self.heads.clear()

    def way(self) -> Way:
        """The path of the run: the outcomes of its tests, in order."""
        way = tuple(self.trail)
        self.made = frozenset(_trips(way, self.heads))
        return way

    def traced(self) -> None:
        """The programs traced since the run began are equal: the trips of their loops are covered."""
        self.trips.update(_trips(self.way(), self.heads))

    def count(self, way: Way) -> None:
        """The results of a run were compared: its path is covered."""
        self.seen.update(way)
        self.trips |= self.made

    def missing(self) -> list[str]:
        """Arms that no case took, in the order of the source."""
        return [text for key, text in self.needed.items() if key not in self.seen]

    def instrument(self, tree: ast.Module, dotted: str) -> ast.Module:
        """The tree with the tests of one function recorded; call it on a tree of its own."""
        node = find(tree, dotted)
        if node is not None and self.changed:
            _Recorder(self, frozenset(before_raising(node))).generic_visit(node)
            ast.fix_missing_locations(tree)
        return tree


class _Recorder(ast.NodeTransformer):
    """Wraps tests; points are counted in source order, so that copies of one text share them.

    `raising`: the `if` statements after which the function raises.
    """

    def __init__(self, coverage: Coverage, raising: frozenset[ast.stmt]) -> None:
        self.coverage, self.raising = coverage, raising
        self.count = 0

    def touched(self, node: ast.expr | ast.stmt) -> bool:
        return bool(self.coverage.changed & set(range(node.lineno, (node.end_lineno or node.lineno) + 1)))

    def recorded(self, test: ast.expr, yes: str | None, no: str | None) -> ast.expr:
        """A call that records the outcome of `test`; `yes` and `no` say what is missed where it never comes."""
        point, self.count = self.count, self.count + 1
        for outcome, text in ((True, yes), (False, no)):
            if text is not None:
                self.coverage.needed.setdefault((point, outcome), text)
        call = ast.Call(ast.Name(MARK, ast.Load()), [ast.Constant(point), self.truth(test)], [])
        return ast.copy_location(call, test)

    def truth(self, test: ast.expr) -> ast.expr:
        """A test whose operands are recorded too."""
        match test:
            case ast.BoolOp(op=op, values=values):
                return ast.copy_location(ast.BoolOp(op, [self.operand(v) for v in values]), test)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return ast.copy_location(ast.UnaryOp(ast.Not(), self.truth(operand)), test)
        visited = self.visit(test)
        return visited if isinstance(visited, ast.expr) else test

    def operand(self, value: ast.expr) -> ast.expr:
        if not self.touched(value) or _static(value):
            return self.truth(value)
        text = f"`{ast.unparse(value)}` at line {value.lineno}"
        return self.recorded(value, f"{text} being true was", f"{text} being false was")

    def visit_If(self, node: ast.If) -> ast.AST:
        if self.touched(node):
            yes = None if silent(node.body) else f"branch at line {node.body[0].lineno}"
            no = (
                f"branch at line {node.orelse[0].lineno}"
                if node.orelse
                else f"the way past the `if` at line {node.lineno}"
            )
            ends = silent(node.body) or silent(node.orelse) or (node in self.raising and not node.orelse)
            node.test = self.recorded(node.test, yes, None if ends else no)
        else:
            self.visit(node.test)
        self.blocks(node.body, node.orelse)
        return node

    def visit_While(self, node: ast.While) -> ast.AST | Statements:
        if self.touched(node):
            head = self.head(node)
            node.test = self.recorded(node.test, f"branch at line {node.body[0].lineno}", None)
            self.blocks(node.body, node.orelse)
            return [head, node]
        self.blocks(node.body, node.orelse)
        return node

    def visit_For(self, node: ast.For) -> ast.AST | Statements:
        node.iter = self.visit(node.iter)
        self.blocks(node.body, node.orelse)
        if not self.touched(node):
            return node
        head = self.head(node)
        entered = self.recorded(ast.copy_location(ast.Constant(True), node.body[0]), _body(node), None)
        node.body.insert(0, ast.copy_location(ast.Expr(entered), node.body[0]))
        return [head, node]

    def head(self, node: ast.For | ast.While) -> ast.stmt:
        """The statement that tells of the loop whose trips the next point records."""
        call = ast.Call(ast.Name(MARK, ast.Load()), [ast.Constant(self.count)], [])
        return ast.copy_location(ast.Expr(call), node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        if not self.touched(node):
            return self.generic_visit(node)
        texts = [f"`{ast.unparse(arm)}` at line {arm.lineno}" for arm in (node.body, node.orelse)]
        node.test = self.recorded(node.test, *texts)
        node.body, node.orelse = self.visit(node.body), self.visit(node.orelse)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        """`a and b` for its value: `b if a else a`, with `a` evaluated and asked once."""
        if not self.touched(node):
            return self.generic_visit(node)
        result: ast.expr = self.visit(node.values[-1])
        for value in node.values[-2::-1]:
            held = f"{HELD}{self.count}"
            text = f"`{ast.unparse(value)}` at line {value.lineno}"
            missed = (None, None) if _static(value) else (f"{text} being true was", f"{text} being false was")
            stored = ast.NamedExpr(ast.Name(held, ast.Store()), value)
            test = self.recorded(ast.copy_location(stored, value), *missed)
            kept = ast.Name(held, ast.Load())
            arms = (result, kept) if isinstance(node.op, ast.And) else (kept, result)
            result = ast.copy_location(ast.IfExp(test, *arms), node)
        return result

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        node.iter = self.visit(node.iter)
        for at, test in enumerate(node.ifs):
            if self.touched(test):
                text = f"`{ast.unparse(test)}` at line {test.lineno}"
                node.ifs[at] = self.recorded(test, f"{text} being true was", f"{text} being false was")
        return node

    def blocks(self, *blocks: Statements) -> None:
        for block in blocks:
            visited = [self.visit(s) for s in block]
            block[:] = [s for made in visited for s in (made if isinstance(made, list) else [made])]


def _trips(way: Way, heads: Sequence[tuple[int, int]]) -> Iterator[int]:
    """How many trips a run made in each loop each time that it came there: as often as it passed the loop's point."""
    for number, (point, start) in enumerate(heads):
        end = next((at for other, at in heads[number + 1 :] if other == point), len(way))
        yield sum(passed == point and outcome for passed, outcome in way[start:end])


def _body(node: ast.For) -> str | None:
    return None if silent(node.body) else f"branch at line {node.body[0].lineno}"


def silent(body: Statements) -> bool:
    """Whether an arm only raises or does nothing: no result of it can be compared."""
    return bool(body) and all(isinstance(s, (ast.Raise, ast.Pass, ast.Assert)) for s in body)


def before_raising(tree: ast.AST) -> Iterator[ast.stmt]:
    """The `if` statements, and those of their `elif`, that stand before a `raise`."""
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            for before, after in pairwise(body) if isinstance(body, list) else ():
                chained = [before] if isinstance(after, ast.Raise) else []
                while chained and isinstance(chained[0], ast.If):
                    yield chained[0]
                    chained = chained[0].orelse if len(chained[0].orelse) == 1 else []


def _static(value: ast.expr) -> bool:
    """Tests of kinds and of presence, which stay in Python."""
    match value:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _static(operand)
        case ast.Compare(ops=ops):
            return all(isinstance(op, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for op in ops)
        case ast.Call(func=ast.Name(id=name)):
            return name in ("isinstance", "issubclass", "callable", "hasattr", "len")
        case ast.Constant():
            return True
    return False


def changed_lines(old: str, new: str) -> Iterator[int]:
    """Lines of the old text that the new one does not keep."""
    import difflib

    matcher = difflib.SequenceMatcher(None, old.splitlines(), new.splitlines(), autojunk=False)
    for tag, start, end, _, _ in matcher.get_opcodes():
        if tag != "equal":
            yield from range(start + 1, max(end, start + 1) + 1)
