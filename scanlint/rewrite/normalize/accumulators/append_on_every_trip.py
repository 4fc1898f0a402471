"""Lists that get an element on some trips alone get one on each; what reads them picks those trips out."""

from __future__ import annotations

import ast
from collections.abc import Callable

from scanlint.finding import NOT_APPLICABLE, Edit, Next, Position, Rewrite, Step, Withheld
from scanlint.loops.accumulators.conditional_appends import Thinned, thinned
from scanlint.loops.loop import LoopModel
from scanlint.rewrite.emit.snippets import fresh
from scanlint.rewrite.emit.spelling import Spelling

Spell = Callable[[str], str]


def on_each_trip(model: LoopModel) -> Step:
    """`if i >= 20: draws.append(x)` as `draws.append(x)`, and `draws[20:]` where it is read."""
    found = thinned(model)
    if found is None:
        return NOT_APPLICABLE
    unit, branch = model.unit, found.branch
    source, first = unit.source, branch.body[0]
    spell = Spelling(unit)

    margin, deep = source.margin(branch), source.margin(first)
    if (branch.test.end_lineno or 0) > branch.lineno:
        return Withheld("layout", f"the test at line {branch.lineno} goes over several lines")
    last = branch.end_lineno or branch.lineno
    inside = source.lines[branch.lineno : last]
    text = "".join(margin + line.removeprefix(deep) if line.startswith(deep) else line for line in inside)
    kept, edits = _slice(found), [Edit(Position(branch.lineno, 1), Position(last + 1, 1), text)]
    if kept is None:
        numbers, kept = _numbers(found, source.segment, spell), fresh(unit.names, "kept", "wanted")
        lines = [f"{kept} = {_asked(found.test, _index(found), numbers)}"]
        if isinstance(found.test, ast.BoolOp):
            trips = fresh(unit.names, "trips", "numbers")
            lines = [f"{trips} = {numbers}", f"{kept} = {_asked(found.test, _index(found), trips)}"]
        below = Position((model.node.end_lineno or model.node.lineno) + 1, 1)
        edits.append(Edit(below, below, "".join(f"{source.margin(model.node)}{c}{source.newline}" for c in lines)))
    edits += [Edit(source.start(n), source.end(n), f"{n.id}[{kept}]") for n in found.uses]
    return Rewrite(tuple(edits), "scan", spell.imports, (Next(model.node, reported=True),))


def _slice(found: Thinned) -> str | None:
    """The trips as a slice, where they are written in numbers: with a name in it, it could count from the end."""
    stream = found.stream
    if stream.start is not None or stream.step is not None or stream.reverse:
        return None
    match found.test:
        case ast.Compare(left=ast.Name(), ops=[op], comparators=[ast.Constant(value=int(bound))]) if bound >= 0:
            match op:
                case ast.GtE() | ast.Gt():
                    return f"{bound + isinstance(op, ast.Gt)}:"
                case ast.Lt() | ast.LtE():
                    return f":{bound + isinstance(op, ast.LtE)}"
        case ast.Compare(
            left=ast.BinOp(left=ast.Name(), op=ast.Mod(), right=ast.Constant(value=int(step))),
            ops=[ast.Eq()],
            comparators=[ast.Constant(value=int(first))],
        ) if 0 <= first < step:
            return f"{first or ''}::{step}"
        case ast.Compare(
            left=ast.BinOp(
                left=ast.BinOp(left=ast.Name(), op=ast.Add(), right=ast.Constant(value=1)),
                op=ast.Mod(),
                right=ast.Constant(value=int(step)),
            ),
            ops=[ast.Eq()],
            comparators=[ast.Constant(value=0)],
        ) if step > 0:
            return f"{step - 1}::{step}"
    return None


def _index(found: Thinned) -> str:
    assert isinstance(found.stream.target, ast.Name)
    return found.stream.target.id


def _numbers(found: Thinned, code: Callable[[ast.AST], str], spell: Spell) -> str:
    """What the loop variable is on all trips, as an array of NumPy: it is known when tracing."""
    stream = found.stream
    parts = [code(p) for p in (stream.start, stream.stop, stream.step) if p is not None]
    parts = ["0", *parts] if stream.step is not None and stream.start is None else parts
    return f"{spell('numpy.arange')}({', '.join(parts)})" + ("[::-1]" if stream.reverse else "")


def _asked(test: ast.expr, index: str, numbers: str) -> str:
    """A test of the loop variable, asked of all its values at once."""
    match test:
        case ast.BoolOp(op=op, values=values):
            joined = " & " if isinstance(op, ast.And) else " | "
            return joined.join(f"({_asked(v, index, numbers)})" for v in values)
        case ast.UnaryOp(op=ast.Not(), operand=ast.Compare() | ast.BoolOp() as operand):
            return f"~({_asked(operand, index, numbers)})"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _asked(ast.Compare(operand, [ast.Eq()], [ast.Constant(0)]), index, numbers)
        case ast.Compare():
            return ast.unparse(_Numbers(index, numbers).visit(ast.parse(ast.unparse(test), mode="eval")))
    return _asked(ast.Compare(test, [ast.NotEq()], [ast.Constant(0)]), index, numbers)


class _Numbers(ast.NodeTransformer):
    """The loop variable gives way to the array of all its values."""

    def __init__(self, index: str, numbers: str) -> None:
        self.index, self.numbers = index, ast.parse(numbers, mode="eval").body

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.numbers if node.id == self.index else node
