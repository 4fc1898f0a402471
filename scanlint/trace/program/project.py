"""All files of a run: their errors, their units, and how each unit is run."""

from __future__ import annotations

import ast
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import NamedTuple

from scanlint.deep import deeply
from scanlint.problem import Problem
from scanlint.project.commented_jits import RULE, granted, wishes
from scanlint.project.facts import SCRIPT
from scanlint.project.files import SourceFile, Unreadable, read
from scanlint.project.modules import Library, imported, pinned
from scanlint.project.spelled import STATIC
from scanlint.project.summary import Wanted
from scanlint.project.survey import asks_for_keys, asks_for_loops, is_host_code, shelve
from scanlint.settings import Settings
from scanlint.syntax.bindings import reads
from scanlint.syntax.source import Source
from scanlint.syntax.walk import walk
from scanlint.trace.domain.callables import Code
from scanlint.trace.domain.contexts import Jit
from scanlint.trace.domain.values import Value
from scanlint.trace.hints.host_batches import may_batch
from scanlint.trace.parameters import overridable
from scanlint.trace.program.call_graph import Graph
from scanlint.trace.program.callers import ask, wanted
from scanlint.trace.program.consulted_modules import Scopes
from scanlint.trace.program.entry_points import begin
from scanlint.trace.program.module_scope import ModuleScope
from scanlint.trace.program.patched_module import Patched
from scanlint.trace.program.repeats import builds_for_itself, hands_static, stages_for_itself
from scanlint.trace.program.unit_maker import UnitMaker
from scanlint.trace.unit import KeyProject, Unit


class Around(NamedTuple):
    """A function or method with its text; None for its unit where it was not reached."""

    qualname: str
    source: Source
    unit: Unit | None


class Project:
    """The analysis that starts from some files: every function that they reach, in these files and others."""

    def __init__(
        self,
        library: Library,
        settings: Settings,
        begin_at: Iterable[str],
        asks: Sequence[Wanted] = (),
        around: Sequence[str] = (),
    ) -> None:
        self.scopes = Scopes(library, settings.line_length)
        self.graph = self.scopes.graph
        self.graph.used.asked = settings.asked
        self.settings = settings
        self.begin = [self.scopes[name] for name in begin_at]
        self._units = UnitMaker(self.scopes, self._renewed)
        self.errors: list[Unreadable] = []
        self._granted: dict[str, ModuleScope | None] = {}
        self._worlds = [self.scopes]
        self._replays: list[tuple[ModuleScope, Unit]] = []
        self._around = around
        self._follow(asks)

    @classmethod
    def load(cls, files: Sequence[SourceFile | Path], settings: Settings) -> Project:
        """Read the files; then follow every transform through all of them at once."""
        library, errors = shelve([read(file) if isinstance(file, Path) else file for file in files], settings)
        project = cls(library, settings, library)
        project.errors = errors
        return project

    @property
    def consulted(self) -> tuple[str, ...]:
        """The modules on which the analysis rests."""
        made = dict.fromkeys(name for world in self._worlds for name in world.made)
        return tuple({**made, **dict.fromkeys(sorted(self._units.asked))})

    @property
    def missed(self) -> tuple[str, ...]:
        """The names of modules that would have been consulted, had they been there."""
        return tuple(sorted({name for world in self._worlds for name in world.absent}))

    @property
    def left(self) -> tuple[Problem, ...]:
        """The functions that were not followed to their end, each with the reason and its place."""
        graphs = (world.graph for world in self._worlds)
        return tuple(dict.fromkeys(why for graph in graphs for why in graph.left))

    @property
    def wants(self) -> tuple[Wanted, ...]:
        """The functions that run their own arguments under a trace: callers elsewhere tell which those are."""
        return wanted(self.graph)

    def close(self) -> None:
        """Let go of everything: circles would keep the trees alive."""
        self.forget_replays()
        for world in self._worlds:
            for scope in world.made.values():
                scope.close()
            world.graph.close()
            world.made.clear()

    def forget_replays(self) -> None:
        """Let go of the units in changed texts, which nobody asks any more."""
        for scope, unit in self._replays:
            unit.once.clear()
            scope.close()
        self._replays.clear()
        self.graph.forget_replays()

    def _follow(self, asks: Sequence[Wanted]) -> None:
        """Begin at every place where a transform is spelled, and go on through calls."""
        for scope in self.begin:
            if not scope.facts.jax:
                continue
            begin(self.graph, scope, self.settings)
            for first, _ in scope.facts.active:
                statement = scope.statement(first)
                if statement is not None:
                    scope.run(statement, scope.frame(scope.owner_of(first)))
            statics = STATIC in scope.source.text
            for qualname, span in scope.facts.functions.items():
                code = scope.code(qualname) if span.transforms or statics else None
                if code is not None:
                    self.graph.decorated(code)
                    self.graph.visit(code)
        self.graph.settle()
        for scope in self.begin:
            self._want_callers(scope)
            self._want_numbers(scope)
        for scope in list(self.scopes.made.values()):
            self._want_lists(scope)
        ask(self.graph, asks, self.begin, self._spelling)

    def _spelling(self, wants: Collection[Wanted]) -> list[ModuleScope]:
        """The files around those that begin whose imports spell one of these functions."""
        words = {word for want in wants for word in want.words}
        library = self.scopes.library
        return [self.scopes[name] for name in self._around if words.intersection(imported(library[name].facts))]

    def _want_callers(self, scope: ModuleScope) -> None:
        """Ask who calls the functions that jit something for themselves alone: those calls may stand in a loop."""
        for code in list(scope.codes.values()):
            inner = [c for c in code.record.codes.values() if c.jits and not c.mode.traced]
            statics = STATIC in scope.source.text and hands_static(code)
            if statics or any(map(builds_for_itself, inner)) or stages_for_itself(code):
                self.graph.wanting(code, "")

    def _want_numbers(self, scope: ModuleScope) -> None:
        """Ask who calls the jitted functions that ask for a number which is one of Python's where nobody passes it."""
        for code in list(scope.codes.values()):
            tests = (n.test for n in walk(code.node) if isinstance(n, ast.If | ast.IfExp | ast.While))
            for name in overridable(code) & reads(*tests) if code.jit is not None else ():
                self.graph.wanting(code, name)

    def _want_lists(self, scope: ModuleScope) -> None:
        """Ask who calls the functions that loop over what may be rows of an array, or arrays in a list."""
        own = scope in self.begin
        for qualname in [qualname for qualname, span in scope.facts.functions.items() if span.loops]:
            if own and scope.facts.runs:
                self._visit_batch(scope, qualname)
            code = scope.codes.get(qualname)
            for inner in list(code.record.codes.values()) if code is not None else ():
                for name in self.graph.used.loose(inner):
                    if name in inner.incoming and inner.incoming[name].array:
                        self.graph.wanting(inner, name)

    def _visit_batch(self, scope: ModuleScope, qualname: str) -> None:
        code = scope.code(qualname)
        if code is not None and not code.reached and may_batch(code):
            self.graph.visit(code)
            self.graph.settle()

    def units(self, wanted: Container[tuple[str, str]] | None = None) -> Iterator[Unit]:
        """Every function and method that was reached and can hold a finding, the files that begin first.

        `wanted` names the only ones to give, by module and name.
        """
        own = {scope.name for scope in self.begin}
        reached = [s for s in self.scopes.made.values() if s.name not in own and s.codes]
        for scope in [*self.begin, *sorted(reached, key=lambda scope: scope.path)]:
            wished = self._wished(scope) if scope.name in own else []
            scripts = scope.facts.scripts if scope.name in own else {}
            for qualname, span in [*scope.facts.functions.items(), *scripts.items()]:
                keyed = scope.name in own and span.keys and asks_for_keys(self.settings)
                if wanted is not None and (scope.name, qualname) not in wanted:
                    continue
                ran = qualname in scope.codes and scope.codes[qualname].reached
                wish = any(span.first <= line <= span.last for line in wished)
                looped = scope.name in own and is_host_code(span, scope.facts, self.settings)
                writes = scope.name in own and span.writes
                if not (ran or wish or looped or writes or keyed):
                    continue
                code = scope.code(qualname)
                if code is None:
                    continue
                asked = looped and (asks_for_loops(self.settings) or may_batch(code))
                only_keys = qualname == SCRIPT and not (span.loops or span.straight)
                if only_keys or not (ran or wish or writes or asked):
                    if keyed:
                        unit = self._units.of(scope, code)
                        unit.keys, unit.bare = self._keys, True
                        yield unit
                    continue
                deeply(partial(self._reach, code))
                if code.record.left:
                    continue
                codes = list(code.record.codes.values())
                if scope.name not in own and not any(_told_here(c) for c in codes):
                    continue  # what it does on the host is told when it is the turn of its own file
                unit = self._units.of(scope, code)
                unit.wished = partial(self.wished, scope, qualname) if wish else None
                unit.keys = self._keys if keyed else None
                yield unit

    @cached_property
    def _keys(self) -> KeyProject:
        return KeyProject(self.graph, _keyed, {})

    def _reach(self, code: Code) -> None:
        self.graph.visit(code)
        self.graph.settle()

    def around(self, name: str, first: int, last: int) -> Around | None:
        """The function or method of a module that has all lines from one up to another."""
        scope = self.scopes.made.get(name)
        spans = scope.facts.functions.items() if scope is not None else ()
        qualname = next((q for q, span in spans if span.first <= first and last <= span.last + 1), None)
        if scope is None or qualname is None:
            return None
        code = scope.codes.get(qualname)
        unit = self._units.of(scope, code) if code is not None and code.reached else None
        return Around(qualname, scope.window(qualname), unit)

    def _wished(self, scope: ModuleScope) -> list[int]:
        """The lines of definitions under a commented-out jit."""
        return [w.definition for w in wishes(scope.source.text)] if self.settings.runs(*RULE) else []

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
        return self._units.of(granted, code)

    def _grant(self, scope: ModuleScope) -> ModuleScope | None:
        """A file without its comments around commented-out jits, in a project of its own."""
        bound = {*scope.imports, *scope.definitions, *scope.facts.statements}
        text = granted(scope.source.text, wishes(scope.source.text), bound)
        module = pinned(scope.name, scope.package, scope.source._replace(text=text))
        if module is None:
            return None
        self._worlds.append(Scopes(self.scopes.library.replaced(module), self.settings.line_length))
        return self._worlds[-1][scope.name]

    def reanalyse(self, unit: Unit, text: str) -> Unit | None:
        """Interpret a unit in a changed text of its file as it was run before; None if the text has no such unit."""
        return deeply(lambda: self._reanalysed(unit, text))

    def _reanalysed(self, unit: Unit, text: str) -> Unit | None:
        old = next((s for s in self.scopes.made.values() if s.path == unit.source.path), None)
        before = old.codes.get(unit.qualname) if old is not None else None
        if old is None or before is None:
            return None
        module = pinned(old.name, old.package, old.source._replace(text=text))
        if module is None:
            return None
        scope = ModuleScope(self.graph, module, self.settings.line_length)
        code = scope.code(unit.qualname)
        if code is None:
            return None
        code.jit = same_jit(before, code, scope.tree)
        return self._replayed(scope, code, before)

    def _renewed(self, scope: ModuleScope, before: Code, source: Source) -> Unit | None:
        """A unit with another text of its window, run as before; None where that text is not just the function."""
        match source.statements():
            case [ast.FunctionDef() | ast.AsyncFunctionDef() as node] if node.name == before.name:
                pass
            case _:
                return None
        jit = scope.codes[before.qualname].jit
        if jit is not None and not jit.decorator and jit.node.lineno > source.below:
            source = replace(source, elsewhere=frozenset(walk(jit.node)))
        patched = Patched(scope, before.qualname, node, source)
        code = patched.code(before.qualname)
        if code is None:
            return None
        code.jit = jit if jit is None or not jit.decorator else same_jit(before, code, node)
        return self._replayed(patched, code, before)

    def _seen(self, code: Code, name: str, value: Value) -> Value:
        """The value of a parameter, where the changed text uses it as an array."""
        if value.array or value.container is not None or value.callee is not None or value.static:
            return value
        strong = self.graph.uses(code).get(name)
        used = strong is not None if value.traced else bool(strong) and not code.mode.traced
        return replace(value, array=True) if used else value

    def _replayed(self, scope: ModuleScope, code: Code, before: Code) -> Unit:
        """The unit of a function in a changed text, run as it was `before`."""
        code.mode, code.rooted = before.mode, before.rooted
        code.incoming = {name: self._seen(code, name, value) for name, value in before.incoming.items()}
        code.static = before.static
        self.graph.replay(code, before)
        unit = self._units.of(scope, code, before)
        self._replays.append((scope, unit))
        return unit


SHORT = 8
"""Lines of a function that may hand on what it is given, whatever its names are."""


def _keyed(code: Code) -> bool:
    """Whether a function may do something with random keys."""
    scope = code.scope
    span = scope.facts.functions.get(code.qualname) if isinstance(scope, ModuleScope) else None
    return span is None or span.keys or span.last - span.first < SHORT


def _told_here(code: Code) -> bool:
    """Whether those who call a function have something to tell of it."""
    return code.mode.traced or bool(code.jits and code.callers) or bool(code.listed)


def same_jit(before: Code, after: Code, module: ast.AST) -> Jit | None:
    """The jit of a function in a changed text: the decorator in the same place, or the call with the same text."""
    if before.jit is None:
        return None
    if before.jit.decorator:
        decorators = getattr(after.node, "decorator_list", [])
        index = getattr(before.node, "decorator_list", []).index(before.jit.node)
        return before.jit._replace(node=decorators[index]) if index < len(decorators) else None
    wanted = ast.dump(before.jit.node)
    same = (n for n in walk(module) if isinstance(n, ast.Call) and ast.dump(n) == wanted)
    return next((before.jit._replace(node=n) for n in same), None)
