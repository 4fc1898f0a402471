"""Paths through an `if` of which some return: what the others go on with is written at their ends."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from scanlint.branches.branch import following, leaves, returns
from scanlint.finding import Edit
from scanlint.rewrite.normalize.meaning.changes import Change, drop
from scanlint.syntax.source import Source
from scanlint.trace.unit import Unit

AROUND = (ast.For, ast.While, ast.AsyncFor, ast.Try, ast.TryStar, ast.With)
PLAIN = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return)
SHORT = 4
"""Statements that are short enough to stand twice."""


def partial_returns(unit: Unit) -> Iterator[Change]:
    """`if a: (if b: return x; y = g(y))`, `return h(y)` with the last statement at the end of both arms of the `if`."""
    sheet = unit.source
    for node in unit.every(ast.If):
        rest = following(unit, node)
        if not leaves([node]) or returns(node.body) or returns(node.orelse) or not _short(rest):
            continue
        if any(isinstance(around, AROUND) for around in unit.ancestors(node)):
            continue
        code = [sheet.segment(statement) for statement in rest]
        if not any("\n" in line for line in code) and not (node.orelse and _elif(unit, node)):
            yield (*_ends(sheet, node, code), *(drop(unit, statement) for statement in rest))


def _short(rest: Sequence[ast.stmt]) -> bool:
    return 0 < len(rest) <= SHORT and returns(rest) and all(isinstance(s, PLAIN) for s in rest)


def _elif(unit: Unit, node: ast.If) -> bool:
    return unit.source.lines[node.orelse[0].lineno - 1].lstrip().startswith("elif")


def _ends(sheet: Source, node: ast.If, code: Sequence[str]) -> Iterator[Edit]:
    """The statements at the end of both arms."""
    last = node.body[-1]
    if node.orelse:
        yield sheet.beneath(last, *code)
        yield sheet.beneath(node.orelse[-1], *code)
    else:
        inner = sheet.margin(last)[len(sheet.margin(node)) :]
        below = sheet.beneath(last, *code)
        other = sheet.beneath(node, "else:", *(f"{inner}{line}" for line in code))
        yield below._replace(text=below.text + other.text)
