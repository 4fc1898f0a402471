"""commented-out-jit: control flow that stands in the way of a `@jax.jit` that was commented out."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from scanlint.finding import Fix, Link, Report
from scanlint.rules.base import Context, Rule
from scanlint.trace.domain.contexts import FunctionContext
from scanlint.trace.unit import Unit

FAMILIES = ("SCN1", "SCN2")
MANY = 100
"""Operations of a call from which one dispatch of them is worth a word: some milliseconds."""
NO_FIX = Fix("none", "not-jitted: a function that is not jitted works as it is")


class CommentedOutJit(Rule[ast.FunctionDef | ast.AsyncFunctionDef]):
    """Advice: the function works as it is; what is said holds once the decorator is back."""

    code = "SCN207"
    name = "commented-out-jit"
    level = "advice"

    def check(self, node: ast.FunctionDef | ast.AsyncFunctionDef, context: Context) -> Iterator[Report]:
        if node is not context.unit.node or context.unit.wished is None:
            return
        wished = context.unit.wished()
        if wished is None:
            return
        traced = {c.qualname for c in context.unit.contexts.values() if c.traced}
        reports = [*_reports(wished, context)]
        for report in reports:
            place = wished.context(report.node)
            comment = _comment(place, context.unit, wished)
            if comment is not None and place.qualname not in traced:
                yield _as_wish(report, comment)
        if not reports and not traced:
            yield from _in_pieces(node, context)


def _in_pieces(node: ast.FunctionDef | ast.AsyncFunctionDef, context: Context) -> Iterator[Report]:
    """What is said of a function that nothing keeps from being jitted, and that runs many operations."""
    from scanlint.host.dispatches import called

    operations = called(context.unit.code) if context.unit.code is not None else 0
    if operations >= MANY and not context.unit.source.tests:
        yield context.report(
            node,
            f"each call of `{node.name}` runs about {round(operations)} of JAX's operations one by one: its jit is "
            "commented out",
            end=next(reversed(node.args.args), None),
            label="nothing that is known stands in its way",
            help="jit it again: it is one dispatch then; where that compiles for long, work on larger arrays at a time",
        )


def _reports(wished: Unit, context: Context) -> Iterator[Report]:
    """What the rules that give no advice say of control flow in the unit as it was wished for."""
    from scanlint.rules.registry import rules

    for rule in rules():
        if rule.level != "advice" and rule.code.startswith(FAMILIES):
            made = Context(rule(), wished, context.settings)
            for _, node in made.pairs():
                yield from made.rule.check(node, made)


def _comment(place: FunctionContext, unit: Unit, wished: Unit) -> Link | None:
    """The link of a function's chain that is a comment in the text as it is."""
    for reason in place.chain:
        link = reason.link()
        if link.path != unit.source.path or link.line > len(unit.source.lines):
            continue
        if unit.source.lines[link.line - 1] != wished.source.lines[link.line - 1]:
            return link
    return None


def _as_wish(report: Report, comment: Link) -> Report:
    found = report.finding
    named = comment.text.partition(" <- ")[2]
    told = comment._replace(text=comment.text.replace(" <- ", " <- the commented-out "))
    finding = replace(
        found,
        code=CommentedOutJit.code,
        name=CommentedOutJit.name,
        level=CommentedOutJit.level,
        message=f"under its commented-out {named}, {found.message}",
        help=f"{found.help}, and jit it again" if found.help else None,
        chain=tuple(told if link == comment else link for link in found.chain),
        fix=NO_FIX,
    )
    return Report(finding, None, report.node)
