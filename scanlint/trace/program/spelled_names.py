"""Where a file spells the name of a function, and the names that it gives to what is made of the function."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from scanlint.syntax.walk import by_kind
from scanlint.trace.program.module_scope import ModuleScope


def aliases(scope: ModuleScope, names: Sequence[str]) -> list[str]:
    """These names, and those that a file gives to what has them: `g = jax.jit(f)`, `self.g = f`, `import f as g`."""
    found, new = dict.fromkeys(names), list(names)
    while new:
        new = [bound for name in new for bound in _given(scope).get(name, ()) if bound not in found]
        found |= dict.fromkeys(new)
    return list(found)


def _given(scope: ModuleScope) -> Mapping[str, Sequence[str]]:
    """By a name, those that imports, statements outside of functions, and attributes give to what has it."""
    if scope.given_names is None:
        given: dict[str, dict[str, None]] = {}
        for bound, target in scope.imports.items():
            given.setdefault(target.rpartition(".")[2], {})[bound] = None
        for statement, inside in _assignments(scope):
            targets = dict.fromkeys(_targets(statement, inside=inside))
            for name in filter(None, map(_name, _handed(statement.value) if targets else ())):
                given.setdefault(name, {}).update(targets)
        scope.given_names = {name: tuple(bound) for name, bound in given.items()}
    return scope.given_names


def _assignments(scope: ModuleScope) -> Iterator[tuple[ast.Assign, bool]]:
    """The assignments of a file, and whether each stands in a function."""
    inside = by_kind(*(node for name in scope.facts.functions if (node := scope.node(name)) is not None))
    yield from ((statement, True) for statement in inside.of(ast.Assign))
    yield from ((statement, False) for statement in by_kind(*scope.outside).of(ast.Assign))


def _handed(value: ast.expr) -> Iterator[ast.expr]:
    """An expression, and what calls in it are handed: a function that is called is not handed on."""
    yield value
    if isinstance(value, ast.Call):
        for argument in (*value.args, *(k.value for k in value.keywords)):
            yield from _handed(argument)


def _name(part: ast.expr) -> str | None:
    match part:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return None


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
    spelled = sorted(scope.words.intersection(names))
    if not spelled:
        return
    pattern = re.compile(rf"\b(?:{'|'.join(spelled)})\b")
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
