"""Carries that change their type in the first trip: a start of the type that they take, written in the source."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from scanlint.finding import Carry, Edit, Like, Rewrite, Withheld
from scanlint.loops.first_trip import enters, over_rows
from scanlint.rewrite.emit.line_breaks import fit, within
from scanlint.rewrite.emit.spelling import Spelling
from scanlint.syntax.bindings import binds
from scanlint.syntax.source import Source
from scanlint.trace.unit import Unit

CODE, FOLLOWS = "carry-type-changes", "follows an argument"
FILLED: dict[float | None, str] = {0: "zeros", 1: "ones"}
Spell = Callable[[str], str]


class _StagedLoop(NamedTuple):
    """The call of a staged loop, its statement, and the statements of its block."""

    call: ast.Call
    statement: ast.stmt
    block: list[ast.stmt]


class _Initial(NamedTuple):
    """The expression that a name gets in a statement of the loop's block."""

    at: int
    statement: ast.Assign
    value: ast.expr


class _Start(NamedTuple):
    """What gives a carry its final type: in the place of what it starts as, or before a statement."""

    name: str
    code: str
    initial: _Initial | None
    before: ast.stmt


def with_starts(unit: Unit, text: str, carries: Sequence[Carry], certain: bool) -> Rewrite | Withheld:
    """Give these carries of staged loops in `text` the type that they take in the first trip.

    `certain`: the loop is known to make a trip. Where it may make none, the start is what comes out: it is only given
    another shape where that takes an array without rows, which has nothing to say of shapes. Of nested loops the outer
    ones come first: the inner ones start with what they are given.
    """
    tree, source = ast.parse(text), Source("", text, unit.source.width)
    spell = Spelling(unit)
    starts: list[_Start] = []
    margins = [len(line) - len(line.lstrip()) for line in (source.lines[c.line - 1] for c in carries)]
    for carry in (c for c, margin in zip(carries, margins, strict=True) if margin == min(margins)):
        loop = _loop_at(tree, carry.line)
        if loop is None or carry.problem not in ("", FOLLOWS):
            return refusal(carry)
        before = loop.block[: loop.block.index(loop.statement)]
        if not (certain or carry.fades or over_rows(unit, loop.call) or enters(unit, loop.call, before, rows=3)):
            return refusal(carry, ", which may not be made")
        start = _start(loop, carry, spell)
        if start is None:
            return refusal(carry)
        starts.append(start)
    edits = _edits(list(dict.fromkeys(starts)), source)
    return Rewrite(tuple(edits), "other", spell.imports)


def refusal(carry: Carry, also: str = "") -> Withheld:
    """Why a loop cannot be staged with this carry, with both types."""
    why = {
        "keeps no type": " and changes again in later ones",
        "has no such start": ", and cannot start as that",
        "would lose precision": ", which loses precision",
        FOLLOWS: ", and in another type for other arguments",
    }
    what = f"`{carry.name}` starts as {carry.before} and becomes {carry.after} in the first trip"
    return Withheld(CODE, what + why.get(carry.problem, also))


def _loop_at(tree: ast.Module, line: int) -> _StagedLoop | None:
    """The innermost statement that calls a loop on this line."""
    found = None
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            for statement in block if isinstance(block, list) else ():
                calls = [n for n in ast.walk(statement) if isinstance(n, ast.Call) and n.lineno == line and n.args]
                if calls and isinstance(statement, ast.Assign | ast.Return | ast.Expr):
                    found = _StagedLoop(calls[0], statement, block)  # type: ignore[arg-type]
    return found


def _start(loop: _StagedLoop, carry: Carry, spell: Spell) -> _Start | None:
    """The change that gives the start of one carry its final dtype; None where no array is known to have it."""
    at = loop.block.index(loop.statement)
    while at and isinstance(loop.block[at - 1], ast.FunctionDef):
        at -= 1
    initial = _initial(loop.block[:at], carry.name)
    first = loop.block[at]
    if carry.fades:
        code = _strong(loop, at, initial, carry, spell)
        return _Start(carry.name, code, initial, first) if code else None
    if initial is not None and carry.weak and carry.before.endswith("[]"):
        rebound = binds(*loop.block[initial.at : at]) - {carry.name}
        if carry.after.endswith("[]"):
            code = _wider(initial.value, [k for k in carry.likes if not rebound & k.names], carry, loop, spell)
            return _Start(carry.name, code, initial, first) if code else None
        counted = [k for k in carry.likes if k.typed or k.counted] if isinstance(_number(initial.value), int) else []
        for like in _preferred(loop, counted or carry.likes):
            if not rebound & like.names:
                code = _filled(_as_float(initial.value, carry), like, spell, late=carry.late)
                return _Start(carry.name, code, initial, first)
    dtype = carry.before.partition("[")[0] != carry.after.partition("[")[0] and not carry.weak
    for like in _preferred(loop, carry.likes):
        if dtype and not like.typed:
            continue
        code = carry.name
        if carry.before.partition("[")[2] != carry.after.partition("[")[2]:
            axes = _axes(like, spell)
            if not carry.scalar:
                axes = f"{spell('jax.numpy.broadcast_shapes')}({spell('jax.numpy.shape')}({code}), {axes})"
            code = f"{spell('jax.numpy.broadcast_to')}({code}, {axes})"
        code = f"{code}.astype({_dtype(like, spell)})" if dtype else code
        return _Start(carry.name, code, None, first)
    if _becomes_complex(carry) and not carry.weak:
        wide = f"{spell('jax.numpy.result_type')}({carry.name}, {spell('jax.numpy.complex64')})"
        return _Start(carry.name, f"{carry.name}.astype({wide})", None, first)
    return None


def _becomes_complex(carry: Carry) -> bool:
    """A real array of one shape throughout, such as a wave before its first Fourier transform."""
    before, after = carry.before.partition("["), carry.after.partition("[")
    return after[0].startswith("complex") and not before[0].startswith("complex") and before[2] == after[2]


def _wider(start: ast.expr, likes: Sequence[Like], carry: Carry, loop: _StagedLoop, spell: Spell) -> str | None:
    """A number with another dtype: that of an array, a Python float for a whole number, or the one that is named."""
    number, dtype = _number(start), carry.after.removesuffix("[]")
    ordered = sorted(_preferred(loop, likes), key=lambda k: not k.typed)
    whole = isinstance(number, int)
    like = next((k for k in ordered if k.typed or (k.counted if whole else k.floated and number is not None)), None)
    if like is not None or number is None:
        return _typed(start, like, spell, None) if like is not None else None
    if isinstance(number, int) and dtype in ("float32", "float64"):
        return repr(float(number))
    return _named(start, carry, loop, spell)


def _as_float(start: ast.expr, carry: Carry) -> ast.expr:
    """A whole number that becomes a float, as one."""
    number = _number(start)
    whole = isinstance(number, int) and carry.after.startswith(("float32", "float64"))
    return ast.Constant(float(number)) if whole and number is not None else start


def _named(start: ast.expr, carry: Carry, loop: _StagedLoop, spell: Spell) -> str | None:
    """A number of the dtype that a carry has in the end; where nothing names that, it is the one of new arrays.

    None where the dtype is that of an argument, which no array here tells.
    """
    if carry.problem == FOLLOWS:
        return None
    dtype = carry.after.removesuffix("[]")
    words = {getattr(n, "attr", getattr(n, "value", None)) for s in loop.block for n in ast.walk(s)}
    if dtype in ("float32", "float64") and isinstance(_number(start), float) and not words & {"float32", "float64"}:
        known, code = FILLED.get(_number(start)), ast.unparse(start)
        return f"{spell(f'jax.numpy.{known}')}(())" if known else f"{spell('jax.numpy.asarray')}({code}, float)"
    return f"{spell(f'jax.numpy.{dtype}')}({ast.unparse(start)})"


def _strong(loop: _StagedLoop, at: int, initial: _Initial | None, carry: Carry, spell: Spell) -> str | None:
    """A start with the dtype of its own that the carry has in the end; None where no array is known to have it."""
    rebound = binds(*loop.block[initial.at : at]) - {carry.name} if initial is not None else set()
    typed = [k for k in carry.likes if k.typed] or [k for k in carry.likes if k.counted]
    typed = typed or [k for k in carry.likes if k.floated]
    for like in _preferred(loop, typed):
        if rebound & like.names:
            continue
        start = ast.Name(carry.name) if initial is None else initial.value
        alone = (k for k in _preferred(loop, carry.likes) if len(k.arrays) == 1 and not rebound & k.names)
        if isinstance(start, ast.Call) and start is not (number := _filling(start)):
            return _made(number, ast.unparse(start.args[0]), like, spell)
        return _typed(start, like, spell, None if carry.after.endswith("[]") else next(alone, like))
    if initial is not None and _number(initial.value) is not None and carry.after.endswith("[]"):
        return _named(initial.value, carry, loop, spell)
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
                return _Initial(at, statement, value)
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                pairs = zip(targets, values, strict=False)
                found = [v for t, v in pairs if isinstance(t, ast.Name) and t.id == name]
                return _Initial(at, statement, found[0]) if found else None
            case ast.Assign(targets=[_, _, *_], value=value) if _number(_filling(value)) is not None and _names(
                statement
            ):
                return _Initial(at, statement, value)
        return None
    return None


def _names(statement: ast.Assign) -> list[str]:
    """The names of `a = b = 0.0`; none where something else is among the targets."""
    names = [t.id for t in statement.targets if isinstance(t, ast.Name)]
    return names if len(names) == len(statement.targets) else []


def _number(value: ast.expr) -> float | None:
    match value:
        case ast.Constant(value=bool()):
            return None
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number if number else None  # -0.0 is not 0.0
    return None


def _preferred(loop: _StagedLoop, likes: Sequence[Like]) -> Iterator[Like]:
    """The arrays that a reader would name first: of the same dtype, whole, read by the loop itself."""
    read = {n.id for s in loop.block for n in ast.walk(s) if isinstance(n, ast.Name)}

    def order(like: Like) -> tuple[object, ...]:
        alone, cuts = len(like.arrays) == 1, [cut for _, cut in like.arrays]
        unnamed = any(not name.strip("_") for name in like.names)
        return not (like.typed and alone), unnamed, len(like.arrays), cuts, not like.names <= read, like.arrays

    yield from sorted(likes, key=order)


def _filled(start: ast.expr, like: Like, spell: Spell, *, late: bool = False) -> str:
    """An array of one number. `full` without a dtype is as weakly typed as the number itself, which is too `late`."""
    number, written = _number(start), ast.unparse(start)
    if isinstance(start, ast.Call) and start is not (number_in_it := _filling(start)):  # made for other inputs before
        shapes = dict.fromkeys([*_shapes(start.args[0]), *(_cut(name, cut, spell) for name, cut in like.arrays)])
        return f"{spell('jax.numpy.full')}({_broadcast([*shapes], spell)}, {ast.unparse(number_in_it)})"
    if (like.counted or (late and like.floated)) and not like.typed and number is not None:
        return _made(start, _axes(like, spell), like, spell)
    if late and like.typed and number is not None and len(like.arrays) > 1:
        return _made(start, _axes(like, spell), like, spell)
    if not like.typed or len(like.arrays) > 1 or number is None:
        return f"{spell('jax.numpy.full')}({_axes(like, spell)}, {written})"
    known, [(name, cut)] = FILLED.get(number), like.arrays
    if cut == 0:
        kind = spell(f"jax.numpy.{known or 'full'}_like")
        return f"{kind}({name})" if known else f"{kind}({name}, {written})"
    return _made(start, _axes(like, spell), like, spell)


def _made(start: ast.expr, axes: str, like: Like, spell: Spell) -> str:
    """An array of one number with the dtype of others."""
    known = FILLED.get(_number(start))
    kind, filling = spell(f"jax.numpy.{known or 'full'}"), "" if known else f", {ast.unparse(start)}"
    return f"{kind}({axes}{filling}, {_dtype(like, spell)})"


def _filling(start: ast.expr) -> ast.expr:
    """The value that fills the array, if a start is `jnp.full(shape, value)`, else the start."""
    match start:
        case ast.Call(func=ast.Name(id="full") | ast.Attribute(attr="full"), args=[_, value], keywords=[]):
            return value
    return start


def _typed(start: ast.expr, like: Like, spell: Spell, shaped: Like | None) -> str:
    """The start with the dtype of one array, or with what some promote to, and the shape of one, if it has axes."""
    start = _filling(start)
    if shaped is not None and len(like.arrays) == 1 and _number(start) is not None:
        return _filled(start, like, spell)
    if shaped is not None or _number(start) in FILLED:
        return _made(start, _axes(shaped, spell) if shaped is not None else "()", like, spell)
    return f"{spell('jax.numpy.asarray')}({ast.unparse(start)}, {_dtype(like, spell)})"


def _dtype(like: Like, spell: Spell) -> str:
    names = [name for name, _ in like.arrays]
    if (like.floated or like.counted) and not like.typed:
        kind = "int" if like.counted else "float"
        return f"{spell('jax.numpy.result_type')}({kind}, {', '.join(names)})"
    return f"{names[0]}.dtype" if len(names) == 1 else f"{spell('jax.numpy.result_type')}({', '.join(names)})"


def _axes(like: Like, spell: Spell) -> str:
    return _broadcast([_cut(name, cut, spell) for name, cut in like.arrays], spell)


def _broadcast(shapes: Sequence[str], spell: Spell) -> str:
    return shapes[0] if len(shapes) == 1 else f"{spell('jax.numpy.broadcast_shapes')}({', '.join(shapes)})"


def _shapes(written: ast.expr) -> list[str]:
    """The shapes that a start was given before."""
    match written:
        case ast.Call(func=ast.Name(id="broadcast_shapes") | ast.Attribute(attr="broadcast_shapes"), args=args):
            return [ast.unparse(part) for part in args]
    return [ast.unparse(written)]


def _cut(name: str, cut: int, spell: Spell) -> str:
    if not cut:
        return f"{spell('jax.numpy.shape')}({name})"
    return f"{name}.shape[{cut}:]" if cut > 0 else f"{name}.shape[:{cut}]"


# -- putting them in place


def _edits(starts: Sequence[_Start], source: Source) -> Iterator[Edit]:
    """The starts in the source: in the statements that bind the names, else in statements of their own."""
    bound: dict[ast.Assign, list[_Start]] = {}
    new: dict[ast.stmt, list[_Start]] = {}
    for start in starts:
        if start.initial is not None:
            bound.setdefault(start.initial.statement, []).append(start)
        else:
            new.setdefault(start.before, []).append(start)
    for statement, made in bound.items():
        if len(statement.targets) > 1:
            yield source.instead(statement, *_unchained(statement, made, source))
        else:
            yield from within(source, statement, [source.put(s.initial.value, s.code) for s in made if s.initial])
    for before, made in new.items():
        codes = [line for s in made for line in _fitted(f"{s.name} = {s.code}", before, source)]
        blank = before.lineno > 1 and not source.lines[before.lineno - 2].strip()  # which parts the loop from above
        edit = source.ahead(before, *codes, *([] if blank else [""]))
        place = edit.start._replace(line=before.lineno - blank)
        yield edit._replace(start=place, end=place)


def _unchained(statement: ast.Assign, made: Sequence[_Start], source: Source) -> Iterator[str]:
    """`a = b = c = 0.0` with other starts for some of the names: those of one start stay together."""
    codes = {start.name: start.code for start in made}
    together: dict[str, list[str]] = {}
    for name in _names(statement):
        together.setdefault(codes.get(name, ast.unparse(statement.value)), []).append(name)
    for code, names in together.items():
        yield from _fitted(" = ".join([*names, code]), statement, source)


def _fitted(code: str, statement: ast.stmt, source: Source) -> list[str]:
    """The lines of a new statement in the block of another one."""
    return fit(code, len(source.margin(statement)), source.width).split("\n")
