"""Carries that change their type in the first trip: a start of the type that they take, written in the source."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from scanlint.analysis.batches import count_of
from scanlint.analysis.flow import binds
from scanlint.analysis.unit import Unit
from scanlint.edits import split_lines
from scanlint.finding import Carry, Edit, Like, Position
from scanlint.outcome import Rewrite, Withheld
from scanlint.rewrite.wrapping import fit

CODE = "carry-type-changes"
FILLED: dict[float, str] = {0: "zeros", 1: "ones"}
Spell = Callable[[str], str]


class _Loop(NamedTuple):
    """The call of a staged loop, its statement, and the statements of its block."""

    call: ast.Call
    statement: ast.stmt
    block: list[ast.stmt]


class _Initial(NamedTuple):
    """The expression that a name gets in a statement of the loop's block."""

    at: int
    value: ast.expr


def with_starts(unit: Unit, text: str, carries: Sequence[Carry], certain: bool) -> Rewrite | Withheld:
    """Give these carries of staged loops in `text` the type that they take in the first trip.

    `certain`: the loop is known to make a trip. Where it may make none, the start is what comes out: it is only given
    another shape where that takes an array without rows, which has nothing to say of shapes. Of nested loops the outer
    ones come first: the inner ones start with what they are given.
    """
    tree, lines = ast.parse(text), split_lines(text)
    imports: list[str] = []
    edits: list[Edit] = []

    def spell(name: str) -> str:
        written, needed = unit.spell(name)
        imports.extend([needed] if needed else [])
        return written

    outermost = min(_margin(lines, c) for c in carries)
    for carry in (c for c in carries if _margin(lines, c) == outermost):
        loop = _loop_at(tree, carry.line)
        if loop is None or carry.problem:
            return refusal(carry)
        if not (certain or carry.fades or _over_rows(unit, loop.call)):
            return refusal(carry, ", which may not be made")
        edit = _start(unit, loop, carry, spell, lines)
        if edit is None:
            return refusal(carry)
        edits.append(edit)
    return Rewrite(tuple(dict.fromkeys(edits)), "other", tuple(dict.fromkeys(imports)))


def _margin(lines: list[str], carry: Carry) -> int:
    line = lines[carry.line - 1]
    return len(line) - len(line.lstrip())


def refusal(carry: Carry, also: str = "") -> Withheld:
    """Why a loop cannot be staged with this carry, with both types."""
    why = {"keeps no type": " and changes again in later ones", "would lose precision": ", which loses precision"}
    what = f"`{carry.name}` starts as {carry.before} and becomes {carry.after} in the first trip"
    return Withheld(CODE, what + why.get(carry.problem, also))


def _loop_at(tree: ast.Module, line: int) -> _Loop | None:
    """The innermost statement that calls a loop on this line."""
    found = None
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            for statement in block if isinstance(block, list) else ():
                calls = [n for n in ast.walk(statement) if isinstance(n, ast.Call) and n.lineno == line and n.args]
                if calls and isinstance(statement, ast.Assign | ast.Return | ast.Expr):
                    found = _Loop(calls[0], statement, block)  # type: ignore[arg-type]
    return found


def _over_rows(unit: Unit, call: ast.Call) -> bool:
    """Whether a loop makes no trip only where an array has no rows; or always makes one."""
    match unit.resolve(call.func), call.args:
        case "jax.lax.fori_loop", [start, stop, *_]:
            return _counts_rows(unit, start, stop)
        case "jax.lax.scan", [_, _, ast.Constant(value=None)]:
            length = next((k.value for k in call.keywords if k.arg == "length"), None)
            return length is not None and _counts_rows(unit, None, length)
        case "jax.lax.scan", [_, _, ast.Tuple(elts=several)]:
            return all(_rows(unit, xs) for xs in several)
        case "jax.lax.scan", [_, _, xs]:
            return _rows(unit, xs)
    return False


def _rows(unit: Unit, xs: ast.expr) -> bool:
    """Whether what a scan goes over has no rows only where an array that the function is given has none."""
    match xs:
        case ast.Name() | ast.Subscript(value=ast.Name(), slice=ast.Slice(None, None)):
            return True
        case ast.Call(func=function, args=bounds, keywords=[]) if 1 <= len(bounds) <= 2:
            counted = unit.resolve(function) == "jax.numpy.arange"
            return counted and _counts_rows(unit, bounds[0] if len(bounds) > 1 else None, bounds[-1])
    return False


def _counts_rows(unit: Unit, start: ast.expr | None, stop: ast.expr) -> bool:
    first = 0 if start is None else getattr(start, "value", None)
    match stop:
        case ast.Constant(value=int() as last):
            return isinstance(first, int) and first < last
        case ast.BinOp(left=rows, op=ast.Add(), right=ast.Constant(value=int() as last)):
            return first == last and count_of(unit, rows) is not None
    return first == 0 and count_of(unit, stop) is not None


def _start(unit: Unit, loop: _Loop, carry: Carry, spell: Spell, lines: list[str]) -> Edit | None:
    """What gives one carry its final type; None where no array is known to have it."""
    at = loop.block.index(loop.statement)
    while at and isinstance(loop.block[at - 1], ast.FunctionDef):
        at -= 1
    initial = _initial(loop.block[:at], carry.name)
    if carry.fades:
        return _strong(loop, at, initial, carry, spell, lines)
    if initial is not None and carry.weak and carry.before.endswith("[]"):
        rebound = binds(*loop.block[initial.at : at]) - {carry.name}
        if carry.after.endswith("[]"):
            code = _wider(initial.value, [k for k in carry.likes if not rebound & k.names], carry, loop, spell)
            return _replace(initial.value, lines, code) if code else None
        for like in _preferred(loop, carry.likes):
            if not rebound & like.names:
                return _replace(initial.value, lines, _filled(initial.value, like, spell))
    first = loop.block[at]
    dtype = carry.before.partition("[")[0] != carry.after.partition("[")[0] and not carry.weak
    for like in _preferred(loop, carry.likes):
        if dtype and not like.typed:
            continue
        code = carry.name
        if carry.before.partition("[")[2] != carry.after.partition("[")[2]:
            code = f"{spell('jax.numpy.broadcast_to')}({code}, {_axes(like, spell)})"
        code = f"{code}.astype({_dtype(like, spell)})" if dtype else code
        return _before(first, f"{carry.name} = {code}", lines)
    return None


def _wider(start: ast.expr, likes: Sequence[Like], carry: Carry, loop: _Loop, spell: Spell) -> str | None:
    """A number with another dtype: that of an array, a Python float for a whole number, or the one that is named."""
    number, dtype = _number(start), carry.after.removesuffix("[]")
    if like := next((k for k in _preferred(loop, likes) if k.typed), None):
        return _typed(start, like, spell, None)
    if number is None:
        return None
    if isinstance(number, int) and dtype in ("float32", "float64"):
        return repr(float(number))
    return _named(start, carry, spell)


def _named(start: ast.expr, carry: Carry, spell: Spell) -> str:
    """A number of the dtype that a carry has in the end."""
    dtype = carry.after.removesuffix("[]")
    return f"{spell(f'jax.numpy.{dtype}')}({ast.unparse(start)})"


def _before(statement: ast.stmt, code: str, lines: list[str]) -> Edit:
    """A statement before another one."""
    place = Position(statement.lineno, 1)
    ending = "\r\n" if lines[statement.lineno - 1].endswith("\r\n") else "\n"
    return Edit(place, place, f"{' ' * statement.col_offset}{code}{ending}{ending}")


def _strong(
    loop: _Loop, at: int, initial: _Initial | None, carry: Carry, spell: Spell, lines: list[str]
) -> Edit | None:
    """A start with the dtype of its own that the carry has in the end; None where no array is known to have it."""
    rebound = binds(*loop.block[initial.at : at]) - {carry.name} if initial is not None else set()
    for like in _preferred(loop, [k for k in carry.likes if k.typed]):
        if rebound & like.names:
            continue
        start = ast.Name(carry.name) if initial is None else initial.value
        alone = (k for k in _preferred(loop, carry.likes) if len(k.arrays) == 1 and not rebound & k.names)
        plain = next(alone, like)
        code = _typed(start, like, spell, None if carry.after.endswith("[]") else plain)
        if initial is not None:
            return _replace(initial.value, lines, code)
        return _before(loop.block[at], f"{carry.name} = {code}", lines)
    if initial is not None and _number(initial.value) is not None and carry.after.endswith("[]"):
        return _replace(initial.value, lines, _named(initial.value, carry, spell))
    return None


def _initial(before: Sequence[ast.stmt], name: str) -> _Initial | None:
    """The last statement that binds a name, if that is a plain assignment and nothing reads the name after it."""
    for at in range(len(before) - 1, -1, -1):
        statement = before[at]
        if name not in binds(statement):
            if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(statement)):
                return None
            continue
        match statement:
            case ast.Assign(targets=[ast.Name()], value=value):
                return _Initial(at, value)
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                pairs = zip(targets, values, strict=False)
                return next((_Initial(at, v) for t, v in pairs if isinstance(t, ast.Name) and t.id == name), None)
        return None
    return None


def _number(value: ast.expr) -> float | None:
    match value:
        case ast.Constant(value=bool()):
            return None
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number if number else None  # -0.0 is not 0.0
    return None


def _preferred(loop: _Loop, likes: Sequence[Like]) -> Iterator[Like]:
    """The arrays that a reader would name first: of the same dtype, whole, read by the loop itself."""
    read = {n.id for s in loop.block for n in ast.walk(s) if isinstance(n, ast.Name)}

    def order(like: Like) -> tuple[object, ...]:
        alone, cuts = len(like.arrays) == 1, [cut for _, cut in like.arrays]
        return not (like.typed and alone), len(like.arrays), cuts, not like.names <= read, like.arrays

    yield from sorted(likes, key=order)


def _filled(start: ast.expr, like: Like, spell: Spell) -> str:
    """An array of one number. `full` without a dtype is as weakly typed as the number itself."""
    number, written = _number(start), ast.unparse(start)
    if not like.typed or len(like.arrays) > 1 or number is None:
        return f"{spell('jax.numpy.full')}({_axes(like, spell)}, {written})"
    known = FILLED.get(number)
    [(name, cut)] = like.arrays
    if cut == 0:
        kind = spell(f"jax.numpy.{known or 'full'}_like")
        return f"{kind}({name})" if known else f"{kind}({name}, {written})"
    kind, axes = spell(f"jax.numpy.{known or 'full'}"), _axes(like, spell)
    return f"{kind}({axes}, {name}.dtype)" if known else f"{kind}({axes}, {written}, {name}.dtype)"


def _typed(start: ast.expr, like: Like, spell: Spell, shaped: Like | None) -> str:
    """The start with the dtype of one array, or with what some promote to, and the shape of one, if it has axes."""
    match start:
        case ast.Call(func=ast.Name(id="full") | ast.Attribute(attr="full"), args=[_, value], keywords=[]):
            start = value
    if shaped is not None and len(like.arrays) == 1 and _number(start) is not None:
        return _filled(start, like, spell)
    known = FILLED.get(number) if (number := _number(start)) is not None else None
    if shaped is not None or known:
        shape = _axes(shaped, spell) if shaped is not None else "()"
        made = spell(f"jax.numpy.{known or 'full'}")
        filling = "" if known else f", {ast.unparse(start)}"
        return f"{made}({shape}{filling}, {_dtype(like, spell)})"
    return f"{spell('jax.numpy.asarray')}({ast.unparse(start)}, {_dtype(like, spell)})"


def _dtype(like: Like, spell: Spell) -> str:
    names = [name for name, _ in like.arrays]
    return f"{names[0]}.dtype" if len(names) == 1 else f"{spell('jax.numpy.result_type')}({', '.join(names)})"


def _axes(like: Like, spell: Spell) -> str:
    shapes = [_cut(name, cut, spell) for name, cut in like.arrays]
    return shapes[0] if len(shapes) == 1 else f"{spell('jax.numpy.broadcast_shapes')}({', '.join(shapes)})"


def _cut(name: str, cut: int, spell: Spell) -> str:
    if not cut:
        return f"{spell('jax.numpy.shape')}({name})"
    return f"{name}.shape[{cut}:]" if cut > 0 else f"{name}.shape[:{cut}]"


def _replace(node: ast.expr, lines: list[str], code: str) -> Edit:
    def place(line: int, offset: int) -> Position:
        return Position(line, len(lines[line - 1].encode()[:offset].decode()) + 1)

    start, end = place(node.lineno, node.col_offset), place(node.end_lineno or 0, node.end_col_offset or 0)
    before, after = lines[start.line - 1][: start.column - 1], lines[end.line - 1][end.column - 1 :]
    margin = len(before) - len(before.lstrip())
    if not after.strip():
        first, *rest = fit(f"{before.strip()} {code}", margin).split("\n")
        newline = "\r\n" if after.endswith("\r\n") else "\n"
        code = newline.join([first.removeprefix(f"{before.strip()} "), *(" " * margin + line for line in rest)])
    return Edit(start, end, code)
