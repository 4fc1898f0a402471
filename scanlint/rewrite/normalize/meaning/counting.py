"""Loops that count by hand: a `while` with its counter is a `for` over a range, and so is a counter beside a `for`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from scanlint.finding import Edit, Position
from scanlint.loops.jumps import jumps_in
from scanlint.rewrite.normalize.meaning.changes import (
    Change,
    Loop,
    alone,
    drop,
    function_of,
    names_in,
    spoken,
    within_loops,
)
from scanlint.syntax.bindings import binds, stores
from scanlint.syntax.source import Source
from scanlint.trace.unit import Unit

UP = (ast.Lt, ast.LtE, ast.NotEq)
DOWN = (ast.Gt, ast.GtE, ast.NotEq)
OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
}  # fmt: skip
FIXED = (ast.Name, ast.Constant, ast.Attribute, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.expr_context)
"""What a bound may be made of, beside lengths and parts of shapes."""


class Counter(NamedTuple):
    """A name that starts as a number before a loop and moves by `step` at the `end` of its body (or its `start`)."""

    name: str
    made: ast.Assign
    moved: ast.stmt
    step: int
    reads: tuple[ast.Name, ...]
    after: tuple[ast.Name, ...]


def counted_whiles(unit: Unit) -> Iterator[Change]:
    """`i = 0`, `while i < n: ...; i += 1` as `for i in range(n): ...`."""
    sheet = unit.source
    for node in unit.every(ast.While):
        for name, operator, stop, test in _tests(node):
            counter = _counter(unit, node, name, {test})
            if counter is None or counter.after or any(isinstance(j, ast.Continue) for j in jumps_in(*node.body)):
                continue
            if node.orelse or node.body[-1] is not counter.moved or not _fixed(unit, node, stop):
                continue
            if (bounds := _range(sheet, counter, operator, stop)) is not None and not unit.value(stop).traced:
                head = f"for {name} in range({bounds}):"
                yield (drop(unit, counter.made), *_headed(sheet, node, test, head), drop(unit, counter.moved))


def _tests(node: ast.While) -> Iterator[tuple[str, type[ast.cmpop], ast.expr, ast.AST]]:
    """The counter that a `while` asks for, how, and what it is compared with; and the test, which may be an `if`."""
    match node:
        case ast.While(test=ast.Compare(left=ast.Name(id=name), ops=[operator], comparators=[stop]) as test):
            yield name, type(operator), stop, test
        case ast.While(test=ast.Compare(left=stop, ops=[operator], comparators=[ast.Name(id=name)]) as test):
            turned = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE}
            yield name, turned.get(type(operator), type(operator)), stop, test
        case ast.While(
            test=ast.Constant(value=True | 1),
            body=[
                ast.If(
                    test=ast.Compare(left=ast.Name(id=name), ops=[operator], comparators=[stop]),
                    body=[ast.Break()],
                    orelse=[],
                ) as test,
                _,
                *_,
            ],
        ) if type(operator) in OPPOSITE:
            yield name, OPPOSITE[type(operator)], stop, test


def _headed(sheet: Source, node: ast.While, test: ast.AST, head: str) -> Iterator[Edit]:
    """The header of the new loop; an `if` that was the test goes."""
    colon = sheet.lines[(node.test.end_lineno or 0) - 1].find(":", sheet.end(node.test).column - 1)
    yield Edit(sheet.start(node), Position(node.test.end_lineno or 0, colon + 2), head)
    if isinstance(test, ast.If):
        yield sheet.drop(test)


def _range(sheet: Source, counter: Counter, operator: type[ast.cmpop], stop: ast.expr) -> str | None:
    """The arguments of the range that a counter goes through."""
    if operator not in (UP if counter.step > 0 else DOWN) or (operator is ast.NotEq and abs(counter.step) != 1):
        return None
    start, end = sheet.segment(counter.made.value), sheet.segment(stop)
    if operator in (ast.LtE, ast.GtE):
        end = _plus(stop, end, 1 if operator is ast.LtE else -1)
    if counter.step == 1:
        return end if start == "0" else f"{start}, {end}"
    return f"{start}, {end}, {counter.step}"


def _plus(node: ast.expr, code: str, by: int) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return str(node.value + by)
    return f"{code} {'+' if by > 0 else '-'} {abs(by)}"


def _fixed(unit: Unit, node: Loop, bound: ast.expr) -> bool:
    """Whether a bound is a whole number that the loop does not change."""
    for part in ast.walk(bound):
        match part:
            case ast.Call(func=ast.Name(id="len"), args=[ast.Name()], keywords=[]) | ast.Subscript():
                continue
        if not isinstance(part, FIXED):
            return False
    changed = binds(node) | stores(*node.body)
    known = unit.value(bound)
    whole = known.dtype in (None, "int") and not (known.known and not isinstance(known.constant, int))
    return whole and not changed & names_in(bound) and not _attributes_set(node, bound)


def _attributes_set(node: Loop, bound: ast.expr) -> bool:
    asked = {n.attr for n in ast.walk(bound) if isinstance(n, ast.Attribute)}
    return any(
        isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store) and n.attr in asked for n in ast.walk(node)
    )


def _counter(unit: Unit, node: Loop, name: str, tests: set[ast.AST]) -> Counter | None:
    """A counter of a loop, if the name is one and nothing else; the reads are those in the body."""
    moves = [(s, step) for s in node.body if (step := _step(s, name)) is not None]
    if len(moves) != 1 or not alone(unit, name, function_of(unit, node)):
        return None
    block = unit.block(node)
    made = next((s for s in reversed(block[: block.index(node)]) if name in names_in(s)), None)
    match made:
        case ast.Assign(targets=[ast.Name()], value=ast.Constant(value=int()) | ast.BinOp() | ast.Name() as start):
            pass
        case _:
            return None
    if not _whole(unit, start) or names_in(start) & (binds(node) | {name}):
        return None
    moved, step = moves[0]
    known = {id(n) for part in (made, moved, *tests) for n in ast.walk(part)}
    inside = {id(n) for n in ast.walk(node)}
    reads = [n for n in spoken(unit, name) if id(n) not in known and id(n) in inside]
    later = _read_later(unit, node, name)
    if any(not isinstance(n.ctx, ast.Load) for n in reads):
        return None
    return Counter(name, made, moved, step, tuple(reads), tuple(later))


def _whole(unit: Unit, start: ast.expr) -> bool:
    if isinstance(start, ast.Constant):
        return not isinstance(start.value, bool)
    known = unit.value(start)
    return known.static and known.dtype == "int" and not known.array


def _read_later(unit: Unit, node: Loop, name: str) -> list[ast.Name]:
    """The reads after a loop that may see what it leaves, up to where the name is bound anew; all, in an outer loop."""
    around = any(isinstance(a, ast.For | ast.While) for a in unit.ancestors(node))
    block = unit.block(node)
    found: list[ast.Name] = []
    for statement in block[block.index(node) + 1 :]:
        names = [n for n in ast.walk(statement) if isinstance(n, ast.Name) and n.id == name]
        if isinstance(statement, ast.Assign) and names and all(isinstance(n.ctx, ast.Store) for n in names):
            return found
        found += names
    inside = {id(n) for s in block for n in ast.walk(s)}
    outer = [n for n in spoken(unit, name) if id(n) not in inside]
    return [*found, *(n for n in outer if around or n.lineno > node.lineno)]


def _step(statement: ast.stmt, name: str) -> int | None:
    """By how much a statement moves a counter."""
    match statement:
        case ast.AugAssign(target=ast.Name(id=moved), op=operator, value=ast.Constant(value=int(by))):
            pass
        case ast.Assign(
            targets=[ast.Name(id=moved)],
            value=ast.BinOp(left=ast.Name(id=old), op=operator, right=ast.Constant(value=int(by))),
        ) if old == moved:
            pass
        case _:
            return None
    sign = {ast.Add: 1, ast.Sub: -1}.get(type(operator), 0)
    return sign * by if moved == name and sign and by and not isinstance(by, bool) else None


def counters(unit: Unit) -> Iterator[Change]:
    """A counter of its own beside a `for` as its loop variable: `k = 0`, `for _ in range(n): ...; k += 1`."""
    sheet = unit.source
    for node in within_loops(unit):
        if not isinstance(node, ast.For) or any(isinstance(j, ast.Continue) for j in jumps_in(*node.body)):
            continue
        for name in sorted({n for s in node.body for n in binds(s)} - binds(node.target)):
            counter = _counter(unit, node, name, set())
            if counter is None or counter.after:
                continue
            head = _with_counter(unit, sheet, node, counter)
            if head is not None:
                yield (drop(unit, counter.made), *head, drop(unit, counter.moved))
                break


def _with_counter(unit: Unit, sheet: Source, node: ast.For, counter: Counter) -> list[Edit] | None:
    """The header in which the loop variable is the counter, and the reads of it that are moved on by then."""
    plain = isinstance(counter.made.value, ast.Constant) and counter.made.value.value == 0 and counter.step == 1
    later = [n for n in counter.reads if n.lineno > counter.moved.lineno]
    body = [sheet.put(n, f"({counter.name} + 1)") for n in later]
    named = names_in(node.target)
    free = not named & (names_in(*node.body) | {name for name in named if _read_later(unit, node, name)})
    match node:
        case ast.For(target=ast.Name(id=index), iter=ast.Call(func=ast.Name(id="range"), args=[_], keywords=[])) if (
            plain
        ):
            if free:
                return [sheet.put(node.target, counter.name), *body]
            if index not in binds(*node.body):
                early = [n for n in counter.reads if n not in later]
                return [sheet.put(n, index) for n in early] + [sheet.put(n, f"({index} + 1)") for n in later]
        case ast.For(target=ast.Name(), iter=ast.Name() | ast.Subscript() | ast.Call() as rows) if plain:
            if not isinstance(rows, ast.Call) or unit.resolve(rows.func) == "builtins.reversed":
                target, over = sheet.segment(node.target), sheet.segment(rows)
                header = [sheet.put(node.target, f"{counter.name}, {target}"), sheet.put(rows, f"enumerate({over})")]
                return [*header, *body]
    return None
