"""`while (x := step(x)) > tol` as a loop that binds `x` before its first test and at the end of each trip."""

from __future__ import annotations

import ast

from scanlint.finding import NOT_APPLICABLE, Edit, Next, Position, Rewrite, Step
from scanlint.loops.jumps import jumps_in
from scanlint.loops.loop import LoopModel
from scanlint.rewrite.emit.snippets import brackets
from scanlint.syntax.bindings import reads


def without_walrus(model: LoopModel) -> Step:
    """The loop without `:=` in its test; nothing where that is not what the test does first."""
    node, source = model.node, model.unit.source
    assert isinstance(node, ast.While)
    bound = _first(node.test)
    if bound is None:
        return NOT_APPLICABLE
    again = [j for j in jumps_in(*node.body) if isinstance(j, ast.Continue)]
    name = bound.target.id
    code = source.segment(bound.value).join((f"{name} = {brackets(bound.value)[0]}", brackets(bound.value)[1]))
    start, end = source.start(bound), source.end(bound)
    line, last = source.lines[start.line - 1], source.lines[end.line - 1]
    while line[start.column - 2 : start.column - 1] == "(" and last[end.column - 1 : end.column] == ")":
        start, end = Position(start.line, start.column - 1), Position(end.line, end.column + 1)
    edits = (
        source.ahead(node, code),
        Edit(start, end, name),
        *(source.ahead(j, code) for j in again),
        source.behind(node.body[-1], code),
    )
    return Rewrite(edits, "while_loop", next=(Next(node, frozenset({name})),))


def _first(test: ast.expr) -> ast.NamedExpr | None:
    """The only `:=` of a test, where Python evaluates it in any case and before all else that reads its name."""
    found = [n for n in ast.walk(test) if isinstance(n, ast.NamedExpr)]
    if len(found) != 1:
        return None
    node = test
    while node is not found[0]:
        match node:
            case ast.Compare(left=left):
                node = left
            case ast.BoolOp(values=[left, *_]) | ast.BinOp(left=left):
                node = left
            case ast.UnaryOp(operand=operand):
                node = operand
            case ast.Call(args=[argument, *_], func=ast.Name() | ast.Attribute()):
                if reads(node.func) & {found[0].target.id}:
                    return None
                node = argument
            case _:
                return None
    return found[0]
