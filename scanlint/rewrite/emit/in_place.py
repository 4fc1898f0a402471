"""One expression in the place of another."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from scanlint.finding import Edit, Position, Primitive, Rewrite
from scanlint.rewrite.emit.line_breaks import within
from scanlint.rewrite.emit.spelling import Spelling
from scanlint.syntax.source import Source
from scanlint.trace.unit import Unit


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
    """The place of an expression with the parentheses that only it needed."""
    start, end = source.start(node), source.end(node)
    before = source.lines[start.line - 1][: start.column - 1]
    after = source.lines[end.line - 1][end.column - 1 :]
    called = len(before) > 1 and (before[-2].isalnum() or before[-2] in "_)]")
    if before.endswith("(") and after.startswith(")") and not called:
        return Position(start.line, start.column - 1), Position(end.line, end.column + 1)
    return start, end
