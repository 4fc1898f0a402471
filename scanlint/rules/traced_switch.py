"""traced-switch: a chain of `if`s that compares one traced integer with 0, 1, 2, ..."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.finding import Report
from scanlint.rules.base import Context, Rule


class TracedSwitch(Rule[ast.If]):
    """`if choice == 0: ... elif choice == 1: ... else: ...` on a traced `choice`."""

    code = "SCN202"
    name = "traced-switch"
    level = "error"
    staged = True

    def check(self, node: ast.If, context: Context) -> Iterator[Report]:
        unit = context.unit
        if not unit.value(node.test).traced:
            return
        from scanlint.branches.switch_chain import chain_starts, model_selection

        selection = model_selection(unit, node)
        if selection is None:
            return
        for start in chain_starts(unit, node):
            longer = model_selection(unit, start) if start is not node else None
            if longer is not None and any(link.model.node is node for link in longer.links):
                return
        from scanlint.rewrite.lower.branches.branch_lowering import to_switch

        subject = unit.source.segment(selection.subject)
        yield context.report(
            node,
            f"tracing `{unit.context(node).qualname}` fails here: `if` needs a Python bool",
            end=node.test,
            label=f"the first of {len(selection.links)} tests of `{subject}`",
            help=f"choose by `{subject}` with `lax.switch`",
            why=context.evidence(node.test),
            primitive="switch",
            outcome=to_switch(selection),
        )
