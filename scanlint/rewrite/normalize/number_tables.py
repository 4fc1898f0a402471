"""Python numbers that tracers would not be, made before the loop as Python makes them: it reads them from an array.

`jnp.sin(1e3 * i / 7)` becomes `jnp.sin(number)`, with `1e3 * np.arange(n) / 7` in `numbers`: in double precision,
rounded once. What goes from trip to trip (`t = t + 0.1`) is made by a loop of its own, which is left to Python. The
array is as weakly typed as a Python number: it has been full of one, and takes on the dtype of what it meets.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from scanlint.finding import NOT_APPLICABLE, Edit, Next, Rewrite, Step
from scanlint.loops.loop import LoopModel
from scanlint.loops.numbers.body import Body
from scanlint.loops.numbers.meetings import DOUBLE, UNBOUNDED, Meeting
from scanlint.loops.numbers.number import INT
from scanlint.loops.streams import Stream
from scanlint.rewrite.emit.in_place import with_parentheses
from scanlint.rewrite.emit.snippets import fresh, plural
from scanlint.rewrite.emit.spelling import Spelling
from scanlint.syntax.bindings import binds, reads, walk_scope
from scanlint.syntax.walk import substituted

CODES = {UNBOUNDED, DOUBLE, "index-needs-int"}
EXACT = 2**53
"""Whole numbers up to this one are the same in NumPy's integers and in its floats."""


def with_tables(model: LoopModel) -> Step:
    """The loop with arrays in the place of Python numbers that tracers would not be, if nothing else is in the way."""
    codes = {o.code for o in model.obstacles}
    return _step(model, strong=False) if codes & {UNBOUNDED, DOUBLE} and not codes - CODES else NOT_APPLICABLE


def with_weak_tables(model: LoopModel) -> Step:
    """Put whole numbers into a table that would get a strong dtype if they were computed by tracers: `(-1) ** i`."""
    return NOT_APPLICABLE if model.obstacles else _step(model, strong=True)


def _step(model: LoopModel, *, strong: bool) -> Step:
    if len(model.streams) != 1:
        return NOT_APPLICABLE
    stream = model.streams[0]
    bounds = [stream.start, stream.stop, stream.step]
    if stream.kind != "range" or stream.counted is not None or not isinstance(stream.target, ast.Name):
        return NOT_APPLICABLE
    if any(model.unit.value(b).traced for b in bounds if b is not None):
        return NOT_APPLICABLE
    if stream.target.id in model.live_targets or (binds(*model.node.body) & reads(*bounds)):
        return NOT_APPLICABLE
    return _Tables(model, stream, stream.target.id).step(strong=strong)


@dataclass
class _Table:
    """One array: its name, that of a number in it, what it holds, and the places that read it."""

    name: str
    row: str
    meeting: Meeting
    places: list[ast.expr] = field(default_factory=list)


class _Tables:
    """One loop on its way. `python`: the statements of the body that bind Python numbers alone, by what they bind."""

    def __init__(self, model: LoopModel, stream: Stream, index: str) -> None:
        self.model, self.stream, self.index = model, stream, index
        self.unit, self.source = model.unit, model.unit.source
        self.spell = Spelling(self.unit)
        self.body = Body(self.unit, model.node, model.streams, model.carried)
        self.meetings = self.body.meetings(model.flow.live_after(model.node))
        self.taken = set(self.unit.names)
        self.defined = self._definitions()
        self.gone: list[ast.Assign | ast.AugAssign] = []

    def step(self, *, strong: bool) -> Step:
        departing = [m for m in self.meetings if m.departs or (strong and m.strong)]
        kept = {name for m in departing for name in self._needed(m.node) if name in self.model.carried}
        together = [m for m in self.meetings if m in departing or self._needed(m.node) & kept]
        if any(isinstance(m.node.ctx, ast.Store) for m in together if isinstance(m.node, ast.Name)):
            together = [m for m in together if not (isinstance(m.node, ast.Name) and isinstance(m.node.ctx, ast.Store))]
            if not kept:
                return NOT_APPLICABLE
        if not together or not all(self._movable(m, kept) for m in together):
            return NOT_APPLICABLE
        tables = self._named(together)
        gone = self._unread(tables, kept)
        lines = self._followed(tables, kept) if kept else [self._line(table) for table in tables]
        if gone is None or len(gone) == len(self.model.node.body):
            return NOT_APPLICABLE
        self.gone = gone
        edits = [self.source.ahead(self.model.node, *lines)]
        edits += self._header(tables)
        for table in tables:
            edits += [Edit(*with_parentheses(self.source, p), table.row) for p in table.places]
        edits += [self.source.drop(s) for s in gone]
        return Rewrite(tuple(edits), "scan", self.spell.imports, (Next(self.model.node, reported=not strong),))

    # -- what may be made before

    def _definitions(self) -> dict[str, list[ast.Assign | ast.AugAssign]]:
        """The statements of the body, at its top, that give names Python numbers."""
        found: dict[str, list[ast.Assign | ast.AugAssign]] = {}
        for statement in self.model.node.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)]) | ast.AugAssign(target=ast.Name(id=name)):
                    found.setdefault(name, []).append(statement)
        return found

    def _needed(self, node: ast.AST) -> frozenset[str]:
        """The names of the body, but for the index, that a number is worked out of, directly or not."""
        bound = binds(*self.model.node.body)
        found, waiting = set[str](), set(reads(node) & bound)
        if isinstance(node, ast.Name) and node.id in bound:
            waiting.add(node.id)
        while waiting:
            name = waiting.pop()
            found.add(name)
            waiting |= (reads(*self.defined.get(name, [])) & bound) - found
        return frozenset(found)

    def _movable(self, meeting: Meeting, kept: set[str]) -> bool:
        """A loop in front of this one can make the number."""
        needed = self._needed(meeting.node)
        for name in needed:
            if not self._python(name) or (name not in kept and not kept and len(self.defined[name]) > 1):
                return False
        inner = [t for a in self._around(meeting.node) if isinstance(a, ast.For) for t in binds(a.target)]
        local = [a for a in self._around(meeting.node) if isinstance(a, ast.Lambda | ast.FunctionDef)]
        hidden = {p for a in local for p in reads(meeting.node) & _own(a)}
        if reads(meeting.node) & {*inner} or hidden or self.index in needed:
            return False
        guarded = any(isinstance(a, ast.If | ast.IfExp | ast.BoolOp | ast.While) for a in self._around(meeting.node))
        values = [meeting.node, *(s for n in needed for s in self.defined[n])]
        kinds = {n for value in values for n in reads(value) & self.body.unsure}
        if kinds and meeting.number.whole:
            return False  # a float may be handed in, and would be cut off
        return not guarded or all(self._total(value) for value in values)

    def _around(self, node: ast.AST) -> Iterator[ast.AST]:
        for ancestor in self.unit.ancestors(node):
            if ancestor is self.model.node:
                return
            yield ancestor

    def _python(self, name: str) -> bool:
        """Whether all bindings of a name are statements at the top of the body, and each gives a Python number."""
        statements = self.defined.get(name, [])
        everywhere = [n for n in walk_scope(self.model.node.body) if isinstance(n, ast.stmt) and name in binds(n)]
        values = [getattr(s, "value", None) for s in statements]
        free = all(isinstance(v, ast.expr) and not self.unit.value(v).traced for v in values)
        return bool(statements) and len(everywhere) == len(statements) and free and self._is_number(name)

    def _is_number(self, name: str) -> bool:
        if name in self.model.carried:
            return name in self.body.known
        values = [s.value for s in self.defined[name] if isinstance(s, ast.Assign)]
        return len(values) == len(self.defined[name]) and all(self._number(v) for v in values)

    def _number(self, node: ast.expr) -> bool:
        return self.body.of(self._inlined(node)) is not None

    def _total(self, node: ast.AST) -> bool:
        """The expression raises for no numbers that its names may be."""
        for part in ast.walk(node):
            match part:
                case ast.Call():
                    return False
                case ast.BinOp(op=ast.Div() | ast.FloorDiv() | ast.Mod(), right=by):
                    known = self.body.of(self._inlined(by))
                    if known is None or known.low <= 0 <= known.high:
                        return False
                case ast.BinOp(op=ast.Pow(), right=exponent):
                    known = self.body.of(self._inlined(exponent))
                    if known is None or not 0 <= known.low <= known.high <= 64:
                        return False
        return True

    # -- the arrays

    def _named(self, meetings: Sequence[Meeting]) -> list[_Table]:
        """One array for each number, whichever places read it."""
        tables: dict[object, _Table] = {}
        for meeting in meetings:
            at = self._position(meeting.node) if self._needed(meeting.node) & set(self.model.carried) else 0
            key = ast.dump(self._inlined(meeting.node)), at
            if key not in tables:
                one = meeting.node.id if isinstance(meeting.node, ast.Name) else "number"
                name = fresh(self.taken, plural(one))
                row = fresh(self.taken | {name}, one, f"{one}_now")
                tables[key] = _Table(name, row, meeting)
                self.taken |= {name, row}
            tables[key].places.append(meeting.node)
        return list(tables.values())

    def _position(self, node: ast.AST) -> int:
        """The statement of the body in which something is."""
        inside = [at for at, s in enumerate(self.model.node.body) if any(part is node for part in ast.walk(s))]
        return inside[0]

    def _inlined(self, node: ast.expr) -> ast.expr:
        """A number of the index alone: names that the body gives to such numbers stand for them."""
        simple = {n: s[0].value for n, s in self.defined.items() if n not in self.model.carried and len(s) == 1}
        return _replaced(node, simple, depth=8)

    def _line(self, table: _Table) -> str:
        """The array of what the index alone gives."""
        node = self._inlined(table.meeting.node)
        code, number = self._written(table.meeting.node, node), table.meeting.number
        if self._in_numpy(node) and number.most <= INT:
            turned = "[::-1]" if self.stream.reverse else ""
            numbers = f"{self.spell('numpy.arange')}({self._range()}){turned}"
            values = re.sub(rf"(?<![\w.]){self.index}\b", lambda _: numbers, code)
        else:
            values = self._listed(table, f"[{code} for {self.index} in {self._iterated()}]")
        return f"{table.name} = {self._weak(table, values, self._length())}"

    def _written(self, node: ast.expr, inlined: ast.expr) -> str:
        """A number as it stands in the text, where it does."""
        match node:
            case ast.Name(id=name) if (
                inlined is not node and self._inlined(value := self.defined[name][0].value) is value
            ):
                node = inlined = value
        return " ".join((self.source.segment(node) if inlined is node else ast.unparse(inlined)).split())

    def _in_numpy(self, node: ast.expr) -> bool:
        """NumPy works out the same numbers as Python, in integers and doubles, without a division by zero."""
        for part in ast.walk(node):
            match part:
                case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div() | ast.FloorDiv() | ast.Mod()):
                    pass
                case ast.BinOp() | ast.Compare() | ast.BoolOp() | ast.IfExp() | ast.Call():
                    return False
            if isinstance(part, ast.expr):
                known = self.body.of(part)
                if known is None or (known.whole and not known.most <= EXACT):
                    return False
        return self.index in reads(node) and self._total(node)

    def _weak(self, table: _Table, values: str, length: str) -> str:
        """An array of numbers that is as weakly typed as they are: one that was full of such a number before."""
        if _truths(table):
            return values
        first = "0" if table.meeting.number.whole else "0.0"
        return f"{self.spell('jax.numpy.full')}({length}, {first}).at[:].set({values})"

    def _followed(self, tables: Sequence[_Table], kept: set[str]) -> list[str]:
        """A loop in front that makes the numbers which go from trip to trip, and the arrays of them."""
        needed = {n for table in tables for n in self._needed(table.meeting.node)} | kept
        lists = {table.name: fresh(self.taken, f"{table.name}_listed", "listed") for table in tables}
        inside: list[str] = []
        for at, statement in enumerate(self.model.node.body):
            inside += [
                f"{lists[table.name]}.append({' '.join(self.source.segment(table.meeting.node).split())})"
                for table in tables
                if self._position(table.meeting.node) == at
            ]
            if any(statement in self.defined[name] for name in needed):
                inside.append(" ".join(self.source.segment(statement).split()))
        counter = self.index if any(self.index in reads(ast.parse(code)) for code in inside) else "_"
        lines = [f"{name} = []" for name in lists.values()]
        lines.append(f"for {counter} in {self._iterated()}:")
        lines += [f"{self.unit.indent}{code}" for code in inside]
        length = self._length()
        return [*lines, *(f"{t.name} = {self._weak(t, self._listed(t, lists[t.name]), length)}" for t in tables)]

    def _listed(self, table: _Table, values: str) -> str:
        """The numbers of a list as an array; JAX refuses whole ones that are too large for it, as it does one alone."""
        kind = ", int" if table.meeting.number.whole and not _truths(table) else ""
        return f"{self.spell('jax.numpy.array')}({values}{kind})"

    def _header(self, tables: Sequence[_Table]) -> list[Edit]:
        """The new header of the loop: it goes over the tables, and over the index if anything else reads it."""
        node, places = self.model.node, {n for table in tables for p in table.places for n in ast.walk(p)}
        assert isinstance(node, ast.For)
        reading = [n for n in ast.walk(ast.Module(node.body, [])) if isinstance(n, ast.Name) and n not in places]
        gone = {n for s in self.gone for n in ast.walk(s)}
        wanted = any(n.id == self.index and n not in gone for n in reading)
        rows = [*([self.index] if wanted else []), *(t.row for t in tables)]
        over = [*([self._iterated()] if wanted else []), *(t.name for t in tables)]
        code = over[0] if len(over) == 1 else f"zip({', '.join(over)})"
        target, iterable = node.target, node.iter
        return [
            self.source.put(target, ", ".join(rows)),
            self.source.put(iterable, code),
        ]

    def _iterated(self) -> str:
        assert isinstance(self.model.node, ast.For)
        return " ".join(self.source.segment(self.model.node.iter).split())

    def _range(self) -> str:
        parts = (self.stream.start, self.stream.stop, self.stream.step)
        code = [self.source.segment(part) for part in parts if part is not None]
        return ", ".join(["0", *code] if self.stream.start is None and self.stream.step is not None else code)

    def _length(self) -> str:
        if self.model.trips is not None:
            return str(self.model.trips)
        return self._range() if self.stream.start is self.stream.step is None else f"len(range({self._range()}))"

    # -- what is left

    def _unread(self, tables: Sequence[_Table], kept: set[str]) -> list[ast.Assign | ast.AugAssign] | None:
        """The statements that only made these numbers; None where one cannot be taken away, or is read elsewhere."""
        places = {n for table in tables for p in table.places for n in ast.walk(p)}
        gone: list[ast.Assign | ast.AugAssign] = []
        candidates = {n for table in tables for n in self._needed(table.meeting.node)} | kept
        changed = True
        while changed:
            changed = False
            inside = {n for s in gone for n in ast.walk(s)}
            for name in candidates:
                mine = {n for s in self.defined[name] for n in ast.walk(s)}
                loads = [
                    n
                    for n in ast.walk(ast.Module(self.model.node.body, []))
                    if isinstance(n, ast.Name) and n.id == name and n not in places | inside | mine
                ]
                after = name in self.model.flow.live_after(self.model.node) and name not in kept
                if not loads and not after and not set(self.defined[name]) <= set(gone):
                    gone += [s for s in self.defined[name] if s not in gone]
                    changed = True
        if any(not set(self.defined[name]) <= set(gone) for name in kept):
            return None
        return gone if all(map(self.source.alone, gone)) else None


def _truths(table: _Table) -> bool:
    return isinstance(table.meeting.node, ast.Compare | ast.BoolOp)


def _own(scope: ast.Lambda | ast.FunctionDef) -> frozenset[str]:
    names = frozenset(a.arg for a in ast.walk(scope.args) if isinstance(a, ast.arg))
    return names | (binds(*scope.body) if isinstance(scope, ast.FunctionDef) else frozenset())


def _replaced(node: ast.expr, values: Mapping[str, ast.expr], depth: int) -> ast.expr:
    """An expression with values in the place of names, and so on in these."""
    if not depth or not reads(node) & set(values):
        return node

    def value(part: ast.AST) -> ast.expr | None:
        found = values.get(part.id) if isinstance(part, ast.Name) else None
        return _replaced(found, values, depth - 1) if found is not None else None

    return substituted(node, value)
