"""The Python numbers in the body of a loop that tracers would not be the same as, once the loop is rolled.

What is worked out of the index, of counters and of other Python numbers is exact (ints) or rounded in double precision
(floats), and meets an array in the end. As tracers the same operations wrap around beyond 2**31, and round each time in
single precision. They stay where neither can be: ints within int32 over all trips, and floats that single precision
holds exactly, or that are one operation away from such (`1 / (i + 1)`: one rounding is the same one).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from scanlint.loops.first_trip import started
from scanlint.loops.numbers import number as numbers
from scanlint.loops.numbers.number import MOST_TRIPS, Number
from scanlint.loops.streams import Stream, range_length, streams_of, trips_of
from scanlint.syntax.bindings import Names, binds, parameters, reads, targets, walk_scope
from scanlint.trace.domain.values import Value
from scanlint.trace.unit import Unit

Known = dict[str, Number]
PASSES = 70
"""Trips that are followed until a number is where it was; what still moves then may be anything."""
SMALL = 256
"""Each float type holds the whole numbers up to this one."""
INDICES = frozenset(f"jax.lax.{name}" for name in ("dynamic_slice", "dynamic_update_slice", "dynamic_index_in_dim"))
_BINARY = {
    ast.Add: numbers.add,
    ast.Sub: lambda a, b: numbers.add(a, numbers.negative(b)),
    ast.Mult: numbers.multiply,
    ast.Div: numbers.divide,
    ast.FloorDiv: numbers.floor_divide,
    ast.Mod: numbers.modulo,
    ast.Pow: numbers.power,
}


@dataclass(frozen=True, slots=True)
class Meeting:
    """An expression of Python numbers where it meets something else, and what it is over all trips.

    `index`: it is a place in an array, which is no further than arrays reach, whatever wraps around on the way.
    """

    node: ast.expr
    number: Number
    index: bool = False

    @property
    def departs(self) -> bool:
        """Whether a tracer would be another number."""
        return not (self.number.fault is None or (self.index and self.number.fault == "ring"))

    @property
    def strong(self) -> bool:
        """Whether a tracer would have a type that what it meets takes on."""
        return self.number.strong and not self.index

    @property
    def message(self) -> str:
        """Why it has to stay one of Python's."""
        what, line = f"`{ast.unparse(self.node)}`", self.node.lineno
        if self.number.fault == "double":
            return f"{what} is worked out in double precision, tracers round in single (line {line})"
        return f"{what} leaves int32, where a tracer wraps around and a Python int does not (line {line})"


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
        known = dict(_around(unit, node))
        for stream in streams:
            known.update(_counted(unit, stream))
        self.known = self._start(known)

    def departing(self, read_after: Names = frozenset()) -> list[Meeting]:
        """What tracers would not give, in the order of the text."""
        return [meeting for meeting in self.meetings(read_after) if meeting.departs]

    def meetings(self, read_after: Names = frozenset()) -> list[Meeting]:
        """Every number that depends on the trip, where it meets something else than a Python number."""
        self.found = {}
        after = self._block(self.node.body, dict(self.known))
        if isinstance(self.node, ast.While):
            self._visit(self.node.test, dict(self.known))
        for name in sorted(set(self.carried) & read_after & set(after)):
            place = next(n for n in _stored(self.node.body) if n.id == name)
            self._leaves(place, after[name], index=False)
        return sorted(self.found.values(), key=lambda m: (m.node.lineno, m.node.col_offset))

    # -- what goes from trip to trip

    def _start(self, known: Known) -> Known:
        """What the loop variables and the carried Python numbers are over all trips."""
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
        return _written(start.constant) if start.certain else _unknown(start.dtype or self.unit.value(loads[0]).dtype)

    def _inside(self, node: ast.AST) -> bool:
        return any(a is self.node for a in self.unit.ancestors(node))

    def _fixpoint(self, known: Known, held: Known) -> Known | str:
        """What holds on each trip; the name that turns out to be no Python number, if there is one."""
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
        """What a counter is that only ever has numbers added, or starts anew, none of which depend on it."""
        fixed = {n: v for n, v in known.items() if n not in self.carried}
        inside = [s for s in ast.walk(ast.Module(self.node.body, [])) if isinstance(s, ast.stmt)]
        found = [s for s in inside if name in binds(s) and not isinstance(s, ast.If | ast.For | ast.While | ast.With)]
        steps = [s for s in found if _added(s, name) is not None]
        for statement in (s for s in found if s not in steps):
            value = _given(statement, name)
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
            step = _added(statement, name)
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
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                both = ast.BinOp(ast.copy_location(ast.Name(name, ast.Load()), statement), op, value)
                return self._bind(name, ast.copy_location(both, statement), known)
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
        """What is known after a binding: a Python number that is given a name is no tracer yet."""
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
        counted = [(n, replace(v, moving=False)) for s in streams for n, v in _counted(self.unit, s).items()]
        inside, bound = dict(known), binds(*body) & set(known)
        once = self._block(body, known | dict(counted)) if bound else {}
        given = [s for s in walk_scope(body) if isinstance(s, ast.Assign | ast.AugAssign)]
        for name in bound:
            if name in self.carried and self._is_counter(name):
                continue
            values = [s.value if isinstance(s, ast.AugAssign) else _given(s, name) for s in given if name in binds(s)]
            if name not in once and all(v is None or self._number(v, inside) is None for v in values):
                del inside[name]
                continue
            grown = self._grown(loop, name, body, known)
            if grown is not None:
                inside[name] = grown
            else:
                inside[name] = replace(numbers.some(known[name], whole=known[name].whole), fault="ring", moving=True)
        return _joined(known, self._block(body, inside | dict(counted)))

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
        return bool(bound) and all(_added(s, name) is not None for s in bound)

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
                        known = known | _counted(self.unit, stream)
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
        """What a number may be that the body works out of what is known at its start; None of anything else."""
        return self._number(node, self.known)

    def _number(self, node: ast.expr, known: Mapping[str, Number]) -> Number | None:
        """What a Python number may be; None of anything else. Asked of each part of a deep expression only once."""
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
                operation = _BINARY.get(type(op))
                return operation(a, b) if operation is not None else _bitwise(op, a, b)
            case ast.Compare(left=left, comparators=rest) | ast.BoolOp(values=[left, *rest]):
                parts = [self._number(part, known) for part in (left, *rest)]
                if None in parts:
                    return None
                made = [p for p in parts if p is not None]
                return _all(made) if isinstance(node, ast.BoolOp) else _all([numbers.compare(made[0], m) for m in made])
            case ast.IfExp(test=test, body=body, orelse=orelse):
                asked, a, b = (self._number(part, known) for part in (test, body, orelse))
                if asked is None or a is None or b is None:
                    return None
                return replace(numbers.join(a, b), fault=numbers.join(numbers.join(a, b), asked).fault)
            case ast.Call(func=function, args=args):
                return self._called(node, self.unit.resolve(function) or "", args, known)
        return self._invariant(node)

    def _called(self, call: ast.Call, name: str, args: list[ast.expr], known: Mapping[str, Number]) -> Number | None:
        """What a function of Python gives for Python numbers."""
        parts = [self._number(a, known) for a in args]
        if None in parts or not parts:
            return self._invariant(call)
        made = [p for p in parts if p is not None]
        match name, made:
            case "builtins.float", [a]:
                return numbers.as_float(a)
            case "builtins.int", [a]:
                return numbers.as_int(a)
            case "builtins.abs", [a]:
                return replace(a, low=0 if a.low <= 0 <= a.high else min(abs(a.low), abs(a.high)), high=a.most)
            case (("builtins.min" | "builtins.max"), [_, _, *_]):
                return _extreme(made, max if name.endswith("max") else min)
        moving = any(p.moving for p in made)
        value = self.unit.value(call)
        if name.startswith(("math.", "builtins.round")) or (moving and _python_float(value.static, value.dtype)):
            whole = name in ("math.floor", "math.ceil", "math.trunc", "builtins.round") or value.dtype == "int"
            return numbers.some(replace(_all(made), moving=moving), whole=whole) if moving else self._invariant(call)
        return self._invariant(call)

    def _invariant(self, node: ast.expr) -> Number | None:
        """A Python number that no trip changes."""
        value = self.unit.value(node)
        if not value.static or value.array or value.container is not None:
            return None
        if isinstance(node, ast.Name) and node.id in self.changed:
            return None
        if value.certain:
            return _written(value.constant)
        if value.dtype is None and value.origin == "argument" and isinstance(node, ast.Name):
            self.unsure.add(node.id)
            return numbers.size()
        return _unknown(value.dtype) if value.dtype in ("int", "float", "bool") else None


# -- helpers


def departing_elements(unit: Unit, node: ast.ListComp) -> list[Meeting]:
    """What tracers would not give in what a comprehension makes of each number."""
    return _alone(unit, node).departing()


def meets_arrays(unit: Unit, node: ast.For | ast.ListComp, streams: tuple[Stream, ...] = ()) -> bool:
    """Whether a number of the trip meets anything but indices: as an array of numbers it would not be as weak."""
    body = Body(unit, node, streams, ()) if isinstance(node, ast.For) else _alone(unit, node)
    return any(not meeting.index for meeting in body.meetings())


def met_dtype(unit: Unit, node: ast.For | ast.ListComp, streams: tuple[Stream, ...] = ()) -> str | None:
    """The dtype of the one array that all numbers of the trip meet: `xs.dtype` for `i * xs`; None where there is none.

    They are small whole numbers, which are of this dtype what Python's become beside the array.
    """
    body = Body(unit, node, streams, ()) if isinstance(node, ast.For) else _alone(unit, node)
    inner = {a.arg for a in ast.walk(node) if isinstance(a, ast.arg)}
    bound = frozenset(inner) | _bound(node)
    found = {_met(unit, meeting, bound) for meeting in body.meetings()}
    return found.pop() if len(found) == 1 else None


def _bound(node: ast.For | ast.ListComp) -> Names:
    """The names that a loop binds, or a comprehension."""
    if isinstance(node, ast.For):
        return binds(node)
    return frozenset(name for one in node.generators for name in targets(one.target))


def _met(unit: Unit, meeting: Meeting, bound: Names) -> str | None:
    """The dtype, as source, of the array that a small whole number is added to, or multiplied by."""
    if meeting.index or meeting.strong or not meeting.number.whole or meeting.number.most > SMALL:
        return None
    match unit.parents.get(meeting.node):
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult(), right=right):
            base = right if left is meeting.node else left
        case _:
            return None
    while isinstance(base, ast.Subscript) and not _keyed(base):
        base = base.value
    value = unit.value(base)
    array = (value.array or value.traced) and value.container is None
    named = isinstance(base, ast.Name | ast.Attribute) and not reads(base) & bound
    return f"{ast.unparse(base)}.dtype" if array and named else None


def _keyed(node: ast.Subscript) -> bool:
    """It reads an entry of a dict, which has a dtype of its own."""
    return isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)


def strong_elements(unit: Unit, node: ast.ListComp) -> list[Meeting]:
    """What tracers would give with a type of its own in what a comprehension makes of each number."""
    return [meeting for meeting in _alone(unit, node).meetings() if meeting.strong]


def _alone(unit: Unit, node: ast.ListComp) -> Body:
    """A comprehension as the only statement of a loop."""
    statement = ast.copy_location(ast.Expr(node), node)
    return Body(unit, ast.While(ast.Constant(True), [statement], []), (), ())


def _start_of(unit: Unit, node: ast.For | ast.While, name: str) -> Value | None:
    """What is known of a carried name before the loop."""
    known = unit.before.get((node, name))
    if known is not None:
        return known
    block = unit.block(node)
    written = started(block[: block.index(node)], name)
    value = unit.value(written) if written is not None else None
    return value if value is None or value.static else None


def _python_float(static: bool, dtype: str | None) -> bool:
    return static and dtype in ("float", "int")


def _written(value: object) -> Number | None:
    if isinstance(value, bool):
        return Number(0, 1, True)
    return numbers.constant(value) if isinstance(value, int | float) else None


def _unknown(dtype: str | None) -> Number | None:
    """A Python number of which only the type is known."""
    match dtype:
        case "int":
            return numbers.size()
        case "bool":
            return Number(0, 1, True)
        case "float":
            return numbers.some_float()
    return None


def _all(parts: list[Number]) -> Number:
    made = parts[0]
    for part in parts[1:]:
        made = numbers.join(made, part)
    return made


def _extreme(parts: list[Number], least: object) -> Number:
    choose = max if least is max else min
    made = _all(parts)
    return replace(made, low=choose(p.low for p in parts), high=choose(p.high for p in parts))


def _bitwise(op: ast.operator, a: Number, b: Number) -> Number | None:
    """Shifts and bits of whole numbers."""
    if not (a.whole and b.whole):
        return None
    match op:
        case ast.LShift():
            return numbers.multiply(a, numbers.power(numbers.constant(2), b))
        case ast.RShift():
            return replace(numbers.floor_divide(a, numbers.constant(1)), moving=a.moving or b.moving)
        case ast.BitAnd() if min(a.low, b.low) >= 0:
            low = replace(numbers.floor_divide(a, numbers.constant(1)), low=0, high=min(a.high, b.high))
            return replace(low, moving=a.moving or b.moving)
    most = max(a.most, b.most)
    top = 2 ** (int(most).bit_length()) if most <= numbers.INT else numbers.INT + 1
    made = numbers.join(a, b)
    return replace(made, low=-top, high=top, fault=numbers.floor_divide(made, numbers.constant(1)).fault)


def _joined(a: Known, b: Known) -> Known:
    return {n: numbers.join(a[n], b[n]) for n in a if n in b}


def _added(statement: ast.stmt, name: str) -> ast.expr | None:
    """What `k = k + 2` or `k -= 2` adds to a name, or what it takes away: negated; also as a part of `x, k = ...`."""
    match _given(statement, name):
        case ast.BinOp(left=ast.Name(id=read), op=ast.Add(), right=step) if read == name:
            return step
        case ast.BinOp(left=ast.Name(id=read), op=ast.Sub(), right=step) if read == name:
            return ast.copy_location(ast.UnaryOp(ast.USub(), step), step)
        case ast.BinOp(left=step, op=ast.Add(), right=ast.Name(id=read)) if read == name:
            return step
    match statement:
        case ast.AugAssign(target=ast.Name(), op=ast.Add(), value=step):
            return step
        case ast.AugAssign(target=ast.Name(), op=ast.Sub(), value=step):
            return ast.copy_location(ast.UnaryOp(ast.USub(), step), step)
    return None


def _given(statement: ast.stmt, name: str) -> ast.expr | None:
    """The expression that an assignment gives to a name."""
    match statement:
        case ast.Assign(targets=[ast.Name()], value=value):
            return value
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(targets) == len(values):
            found = [v for t, v in zip(targets, values, strict=True) if isinstance(t, ast.Name) and t.id == name]
            return found[0] if len(found) == 1 else None
    return None


def _stored(body: list[ast.stmt]) -> list[ast.Name]:
    return [n for n in walk_scope(body) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]


def _around(unit: Unit, node: ast.stmt) -> Iterator[tuple[str, Number]]:
    """The loop variables of the ranges around a loop: Python ints that none of its trips changes."""
    for loop in unit.around(node):
        if isinstance(loop, ast.For):
            for stream in streams_of(unit, loop.target, loop.iter):
                for name, number in _counted(unit, stream).items():
                    yield name, replace(number, moving=False)


def _counted(unit: Unit, stream: Stream) -> Known:
    """What the loop variable of a range is over all trips."""
    if stream.kind != "range" or not isinstance(stream.target, ast.Name):
        return {}

    def bound(node: ast.expr | None, otherwise: int) -> Number:
        if node is None:
            return numbers.constant(otherwise)
        value = unit.value(node)
        constant = value.constant if value.certain else None
        return numbers.constant(constant) if type(constant) is int else numbers.size()

    start, step = bound(stream.start, 0), bound(stream.step, 1)
    if stream.counted is not None:
        trips = trips_of_rows(unit, stream)
        return {stream.target.id: Number(start.low, start.high + trips - 1, True, 0, moving=True)}
    stop = bound(stream.stop, 0)
    known = range_length(stream, lambda node: unit.value(node).constant if unit.value(node).certain else None)
    if known and step.low == step.high:
        last = start.low + step.low * (known - 1)
        return {stream.target.id: Number(min(start.low, last), max(start.low, last), True, 0, moving=True)}
    if stop.low == -MOST_TRIPS and step.low > 0:
        stop = replace(stop, low=start.low)
    low, high = min(start.low, stop.low), max(start.high, stop.high)
    if step.low > 0:
        low, high = start.low, max(start.low, stop.high - 1)
    elif step.high < 0:
        low, high = min(start.high, stop.low + 1), start.high
    return {stream.target.id: Number(low, high, True, 0, moving=True)}


def trips_of_rows(unit: Unit, stream: Stream) -> int:
    """How many rows are counted, at most."""
    from scanlint.loops.sizes.lengths import rows_written

    known = rows_written(unit, stream.counted) if stream.counted is not None else None
    return known if known is not None else MOST_TRIPS
