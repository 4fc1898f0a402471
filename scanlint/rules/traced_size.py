"""traced-size: a size, shape, axis, dtype or bound of a slice that is a tracer, and must be known when tracing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.branches.expected_failures import expected
from scanlint.branches.size_origins import Argument, argument_behind, doubtful, may_be_static, python_numbers
from scanlint.branches.traced_sizes import SizeAsked, fixed_window, size_asked_at
from scanlint.finding import Outcome, Report, Withheld
from scanlint.rules.base import Context, Rule
from scanlint.rules.static_help import in_python, place_of_jit, static_outcome, to_python

WHAT = {"size": "size", "shape": "shape", "axis": "axis", "type": "dtype", "slice": "bound"}


class TracedSize(Rule[ast.Call | ast.Subscript]):
    """`jnp.zeros(n)`, `x.reshape(n, -1)`, `x[:n]` or `x.sum(axis=axis)` with a tracer: it raises TypeError."""

    code = "SCN210"
    name = "traced-size"
    level = "error"
    staged = True

    def check(self, node: ast.Call | ast.Subscript, context: Context) -> Iterator[Report]:
        unit = context.unit
        wanted = size_asked_at(unit, node)
        if wanted is None or expected(unit, node) or doubtful(unit, wanted.needed):
            return
        argument = None if fixed_window(unit, wanted.node) else argument_behind(unit, wanted.needed)
        if argument is not None and (may_be_static(unit, argument) or not self._first(context, node, argument)):
            return
        yield context.report(
            node,
            f"tracing `{unit.context(node).qualname}` fails here: {_asker(wanted)} is given a traced "
            f"{WHAT[wanted.role]}",
            label=f"`{ast.unparse(wanted.needed)}` is traced",
            help=_help(context, wanted, argument),
            why=context.evidence(wanted.needed),
            primitive="static_argnames" if argument is not None else "other",
            outcome=_outcome(context, wanted, argument),
        )

    def _first(self, context: Context, node: ast.AST, argument: Argument) -> bool:
        """Whether this is the first place that wants the argument as a Python value: one cure serves them all."""
        return context.unit.once((Argument, argument.parameter), lambda: self._wants(context, argument)) is node

    def _wants(self, context: Context, argument: Argument) -> ast.AST:
        unit = context.unit
        calls = [n for kind in self.nodes for n in unit.kinds.get(kind, ()) if context.traced(n)]
        found = [n for n in calls if (w := size_asked_at(unit, n)) is not None and _same(context, w, argument)]
        return min(found, key=lambda n: (n.lineno, n.col_offset))  # type: ignore[attr-defined]


def _same(context: Context, wanted: SizeAsked, argument: Argument) -> bool:
    if fixed_window(context.unit, wanted.node):
        return False
    found = argument_behind(context.unit, wanted.needed)
    return found is not None and found.parameter is argument.parameter


def _asker(wanted: SizeAsked) -> str:
    return wanted.asker if wanted.role == "slice" else f"`{_written(wanted)}`"


def _written(wanted: SizeAsked) -> str:
    function = wanted.node.func if isinstance(wanted.node, ast.Call) else wanted.node
    return (
        f".{function.attr}"
        if wanted.asker.startswith(".") and isinstance(function, ast.Attribute)
        else ast.unparse(function)
    )


def _help(context: Context, wanted: SizeAsked, argument: Argument | None) -> str:
    if (plain := python_numbers(context.unit, wanted.needed)) is not None:
        return in_python(plain.text)
    if argument is not None:
        return place_of_jit(context.unit, argument)
    if (window := fixed_window(context.unit, wanted.node)) is not None and isinstance(wanted.node, ast.Subscript):
        array, start = ast.unparse(wanted.node.value), ast.unparse(window.start)
        return f"`lax.dynamic_slice_in_dim({array}, {start}, {window.length})` takes a traced start"
    if wanted.role == "slice":
        return "`lax.dynamic_slice_in_dim(x, start, length)` for a fixed length, else keep all rows and mask them"
    if wanted.role == "axis" or wanted.role == "type":
        return f"the {WHAT[wanted.role]} must be a Python value: take it as a static argument"
    return "no size can depend on values: take the largest one that is needed and mask what is beyond"


def _outcome(context: Context, wanted: SizeAsked, argument: Argument | None) -> Outcome:
    if (plain := python_numbers(context.unit, wanted.needed)) is not None:
        return to_python(context.unit, plain)
    if argument is not None and argument.function is not None:
        return static_outcome(context.unit, argument, wanted.needed, wanted.node)
    if argument is not None:
        return Withheld("jitted-elsewhere", f"`{argument.name}` is an argument of {argument.owner}")
    if isinstance(wanted.node, ast.Subscript):
        from scanlint.rewrite.lower.expressions.moving_slices import to_dynamic_slice

        return to_dynamic_slice(context.unit, wanted.node)
    return Withheld("size-of-values", f"`{ast.unparse(wanted.needed)}` is computed from traced values")
