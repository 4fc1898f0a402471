"""jit-in-loop: `jax.jit(...)` built anew on every trip of a loop or call of a function."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from scanlint.finding import Report, Withheld
from scanlint.jaxapi.canonical import PLAIN_JITS
from scanlint.rules.base import Context, Rule
from scanlint.rules.loop_messages import quoted
from scanlint.trace.domain.evidence import links

if TYPE_CHECKING:
    from scanlint.host.rebuilt_jits import RebuiltJit
    from scanlint.host.static_functions import StaticFunction


class JitInLoop(Rule):
    """What is jitted is another function object each time, so nothing that was compiled before is found again."""

    code = "SCN404"
    name = "jit-in-loop"
    nodes = (ast.Call, ast.FunctionDef, ast.Lambda)
    calls = PLAIN_JITS

    def check(self, node: ast.AST, context: Context) -> Iterator[Report]:
        if context.unit.source.tests:
            return
        from scanlint.host.rebuilt_jits import rebuilt_jit
        from scanlint.host.static_functions import static_function

        if (given := static_function(context.unit, node)) is not None:
            yield _of_static(given, context)
            return
        found = rebuilt_jit(context.unit, node)
        if found is None:
            return
        from scanlint.rewrite.lower.hoisted_jits import hoisted

        report = context.report(
            _shown(found.site),
            f"{found.what} is jitted anew on each {_each(found)}: it is traced and compiled again each time",
            end=_end(found.site),
            label="another function object each time",
            help=_help(found),
            outcome=hoisted(context.unit, found),
        )
        owner = context.named(found.function)
        yield report._replace(finding=replace(report.finding, function=owner, chain=links(found.why)))


def _of_static(found: StaticFunction, context: Context) -> Report:
    """A jitted function that is compiled for a function as its static argument."""
    called, given = ast.unparse(found.call.func), ast.unparse(found.given)
    what = "a lambda" if isinstance(found.given, ast.Lambda) else f"`{given}`"
    name = getattr(found.function, "name", "the lambda around it")
    each = "on each trip of this loop" if found.loop is not None else f"on each call of `{name}`"
    report = context.report(
        found.given,
        f"{what} is a static argument of `{called}`, and another function {each}: `{called}` is compiled again each time",
        label="another function object each time",
        help=f"hand `{called}` a function of the module{f', and {quoted(found.reads)} as arguments' if found.reads else ''}",
        outcome=Withheld("closes-over", f"{what} reads {quoted(found.reads)}") if found.reads else None,
    )
    owner = context.named(found.function)
    return report._replace(finding=replace(report.finding, function=owner, chain=links(found.why)))


def _each(found: RebuiltJit) -> str:
    if found.loop is not None and found.loop is not found.function:
        return "trip of this loop"
    name = getattr(found.function, "name", "the lambda around it")
    return f"call of `{name}`"


def _help(found: RebuiltJit) -> str:
    given = f" and hand in {quoted(found.bound)}" if found.bound else ""
    if found.loop is not None:
        place = f"above `{found.loop.name}`" if isinstance(found.loop, ast.FunctionDef) else "before the loop"
        return f"jit it {place}{given}"
    if found.receiver in found.bound:
        return f"jit it once, where `{found.receiver}` is made, and hand in what changes as arguments"
    return f"jit it once, outside of `{getattr(found.function, 'name', 'the lambda')}`{given}"


def _shown(site: ast.expr | ast.FunctionDef) -> ast.AST:
    return site.decorator_list[0] if isinstance(site, ast.FunctionDef) else site


def _end(site: ast.expr | ast.FunctionDef) -> ast.AST:
    if isinstance(site, ast.FunctionDef):
        return site.decorator_list[0]
    return site.func if isinstance(site, ast.Call) else site
