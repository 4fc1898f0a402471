"""One cheap pass over a file: its imports, functions, classes, and where transforms are applied."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from scanlint.jaxapi.spelled_transforms import is_transform
from scanlint.project.files import SourceFile
from scanlint.project.spelled import KEYS, STRAIGHT, SpelledLines, top_level
from scanlint.syntax.regex import regex
from scanlint.syntax.walk import dotted, first_line

JAX = regex(
    r"\b(?:jax|flax|equinox|haiku|optax|chex|brax|jaxlib|numpyro|blackjax|diffrax|jaxtyping|jaxopt|optimistix|lineax)\b"
)
LOOP = regex(r"\n[ \t]*(?:for|while)\b")
"""A loop: it may run what other files compile."""
SCRIPT = "<module>"
"""What runs when a file does goes by this name where others have that of a function."""
INNER_IMPORT = regex(r"^[ \t]+(?:from[ \t]+\.*([\w.]+)[ \t]+import|import[ \t]+([\w.]+))", re.MULTILINE)


class Span(NamedTuple):
    """A function or method: the lines of its statement (decorators included), and what its text holds.

    `straight`: its text holds something that is told of host code without a loop. `writes`: it may assign to an item of
    what JAX made in it. `keys`: it may do something with random keys.
    """

    first: int
    last: int
    transforms: bool = False
    loops: bool = False
    straight: bool = False
    writes: bool = False
    keys: bool = False


class ClassFacts(NamedTuple):
    """A class: its lines, its bases as they are spelled, and the names of its methods."""

    first: int
    last: int
    bases: tuple[str, ...]
    methods: tuple[str, ...]


@dataclass(slots=True)
class ModuleFacts:
    """One file. `jax`: a library of JAX is spelled in it; `drives`: none is, but it has loops and imports modules.

    `statements` maps the names that module-level assignments bind to the lines of those statements.

    `scripts` holds what stands at its top, outside of all functions, if there is a loop in that; `inner` the modules
    that are imported in functions, without the dots of relative imports.
    """

    path: str
    jax: bool
    imports: dict[str, str] = field(default_factory=dict)
    relative: dict[str, tuple[int, str]] = field(default_factory=dict)
    stars: list[tuple[int, str]] = field(default_factory=list)
    functions: dict[str, Span] = field(default_factory=dict)
    classes: dict[str, ClassFacts] = field(default_factory=dict)
    statements: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    active: list[tuple[int, int]] = field(default_factory=list)
    scripts: dict[str, Span] = field(default_factory=dict)
    inner: tuple[str, ...] = ()
    drives: bool = False

    @property
    def runs(self) -> bool:
        """JAX may run in it: it is spelled, or what is imported may call it."""
        return self.jax or self.drives


def collect(tree: ast.Module, source: SourceFile) -> ModuleFacts:
    """Only top-level statements and the bodies of classes are looked at; what functions hold, by their text."""
    facts = ModuleFacts(source.display, JAX.search(source.text) is not None)
    statements = list(top_level(tree.body))
    for statement in statements:
        imports(statement, facts)
    facts.inner = tuple(dict.fromkeys(found[1] or found[2] for found in INNER_IMPORT.finditer(source.text)))
    facts.drives = not facts.jax and LOOP.search(source.text) is not None
    renamed = [*_renamed(facts), *(n for s in statements for n in _aliases(s))] if facts.jax else []
    lines = SpelledLines(source.display, source.text, tree, facts.imports, renamed) if facts.runs else None
    for statement in statements:
        _collect(statement, facts, lines)
    for statement in statements:
        if isinstance(statement, ast.For | ast.While):
            _bound_in_loop(statement, facts)
    if lines is not None:
        _script(tree.body, facts, lines)
    return facts


def _renamed(facts: ModuleFacts) -> list[str]:
    """Names under which transforms are imported that do not look like transforms."""
    return [n for n, t in facts.imports.items() if is_transform(t) and not is_transform(n)]


def _aliases(statement: ast.stmt) -> Iterator[str]:
    """Names that stand for a transform: `fast = jax.jit`, `fast = partial(jax.jit, ...)`."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=called, args=[meant, *_])):
            if (dotted(called) or "").rpartition(".")[2] != "partial":
                return
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Attribute() as meant):
            pass
        case _:
            return
    if is_transform(dotted(meant) or "") and not is_transform(name):
        yield name


def _collect(statement: ast.stmt, facts: ModuleFacts, lines: SpelledLines | None) -> None:
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            facts.functions[statement.name] = _span(statement, lines)
        case ast.ClassDef():
            _class(statement, facts, lines)
        case ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.Expr():
            _statement(statement, facts, lines)
        case ast.For() | ast.While():
            span = _extent(statement)
            if lines and lines.transforms(*span):
                facts.active.append(span)


def _bound_in_loop(loop: ast.For | ast.While, facts: ModuleFacts) -> None:
    """The names that a loop outside of functions binds, on its own or in its body, and that nothing else defines."""
    if isinstance(loop, ast.For):
        _bind([loop.target], loop, facts, loop=True)
    for statement in top_level([*loop.body, *loop.orelse]):
        match statement:
            case ast.Assign(targets=targets):
                _bind(targets, statement, facts, loop=True)
            case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
                _bind([target], statement, facts, loop=True)
            case ast.For() | ast.While():
                _bound_in_loop(statement, facts)


def _script(body: list[ast.stmt], facts: ModuleFacts, lines: SpelledLines) -> None:
    """The statements that run when the file does, as if they were the body of a function."""
    spans = [_extent(s) for s in scripted(body)]
    loops = [span for span in spans if lines.loops(*span)]
    keys = any(lines.hold(KEYS, *span) for span in spans)
    straight = not lines.tests and any(lines.hold(STRAIGHT, *span) for span in spans)
    if loops or keys or straight:
        first, last = spans[0][0], spans[-1][1]
        facts.scripts[SCRIPT] = Span(first, last, False, bool(loops), straight, keys=keys)


def _extent(statement: ast.stmt) -> tuple[int, int]:
    """The first and the last line of a statement."""
    return statement.lineno, statement.end_lineno or statement.lineno


def scripted(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements at the top of a file that are neither definitions nor imports."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
    return [statement for statement in body if not isinstance(statement, kinds)]


def _statement(
    statement: ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr, facts: ModuleFacts, lines: SpelledLines | None
) -> None:
    span = _extent(statement)
    match statement:
        case ast.Assign(targets=targets):
            _bind(targets, statement, facts)
        case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
            _bind([target], statement, facts)
    if lines and lines.transforms(*span):
        facts.active.append(span)


def _bind(targets: Sequence[ast.expr], statement: ast.stmt, facts: ModuleFacts, *, loop: bool = False) -> None:
    """Note the lines of a statement for the names that it binds; in a `loop` those alone that are nothing else."""
    span = _extent(statement)
    for target in targets:
        for name in target.elts if isinstance(target, ast.Tuple | ast.List) else [target]:
            if isinstance(name, ast.Name) and not (loop and _defines(facts, name.id)):
                facts.statements.setdefault(name.id, []).append(span)


def _defines(facts: ModuleFacts, name: str) -> bool:
    """Whether a name is that of a definition or an import."""
    return any(name in known for known in (facts.functions, facts.classes, facts.imports, facts.relative))


def imports(statement: ast.stmt, facts: ModuleFacts) -> None:
    """Add what an import statement binds."""
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            root = alias.name.partition(".")[0]
            facts.imports[alias.asname or root] = alias.name if alias.asname else root
    if not isinstance(statement, ast.ImportFrom):
        return
    base = statement.module or ""
    for alias in statement.names:
        bound = alias.asname or alias.name
        if alias.name == "*":
            facts.stars.append((statement.level, base))
        elif statement.level:
            facts.relative[bound] = (statement.level, f"{base}.{alias.name}" if base else alias.name)
        else:
            facts.imports[bound] = f"{base}.{alias.name}"


def _span(node: ast.FunctionDef | ast.AsyncFunctionDef, lines: SpelledLines | None) -> Span:
    """The lines of a function, and what they spell; of a file without JAX only the lines."""
    first = first_line(node)
    last = node.end_lineno or node.lineno
    if lines is None:
        return Span(first, last)
    loops = lines.loops(first, last)
    return Span(
        first,
        last,
        lines.transforms(first, last),
        loops,
        lines.straight(node, first, last),
        lines.writes(first, last),
        lines.draws(first, last),
    )


def _class(node: ast.ClassDef, facts: ModuleFacts, lines: SpelledLines | None, prefix: str = "") -> None:
    methods = []
    for part in node.body:
        match part:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                qualname = f"{prefix}{node.name}.{part.name}"
                facts.functions[qualname] = _span(part, lines)
                methods.append(part.name)
            case ast.ClassDef():
                _class(part, facts, lines, f"{prefix}{node.name}.")
        if isinstance(part, ast.Assign | ast.AnnAssign | ast.Expr) and lines:
            span = _extent(part)
            if lines.transforms(*span) and not isinstance(getattr(part.value, "value", None), str):
                facts.active.append(span)
    first = first_line(node)
    facts.classes[f"{prefix}{node.name}"] = ClassFacts(
        first,
        node.end_lineno or node.lineno,
        tuple(dotted(b) or ast.unparse(b) for b in node.bases),
        tuple(methods),
    )
