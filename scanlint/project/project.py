"""All files of a run: their errors, their units, and how each unit is run."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from scanlint.analysis.callables import Code
from scanlint.analysis.unit import FunctionContext, Jit, Source, Unit
from scanlint.project.facts import collect, parse
from scanlint.project.graph import Graph
from scanlint.project.known import begin
from scanlint.project.scope import ModuleScope
from scanlint.project.sources import SourceFile, Unreadable
from scanlint.project.survey import Survey, is_host_loop, survey
from scanlint.project.weights import Weights
from scanlint.project.wishes import granted, wanted, wishes
from scanlint.settings import Settings


class Project:
    """The analysed files of a run."""

    def __init__(self, graph: Graph, errors: list[Unreadable], settings: Settings) -> None:
        self.graph = graph
        self.modules = graph.modules
        self.errors = errors
        self.settings = settings
        self.weights = Weights(graph)
        self._granted: dict[str, ModuleScope | None] = {}

    @classmethod
    def load(cls, files: Sequence[SourceFile | Path], settings: Settings) -> Project:
        """Read and survey the files; then follow every transform through all of them."""
        return cls.of(survey(files), settings)

    @classmethod
    def of(cls, surveyed: Survey, settings: Settings) -> Project:
        """Follow every transform through files that were surveyed; their trees are now the project's."""
        collecting = gc.isenabled()
        gc.disable()
        try:
            return cls._of(surveyed, settings)
        finally:
            if collecting:
                gc.enable()

    @classmethod
    def _of(cls, surveyed: Survey, settings: Settings) -> Project:
        modules: dict[str, ModuleScope] = {}
        graph = Graph(modules)
        for name, (source, facts, tree) in surveyed.modules.items():
            modules[name] = ModuleScope(graph, source, facts, name, name in surveyed.packages)
            if tree is not None:
                modules[name].keep(tree)
        graph.roots = frozenset(name.partition(".")[0] for name in modules)
        project = cls(graph, surveyed.errors, settings)
        project._follow()
        return project

    def _follow(self) -> None:
        """Begin at every place where a transform is spelled, and go on through calls."""
        for scope in self.modules.values():
            if not scope.facts.jax:
                continue
            begin(self.graph, scope, self.settings)
            for first, _ in scope.facts.active:
                statement = scope.statement(first)
                if statement is not None:
                    self.graph.interpreter(scope.frame()).block([statement])
            for qualname, span in scope.facts.functions.items():
                code = scope.code(qualname) if span.transforms else None
                if code is not None:
                    self.graph.decorated(code)
                    self.graph.visit(code)
        self.graph.settle()

    def units(self) -> Iterator[Unit]:
        """Every function and method that can hold a finding, file by file."""
        for scope in self.modules.values():
            if not scope.facts.jax and not scope.codes:
                continue
            wished = {w.definition for w in wishes(scope.source.text)} if wanted(self.settings) else set()
            for qualname, span in scope.facts.functions.items():
                traced = qualname in scope.codes and scope.codes[qualname].runs > 0
                wish = any(span.first <= line <= span.last for line in wished)
                if not span.control or not (traced or wish or is_host_loop(span, scope.facts, self.settings)):
                    continue
                code = scope.code(qualname)
                if code is None:
                    continue
                self.graph.visit(code)
                self.graph.settle()
                yield replace(self._unit(scope, code), wished=partial(self.wished, scope, qualname) if wish else None)

    def wished(self, scope: ModuleScope, qualname: str) -> Unit | None:
        """A unit as it would be if what is commented out of it (`# @jax.jit`) held; this project stays as it is."""
        if scope.path not in self._granted:
            self._granted[scope.path] = self._grant(scope)
        granted = self._granted[scope.path]
        code = granted.code(qualname) if granted is not None else None
        if granted is None or code is None or not isinstance(granted.project, Graph):
            return None
        graph = granted.project
        graph.decorated(code)
        graph.visit(code)
        graph.settle()
        return Project(graph, [], self.settings)._unit(granted, code)

    def _grant(self, scope: ModuleScope) -> ModuleScope | None:
        """A file without its comments around commented-out jits, in a project of its own."""
        bound = {*scope.imports, *scope.definitions, *scope.facts.statements}
        text = granted(scope.source.text, wishes(scope.source.text), bound)
        source = SourceFile(scope.source.path, scope.path, b"", text, scope.source.encoding, scope.source.bom)
        tree = parse(source)
        if isinstance(tree, Unreadable):
            return None
        modules: dict[str, ModuleScope] = {}
        graph = Graph(modules)
        graph.roots = self.graph.roots
        for name, old in self.modules.items():
            modules[name] = ModuleScope(graph, old.source, old.facts, name, old.package)
        modules[scope.name] = ModuleScope(graph, source, collect(tree, source), scope.name, scope.package)
        modules[scope.name].keep(tree)
        return modules[scope.name]

    def _unit(self, scope: ModuleScope, code: Code) -> Unit:
        imports = {**scope.imports, **local_imports(scope, code.node)}
        return Unit(
            source=Source(scope.path, scope.source.text),
            module=scope.tree,
            node=code.node,
            qualname=code.qualname,
            imports=imports,
            definitions=scope.definitions,
            values=code.record.values,
            contexts={c.node: context_of(c) for c in code.record.codes.values()},
            weights=self.weights,
            silent=frozenset(code.record.silent),
        )

    def reanalyse(self, unit: Unit, text: str) -> Unit | None:
        """The same unit in a changed text of its file, run as before; None when the text does not hold it."""
        old = next((s for s in self.modules.values() if s.path == unit.source.path), None)
        before = old.codes.get(unit.qualname) if old is not None else None
        if old is None or before is None:
            return None
        source = SourceFile(old.source.path, old.path, b"", text, old.source.encoding, old.source.bom)
        tree = parse(source)
        if isinstance(tree, Unreadable):
            return None
        scope = ModuleScope(self.graph, source, collect(tree, source), old.name, old.package)
        scope.keep(tree)
        code = scope.code(unit.qualname)
        if code is None:
            return None
        code.mode, code.incoming, code.rooted = before.mode, dict(before.incoming), before.rooted
        code.static, code.jit = before.static, same_jit(before, code, scope.tree)
        code.record.keep = True
        self.graph.replay(code)
        return self._unit(scope, code)


def context_of(code: Code) -> FunctionContext:
    """How a function is run, for the rules."""
    mode = code.mode
    return FunctionContext(code.node, code.qualname, mode.traced, mode.chain, mode.transforms, code.static, code.jit)


def same_jit(before: Code, after: Code, module: ast.Module) -> Jit | None:
    """The jit of a function in a changed text: the decorator in the same place, or the call with the same text."""
    if before.jit is None:
        return None
    if before.jit.decorator:
        decorators = getattr(after.node, "decorator_list", [])
        index = getattr(before.node, "decorator_list", []).index(before.jit.node)
        return Jit(decorators[index], True) if index < len(decorators) else None
    wanted = ast.dump(before.jit.node)
    return next((Jit(n, False) for n in ast.walk(module) if isinstance(n, ast.Call) and ast.dump(n) == wanted), None)


def local_imports(scope: ModuleScope, node: ast.AST) -> dict[str, str]:
    """Names that imports inside a function bind."""
    table: dict[str, str] = {}
    for part in getattr(node, "body", []) if not isinstance(node, ast.Lambda) else []:
        match part:
            case ast.Import(names=names):
                table |= {
                    a.asname or a.name.partition(".")[0]: a.name if a.asname else a.name.partition(".")[0]
                    for a in names
                }
            case ast.ImportFrom(module=module, names=names, level=level):
                base = scope.absolute(level, module or "") if level else module or ""
                table |= {a.asname or a.name: f"{base}.{a.name}" for a in names}
    return table
