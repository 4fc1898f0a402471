"""array-assignment: an assignment to an item of an array of JAX, which cannot be changed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.branches.expected_failures import expected
from scanlint.branches.item_writes import ItemWrite, item_writes
from scanlint.finding import Report
from scanlint.rules.base import Context, Rule

UPDATES: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "add",
    ast.Mult: "multiply",
    ast.Div: "divide",
    ast.Pow: "power",
}


class ArrayAssignment(Rule[ast.Assign | ast.AugAssign]):
    """`x[0] = 1.0` or `x[i] += v` on an array of JAX: a TypeError, under a trace or not."""

    code = "SCN208"
    name = "array-assignment"
    level = "error"

    def check(self, node: ast.Assign | ast.AugAssign, context: Context) -> Iterator[Report]:
        unit = context.unit
        written = item_writes(unit, node)
        if not written or expected(unit, node):
            return
        first = written[0]
        from scanlint.rewrite.lower.expressions.item_updates import to_update

        array, index = ast.unparse(first.array), ast.unparse(first.target.slice)
        yield context.report(
            first.target,
            f"`{array}` is an array of JAX, and cannot be assigned to: this line of "
            f"`{unit.context(node).qualname}` fails",
            label="arrays of JAX do not change",
            help=f"`{array} = {array}.at[{index}].{_method(first)}(...)` makes a changed one",
            why=context.evidence(first.array),
            outcome=to_update(unit, written),
        )


def _method(written: ItemWrite) -> str:
    statement = written.statement
    return UPDATES.get(type(statement.op), "set") if isinstance(statement, ast.AugAssign) else "set"
