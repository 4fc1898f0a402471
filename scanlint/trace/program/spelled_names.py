"""Where a file spells the name of a function, and the names that it gives to what is made of the function."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

from scanlint.syntax.walk import by_kind
from scanlint.trace.program.module_scope import ModuleScope


def aliases(scope: ModuleScope, names: Sequence[str]) -> list[str]:
    """These names, and those that a file gives to what has them: `g = jax.jit(f)`, `self.g = f`, `import f as g`."""
    found, new = dict.fromkeys(names), list(names)
    while new:
        new = [name for name in _bound_to(scope, new) if name not in found]
        found |= dict.fromkeys(new)
    return list(found)


def _bound_to(scope: ModuleScope, names: Sequence[str]) -> Iterator[str]:
    """The names that imports, statements outside of functions, and attributes give to what has one of some names."""
    yield from (bound for bound, target in scope.imports.items() if target.rpartition(".")[2] in names)
    for place in places(scope, names):
        at = scope.node(place) if isinstance(place, str) else scope.statement(place)
        for statement in by_kind(at).of(ast.Assign) if at is not None else ():
            if any(_is_handed(part, names) for part in _handed(statement.value)):
                yield from _targets(statement, inside=isinstance(place, str))


def _handed(value: ast.expr) -> Iterator[ast.expr]:
    """An expression, and what calls in it are handed: a function that is called is not handed on."""
    yield value
    if isinstance(value, ast.Call):
        for argument in (*value.args, *(k.value for k in value.keywords)):
            yield from _handed(argument)


def _is_handed(part: ast.expr, names: Sequence[str]) -> bool:
    match part:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in names
    return False


def _targets(statement: ast.Assign, *, inside: bool) -> Iterator[str]:
    """The names by which others get at what is assigned; local ones of a function are nobody else's."""
    for target in statement.targets:
        match target:
            case ast.Attribute(attr=name):
                yield name
            case ast.Name(id=name) if not inside:
                yield name


def places(scope: ModuleScope, names: Iterable[str]) -> Iterator[str | int]:
    """The functions, and the first lines of statements outside of functions, that hold one of some words."""
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b")
    text = scope.source.text
    lines: set[int] = set()
    line, at = 1, 0
    for found in pattern.finditer(text):
        line += text.count("\n", at, found.start())
        at = found.start()
        lines.add(line)
    if not lines:
        return
    spans = list(scope.facts.functions.items())
    for number in sorted(lines):
        inside = [name for name, span in spans if span.first <= number <= span.last]
        yield from inside
        if not inside:
            first = scope.statement_around(number)
            if first is not None:
                yield first
