"""traced-cast: `int()`, `float()`, `.item()`, `math.*` or `np.*` of a tracer, which has no value yet."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.branches.tracer_casts import Cast, cast_at
from scanlint.finding import Report
from scanlint.jaxapi.host_functions import TWINS
from scanlint.rules.base import Context, Rule

DEBUG = 'print the value on each call with `jax.debug.print("{}", ...)`'


class TracedCast(Rule):
    """`float(x)` or `np.sin(x)` on a traced value: a ConcretizationTypeError or TracerArrayConversionError."""

    code = "SCN206"
    name = "traced-cast"
    nodes = (ast.Call, ast.JoinedStr)
    staged = True

    def check(self, node: ast.AST, context: Context) -> Iterator[Report]:
        unit = context.unit
        cast = cast_at(unit, node)
        if cast is None or (cast.kind in ("text", "print") and _fails_elsewhere(context, node)):
            return
        assert isinstance(node, ast.Call | ast.JoinedStr)
        from scanlint.rewrite.lower.expressions.array_casts import to_cast

        yield context.report(
            node,
            _message(unit.context(node).qualname, cast),
            label=f"`{_short(ast.unparse(cast.needed))}` is traced",
            help=_help(cast),
            why=context.evidence(cast.needed),
            outcome=to_cast(unit, node, cast),
        )


def _message(function: str, cast: Cast) -> str:
    match cast.kind:
        case "print":
            return f"`print` runs once, when `{function}` is traced, and shows a tracer in the place of the value"
        case "text":
            return f"tracing `{function}` fails here: a format needs the value of a tracer"
        case "method":
            return f"tracing `{function}` fails here: `.{cast.name}()` needs the value of a tracer"
        case "type":
            return f"tracing `{function}` fails here: `{cast.name}` needs the value of a tracer"
    return f"tracing `{function}` fails here: `{cast.name}` needs the values of a tracer"


def _help(cast: Cast) -> str:
    match cast.kind:
        case "print" | "text":
            return DEBUG
        case "type":
            cast_away = " (a float needs no cast)" if cast.name == "float" else ""
            return f"`.astype({cast.name})` gives the same as an array{cast_away}"
        case "method":
            return "leave it an array"
    return f"`{TWINS[cast.name].name}` does the same for tracers"


def _fails_elsewhere(context: Context, node: ast.AST) -> bool:
    """Whether a text is that of an error, which is only made where something has failed already."""
    return any(isinstance(a, ast.Raise | ast.Assert) for a in context.unit.ancestors(node))


def _short(code: str) -> str:
    return code if len(code) <= 40 else f"{code[:37]}..."
