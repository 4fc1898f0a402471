"""Replace one expression by another, with the brackets that it needs there."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from scanlint.finding import Edit, Position, Primitive, Rewrite
from scanlint.rewrite.emit.line_breaks import within
from scanlint.rewrite.emit.spelling import Spelling
from scanlint.syntax.source import Source
from scanlint.trace.unit import Unit

CALLED = ("_", ")", "]")
"""Before a bracket these call or index something, as letters do."""


def in_place(
    unit: Unit, node: ast.expr, code: str, primitive: Primitive, spelling: Spelling, before: Sequence[str] = ()
) -> Rewrite:
    """Another expression in the place of one, with statements `before` the one that it stands in.

    That statement is laid out anew where it was one line and is too long now.
    """
    source = unit.source
    statement = next(a for a in unit.ancestors(node) if isinstance(a, ast.stmt))
    edits = list(within(source, statement, [Edit(*with_parentheses(source, node), code)]))
    if before:
        start, margin = Position(statement.lineno, 1), source.margin(statement)
        edits.append(Edit(start, start, "".join(f"{margin}{made}{source.newline}" for made in before)))
    return Rewrite(tuple(sorted(edits)), primitive, spelling.imports)


def with_parentheses(source: Source, node: ast.expr) -> tuple[Position, Position]:
    """The place of an expression with the parentheses on its lines that only it needed."""
    start, end = source.start(node), source.end(node)
    before, after = source.lines[start.line - 1][: start.column - 1], source.lines[end.line - 1][end.column - 1 :]
    while before.endswith("(") and after.startswith(")") and not (before[-2:-1].isalnum() or before[-2:-1] in CALLED):
        before, after = before[:-1], after[1:]
        start, end = start._replace(column=start.column - 1), end._replace(column=end.column + 1)
    return start, end
