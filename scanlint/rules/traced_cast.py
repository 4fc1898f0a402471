"""traced-cast: `int()`, `float()`, `.item()`, `math.*` or `np.*` of a tracer, which has no value yet."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from scanlint.branches.size_origins import ints_for_sizes, python_numbers
from scanlint.branches.tracer_casts import Cast, cast_at
from scanlint.finding import Report
from scanlint.jaxapi.host_functions import TWINS
from scanlint.rules.base import Context, Rule
from scanlint.rules.static_help import in_python, to_python

DEBUG = 'print the value on each call with `jax.debug.print("{}", ...)`'


class TracedCast(Rule[ast.Call | ast.JoinedStr]):
    """`float(x)` or `np.sin(x)` on a traced value: a ConcretizationTypeError or TracerArrayConversionError."""

    code = "SCN206"
    name = "traced-cast"
    level = "error"
    staged = True

    def check(self, node: ast.Call | ast.JoinedStr, context: Context) -> Iterator[Report]:
        unit = context.unit
        cast = cast_at(unit, node)
        if cast is None or (cast.kind in ("text", "print") and _fails_elsewhere(context, node)):
            return
        if cast.name == "int" and node in ints_for_sizes(unit):
            return
        if cast.kind == "host" and _other_library(context, node):
            return
        from scanlint.rewrite.lower.expressions.array_casts import to_cast

        plain = python_numbers(unit, cast.needed)
        yield context.report(
            node,
            _message(unit.context(node).qualname, cast),
            label=f"`{_short(ast.unparse(cast.needed))}` is traced",
            help=in_python(plain.text) if plain is not None else _help(cast),
            why=context.evidence(cast.needed),
            outcome=to_python(unit, plain) if plain is not None else to_cast(unit, node, cast),
            level="warning" if cast.kind == "print" else None,  # it runs, but shows no value
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


def _other_library(context: Context, node: ast.AST) -> bool:
    """Whether a setting chose NumPy here: another arm of the same choice computes with JAX."""
    unit, inside = context.unit, node
    for around in unit.ancestors(node):
        if isinstance(around, ast.If) and unit.value(around.test).static and isinstance(inside, ast.stmt):
            others = around.orelse if inside in around.body else around.body
            if not others and isinstance(around.body[-1], ast.Return):
                block = unit.block(around)
                others = block[block.index(around) + 1 :]
            if _by_jax(context, others) and not _by_jax(context, [inside]):
                return True
        inside = around
    return False


def _by_jax(context: Context, statements: Sequence[ast.AST]) -> bool:
    calls = (n for s in statements for n in ast.walk(s) if isinstance(n, ast.Call))
    return any((context.unit.resolve(call.func) or "").startswith(("jax.numpy.", "jax.lax.")) for call in calls)


def _short(code: str) -> str:
    return code if len(code) <= 40 else f"{code[:37]}..."
