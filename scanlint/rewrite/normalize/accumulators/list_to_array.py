"""`ys = [0.0] * n` and `ys[i] = y` as an array: `ys = jnp.zeros(n)` and `ys = ys.at[i].set(y)`.

The loop sets places in whatever order, and maybe not all.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from scanlint.branches.branch import BranchModel, is_elif
from scanlint.finding import NOT_APPLICABLE, Edit, Next, Position, Primitive, Rewrite, Step
from scanlint.loops.concrete_uses import boolean
from scanlint.loops.loop import LoopModel
from scanlint.loops.rows.filled import Fill, fill_of, places_of
from scanlint.loops.rows.lists import deferred, home, made_before
from scanlint.rewrite.emit.spelling import Spelling
from scanlint.rewrite.lower.loops.carry_types import FILLED, Spell
from scanlint.syntax.bindings import binds, reads, targets
from scanlint.syntax.regex import regex
from scanlint.trace.unit import Unit

JOINS = frozenset(f"jax.numpy.{name}" for name in ("array", "asarray", "stack"))
HOW: dict[type[ast.operator] | None, str] = {None: "set", ast.Add: "add", ast.Mult: "multiply"}
OPENED = regex(r"\s*[+*]?=\s*\(")
MOST_STEPS = 8


class Placed(NamedTuple):
    """Such a list: what makes it of so many `places` with a `number`, what sets one, and where it is joined."""

    name: str
    made: ast.expr
    number: int | float
    places: ast.expr
    stores: tuple[Fill, ...]
    joined: tuple[ast.Call, ...]


def with_places(model: LoopModel) -> Step:
    """The loop with an array for a list whose places it sets, where it does not just set one on each trip."""
    if not any(o.code == "mutation" for o in model.obstacles):
        return NOT_APPLICABLE
    found = _placed(model.unit, model.node)
    if found is None or found.name in {output.name for output in model.outputs} or _mixed(model.unit, found):
        return NOT_APPLICABLE
    return _with_array(model.unit, found, model.node, model.node, "fori_loop", frozenset(model.starts))


def with_places_around(model: BranchModel) -> Step:
    """A branch with an array for a list that the loop around it makes no more of either."""
    unit, node = model.unit, model.node
    if not any(o.code == "mutation" for o in model.obstacles):
        return NOT_APPLICABLE
    loop = next((a for a in unit.ancestors(node) if isinstance(a, ast.For | ast.While | ast.FunctionDef)), None)
    if not isinstance(loop, ast.For | ast.While) or is_elif(unit, node):
        return NOT_APPLICABLE
    found = _placed(unit, loop)
    mixed = found is None or _mixed(unit, found)
    return NOT_APPLICABLE if found is None or mixed else _with_array(unit, found, loop, node, "cond")


def _placed(unit: Unit, node: ast.For | ast.While) -> Placed | None:
    """The first list that a loop sets places of, and of which nothing is used but places, its length, and the array."""
    names = dict.fromkeys(f.name for s in ast.walk(node) if isinstance(s, ast.stmt) if (f := _place(s)) is not None)
    return next(filter(None, (_of(unit, node, name) for name in names)), None)


def _place(statement: ast.stmt) -> Fill | None:
    """A place that a statement sets, or adds to, or multiplies."""
    fill = fill_of(statement)
    one = fill is not None and fill.item and len(fill.at) == 1 and not isinstance(fill.at[0], ast.Slice)
    return fill if one and fill is not None and isinstance(fill.op, ast.Add | ast.Mult | None) else None


def _of(unit: Unit, node: ast.For | ast.While, name: str) -> Placed | None:
    made, own = made_before(unit, node, name), home(unit, node)
    found = places_of(unit, made.value) if made is not None else None
    number = ast.literal_eval(found[0]) if found is not None else None
    if made is None or found is None or isinstance(number, bool) or not isinstance(number, int | float):
        return None
    stores: list[Fill] = []
    joined: list[ast.Call] = []
    for use in (n for n in ast.walk(own) if isinstance(n, ast.Name) and n.id == name and n is not made.targets[0]):
        parent = unit.parents[use]
        if deferred(unit, use, own) or (isinstance(parent, ast.Subscript) and parent.value is not use):
            return None
        match parent:
            case ast.Subscript(ctx=ast.Store()) if (fill := _place(_statement(unit, parent))) and fill.name == name:
                stores.append(fill)
            case ast.Subscript(slice=place, ctx=ast.Load()) if not isinstance(place, ast.Slice | ast.Tuple):
                continue
            case ast.Call(func=ast.Name(id="len")):
                continue
            case ast.Call(func=function, args=[_], keywords=[]) as call if unit.resolve(function) in JOINS:
                if any(a is node for a in unit.ancestors(call)):
                    return None
                joined.append(call)
            case _:
                return None
    return Placed(name, made.value, number, found[1], tuple(stores), tuple(joined)) if joined else None


def _statement(unit: Unit, part: ast.AST) -> ast.stmt:
    while not isinstance(part, ast.stmt):
        part = unit.parents[part]
    return part


def _mixed(unit: Unit, found: Placed) -> bool:
    """Whole numbers or truths are set among floats: the list gives these once all of its places are set."""
    values = [fill.element for fill in found.stores if fill.op is None]
    return isinstance(found.number, float) and any(
        boolean(unit, value) or unit.value(value).dtype in ("int", "bool") or _of_bits(value) for value in values
    )


def _of_bits(value: ast.expr) -> bool:
    """An operator gives the value that floats do not have."""
    bits = ast.BitAnd | ast.BitOr | ast.BitXor | ast.LShift | ast.RShift | ast.Invert
    return isinstance(value, ast.BinOp | ast.UnaryOp) and isinstance(value.op, bits)


def _with_array(
    unit: Unit,
    found: Placed,
    loop: ast.For | ast.While,
    node: ast.stmt,
    primitive: Primitive,
    starts: frozenset[str] = frozenset(),
) -> Rewrite:
    """`node` is what is looked at again with the array."""
    source, spell = unit.source, Spelling(unit)
    block, made = unit.block(loop), _statement(unit, found.made)
    late = binds(*block[block.index(made) + 1 : block.index(loop)])
    arrays = dict.fromkeys(n for f in found.stores for n in _typing(unit, loop, f.element) if n not in late)
    edits = [source.put(found.made, _array(found, [*arrays], source.segment(found.places), spell))]
    for fill in found.stores:
        target = unit.parents[fill.at[0]]
        how = HOW[type(fill.op) if fill.op is not None else None]
        code = f"{found.name} = {found.name}.at[{source.segment(fill.at[0])}].{how}("
        end, value, start = source.end(target), fill.element, source.start(fill.statement)
        bracket = OPENED.match(source.lines[end.line - 1][end.column - 1 :])
        inside = Position(end.line, end.column + bracket.end()) if bracket else None
        if inside is not None and inside <= source.start(value):  # `ys[i] = (...)`: the call has these brackets
            edits.append(Edit(start, inside, code))
            continue
        edits.append(Edit(start, source.start(value), code))
        edits.append(Edit(source.end(value), source.end(value), ")"))
    edits += [source.put(call, found.name) for call in found.joined]
    return Rewrite(tuple(edits), primitive, spell.imports, (Next(node, starts),))


def _array(found: Placed, arrays: list[str], count: str, spell: Spell) -> str:
    """An array of a number with the dtype that it has together with what is set."""
    number = found.number
    known = FILLED.get(number) if str(number) != "-0.0" else None
    parts = [count] if known else [count, repr(number)]
    if arrays:
        kinds = [*arrays, *(["float"] if isinstance(number, float) else [])]
        parts.append(f"{spell('jax.numpy.result_type')}({', '.join(kinds)})")
    elif isinstance(number, int):
        parts += ["int"] if known else []
    return f"{spell('jax.numpy.' + (known or 'full'))}({', '.join(parts)})"


def _typing(unit: Unit, node: ast.For | ast.While, element: ast.expr, depth: int = 0) -> Iterator[str]:
    """The arrays from outside of a loop that an element takes its dtype from, as far as that is to be seen."""
    bound = binds(node)
    rows = targets(node.target) if isinstance(node, ast.For) else []
    stack: list[ast.expr] = [element]
    while stack:
        part = stack.pop(0)
        match part:
            case ast.Name(id=name) if name in rows and isinstance(node, ast.For) and node.iter is not element:
                yield from _typing(unit, node, node.iter, depth + 1)
            case ast.Name(id=name):
                if name not in bound and (unit.value(part).traced or unit.value(part).array):
                    yield name
                for statement in ast.walk(node) if name in bound and depth < MOST_STEPS else ():
                    match statement:
                        case ast.Assign(targets=[ast.Name(id=own)], value=value) if own == name and name not in reads(
                            value
                        ):
                            yield from _typing(unit, node, value, depth + 1)
            case ast.Subscript(value=value):
                stack.append(value)
            case ast.Compare() | ast.Lambda():
                continue
            case ast.Call(args=args):
                stack += args
            case _:
                stack += [child for child in ast.iter_child_nodes(part) if isinstance(child, ast.expr)]
