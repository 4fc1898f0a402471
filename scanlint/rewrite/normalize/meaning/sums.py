"""Python's `sum` over what is computed element by element, as the sum of an array along its first axis."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.rewrite.emit.snippets import fresh, singular
from scanlint.rewrite.normalize.meaning.changes import Change
from scanlint.syntax.source import Source
from scanlint.trace.unit import Unit

COMPREHENSIONS = (ast.ListComp, ast.GeneratorExp)


def sums(unit: Unit) -> Iterator[Change]:
    """`sum(f(x) for x in xs)` as `jnp.sum(jnp.stack([f(x) for x in xs]), axis=0)`, where it adds up traced arrays."""
    sheet = unit.source
    for call in summing(unit):
        (add, missing), (stack, other) = unit.spell("jax.numpy.sum"), unit.spell("jax.numpy.stack")
        listed = _listed(unit, sheet, call.args[0])
        if listed is None or missing or other or not unit.context(call).traced:
            continue
        made = f"{add}({stack}([{listed}]), axis=0)"
        start = call.args[1] if len(call.args) == 2 else None
        if start is None or (isinstance(start, ast.Constant) and type(start.value) is int and not start.value):
            yield (sheet.put(call, made),)
        elif isinstance(start, ast.Name | ast.Call | ast.Subscript | ast.Attribute | ast.Constant):
            made = f"{sheet.segment(start)} + {made}"
            yield (sheet.put(call, made if isinstance(unit.parents[call], ast.stmt) else f"({made})"),)


def summing(unit: Unit) -> list[ast.Call]:
    """The calls of `sum` itself with what is summed and perhaps a start."""
    found = [c for c in unit.every(ast.Call) if isinstance(c.func, ast.Name) and c.func.id == "sum"]
    return [c for c in found if 1 <= len(c.args) <= 2 and not c.keywords and unit.resolve(c.func) == "builtins.sum"]


def _listed(unit: Unit, sheet: Source, summed: ast.expr) -> str | None:
    """What stands in the brackets of the list of all elements; None where it is not evident that they are arrays."""
    match summed:
        case ast.GeneratorExp(elt=element, generators=[one]) | ast.ListComp(elt=element, generators=[one]):
            whole = not one.ifs and not one.is_async and unit.value(element).traced and unit.value(element).array
            whole = whole and not any(isinstance(n, COMPREHENSIONS) for n in ast.walk(element))  # which is first
            return (
                f"{sheet.segment(element)} for {sheet.segment(one.target)} in {sheet.segment(one.iter)}"
                if whole
                else None
            )
        case ast.Call(func=ast.Name(id="map") as mapping, args=[function, rows], keywords=[]):
            plain = isinstance(function, ast.Name | ast.Attribute) and unit.value(rows).array
            if not plain or unit.resolve(mapping) != "builtins.map" or not unit.value(rows).traced:
                return None
            row = fresh(set(unit.names), singular(rows.id, "row") if isinstance(rows, ast.Name) else "row")
            return f"{sheet.segment(function)}({row}) for {row} in {sheet.segment(rows)}"
    return None
