"""`ys = [0.0] * n` and `ys[i] = y` as an array: `ys = jnp.zeros(n)` and `ys = ys.at[i].set(y)`."""

from __future__ import annotations

import ast

from scanlint.branches.branch import BranchModel, is_elif
from scanlint.finding import NOT_APPLICABLE, Edit, Next, Position, Primitive, Rewrite, Step
from scanlint.loops.accumulators.indexed_lists import Placed, placed
from scanlint.loops.concrete_uses import boolean
from scanlint.loops.loop import LoopModel
from scanlint.rewrite.emit.spelling import Spelling
from scanlint.rewrite.lower.loops.carry_types import FILLED, Spell
from scanlint.syntax.regex import regex
from scanlint.trace.unit import Unit

HOW: dict[type[ast.operator], str] = {ast.Add: "add", ast.Mult: "multiply"}
OPENED = regex(r"\s*[+*]?=\s*\(")


def with_places(model: LoopModel) -> Step:
    """The loop with an array for a list whose places it sets, where it does not just set one on each trip."""
    if not any(o.code == "mutation" for o in model.obstacles):
        return NOT_APPLICABLE
    found = placed(model.unit, model.node)
    if found is None or found.name in {output.name for output in model.outputs} or _mixed(model.unit, found):
        return NOT_APPLICABLE
    return _with_array(model.unit, found, model.node, "fori_loop", frozenset(model.starts))


def with_places_around(model: BranchModel) -> Step:
    """A branch with an array for a list that the loop around it makes no more of either."""
    unit, node = model.unit, model.node
    if not any(o.code == "mutation" for o in model.obstacles):
        return NOT_APPLICABLE
    loop = next((a for a in unit.ancestors(node) if isinstance(a, ast.For | ast.While | ast.FunctionDef)), None)
    if not isinstance(loop, ast.For | ast.While) or is_elif(unit, node):
        return NOT_APPLICABLE
    found = placed(unit, loop)
    mixed = found is None or _mixed(unit, found)
    return NOT_APPLICABLE if found is None or mixed else _with_array(unit, found, node, "cond")


def _mixed(unit: Unit, found: Placed) -> bool:
    """Whether whole numbers or truths are set among floats: the list gives these once all of its places are set."""
    values = [s.value for s in found.stores if isinstance(s, ast.Assign)]
    return isinstance(found.number, float) and any(
        boolean(unit, value) or unit.value(value).dtype in ("int", "bool") or _of_bits(value) for value in values
    )


def _of_bits(value: ast.expr) -> bool:
    """Whether an operator gives the value that floats do not have."""
    bits = ast.BitAnd | ast.BitOr | ast.BitXor | ast.LShift | ast.RShift | ast.Invert
    return isinstance(value, ast.BinOp | ast.UnaryOp) and isinstance(value.op, bits)


def _with_array(
    unit: Unit, found: Placed, node: ast.stmt, primitive: Primitive, starts: frozenset[str] = frozenset()
) -> Rewrite:
    """`node` is what is looked at again with the array."""
    source, spell = unit.source, Spelling(unit)

    made = found.made.value
    edits = [Edit(source.start(made), source.end(made), _array(found, source.segment(found.places), spell))]
    for statement in found.stores:
        target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
        assert isinstance(target, ast.Subscript)
        how = "set" if isinstance(statement, ast.Assign) else HOW[type(statement.op)]
        code = f"{found.name} = {found.name}.at[{source.segment(target.slice)}].{how}("
        end, value = source.end(target), statement.value
        bracket = OPENED.match(source.lines[end.line - 1][end.column - 1 :])
        inside = Position(end.line, end.column + bracket.end()) if bracket else None
        if inside is not None and inside <= source.start(value):  # `ys[i] = (...)`: the call has these brackets
            edits.append(Edit(source.start(statement), inside, code))
            continue
        edits.append(Edit(source.start(statement), source.start(value), code))
        edits.append(Edit(source.end(value), source.end(value), ")"))
    edits += [Edit(source.start(call), source.end(call), found.name) for call in found.joined]
    return Rewrite(tuple(edits), primitive, spell.imports, (Next(node, starts),))


def _array(found: Placed, count: str, spell: Spell) -> str:
    number = found.number
    known = FILLED.get(number) if str(number) != "-0.0" else None
    parts = [count] if known else [count, repr(number)]
    if found.arrays:
        kinds = [*found.arrays, *(["float"] if isinstance(number, float) else [])]
        parts.append(f"{spell('jax.numpy.result_type')}({', '.join(kinds)})")
    elif isinstance(number, int):
        parts += ["int"] if known else []
    return f"{spell('jax.numpy.' + (known or 'full'))}({', '.join(parts)})"
