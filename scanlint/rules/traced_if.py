"""traced-if: an `if` or a ternary whose test is a tracer, which Python cannot decide."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.finding import Report
from scanlint.rules.base import Context, Rule
from scanlint.trace.unit import Unit

LEAVE = "carry a flag and go on with `lax.while_loop` until it is set"


class TracedIf(Rule[ast.If | ast.IfExp]):
    """`if x > 0` on a traced value: a TracerBoolConversionError when it is traced."""

    code = "SCN201"
    name = "traced-if"
    level = "error"
    staged = True

    def check(self, node: ast.If | ast.IfExp, context: Context) -> Iterator[Report]:
        unit = context.unit
        if not unit.value(node.test).traced:
            return
        from scanlint.branches.size_origins import asks_for_sizes
        from scanlint.trace.hints.setting_parameters import flag_at

        if flag_at(unit, node) or asks_for_sizes(unit, node.test):
            return
        if isinstance(node, ast.If):
            if not _part_of_another(unit, node):
                yield _statement(node, context)
        elif not _nested(unit, node):
            yield _expression(node, context)


def _statement(node: ast.If, context: Context) -> Report:
    from scanlint.branches.branch import model_branch
    from scanlint.loops.exits import loop_left_by
    from scanlint.rewrite.lower.branches.branch_lowering import to_cond

    return context.report(
        node,
        f"tracing `{context.unit.context(node).qualname}` fails here: `if` needs a Python bool",
        end=node.test,
        label="this condition is traced",
        help=LEAVE if loop_left_by(context.unit, node) else "choose between the two with `lax.cond`",
        why=context.evidence(node.test),
        primitive="cond",
        outcome=to_cond(model_branch(context.unit, node)),
    )


def _expression(node: ast.IfExp, context: Context) -> Report:
    from scanlint.rewrite.lower.branches.ternaries import to_choice

    return context.report(
        node,
        f"tracing `{context.unit.context(node).qualname}` fails here: `if` needs a Python bool",
        label=f"`{context.unit.source.segment(node.test)}` is traced",
        help="choose between the two with `lax.cond` or `jnp.where`",
        why=context.evidence(node.test),
        primitive="cond",
        outcome=to_choice(context.unit, node),
    )


def _part_of_another(unit: Unit, node: ast.If) -> bool:
    """Whether another finding takes this one up: the `if` that it is an `elif` of, or the chain that makes a switch."""
    from scanlint.branches.branch import is_elif
    from scanlint.branches.switch_chain import member_of_selection

    if member_of_selection(unit, node):
        return True
    parent = unit.parents.get(node)
    return isinstance(parent, ast.If) and is_elif(unit, node) and unit.value(parent.test).traced


def _nested(unit: Unit, node: ast.IfExp) -> bool:
    parent = unit.parents.get(node)
    return isinstance(parent, ast.IfExp) and parent.test is not node and unit.value(parent.test).traced
