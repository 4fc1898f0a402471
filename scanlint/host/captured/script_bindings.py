"""Names that a script or notebook binds anew between two calls of a jitted function which reads them."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator

from scanlint.syntax.bindings import targets, walk_scope
from scanlint.trace.unit import Unit


def called_at_top(unit: Unit, name: str) -> list[ast.Call]:
    """The calls of a function by its name that stand outside of functions, in order."""
    called = unit.file.once((called_at_top,), lambda: _calls(unit))
    return called.get(name, [])


def _calls(unit: Unit) -> dict[str, list[ast.Call]]:
    found: dict[str, list[ast.Call]] = {}
    for part in walk_scope(unit.file.tree.body):
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Name):
            found.setdefault(part.func.id, []).append(part)
    return {name: sorted(calls, key=lambda call: call.lineno) for name, calls in found.items()}


def bound_between_calls(
    unit: Unit, function: ast.FunctionDef, read: Container[str]
) -> Iterator[tuple[str, ast.Assign, bool]]:
    """The names with the statement that binds each, and whether that gives it another number for sure."""
    calls = [call.lineno for call in called_at_top(unit, function.name) if call.lineno > function.lineno]
    bound: dict[str, ast.expr] = {}
    for statement in unit.file.tree.body:
        if isinstance(statement, ast.FunctionDef) and statement.name == function.name:
            if statement.lineno > function.lineno:
                return  # what is called from here on is another function
        if not isinstance(statement, ast.Assign):
            continue
        for name in (name for target in statement.targets for name in targets(target)):
            before, bound[name] = bound.get(name), statement.value
            between = calls and calls[0] < statement.lineno < calls[-1]
            if name in read and before is not None and between and ast.dump(before) != ast.dump(statement.value):
                both = isinstance(before, ast.Constant) and isinstance(statement.value, ast.Constant)
                yield name, statement, both
                return
