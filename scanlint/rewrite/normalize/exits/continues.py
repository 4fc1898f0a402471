"""`continue` as the branch that it stands for, or a flag, which the other rewriters understand."""

from __future__ import annotations

import ast
import textwrap

from scanlint.finding import Edit, Position, Primitive, Resume, Rewrite
from scanlint.loops.accumulators.branch_appends import APPENDS
from scanlint.loops.exits import jumps_in
from scanlint.loops.loop import LoopModel
from scanlint.rewrite.draft import fresh
from scanlint.rewrite.emit.layout import indent_of
from scanlint.rewrite.normalize.exits.flagged_body import Leaving, Unstructured, comments, negated, shares_lines
from scanlint.syntax.bindings import binds, reads, walk_scope
from scanlint.trace.unit import Unit


def without_continue(model: LoopModel) -> Rewrite | None:
    """The loop with its last `continue` turned into the branch that it stands for, if nothing else is in the way.

    What seems to be appended on some trips only may be appended on both sides of that branch.
    """
    codes = {o.code for o in model.obstacles}
    if "continue" not in codes or not codes <= APPENDS | {"continue", "list-used-otherwise"}:
        return None
    step = _step(model.unit, _last_guard(model.node))
    loop: Primitive = "while_loop" if isinstance(model.node, ast.While) else "fori_loop"
    return step._replace(primitive=loop) if step is not None else None


def as_branch(unit: Unit, node: ast.If) -> Rewrite | None:
    """The same for one `if` that ends its arm with `continue`, as the last one of its loop that does."""
    loop = unit.parents.get(node)
    found = _last_guard(loop) if isinstance(loop, ast.For | ast.While) else None
    return _step(unit, found) if found is not None and found[0] is node else None


def as_flag(unit: Unit, node: ast.If) -> Rewrite | None:
    """The trips of a loop with a flag for a `continue` deep inside `node`, if nothing else leaves the loop."""
    outer = (a for a in unit.ancestors(node) if not isinstance(a, ast.If))
    loop = next(outer, None)
    if not isinstance(loop, ast.For | ast.While) or shares_lines(loop) or not list(jumps_in(node)):
        return None
    if not all(isinstance(jump, ast.Continue) for jump in jumps_in(*loop.body)):
        return None
    imports: list[str] = []

    def spell(name: str) -> str:
        written, needed = unit.spell(name)
        imports.extend([needed] if needed else [])
        return written

    flag = fresh(unit.names, "skip", "skipped")
    leaving = Leaving(unit, indent_of(unit), spell, {ast.Continue: flag})
    first, last = loop.body[0], loop.body[-1]
    try:
        lines = leaving.block(loop.body, 0, first.lineno - 1)
    except Unstructured:
        return None
    if leaving.deep:
        lines = [f"{leaving.margin(first, 0)}{flag} = False", *lines]
    edit = Edit(Position(first.lineno, 1), unit.source.end(last), leaving.newline.join(lines))
    above = first.lineno - getattr(unit.node, "lineno", 0)
    places = [Resume(above + at, unit.source.start(first).column) for at in _flagged(lines, flag)]
    return Rewrite((edit,), "cond", tuple(dict.fromkeys(imports)), then=tuple(places))


def _flagged(lines: list[str], flag: str) -> list[int]:
    """Where, in the lines of a block, the `if`s that set a flag or test it begin; the last one first."""
    block = ast.parse(textwrap.dedent("\n".join(lines))).body
    found = [s for s in block if isinstance(s, ast.If) and flag in reads(s) | binds(s)]
    return [statement.lineno - 1 for statement in reversed(found)]


def _step(unit: Unit, found: tuple[ast.If, list[ast.stmt]] | None) -> Rewrite | None:
    if found is None:
        return None
    guard, rest = found
    text = _branch(unit, guard, rest, indent_of(unit))
    if text is None:
        return None
    edit = Edit(Position(guard.lineno, 1), unit.source.end(rest[-1]), text)
    return Rewrite((edit,), "cond", again=True)


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


def _branch(unit: Unit, guard: ast.If, rest: list[ast.stmt], indent: str) -> str | None:
    """The text of the branch; None where lines cannot be moved: strings over several lines, shared lines."""
    lines = unit.source.lines
    if any(_long_string(part) for statement in rest for part in ast.walk(statement)) or _crowded(guard, rest):
        return None
    first, last = guard.lineno, rest[-1].end_lineno or 0
    margin = lines[first - 1][: len(lines[first - 1]) - len(lines[first - 1].lstrip(" \t"))]
    body = lines[guard.end_lineno : last]
    while body and not body[0].strip():
        body = body[1:]
    moved = [f"{indent}{line}" if line.strip() else line for line in body]
    jump = guard.body[-1].lineno
    if len(guard.body) > 1:
        kept = [*lines[first - 1 : jump - 1], f"{margin}else:\n", *moved]
        return None if "#" in lines[jump - 1] else "".join(kept).rstrip("\n")
    said = comments(lines[first - 1 : jump])
    notes = [f"{margin}{comment}\n" for comment in said]
    return "".join([*notes, f"{margin}if {negated(unit, guard.test)}:\n", *moved]).rstrip("\n")


def _long_string(part: ast.AST) -> bool:
    text = isinstance(part, ast.Constant | ast.JoinedStr) and isinstance(getattr(part, "value", ""), str | bytes)
    return text and part.lineno != part.end_lineno  # type: ignore[attr-defined]


def _crowded(guard: ast.If, rest: list[ast.stmt]) -> bool:
    """Whether statements that are moved share lines with others."""
    if guard.body[0].lineno == guard.lineno and len(guard.body) > 1:
        return True
    ends = [guard.end_lineno, *(s.end_lineno for s in rest)]
    return any(s.lineno == end for s, end in zip(rest, ends, strict=False))
