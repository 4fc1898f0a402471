"""Callers of functions that run their own arguments under a trace: they tell which functions that are."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from scanlint.project.summary import Wanted
from scanlint.syntax.regex import regex
from scanlint.syntax.walk import by_kind, kinds_inside
from scanlint.trace.domain.callables import Code
from scanlint.trace.members import abstract, lineage
from scanlint.trace.program.call_graph import Graph
from scanlint.trace.program.module_scope import ModuleScope
from scanlint.trace.program.repeats import repeats

MOST = 200
SPECIAL = regex(r"__(?!init__)\w+__")


def ask(
    graph: Graph,
    elsewhere: Sequence[Wanted],
    within: Sequence[ModuleScope],
    spelling: Callable[[Collection[Wanted]], Sequence[ModuleScope]],
) -> None:
    """Run every function and statement that names such a function, until no more come up.

    Asked are the files `within`, for functions that are known from `elsewhere` too, those that `spelling` gives, and
    the file of the function itself; what else names it is asked when it is the turn of its own file.
    """
    done: set[tuple[str, str | int]] = set()
    if elsewhere:
        for want in elsewhere:
            _visit(graph, want)
        _ask(graph, sorted({want.name for want in elsewhere}), [*within, *spelling(elsewhere)], done)
    asked: set[str] = set()
    while len(asked) < MOST:
        _climb(graph)
        found: dict[str, set[str]] = {}
        for code in graph.wanted:
            for name in _names(graph, code):
                if name not in asked:
                    found.setdefault(name, set()).add(code.scope.name)
        if not found:
            return
        asked |= found.keys()
        _ask(graph, sorted(found), [*within, *spelling([want for want in wanted(graph) if want.name in found])], done)
        for module in sorted({m for modules in found.values() for m in modules} - {scope.name for scope in within}):
            _ask(graph, sorted(n for n, modules in found.items() if module in modules), [graph.modules[module]], done)


def _climb(graph: Graph) -> None:
    """Of a function that matters as often as it is called, where no loop is known to call it: who calls its callers."""
    for code in [code for code, names in graph.wanted.items() if "" in names and not repeats(code)]:
        for caller in code.callers.values():
            if caller.qualname != "<module>":
                graph.wanting(caller, "")


def wanted(graph: Graph) -> tuple[Wanted, ...]:
    """The functions whose callers in other files have something to tell; methods that classes below are to define."""
    found: dict[Wanted, None] = {}
    for code in graph.wanted:
        top = code.qualname.partition(".")[0]
        for name in _names(graph, code):
            found[Wanted(code.scope.name, top if name == _called(code) else name, name)] = None
    left = {(code.owner, code.name): None for code in graph.wanted if code.owner is not None and abstract(code)}
    for scope in list(graph.made.values()) if left else ():
        for name in [name for name, facts in scope.facts.classes.items() if facts.bases]:
            above = {info.name for info in lineage(graph, f"{scope.name}.{name}")}
            found |= {Wanted(scope.name, name, method): None for owner, method in left if owner in above}
    return tuple(found)


def _visit(graph: Graph, want: Wanted) -> None:
    """Run a function, so that it is known to run its arguments; for a method left to classes below, who calls it."""
    scope = graph.modules.get(want.module)
    if scope is None:
        return
    above = list(lineage(graph, f"{want.module}.{want.top}")) if want.top in scope.facts.classes else []
    method = next((info.methods[want.name] for info in above if want.name in info.methods), None)
    if method is not None and abstract(method):
        _run_all(graph, [code for info in above for code in info.methods.values() if _transforms(code)])
    else:
        named = [name for name in scope.facts.functions if name.partition(".")[0] == want.top]
        codes = [code for name in named if (code := scope.code(name)) is not None]
        _run_all(graph, [code for code in codes if _called(code) == want.name])


def _run_all(graph: Graph, codes: Sequence[Code]) -> None:
    for code in codes:
        graph.decorated(code)
        graph.visit(code)


def _transforms(code: Code) -> bool:
    """Whether a function of the project is transformed, or transforms something."""
    span = code.scope.facts.functions.get(code.qualname) if isinstance(code.scope, ModuleScope) else None
    return span is not None and span.transforms


def _ask(graph: Graph, names: Sequence[str], scopes: Sequence[ModuleScope], done: set[tuple[str, str | int]]) -> None:
    for scope in scopes:
        for place in places(scope, aliases(scope, names)):
            if (scope.name, place) not in done:
                done.add((scope.name, place))
                _run(graph, scope, place)
    graph.settle()


def _called(code: Code) -> str | None:
    """The name by which a function is called from elsewhere: a class's for its `__init__`."""
    outer = code.qualname.partition(".<locals>")[0]
    owner, _, name = outer.rpartition(".")
    if name == "__init__":
        return owner.rpartition(".")[2]
    return None if SPECIAL.fullmatch(name) or name in ("<module>", "<lambda>", "") else name


def _names(graph: Graph, code: Code) -> Iterator[str]:
    """The names by which a function is called: its own, and those that its file gives it besides."""
    name, scope = _called(code), graph.modules.get(code.scope.name)
    if name is not None:
        yield from aliases(scope, (name,)) if scope is not None else (name,)


def _run(graph: Graph, scope: ModuleScope, place: str | int) -> None:
    if isinstance(place, int):
        statement = scope.statement(place)
        if statement is not None:
            scope.run(statement, scope.frame())
        return
    code = scope.code(place)
    if code is not None:
        _run_all(graph, [code])


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
    for function in map(scope.node, reversed(scope.facts.functions)):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from ((statement, True) for statement in kinds_inside(function).of(ast.Assign))
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
    lines: dict[int, list[str]] = {}
    line, at = 1, 0
    for found in pattern.finditer(text):
        line += text.count("\n", at, found.start())
        at = found.start()
        lines[line] = []
    numbers = list(lines)
    for name, span in scope.facts.functions.items() if lines else ():
        for number in numbers[bisect_left(numbers, span.first) : bisect_right(numbers, span.last)]:
            lines[number].append(name)
    for number, inside in lines.items():
        yield from inside
        if not inside:
            first = scope.statement_around(number)
            if first is not None:
                yield first
