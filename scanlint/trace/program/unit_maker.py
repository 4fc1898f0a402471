"""Units: what the rules ask of a function is put together from what the interpreter knows of it and its project."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TypeVar

from scanlint.project.modules import names
from scanlint.syntax.source import Source
from scanlint.syntax.walk import dotted, walk
from scanlint.trace.domain.callables import Code
from scanlint.trace.domain.contexts import FunctionContext
from scanlint.trace.domain.evidence import Reason
from scanlint.trace.domain.values import Value, concrete
from scanlint.trace.members import default_of, lineage, method_of
from scanlint.trace.program.consulted_modules import Scopes
from scanlint.trace.program.module_scope import ModuleScope
from scanlint.trace.program.repeats import repeats, reused, several
from scanlint.trace.program.weights import Weights
from scanlint.trace.unit import Unit
from scanlint.trace.whole_file import WholeFile

Answer = TypeVar("Answer")
Nothing = TypeVar("Nothing")


class UnitMaker:
    """Makes the units of a project. `renew` gives a unit with another text of its window.

    `asked` are the modules that were looked through for other uses of a definition: what is found rests on them.
    """

    def __init__(self, scopes: Scopes, renew: Callable[[ModuleScope, Code, Source], Unit | None]) -> None:
        self.scopes = scopes
        self.graph = scopes.graph
        self.weights = Weights(scopes.graph)
        self.renew = renew
        self.asked: set[str] = set()
        self._loops: Mapping[ast.AST, tuple[Reason, ...]] | None = None

    def of(self, scope: ModuleScope, code: Code, before: Code | None = None) -> Unit:
        """The unit of a function; `before` is the function as it was, where its text has been changed."""
        imports = {**scope.imports, **_local_imports(scope, code.node)}
        return Unit(
            source=scope.window(code.qualname),
            file=scope.whole,
            node=code.node,
            qualname=code.qualname,
            imports=imports,
            definitions=scope.definitions,
            values=code.record.values,
            contexts={c.node: _context_of(c) for c in code.record.codes.values()},
            weight=self.weights.of,
            silent=frozenset(code.record.silent),
            before=code.record.before,
            default=partial(default_of, self.graph),
            method=partial(method_of, self.graph),
            lineage=lambda: tuple(lineage(self.graph, code.owner)) if code.owner is not None else (),
            shared=partial(self._shared, scope),
            elsewhere=partial(self._elsewhere, scope),
            repeats=partial(_asked, repeats, (), code, before or code),
            several=partial(_asked, several, None, code, before or code),
            reused=partial(_asked, reused, (), code, before or code),
            returned=self._returned,
            backward=partial(self._backward, code, before or code),
            renew=partial(self.renew, scope.base, before or code),
            code=code,
        )

    def _returned(self, code: Code) -> Value:
        """The result of a function on the host, for any caller; the function is interpreted when it is first asked."""
        self.graph.visit(code)
        self.graph.settle()
        return concrete(code.result)

    def _shared(self, scope: ModuleScope, name: str) -> bool:
        """Whether a definition of a module is named in another file; the result rests on all files from then on."""
        return any(True for _ in self._naming(scope, name))

    def _naming(self, scope: ModuleScope, name: str) -> Iterator[str]:
        """The other modules that name a definition of a module; what follows of them rests on all files."""
        self.asked |= self.scopes.library.keys()
        for other in self.scopes.library:
            module = self.scopes.library.get(other) if other != scope.name else None
            if module is not None and names(self.scopes.library, module, scope.name, name):
                yield other

    def _elsewhere(self, scope: ModuleScope, name: str) -> list[tuple[str, WholeFile]]:
        """The other files that name a definition of a module, each with its path."""
        found = (self.scopes[other] for other in list(self._naming(scope, name)))
        return [(other.path, other.whole) for other in found]

    def _backward(self, code: Code, before: Code, loop: ast.AST) -> tuple[Reason, ...]:
        """Why a loop of a function is in the way of a derivative; it was so before the text of the function changed."""
        if self._loops is None:
            from scanlint.trace.tangents.backward_loops import backward_loops

            self._loops = backward_loops(self.graph, self.graph.derivatives)
        if code is not before:
            now, then = _calls(code), _calls(before)
            loop = then[now.index(loop)] if len(now) == len(then) and loop in now else loop
        return self._loops.get(loop, ())


def _calls(code: Code) -> list[ast.Call]:
    """The calls of `while_loop` and `fori_loop` in a function, by their spelling, in order."""
    calls = (n for n in walk(code.node) if isinstance(n, ast.Call))
    return [c for c in calls if (dotted(c.func) or "").endswith(("while_loop", "fori_loop"))]


def _asked(
    question: Callable[[Code], Answer], nothing: Nothing, code: Code, before: Code, function: ast.AST
) -> Answer | Nothing:
    """The answer to a question on a function of a unit; `nothing` where the function is not known."""
    known = _before(code, before, function)
    return question(known) if known is not None else nothing


def _before(code: Code, before: Code, function: ast.AST) -> Code | None:
    """A function of a unit as its callers know it: what called it before its file was changed calls it still."""
    found = code.record.codes.get(function)
    name = found.qualname if found is not None else None
    same = (c for c in before.record.codes.values() if c is found or (code is not before and c.qualname == name))
    return next(same, None)


def _context_of(code: Code) -> FunctionContext:
    """The context in which a function is run, for the rules."""
    mode = code.mode
    known = mode.traced, mode.chain, mode.above.reverse, code.static, code.jit
    return FunctionContext(code.node, code.qualname, *known, code.rooted and mode.traced)


def _local_imports(scope: ModuleScope, node: ast.AST) -> dict[str, str]:
    """Names that imports inside a function bind."""
    table: dict[str, str] = {}
    for part in getattr(node, "body", []) if not isinstance(node, ast.Lambda) else []:
        match part:
            case ast.Import(names=names):
                tops = ((a, a.name.partition(".")[0]) for a in names)
                table |= {a.asname or top: scope.placed(a.name if a.asname else top) for a, top in tops}
            case ast.ImportFrom(module=module, names=names, level=level):
                base = scope.absolute(level, module or "") if level else module or ""
                table |= {a.asname or a.name: scope.placed(f"{base}.{a.name}") for a in names}
    return table
