"""Bodies of scans that return `None` where they returned outputs for nobody."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from scanlint.finding import Edit, Outcome, Position, Rewrite, Withheld
from scanlint.host.purity import METHODS, of_jax
from scanlint.host.traceable import HARMLESS
from scanlint.loops.scans.scan_outputs import UnreadOutputs, is_none
from scanlint.syntax.source import Source
from scanlint.trace.domain.callables import Closure, Code, Named, Partial, Transformed
from scanlint.trace.domain.values import UNKNOWN, Value
from scanlint.trace.unit import Unit

DEEPEST = 6
BOUND = ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom


def without_outputs(unit: Unit, scan: UnreadOutputs) -> Outcome:
    """`return carry, y` as `return carry, None`, on every path."""
    for pair in scan.pairs:
        for part in ast.walk(pair.elts[1]):
            if isinstance(part, BOUND):
                return Withheld("side-effect", f"`{ast.unparse(part)}` binds a name (line {part.lineno})")
            if isinstance(part, ast.Call) and not _quiet(unit, part):
                text = f"`{ast.unparse(part.func)}(...)` may do more than compute (line {part.lineno})"
                return Withheld("side-effect", text)
    source, pairs = unit.source, [pair for pair in scan.pairs if not is_none(pair.elts[1])]
    if source.file is None or unit.node in (scan.body, *unit.ancestors(scan.body)):
        return Rewrite(tuple(_none(source, pair) for pair in pairs), "scan")
    return Rewrite(tuple(source.beside(_none(source.file, pair)) for pair in pairs), "scan")


def _none(source: Source, pair: ast.Tuple) -> Edit:
    """The second of a pair, with the brackets that are its own."""
    first, second = pair.elts
    start, end = source.start(second), source.end(second)
    between = source.between(source.end(first), start)
    comma = between.find(",")
    opened = re.fullmatch(r"\s*((?:\(\s*)*)", between[comma + 1 :])
    count = opened[1].count("(") if opened is not None else 0
    closed = re.match(rf"(?:\s*\)){{{count}}}", source.between(end, source.end(pair)))
    if not count or closed is None:
        return Edit(start, end, "None")
    begin = _further(source.end(first), between[: between.index("(", comma)])
    return Edit(begin, _further(end, closed[0]), "None")


def _further(place: Position, text: str) -> Position:
    """The place behind some text."""
    *lines, last = text.split("\n")
    return Position(place.line + len(lines), len(last) + (1 if lines else place.column))


# -- what may be left out


def _quiet(unit: Unit, call: ast.Call) -> bool:
    """Whether a call does nothing but compute."""
    return _computes(call.func, unit.value(call.func), unit.resolve(call.func), 0)


def _computes(function: ast.expr, value: Value, name: str | None, depth: int) -> bool:
    match value.callee:
        case Closure(code):
            return depth < DEEPEST and all(_computed(code, call, depth + 1) for call in _calls(code))
        case Transformed(function=inner) | Partial(function=inner):
            return _computes(function, inner, name, depth)
        case Named(found):
            name = found
    if name is not None:
        return of_jax(name) or name in HARMLESS
    return isinstance(function, ast.Attribute) and function.attr in METHODS


def _computed(code: Code, call: ast.Call, depth: int) -> bool:
    value = code.record.values.get(call.func)
    if value is None and isinstance(call.func, ast.Name):
        value = code.scope.lookup(call.func.id)
    known = value is None or value.callee is None
    name = code.scope.annotation(call.func) if known and _is_imported(code, call.func) else None
    return _computes(call.func, value or UNKNOWN, name, depth)


def _is_imported(code: Code, function: ast.expr) -> bool:
    """Whether a dotted name begins at a module that the file imports."""
    while isinstance(function, ast.Attribute):
        function = function.value
    value = code.scope.lookup(function.id) if isinstance(function, ast.Name) else None
    return value is not None and isinstance(value.callee, Named)


def _calls(code: Code) -> Iterable[ast.Call]:
    return (node for node in ast.walk(code.node) if isinstance(node, ast.Call))
