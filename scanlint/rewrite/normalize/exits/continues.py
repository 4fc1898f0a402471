"""`continue` as the branch that it stands for, or a flag, which the other rewriters understand."""

from __future__ import annotations

import ast
import textwrap

from scanlint.finding import NOT_APPLICABLE, Edit, Next, Position, Primitive, Rewrite, Step
from scanlint.loops.jumps import jumps_in
from scanlint.loops.loop import LoopModel
from scanlint.loops.rows.branch_appends import APPENDS
from scanlint.rewrite.emit.snippets import fresh
from scanlint.rewrite.emit.spelling import Spelling
from scanlint.rewrite.normalize.exits.flagged_body import Leaving, Unstructured, marked
from scanlint.syntax.bindings import binds, reads, walk_scope
from scanlint.trace.unit import Unit


def without_continue(model: LoopModel) -> Step:
    """The loop with its last `continue` turned into the branch that it stands for, if nothing else is in the way.

    What seems to be appended on some trips only may be appended on both sides of that branch.
    """
    codes = {o.code for o in model.obstacles}
    if "continue" not in codes or not codes <= APPENDS | {"continue", "list-used-otherwise"}:
        return NOT_APPLICABLE
    step = _step(model.unit, _last_guard(model.node), Next(model.node, reported=True))
    loop: Primitive = "while_loop" if isinstance(model.node, ast.While) else "fori_loop"
    return step._replace(primitive=loop) if isinstance(step, Rewrite) else step


def as_branch(unit: Unit, node: ast.If) -> Step:
    """Rewrite one `if` whose arm ends in `continue`, the last one of its loop: what follows becomes its `else`."""
    loop = unit.parents.get(node)
    found = _last_guard(loop) if isinstance(loop, ast.For | ast.While) else None
    branch = Next(reported=True)
    return _step(unit, found, branch) if found is not None and found[0] is node else NOT_APPLICABLE


def as_flag(unit: Unit, node: ast.If) -> Step:
    """The trips of a loop with a flag for a `continue` deep inside `node`, if nothing else leaves the loop."""
    outer = (a for a in unit.ancestors(node) if not isinstance(a, ast.If))
    loop = next(outer, None)
    if not isinstance(loop, ast.For | ast.While) or not list(jumps_in(node)):
        return NOT_APPLICABLE
    if not all(isinstance(jump, ast.Continue) for jump in jumps_in(*loop.body)):
        return NOT_APPLICABLE
    spell = Spelling(unit)
    flag = fresh(unit.names, "skip", "skipped")
    leaving = Leaving(unit, unit.indent, spell, {ast.Continue: flag})
    first, last = loop.body[0], loop.body[-1]
    try:
        lines = leaving.block(loop.body, 0, first.lineno - 1)
    except Unstructured as error:
        return error.why
    if leaving.deep:
        lines = [f"{leaving.margin(first, 0)}{flag} = False", *lines]
    places = _flagged(lines, flag)
    for number, at in enumerate(places):
        lines[at] = marked(lines[at], number)
    edit = Edit(Position(first.lineno, 1), unit.source.end(last), leaving.newline.join(lines))
    return Rewrite((edit,), "cond", spell.imports, (Next(),) * len(places))


def _flagged(lines: list[str], flag: str) -> list[int]:
    """Where, in the lines of a block, the `if`s that set a flag or test it begin; the last one first."""
    block = ast.parse(textwrap.dedent("\n".join(lines))).body
    found = [s for s in block if isinstance(s, ast.If) and flag in reads(s) | binds(s)]
    return [statement.lineno - 1 for statement in reversed(found)]


def _step(unit: Unit, found: tuple[ast.If, list[ast.stmt]] | None, following: Next) -> Step:
    """The branch in place of a guard and of what runs after it where the guard does not hold."""
    if found is None:
        return NOT_APPLICABLE
    guard, rest = found
    lines = Leaving(unit, unit.indent, str).block([guard, *rest], 0, guard.lineno - 1)
    if following.node is None:
        at = next(k for k, line in enumerate(lines) if not line.lstrip().startswith("#"))
        lines[at] = marked(lines[at], 0)
    edit = Edit(Position(guard.lineno, 1), unit.source.end(rest[-1]), unit.source.newline.join(lines))
    return Rewrite((edit,), "cond", next=(following,))


def _last_guard(node: ast.For | ast.While) -> tuple[ast.If, list[ast.stmt]] | None:
    """The last `if` of the body that ends its arm with `continue`, and the statements after it."""
    for at in reversed(range(len(node.body) - 1)):
        match node.body[at]:
            case ast.If(body=[*before, ast.Continue()], orelse=[]) as guard if not _continues(before):
                rest = node.body[at + 1 :]
                return None if _continues(rest) else (guard, rest)
    return None


def _continues(body: list[ast.stmt]) -> bool:
    return any(isinstance(part, ast.Continue) for part in walk_scope(body))
