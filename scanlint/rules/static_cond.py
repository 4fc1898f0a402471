"""static-cond: a choice of JAX on a value of Python, which is the same each time that the program runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.finding import Report
from scanlint.jaxapi.words import words
from scanlint.rules.base import Context, Rule
from scanlint.syntax.bindings import Function, parameters, reads, targets
from scanlint.trace.domain.values import Value
from scanlint.trace.unit import Unit

CHOICES = words("jax.lax.cond jax.lax.switch jax.numpy.where")
WHERE = "jax.numpy.where"
NUMBERS = words("bool int float")
SHAPES = words("shape rank")
"""Origins of numbers that no array takes the place of, whatever is passed."""


class StaticCond(Rule[ast.Call]):
    """Tracing knows the arm: a plain `if` traces it alone, and may differ in shapes from the other."""

    code = "SCN409"
    name = "static-cond"
    level = "advice"
    calls = CHOICES
    staged = True

    def check(self, node: ast.Call, context: Context) -> Iterator[Report]:
        if context.unit.source.tests or not node.args or isinstance(node.args[0], ast.Starred):
            return
        where = context.unit.resolve(node.func) == WHERE
        if where and len(node.args) != 3:
            return
        test = node.args[0]
        value = context.unit.value(test)
        if not _is_of_python(value) or (where and _counts(context.unit, node, test)):
            return
        if value.origin not in SHAPES and _may_be_passed(context.unit, test):
            return
        name = ast.unparse(node.func)
        shown = " ".join(ast.unparse(test).split())
        yield context.report(
            node,
            f"`{shown}` is a value of Python here: `{name}` {_does(name, where=where)}",
            end=test,
            label="known while tracing",
            help=_instead(node, name, shown, where=where),
        )


def _counts(unit: Unit, node: ast.Call, test: ast.expr) -> bool:
    """Which trip it is decides: where the loop is rolled, that is no value of Python any more."""
    names = {n.id for n in ast.walk(test) if isinstance(n, ast.Name)}
    loops = (a for a in unit.ancestors(node) if isinstance(a, ast.For))
    return any(names & set(targets(loop.target)) for loop in loops)


def _may_be_passed(unit: Unit, test: ast.expr) -> bool:
    """Whether a test reads a default of a jitted function, itself or in an inner one: passed, it would be a tracer."""
    code = unit.code
    if code is None or code.jit is None:
        return False
    optional = code.defaults().keys() - code.static - code.jit.given
    inner = {
        name
        for f in unit.ancestors(test)
        if isinstance(f, Function) and f is not code.node
        for name in parameters(f.args)
    }
    return bool(optional) and not reads(test).isdisjoint(optional | inner)


def _does(name: str, *, where: bool) -> str:
    if where:
        return "computes both values, and always takes the same"
    return f"traces {'all its arms' if name.endswith('switch') else 'both arms'}, and one of them always runs"


def _instead(node: ast.Call, name: str, shown: str, *, where: bool) -> str:
    if where:
        first, second = (" ".join(ast.unparse(a).split()) for a in node.args[1:3])
        return f"`{first} if {shown} else {second}` computes the one that counts"
    return (
        "call the arm that it says"
        if name.endswith("switch")
        else f"a plain `if {shown}:` traces the arm that runs alone"
    )


def _is_of_python(value: Value) -> bool:
    """A value is surely a bool or a number of Python, for all calls that are known."""
    return value.static and not value.array and value.dtype in NUMBERS and value.container is None
