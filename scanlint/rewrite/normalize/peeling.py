"""The first trip before the loop, where it alone gives a name its first value: `best = d if best is None else ...`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from textwrap import dedent, indent

from scanlint.branches.branch import definite
from scanlint.finding import NOT_APPLICABLE, Edit, Next, Position, Rewrite, Step, mark
from scanlint.loops.jumps import jumps_in
from scanlint.loops.loop import LoopModel
from scanlint.loops.streams import Stream
from scanlint.rewrite.emit.snippets import atom, shifted
from scanlint.rewrite.normalize.exits.flagged_body import Leaving
from scanlint.syntax.bindings import binds, reads

LONGEST = 8
"""Statements that a trip may have to be written once more."""


def first_trip_before(model: LoopModel) -> Step:
    """The loop with its first trip written before it, if that is what its only obstacles ask for."""
    node, codes = model.node, {o.code for o in model.obstacles}
    if not isinstance(node, ast.For) or not codes or codes - {"carry-not-an-array", "maybe-undefined"}:
        return NOT_APPLICABLE
    if len(node.body) > LONGEST or node.orelse or model.outputs or len(model.streams) != 1:
        return NOT_APPLICABLE
    stream, bound = model.streams[0], binds(*node.body)
    if any(isinstance(part, ast.Lambda | ast.FunctionDef | ast.JoinedStr) for part in ast.walk(node)):
        return NOT_APPLICABLE
    plain = not (stream.step or stream.counted or stream.reverse or stream.table) and isinstance(
        stream.target, ast.Name
    )
    if not plain or (reads(node.iter) | binds(node.target)) & bound or model.live_targets:
        return NOT_APPLICABLE
    if next(jumps_in(*node.body), None) is not None:
        return NOT_APPLICABLE
    return _Peeling(model, node, stream).outcome()


class _Peeling:
    """One loop on its way. `nothing` are the names that are None before it; `tests` what is known of its tests."""

    def __init__(self, model: LoopModel, node: ast.For, stream: Stream) -> None:
        self.model, self.node = model, node
        self.unit, self.source = model.unit, model.unit.source
        self.leaving = Leaving(self.unit, self.unit.indent, str)
        self.target = stream.target.id if isinstance(stream.target, ast.Name) else ""
        self.array = self.source.segment(stream.array) if stream.array is not None else None
        self.start = self.source.segment(stream.start) if stream.start is not None else "0"
        self.stop = self.source.segment(stream.stop) if stream.stop is not None else ""
        self.bound = binds(*node.body)
        befores = {name: self.unit.before.get((node, name)) for name in model.carried}
        self.nothing = {n for n, v in befores.items() if v is not None and v.known and v.constant is None}
        self.tests = {test: first for test in self._conditions() if (first := self._first(test)) is not None}

    def outcome(self) -> Step:
        node, margin = self.node, self.leaving.margin(self.node, 0)
        missing = {n for n in self.model.carried if n not in self.model.flow.bound_before(node)}
        trip, rest = self._copy(first=True), self._copy(first=False)
        if not self.tests or not self.nothing | missing <= definite(ast.parse(trip).body):
            return NOT_APPLICABLE
        if self.array is not None:
            trip = f"{self.target} = {self.array}[0]\n{trip}"
        over = f"{atom(self.array)}[1:]" if self.array is not None else f"range({shifted(self.start, 1)}, {self.stop})"
        lines = indent(trip, margin).splitlines()
        place = self.source.put(node.iter, over)
        header = self._lines(node.lineno, node.body[0].lineno - 1, [place])
        header[0] = f"{margin}{mark(0)}{header[0].removeprefix(margin)}"
        text = [*lines, *header, *indent(rest, margin + self.leaving.indent).splitlines()]
        edits = [Edit(Position(node.lineno, 1), self.source.end(node), self.leaving.newline.join(text))]
        dropped = list(self._nothings())
        edits += [self.source.drop(s) for s in dropped]
        return Rewrite(tuple(edits), "fori_loop" if self.array is None else "scan", next=(Next(),))

    # -- what is decided

    def _conditions(self) -> Iterator[ast.expr]:
        for part in ast.walk(ast.Module(self.node.body, [])):
            if isinstance(part, ast.If | ast.IfExp):
                yield part.test

    def _first(self, test: ast.expr) -> bool | None:
        """The truth of a test in the first trip, if it is the opposite in all others; None where that is not known."""
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                inner = self._first(operand)
                return None if inner is None else not inner
            case ast.Name(id=name) if name == self.target and self.array is None:
                return False if self.start == "0" else None
            case ast.Compare(left=ast.Name(id=name), ops=[op], comparators=[ast.Constant(value=None)]):
                if name in self.nothing and not self._earlier(name, test):
                    return isinstance(op, ast.Is) if isinstance(op, ast.Is | ast.IsNot) else None
            case ast.Compare(left=ast.Name(id=name), ops=[op], comparators=[other]) if name == self.target:
                if self.array is None and self.source.segment(other) == self.start and not reads(other) & self.bound:
                    return {ast.Eq: True, ast.NotEq: False, ast.Gt: False}.get(type(op))
        return None

    def _earlier(self, name: str, test: ast.expr) -> bool:
        """Whether a trip binds a name before this test, or to None."""
        at = next(i for i, s in enumerate(self.node.body) if test in set(ast.walk(s)))
        none = any(
            isinstance(s, ast.Assign) and isinstance(s.value, ast.Constant) and s.value.value is None
            for s in ast.walk(ast.Module(self.node.body, []))
        )
        return none or name in binds(*self.node.body[:at])

    def _nothings(self) -> Iterator[ast.stmt]:
        """The statements, alone on their lines, that make names None for the sake of the loop."""
        block = self.unit.block(self.node)
        before = block[: block.index(self.node)]
        for at, statement in enumerate(before):
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=None)) if name in self.nothing:
                    if name not in reads(*before[at + 1 :]) and self.source.alone(statement):
                        yield statement

    # -- the text

    def _copy(self, *, first: bool) -> str:
        """The body as it is in the first trip, or in the others, at no margin."""
        return dedent("\n".join(self._block(self.node.body, first))) + "\n"

    def _block(self, block: Sequence[ast.stmt], first: bool) -> list[str]:
        """The lines of a block, of decided branches those of the arm that is taken."""
        out: list[str] = []
        floor = block[0].lineno - 1
        for statement in block:
            last = statement.end_lineno or statement.lineno
            if isinstance(statement, ast.If) and statement.test in self.tests:
                arm = statement.body if self.tests[statement.test] == first else statement.orelse
                inner = self._block(arm, first) if arm else []
                said = self._lines(self.source.top(arm[0]), arm[0].lineno - 1) if arm and not first else []
                out += self._lines(floor + 1, statement.lineno - 1)
                out += [line.removeprefix(self.leaving.indent) for line in (*said, *inner)]
            else:
                out += self._lines(floor + 1, last, [*self._edits(statement, first)])
            floor = last
        return out

    def _lines(self, first: int, last: int, edits: Sequence[Edit] = ()) -> list[str]:
        """Lines of the file with edits of what stands in them."""
        if last < first:
            return []
        end = Position(last, len(self.source.lines[last - 1]) + 1)
        return self.source.between(Position(first, 1), end, edits).splitlines()

    def _edits(self, node: ast.AST, first: bool) -> Iterator[Edit]:
        """The edits that make a part of the body that of the first trip, or that of the other trips."""
        start, end = (self.source.start, self.source.end)
        match node:
            case ast.IfExp() if node.test in self.tests:
                arm = node.body if self.tests[node.test] == first else node.orelse
                yield Edit(start(node), start(arm), "")
                yield from self._edits(arm, first)
                yield Edit(end(arm), end(node), "")
            case ast.If() if node.test in self.tests:
                for statement in node.body if self.tests[node.test] == first else node.orelse:
                    yield from self._edits(statement, first)
            case ast.Name(id=name) if first and name == self.target and self.array is None:
                yield Edit(start(node), end(node), self.start if self.start.isidentifier() else atom(self.start))
            case _:
                for child in ast.iter_child_nodes(node):
                    yield from self._edits(child, first)
