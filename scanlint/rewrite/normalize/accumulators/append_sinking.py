"""`ys.append(...)` at the end of every way through a branch, by way of a name that the branch can give a value."""

from __future__ import annotations

import ast

from scanlint.branches.branch import is_elif
from scanlint.finding import NOT_APPLICABLE, Edit, Next, Rewrite, Step, first_step
from scanlint.loops.loop import LoopModel
from scanlint.loops.rows.branch_appends import appended_once, by_branches
from scanlint.rewrite.emit.line_breaks import fit
from scanlint.rewrite.emit.snippets import brackets, fresh, singular
from scanlint.trace.unit import Unit


def once_per_trip(model: LoopModel) -> Step:
    """The loop with one `append` after the first such branch of its body, if appends are all that is in its way."""
    steps = (
        without_appends(model.unit, branch, model.node) for branch in by_branches(model.node.body, model.obstacles)
    )
    return first_step(steps)


def without_appends(unit: Unit, node: ast.If, around: ast.stmt | None = None) -> Step:
    """The branch with a name for what it appends, once on each way through it, to one list; that is appended after it.

    The arms do nothing else with the list: what is appended is worked out where it was, and kept until then. What is
    rewritten next is the branch, or the loop `around` it.
    """
    if is_elif(unit, node):
        return NOT_APPLICABLE
    for name, found in appended_once(node):
        item = fresh(unit.names, singular(name, "item"), "item")
        source = unit.source
        edits: list[Edit] = []
        for statement in found:
            element = _element(statement)
            if (code := _laid_out(unit, statement, item)) is not None:
                edits.append(source.put(statement, code))
                continue
            opened, closed = brackets(element)
            edits.append(Edit(source.start(statement), source.start(element), f"{item} = {opened}"))
            edits.append(Edit(source.end(element), source.end(statement), closed))
        edits.append(source.behind(node, f"{name}.append({item})"))
        return Rewrite(tuple(edits), "cond", next=(Next(around or node, reported=True),))
    return NOT_APPLICABLE


def _laid_out(unit: Unit, statement: ast.stmt, name: str) -> str | None:
    """The assignment in place of an append over several lines; None where it has one line, or words of its own."""
    text, element = unit.source.segment(statement), _element(statement)
    if "\n" not in text or "#" in text or '"' in text or "'" in text:
        return None
    margin = unit.source.margin(statement)
    lines = fit(f"{name} = {ast.unparse(element)}", len(margin), unit.source.width).split("\n")
    return f"{unit.source.newline}{margin}".join(lines)


def _element(statement: ast.stmt) -> ast.expr:
    assert isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
    return statement.value.args[0]
