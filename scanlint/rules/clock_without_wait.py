"""clock-without-wait: a clock around a jitted call that returns before its work is done: it times the dispatch."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.finding import Report
from scanlint.rules.base import Context, Rule


class ClockWithoutWait(Rule[ast.BinOp]):
    """JAX dispatches asynchronously: what a call returns is filled in later."""

    code = "SCN604"
    name = "clock-without-wait"

    def check(self, node: ast.BinOp, context: Context) -> Iterator[Report]:
        if context.unit.source.tests or context.traced(node) or not _subtracts_name(node):
            return
        from scanlint.host.results.timed_work import timed

        found = timed(context.unit, node)
        if found is None:
            return
        work = ast.unparse(found.work.func if isinstance(found.work, ast.Call) else found.work)
        yield context.report(
            found.at,
            f"this clock is read before `{work}` is done: JAX returns once the work is dispatched",
            label=f"dispatched on line {found.work.lineno}, waited for by nothing",
            help=f"`jax.block_until_ready(...)` of what `{work}` gives, before the clock is read",
        )


def _subtracts_name(node: ast.AST) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and isinstance(node.right, ast.Name)
