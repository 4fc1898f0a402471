"""jit-in-loop: `jax.jit(...)` built anew on every trip of a loop or call of a function."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from scanlint.finding import Report, Withheld
from scanlint.jaxapi.canonical import COMPILERS, STAGED_BODIES
from scanlint.rules.base import Context, Rule
from scanlint.rules.loop_messages import quoted
from scanlint.syntax.bindings import walk_scope
from scanlint.trace.domain.evidence import links

if TYPE_CHECKING:
    from scanlint.host.compiled.rebuilt_loops import RebuiltLoop
    from scanlint.host.rebuilt_jits import RebuiltJit
    from scanlint.host.static_functions import StaticFunction


CLEARS = frozenset(["jax.clear_caches", "jax.clear_backends"])


class JitInLoop(Rule[ast.Call | ast.FunctionDef | ast.Lambda | ast.For | ast.While]):
    """What is jitted is another function object each time, so nothing that was compiled before is found again."""

    code = "SCN404"
    name = "jit-in-loop"
    calls = COMPILERS | STAGED_BODIES.keys()

    def check(
        self, node: ast.Call | ast.FunctionDef | ast.Lambda | ast.For | ast.While, context: Context
    ) -> Iterator[Report]:
        if context.unit.source.tests:
            return
        from scanlint.host.static_functions import static_function

        if isinstance(node, ast.For | ast.While):
            for call in _made_in(node, context):
                yield from _of_jit(call, context)
            yield from _of_cleared(node, context)
            return
        if (given := static_function(context.unit, node)) is not None:
            yield _of_static(given, context)
            return
        yield from _of_jit(node, context)
        yield from _of_staged(node, context)


def _made_in(loop: ast.For | ast.While, context: Context) -> Iterator[ast.Call]:
    """The calls of a loop's own trips that make a jitted function."""
    from scanlint.host.piecemeal import own_statements
    from scanlint.host.rebuilt_jits import is_factory

    for statement in own_statements(loop):
        parts = [statement] if not isinstance(statement, ast.If | ast.With | ast.Try) else []
        yield from (p for p in walk_scope(parts) if isinstance(p, ast.Call) and is_factory(context.unit, p))


def _of_cleared(loop: ast.For | ast.While, context: Context) -> Iterator[Report]:
    """A statement of a loop itself that throws away what its jitted functions were compiled to."""
    unit = context.unit
    for statement in loop.body:
        if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)):
            continue
        if unit.resolve(statement.value.func) not in CLEARS or context.traced(loop):
            continue
        from scanlint.host.results.device_values import dispatches

        calls = (part for part in walk_scope(loop.body) if isinstance(part, ast.Call))
        if (work := next((c for c in calls if dispatches(unit, c)), None)) is not None:
            yield context.report(
                statement,
                f"each trip of this loop throws away what is compiled: `{ast.unparse(work.func)}` is "
                "traced and compiled "
                "again on the next one",
                label="nothing compiled is left",
                help="take it out of the loop; what fills the memory is mostly one program for each of many shapes",
            )


def _of_jit(node: ast.AST, context: Context) -> Iterator[Report]:
    """What is jitted at a node again and again."""
    from scanlint.host.rebuilt_jits import rebuilt_jit

    found = rebuilt_jit(context.unit, node)
    if found is not None:
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


def _of_staged(node: ast.AST, context: Context) -> Iterator[Report]:
    """A loop of JAX that is compiled again for each body that it is given."""
    from scanlint.host.compiled.rebuilt_loops import rebuilt_loop

    found = rebuilt_loop(context.unit, node)
    if found is None:
        return
    called = ast.unparse(found.call.func)
    body = "a lambda" if isinstance(found.body, ast.Lambda) else f"`{ast.unparse(found.body)}`"
    name = getattr(found.function, "name", "the lambda around it")
    each = "trip of this loop" if found.loop is not None else f"call of `{name}`"
    what = "what a trip computes" if found.loop is not None else f"`{name}`"
    report = context.report(
        found.call,
        f"`{called}` is compiled again on each {each}: outside of jit, it finds what it has compiled by its body, and "
        f"{body} is another function each time",
        end=found.call.func,
        label="another body each time",
        help=f"jit {what}, with what changes as its arguments{_unless(found)}",
        level="advice" if found.offered else None,
    )
    owner = context.named(found.function)
    yield report._replace(finding=replace(report.finding, function=owner, chain=links(found.why)))


def _unless(found: RebuiltLoop) -> str:
    """What is not known of a function that no loop calls."""
    return ": nothing here says that its callers do" if found.offered else ""


def _of_static(found: StaticFunction, context: Context) -> Report:
    """A jitted function that is compiled for a function as its static argument."""
    called, given = ast.unparse(found.call.func), ast.unparse(found.given)
    what = "a lambda" if isinstance(found.given, ast.Lambda) else f"`{given}`"
    name = getattr(found.function, "name", "the lambda around it")
    each = "on each trip of this loop" if found.loop is not None else f"on each call of `{name}`"
    report = context.report(
        found.given,
        f"{what} is a static argument of `{called}`, and another function {each}: `{called}` is compiled "
        "again each time",
        label="another function object each time",
        help=(
            f"hand `{called}` a function of the "
            f"module{f', and {quoted(found.reads)} as arguments' if found.reads else ''}"
        ),
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
    if isinstance(found.site, ast.Call) and found.what.startswith("what"):
        return f"call `{ast.unparse(found.site.func)}` once, before the loop"
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
