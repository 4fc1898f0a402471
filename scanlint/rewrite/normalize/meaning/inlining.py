"""Local functions that one place calls stand in that place."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from scanlint.dataflow.around import defuse_of
from scanlint.finding import Edit, Position
from scanlint.rewrite.emit.snippets import SIGNS, atom, fresh, operand
from scanlint.rewrite.normalize.meaning.changes import Change, drop, function_of, spoken
from scanlint.syntax.bindings import binds, parameters, walk_scope
from scanlint.syntax.source import Source
from scanlint.trace.unit import Unit

SIMPLE = (ast.Name, ast.Constant)


class Callee(NamedTuple):
    """A local function, the statement that makes it, what it runs and what it gives back."""

    name: str
    made: ast.FunctionDef | ast.Assign
    arguments: ast.arguments
    body: tuple[ast.stmt, ...]
    value: ast.expr | None


def inlined(unit: Unit) -> Iterator[Change]:
    """`def step(x): ...; return y` and `x = step(x)` in a loop as the statements of `step` there."""
    makers: list[ast.FunctionDef | ast.Assign] = [*unit.every(ast.FunctionDef), *unit.every(ast.Assign)]
    for statement in makers:
        callee = _callee(statement) if statement is not unit.node else None
        call = _only_call(unit, callee) if callee is not None else None
        if callee is None or call is None:
            continue
        given = _given(callee, call)
        if given is None:
            continue
        made = _placed(unit, callee, call, given)
        if made is not None:
            yield made


def _callee(statement: ast.FunctionDef | ast.Assign) -> Callee | None:
    match statement:
        case ast.FunctionDef(name=name, decorator_list=[], args=arguments, body=[*body]):
            if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
                body = body[1:]  # what it says of itself
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda(args=arguments, body=result)):
            return Callee(name, statement, arguments, (), result) if not _rest(arguments) else None
        case _:
            return None
    value = None
    if body and isinstance(last := body[-1], ast.Return):
        value, body = last.value, body[:-1]
    again = any(
        isinstance(n, ast.Return | ast.Yield | ast.YieldFrom | ast.Await | ast.Global) for n in walk_scope(body)
    )
    inner = any(isinstance(n, ast.FunctionDef | ast.Lambda | ast.ClassDef) for n in walk_scope(body))
    if again or inner or _rest(arguments) or not (body or value is not None):
        return None
    return Callee(name, statement, arguments, tuple(body), value)


def _rest(arguments: ast.arguments) -> bool:
    """Whether a function takes what its text does not name one by one."""
    return bool(arguments.vararg or arguments.kwarg or arguments.defaults or any(arguments.kw_defaults))


def _only_call(unit: Unit, callee: Callee) -> ast.Call | None:
    """The call, if it is all that speaks of the function, and is in a loop of the function that makes it."""
    if not any(_loops(unit, place) for place in spoken(unit, callee.name)):
        return None
    flow = defuse_of(unit)
    made = flow.made(callee.made if isinstance(callee.made, ast.FunctionDef) else callee.made.targets[0])
    places = [n for n in spoken(unit, callee.name) if isinstance(n.ctx, ast.Load) and flow.definitions(n) & {*made}]
    if len(places) != 1 or flow.definitions(places[0]) != {*made}:
        return None
    call = unit.parents[places[0]]
    if not isinstance(call, ast.Call) or not _loops(unit, places[0]):
        return None
    if function_of(unit, call) is not function_of(unit, callee.made):
        return None
    return call if callee.made not in unit.ancestors(call) else None


def _loops(unit: Unit, place: ast.Name) -> bool:
    """A name is called in a loop, in no comprehension."""
    call = unit.parents.get(place)
    if not isinstance(call, ast.Call) or call.func is not place:
        return False
    around = list(unit.ancestors(call))
    hidden = any(isinstance(a, ast.ListComp | ast.GeneratorExp | ast.DictComp | ast.SetComp) for a in around)
    return not hidden and any(isinstance(a, ast.For | ast.While) for a in around)


def _given(callee: Callee, call: ast.Call) -> dict[str, ast.expr] | None:
    """What the call hands in for each parameter."""
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        return None
    names = parameters(callee.arguments)
    found = dict(zip(names, call.args, strict=False)) | {str(k.arg): k.value for k in call.keywords}
    return found if len(call.args) + len(call.keywords) == len(names) == len(found) else None


def _placed(unit: Unit, callee: Callee, call: ast.Call, given: Mapping[str, ast.expr]) -> Change | None:
    """The function's statements before the one that calls it, and its value in the place of the call."""
    sheet = unit.source
    statement = unit.parents[call]
    whole = isinstance(statement, ast.Assign | ast.Expr) and statement.value is call
    if callee.body and not whole:
        return None
    if not isinstance(statement, ast.stmt):
        statement = next(a for a in unit.ancestors(call) if isinstance(a, ast.stmt))
        if isinstance(statement, ast.While | ast.For):
            return None
    outer = {n for s in walk_scope(callee.body) if isinstance(s, ast.Nonlocal) for n in s.names}
    local = binds(*callee.body) - outer
    again = {p for p in given if p in local}
    taken = _elsewhere(unit, callee)
    complex_ = {p for p, a in given.items() if not isinstance(a, SIMPLE) and _count(callee, p) > 1}
    moving = {p for p, a in given.items() if isinstance(a, ast.Name) and a.id in outer}
    set_first = [p for p in given if p in again | complex_ | moving]
    if set_first and not whole:
        return None
    used = set(unit.names)
    names: dict[str, str] = {}
    for name in (*sorted(local - set(given)), *set_first):
        names[name] = fresh(used, f"{name}_made") if name in taken else name
        used.add(names[name])
    substituted = {p: a for p, a in given.items() if p not in set_first}
    pieces = _pieces(sheet, callee, names, substituted)
    returned = callee.value
    value = sheet.between(sheet.start(returned), sheet.end(returned), pieces) if returned is not None else None
    margin = sheet.margin(statement)
    first = [f"{margin}{names[p]} = {sheet.segment(given[p])}" for p in set_first]
    body = sheet.body(callee.body, pieces, margin) if callee.body else []
    if body is None:
        return None
    body = [line for line in body if not line.strip().startswith("nonlocal ")]
    newline = sheet.newline
    unread = isinstance(statement, ast.Expr) and isinstance(returned, SIMPLE) and bool(callee.body)
    if whole and (value is None or unread):
        if isinstance(statement, ast.Assign):
            return None
        text = "".join(f"{line}{newline}" for line in (*first, *body))
        origin = _origin(callee, len(first))
        piece = Edit(Position(statement.lineno, 1), Position((statement.end_lineno or 0) + 1, 1), text, origin=origin)
        return (drop(unit, callee.made), piece)
    ending = sheet.put(call, _shown(unit, call, value or "None", whole=whole))
    text = "".join(f"{line}{newline}" for line in (*first, *body))
    if not text:
        return (drop(unit, callee.made), ending)
    above = Position(statement.lineno, 1)
    origin = _origin(callee, len(first))
    return (drop(unit, callee.made), Edit(above, above, text, origin=origin), ending)


def _shown(unit: Unit, call: ast.Call, value: str, *, whole: bool) -> str:
    """What a function gives in the place of its call, in parentheses where it needs them."""
    if "\n" in value:
        return f"({value})"
    match unit.parents[call]:
        case ast.BinOp(op=op) if not isinstance(op, ast.Pow):
            return operand(value, SIGNS[type(op)])
    return value if whole else atom(value)


def _origin(callee: Callee, above: int) -> Position:
    """Where the first line of the text was written, if so many new ones stand above the statements of the function."""
    own = [s for s in callee.body if not isinstance(s, ast.Nonlocal)]
    return Position(max(1, (own[0] if own else callee.made).lineno - above), 1)


def _elsewhere(unit: Unit, callee: Callee) -> set[str]:
    """The names that stand somewhere else than in a function."""
    own = {id(n) for n in ast.walk(callee.made)}
    known = {n.id for n in unit.every(ast.Name) if id(n) not in own}
    inside = {id(a) for a in ast.walk(callee.arguments)}
    known |= {a.arg for a in unit.every(ast.arg) if id(a) not in inside}
    return known | {*unit.imports, *unit.definitions}


def _count(callee: Callee, name: str) -> int:
    parts = [*callee.body, *([callee.value] if callee.value is not None else [])]
    return sum(isinstance(n, ast.Name) and n.id == name for p in parts for n in ast.walk(p))


def _pieces(sheet: Source, callee: Callee, names: Mapping[str, str], given: Mapping[str, ast.expr]) -> list[Edit]:
    """The function's own names as they are called where it stands from now on, its parameters as what is handed in."""
    parts = [*callee.body, *([callee.value] if callee.value is not None else [])]
    pieces: list[Edit] = []
    for node in (n for part in parts for n in ast.walk(part)):
        if isinstance(node, ast.Name):
            code = names.get(node.id)
            if code is None and node.id in given:
                argument = given[node.id]
                code = sheet.segment(argument)
                if not isinstance(argument, ast.Name | ast.Constant | ast.Call | ast.Subscript | ast.Attribute):
                    code = f"({code})"
            if code is not None and code != node.id:
                pieces.append(sheet.put(node, code))
    return pieces
