"""The Python numbers in the body of a loop that tracers would not be the same as, once the loop is rolled.

What is worked out of the index, of counters and of other Python numbers is exact (ints) or rounded in double precision
(floats), and meets an array in the end. As tracers the same operations wrap around beyond 2**31, and round each time in
single precision. They stay where neither can be: ints within int32 over all trips, and floats that single precision
holds exactly, or that are one operation away from such (`1 / (i + 1)`: one rounding is the same one).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from scanlint.loops.first_trip import started
from scanlint.loops.numbers import number as numbers
from scanlint.loops.numbers.counters import added, counted, counters_around, given_to
from scanlint.loops.numbers.meetings import Meeting
from scanlint.loops.numbers.number import MOST_TRIPS, Number
from scanlint.loops.streams import Stream, streams_of, trips_of
from scanlint.syntax.bindings import Names, binds, parameters, walk_scope
from scanlint.trace.domain.values import Value
from scanlint.trace.unit import Unit

Known = dict[str, Number]
PASSES = 70
"""Trips that are followed until a number is where it was; what still moves then may be anything."""
INDICES = frozenset(f"jax.lax.{name}" for name in ("dynamic_slice", "dynamic_update_slice", "dynamic_index_in_dim"))


class Body:
    """The statements of one loop, followed with what is known of the Python numbers in them.

    `unsure` are static arguments that are taken for ints, and may be floats.
    """

    def __init__(self, unit: Unit, node: ast.For | ast.While, streams: tuple[Stream, ...], carried: tuple[str, ...]):
        self.unit, self.node, self.carried = unit, node, carried
        self.changed = binds(node) | set(carried)
        self.trips = trips_of(unit, streams)
        self.found: dict[ast.expr, Meeting] = {}
        self.unsure: set[str] = set()
        self._asked: tuple[Mapping[str, Number], dict[ast.expr, Number | None]] = {}, {}
        known = dict(counters_around(unit, node))
        for stream in streams:
            known.update(counted(unit, stream))
        self.known = self._start(known)

    def departing(self, read_after: Names = frozenset()) -> list[Meeting]:
        """The expressions that would differ, or fail, if tracers took the place of Python numbers, in text order."""
        return [meeting for meeting in self.meetings(read_after) if meeting.departs]

    def meetings(self, read_after: Names = frozenset()) -> list[Meeting]:
        """Every number that depends on the trip, where it meets something else than a Python number."""
        self.found = {}
        after = self._block(self.node.body, dict(self.known))
        if isinstance(self.node, ast.While):
            self._visit(self.node.test, dict(self.known))
        for name in sorted(set(self.carried) & read_after & set(after)):
            bound = (n for n in walk_scope(self.node.body) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
            self._leaves(next(n for n in bound if n.id == name), after[name], index=False)
        return sorted(self.found.values(), key=lambda m: (m.node.lineno, m.node.col_offset))

    # -- what goes from trip to trip

    def _start(self, known: Known) -> Known:
        """The range of values of each loop variable and each carried Python number over all trips."""
        held = {n: v for n in self.carried if (v := self._before(n)) is not None}
        while True:
            settled = self._fixpoint(dict(known), held)
            if isinstance(settled, dict):
                return settled
            del held[settled]

    def _before(self, name: str) -> Number | None:
        loads = [n for n in self.unit.mentions.get(name, []) if isinstance(n.ctx, ast.Load) and self._inside(n)]
        if not loads or not all(self.unit.value(n).static for n in loads):
            return None
        start = _start_of(self.unit, self.node, name) or self.unit.value(loads[0])
        if not start.static or start.container is not None:
            return None
        return (
            numbers.written(start.constant)
            if start.certain
            else numbers.of_kind(start.dtype or self.unit.value(loads[0]).dtype)
        )

    def _inside(self, node: ast.AST) -> bool:
        return any(a is self.node for a in self.unit.ancestors(node))

    def _fixpoint(self, known: Known, held: Known) -> Known | str:
        """The ranges that hold on each trip, and the name that turns out to be no Python number, if there is one."""
        known.update({n: replace(v, moving=True) for n, v in held.items()})
        stepped = {n: total for n in held if (total := self._stepped(n, held[n], known)) is not None}
        known.update(stepped)
        for at in range(PASSES):
            after = self._block(self.node.body, dict(known))
            changed = False
            for name in held:
                if name in stepped:
                    continue
                if name not in after:
                    return name
                both = numbers.join(known[name], replace(after[name], moving=True))
                changed = changed or both != known[name]
                known[name] = both
            if not changed:
                return known
            if self.trips is not None and at >= self.trips:
                return known
        moved = {n: numbers.some(known[n], whole=known[n].whole) for n in held if n not in stepped}
        return known | {n: replace(v, fault="ring" if v.whole else "double") for n, v in moved.items()}

    def _stepped(self, name: str, start: Number, known: Known) -> Number | None:
        """The range of a counter that is only added to, or set to values that do not depend on it."""
        fixed = {n: v for n, v in known.items() if n not in self.carried}
        inside = [s for s in ast.walk(ast.Module(self.node.body, [])) if isinstance(s, ast.stmt)]
        found = [s for s in inside if name in binds(s) and not isinstance(s, ast.If | ast.For | ast.While | ast.With)]
        steps = [s for s in found if added(s, name) is not None]
        for statement in (s for s in found if s not in steps):
            value = given_to(statement, name)
            anew = self._number(value, fixed) if value is not None else None
            if anew is None:
                return None
            start = numbers.join(start, anew)
        total = self._total(steps, name, fixed)
        if total is None:
            return None
        made = numbers.add(start, replace(total, moving=True))
        inexact = not made.whole and not made.exact
        return replace(made, fault="double" if inexact else made.fault)

    def _total(
        self, steps: Sequence[ast.stmt], name: str, fixed: Known, within: ast.stmt | None = None
    ) -> Number | None:
        """All that these statements add to a name, each as often as it is run; None where one adds no known number."""
        total: Number | None = None
        for statement in steps:
            step = added(statement, name)
            made = self._number(step, fixed) if step is not None else None
            if made is None:
                return None
            times = self._times(statement, within)
            one = Number(min(0, made.low * times), max(0, made.high * times), made.whole, made.grid)
            total = one if total is None else numbers.add(total, one)
        return total

    def _times(self, statement: ast.stmt, within: ast.stmt | None = None) -> int:
        """How often a statement is run in one run of this loop, or of one `within` it, at most."""
        times = 1 if within is not None else self.trips if self.trips is not None else MOST_TRIPS
        last = self.node if within is None else self.unit.parents.get(within)
        for around in self.unit.ancestors(statement):
            if around is last:
                return times
            if isinstance(around, ast.For):
                inner = trips_of(self.unit, tuple(streams_of(self.unit, around.target, around.iter)))
                times *= inner if inner is not None else MOST_TRIPS
            elif isinstance(around, ast.While):
                times *= MOST_TRIPS
        return times

    # -- statements

    def _block(self, statements: list[ast.stmt], known: Known) -> Known:
        for statement in statements:
            known = self._statement(statement, known)
        return known

    def _statement(self, statement: ast.stmt, known: Known) -> Known:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                return self._bind(name, value, known)
            case ast.Assign(targets=[ast.Tuple(elts=[*bound])], value=ast.Tuple(elts=[*values])) if len(bound) == len(
                values
            ):
                made = dict(known)
                for target, value in zip(bound, values, strict=True):
                    made = self._made(target, value, known, made)
                return made
            case ast.AugAssign(target=ast.Name(id=name)) if (both := given_to(statement, name)) is not None:
                return self._bind(name, both, known)
            case ast.If(test=test, body=body, orelse=orelse):
                self._visit(test, known)
                return _joined(self._block(body, dict(known)), self._block(orelse, dict(known)))
            case ast.For(target=target, iter=over, body=body):
                self._visit(over, known)
                return self._inner(statement, body, known, streams_of(self.unit, target, over))
            case ast.While(test=test, body=body):
                self._visit(test, known)
                return self._inner(statement, body, known, iter(()))
            case ast.FunctionDef(args=args, body=body):
                hidden = frozenset(parameters(args)) | binds(*body)
                self._block(body, {n: v for n, v in known.items() if n not in hidden})
                return known
        for child in ast.iter_child_nodes(statement):
            if isinstance(child, ast.stmt):
                known = self._statement(child, known)
            elif isinstance(child, ast.expr):
                self._visit(child, known)
        lost = binds(statement)
        return {n: v for n, v in known.items() if n not in lost or n in self.carried}

    def _bind(self, name: str, value: ast.expr, known: Known) -> Known:
        return self._made(ast.Name(name, ast.Store()), value, known, dict(known))

    def _made(self, target: ast.expr, value: ast.expr, known: Known, made: Known) -> Known:
        """The range of the bound names after a binding: a Python number that gets a name is no tracer yet."""
        number = self._number(value, known)
        if number is None:
            self._visit(value, known)
        for name in binds(target):
            made.pop(name, None)
            if number is not None and isinstance(target, ast.Name):
                made[name] = number
        return made

    def _inner(self, loop: ast.stmt, body: list[ast.stmt], known: Known, streams: Iterator[Stream]) -> Known:
        """A loop inside: what it changes may be anything, but for followed counters and what becomes an array."""
        counts = [(n, replace(v, moving=False)) for s in streams for n, v in counted(self.unit, s).items()]
        inside, bound = dict(known), binds(*body) & set(known)
        once = self._block(body, known | dict(counts)) if bound else {}
        given = [s for s in walk_scope(body) if isinstance(s, ast.Assign | ast.AugAssign)]
        for name in bound:
            if name in self.carried and self._is_counter(name):
                continue
            values = [given_to(s, name) for s in given if name in binds(s)]
            if name not in once and all(v is None or self._number(v, inside) is None for v in values):
                del inside[name]
                continue
            grown = self._grown(loop, name, body, known)
            if grown is not None:
                inside[name] = grown
            else:
                inside[name] = replace(numbers.some(known[name], whole=known[name].whole), fault="ring", moving=True)
        return _joined(known, self._block(body, inside | dict(counts)))

    def _grown(self, loop: ast.stmt, name: str, body: list[ast.stmt], known: Known) -> Number | None:
        """What a name is on all trips of a loop inside that only adds whole numbers to it, which it does not change."""
        changed = binds(*body)
        steps = [s for s in walk_scope(body) if isinstance(s, ast.Assign | ast.AugAssign) and name in binds(s)]
        total = self._total(steps, name, {n: v for n, v in known.items() if n not in changed}, loop)
        whole = total is not None and total.whole
        return numbers.add(known[name], replace(total, moving=True)) if whole and total is not None else None

    def _is_counter(self, name: str) -> bool:
        bound = [
            s for s in walk_scope(self.node.body) if isinstance(s, ast.Assign | ast.AugAssign) and name in binds(s)
        ]
        return bool(bound) and all(added(s, name) is not None for s in bound)

    # -- expressions

    def _visit(self, node: ast.AST, known: Known, *, index: bool = False) -> None:
        """Note what meets something else than a Python number in an expression that is none."""
        if isinstance(node, ast.expr) and (number := self._number(node, known)) is not None:
            self._leaves(node, number, index=index)
            return
        match node:
            case ast.Subscript(value=value, slice=place):
                self._visit(value, known)
                self._visit(place, known, index=True)
            case ast.Tuple() | ast.Slice() | ast.BinOp(op=ast.Add()) if index:
                for child in ast.iter_child_nodes(node):
                    self._visit(child, known, index=True)
            case ast.Call(func=function) if self.unit.resolve(function) in INDICES:
                for child in ast.iter_child_nodes(node):
                    self._visit(child, known, index=True)
            case ast.ListComp(generators=generators) | ast.GeneratorExp(generators=generators):
                for one in generators:
                    self._visit(one.iter, known)
                    known = {n: v for n, v in known.items() if n not in binds(one.target)}
                    for stream in streams_of(self.unit, one.target, one.iter):
                        known = known | counted(self.unit, stream)
                self._visit(node.elt, known)
            case ast.Lambda(args=args, body=body):
                self._visit(body, {n: v for n, v in known.items() if n not in parameters(args)})
            case _:
                for child in ast.iter_child_nodes(node):
                    self._visit(child, known, index=index and isinstance(child, ast.List | ast.Tuple))

    def _leaves(self, node: ast.expr, number: Number, *, index: bool) -> None:
        if number.moving:
            self.found[node] = Meeting(node, number, index)

    def of(self, node: ast.expr) -> Number | None:
        """The range of an expression, from those known at the start of the body; None if it is no Python number."""
        return self._number(node, self.known)

    def _number(self, node: ast.expr, known: Mapping[str, Number]) -> Number | None:
        """The range of a Python number, else None. Each part of a deep expression is worked out only once."""
        if self._asked[0] is not known:
            self._asked = known, {}
        answers = self._asked[1]
        if node not in answers:
            made = self._of_parts(node, known)
            answers[node] = replace(made, strong=True) if made is not None and self._strong(node, known) else made
        return answers[node]

    def _strong(self, node: ast.expr, known: Mapping[str, Number]) -> bool:
        """Whether JAX works a number out with a type of its own: a power of which the exponent is a tracer."""
        parts = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
        found = {part: self._number(part, known) for part in parts}
        match node:
            case ast.Compare() | ast.BoolOp():
                return False
            case ast.BinOp(op=ast.Pow(), right=exponent) if (by := found[exponent]) is not None and by.moving:
                made = found[node.left]
                return made is not None and made.whole and by.whole
        return any(number is not None and number.strong for number in found.values())

    def _of_parts(self, node: ast.expr, known: Mapping[str, Number]) -> Number | None:
        match node:
            case ast.Constant(value=bool() | int() | float() as value):
                return numbers.constant(int(value) if isinstance(value, bool) else value)
            case ast.Name(id=name) if name in known:
                return known[name]
            case ast.UnaryOp(op=op, operand=operand) if (a := self._number(operand, known)) is not None:
                match op:
                    case ast.USub():
                        return numbers.negative(a)
                    case ast.UAdd():
                        return a
                    case ast.Not():
                        return numbers.compare(a, a)
            case ast.BinOp(left=left, op=op, right=right):
                a, b = self._number(left, known), self._number(right, known)
                if a is None or b is None:
                    return None
                return numbers.binary(op, a, b)
            case ast.Compare(left=left, comparators=rest) | ast.BoolOp(values=[left, *rest]):
                made = [made for part in (left, *rest) if (made := self._number(part, known)) is not None]
                if len(made) <= len(rest):
                    return None
                if isinstance(node, ast.Compare):
                    made = [numbers.compare(made[0], m) for m in made]
                return numbers.joined(made)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                asked, a, b = (self._number(part, known) for part in (test, body, orelse))
                if asked is None or a is None or b is None:
                    return None
                return replace(numbers.join(a, b), fault=numbers.join(numbers.join(a, b), asked).fault)
            case ast.Call(func=function, args=args):
                return self._called(node, self.unit.resolve(function) or "", args, known)
        return self._invariant(node)

    def _called(self, call: ast.Call, name: str, args: list[ast.expr], known: Mapping[str, Number]) -> Number | None:
        """The range of what a Python function such as `min` returns for Python numbers."""
        made = [made for a in args if (made := self._number(a, known)) is not None]
        if len(made) < len(args) or not made:
            return self._invariant(call)
        match name, made:
            case "builtins.float", [a]:
                return numbers.as_float(a)
            case "builtins.int", [a]:
                return numbers.as_int(a)
            case "builtins.abs", [a]:
                return replace(a, low=0 if a.low <= 0 <= a.high else min(abs(a.low), abs(a.high)), high=a.most)
            case (("builtins.min" | "builtins.max"), [_, _, *_]):
                return numbers.extreme(made, max if name.endswith("max") else min)
        value = self.unit.value(call)
        python = name.startswith(("math.", "builtins.round")) or (value.static and value.dtype in ("float", "int"))
        if python and any(p.moving for p in made):
            whole = name in ("math.floor", "math.ceil", "math.trunc", "builtins.round") or value.dtype == "int"
            return numbers.some(replace(numbers.joined(made), moving=True), whole=whole)
        return self._invariant(call)

    def _invariant(self, node: ast.expr) -> Number | None:
        """A Python number that no trip changes."""
        value = self.unit.value(node)
        if not value.static or value.array or value.container is not None:
            return None
        if isinstance(node, ast.Name) and node.id in self.changed:
            return None
        if value.certain:
            return numbers.written(value.constant)
        if value.dtype is None and value.origin == "argument" and isinstance(node, ast.Name):
            self.unsure.add(node.id)
            return numbers.size()
        return numbers.of_kind(value.dtype) if value.dtype in ("int", "float", "bool") else None


def _start_of(unit: Unit, node: ast.For | ast.While, name: str) -> Value | None:
    """The range of values that a carried name has before the loop."""
    known = unit.before.get((node, name))
    if known is not None:
        return known
    block = unit.block(node)
    written = started(block[: block.index(node)], name)
    value = unit.value(written) if written is not None else None
    return value if value is None or value.static else None


def _joined(a: Known, b: Known) -> Known:
    return {n: numbers.join(a[n], b[n]) for n in a if n in b}
