"""Surveys and analyses files, in this process or in one of a pool: what it takes and gives is plain data."""

from __future__ import annotations

import gc
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from scanlint.deep import deeply
from scanlint.engine.tasks import Hit, Place, Slice, SliceTask, UnitKey, apart, merged
from scanlint.finding import Edit, Finding, Fix, LeftLoop
from scanlint.problem import Problem
from scanlint.project.encoding import pack, unpack
from scanlint.project.files import SourceFile, Unreadable, read
from scanlint.project.modules import FileChanged, Library, Module, Trees, pinned
from scanlint.project.summary import Surveyed
from scanlint.project.survey import examine
from scanlint.rules.registry import is_listed
from scanlint.settings import Settings
from scanlint.syntax.edits import line_edits, moved

if TYPE_CHECKING:
    import ast

    from scanlint.finding import Report
    from scanlint.project.facts import ModuleFacts
    from scanlint.rewrite.driver import Rewriter, Rewritten
    from scanlint.rules.base import Rule
    from scanlint.syntax.source import Source
    from scanlint.trace.program.project import Project
    from scanlint.trace.unit import Unit

GARBAGE = 1_000_000
"""Objects after which those of finished analyses, which refer to each other in circles, are looked for."""


class Bench:
    """The analysis of what begins in some modules, with the rules that look at it."""

    def __init__(self, project: Project, rewriter: Rewriter, selected: Sequence[Rule[ast.AST]]) -> None:
        self.project = project
        self.rewriter = rewriter
        self.selected = selected
        self._imports: dict[tuple[int, tuple[str, ...]], tuple[Edit, ...]] = {}

    def reports(self, wanted: Container[UnitKey] | None = None) -> Iterator[tuple[Unit, list[Report]]]:
        """The units, each with what the selected rules find in it."""
        for unit in self.project.units(wanted):
            yield unit, self.rewriter.reports(unit, self.selected)

    def offer(self, unit: Unit, report: Report) -> Finding:
        """The finding with the edits of its rewrite, carried through to the end."""
        from scanlint.finding import Rewrite, Withheld

        if not isinstance(report.outcome, Rewrite):
            return report.finding
        made = self.rewriter.apply(unit, report)
        if isinstance(made, Withheld):
            return replace(report.finding, fix=Fix("withheld", made.reason))
        return replace(report.finding, fix=Fix("available", None, self._edits(unit.source, made)))

    def _edits(self, source: Source, made: Rewritten) -> tuple[Edit, ...]:
        """The edits that a rewrite makes in the file, in whole lines."""
        from scanlint.rewrite.emit.imports import add_imports

        now = made.unit.source
        if source.file is None or now.file is not source.file:
            return line_edits(source.whole, made.text)
        key = id(source.file), now.added
        if key not in self._imports:
            file = source.file.text
            self._imports[key] = line_edits(file, add_imports(file, now.added))
        own = line_edits(source.text, now.text)
        return tuple(sorted([*self._imports[key], *(moved(edit, source.above) for edit in own)]))


class Analyst:
    """Holds the texts, trees and facts that it has made; `packs` them for others, where others are to have them.

    The analyses of the tasks that it `holds` can be asked more when they have ended.
    `offers`: findings come with the edits of their rewrites, which are most of the work where there are any.
    """

    def __init__(self, settings: Settings, stored: Callable[[str], bytes | None] = lambda digest: None) -> None:
        self.settings = settings
        self.library = Library({})
        self.trees = Trees()
        self.packs = True
        self.offers = True
        self._stored = stored
        self._facts: dict[str, ModuleFacts] = {}
        self._packed: Mapping[str, bytes] = {}
        self._modules: dict[str, Module] = {}
        self.holds = frozenset[SliceTask]()
        self.held: dict[SliceTask, Bench] = {}

    def survey(self, files: Iterable[Path | SourceFile | Unreadable]) -> Iterator[tuple[Surveyed, bytes | None]]:
        """The survey of each file, and its facts as bytes."""
        for file in files:
            surveyed, facts = self._examine(read(file) if isinstance(file, Path) else file)
            if facts is not None:
                self._facts[surveyed.digest] = facts
            yield surveyed, pack(facts) if facts is not None and self.packs else None

    def _examine(self, source: SourceFile | Unreadable, *, hold: bool = False) -> tuple[Surveyed, ModuleFacts | None]:
        return deeply(lambda: examine(source, self.settings, self.trees, hold=hold))

    def shelve(self, places: Iterable[Place], packed: Mapping[str, bytes]) -> None:
        """Name the files of the project; `packed` are facts that were made elsewhere, by the digests of the files."""
        gc.freeze()  # trees do not refer to themselves: to look for circles among them takes a second
        self._packed = packed
        modules: dict[str, Module] = {}
        for place in places:
            name, path, display, package, digest = place
            known = self._modules.get(name)
            if known is None or (known.path, known.display, known.package, known.digest) != place[1:]:
                known = Module(name, path, display, package, digest, self.trees, self._facts_of(display, digest))
            modules[name] = known
        self._modules, self.library = modules, Library(modules)

    def renew(self, source: SourceFile) -> Surveyed:
        """The survey of a changed text; where it parses, it is the one that is held for its file."""
        surveyed, facts = self._examine(source, hold=True)
        if facts is not None:
            self._facts[surveyed.digest] = facts
        return surveyed

    def forget(self, display: str, digest: str, *, tree: bool = True) -> None:
        """Let go of what a file held."""
        self._facts.pop(digest, None)
        if tree:
            self.trees.drop(display)

    def _facts_of(self, display: str, digest: str) -> Callable[[], ModuleFacts | None]:
        def load() -> ModuleFacts | None:
            known = self._facts.get(digest)
            if known is not None:
                return known if known.path == display else replace(known, path=display)
            packed = self._packed.get(digest) or self._stored(digest)
            return unpack(packed, display) if packed is not None else None

        return load

    @cached_property
    def _rules(self) -> tuple[list[Rule[ast.AST]], list[Rule[ast.AST]], list[Rule[ast.AST]]]:
        """The rules that run, those whose findings are listed, and all that can rewrite."""
        from scanlint.rules.registry import listed_rules, rules, select

        listed, every = listed_rules(self.settings), rules()
        return [rule() for rule in select(self.settings)], [rule() for rule in listed], [rule() for rule in every]

    def bench(
        self, task: SliceTask, problems: list[Problem], changed: SourceFile | None = None, *, listed: bool = False
    ) -> Bench:
        """Follow what begins in the modules of a task, with another text for a file of it. Raises FileChanged.

        `listed`: only for what is listed, which is all that is rewritten.
        """
        from scanlint.rewrite.driver import Rewriter
        from scanlint.trace.program.project import Project

        library = self.library if changed is None else self._with(changed)
        project = deeply(lambda: Project(library, self.settings, task.begin, task.asks, task.around))
        selected, shown, everything = self._rules
        rewriter = Rewriter(everything, self.settings, project.reanalyse, problems)
        return Bench(project, rewriter, shown if listed else selected)

    def _with(self, changed: SourceFile) -> Library:
        """The modules with another text for one; as they are, where that is no Python."""
        name = self.library.names[changed.display]
        module = pinned(name, self.library[name].package, changed)
        return self.library if module is None else self.library.replaced(module)

    def analyse(self, task: SliceTask) -> Slice:
        """The findings of a slice. What goes wrong in it is one of its problems."""
        try:
            return deeply(lambda: self._analyse(task))
        except FileChanged as error:
            why = f"`{error.display}` changed while it was checked"
        except Exception as error:  # noqa: BLE001 - the analysis' own bug: said, with exit code 2
            why = f"internal error in the analysis: {type(error).__name__}: {error}"
        finally:
            if gc.get_count()[0] > GARBAGE:
                gc.collect(0)
        if task.wanted is None and len(task.begin) > 1:  # what goes wrong in one file is not told of the others
            return merged([self.analyse(alone) for alone in apart(task)])
        return Slice(problems=tuple(self._unfinished(task, why)))

    def _unfinished(self, task: SliceTask, why: str) -> list[Problem]:
        """The problem that is told of the files of a task that did not come to its end."""
        names = dict.fromkeys(unit[0] for unit in task.wanted) if task.wanted else task.begin
        return [Problem(self.library[name].display, 0, why) for name in names if name in self.library]

    def _analyse(self, task: SliceTask) -> Slice:
        self.release(task)
        problems: list[Problem] = []
        bench = self.bench(task, problems)
        units: list[UnitKey] = []
        hits: list[Hit] = []
        left: list[LeftLoop] = []
        for unit in bench.project.units(task.wanted):
            key = (self.library.names[unit.source.path], unit.qualname)
            units.append(key)
            if task.told and key[0] not in task.told:
                continue
            reports = bench.rewriter.reports(unit, bench.selected)
            settled = self.offers and (task.wanted is not None or task.tells(key))
            offered = (settled and is_listed(r.finding, self.settings) for r in reports)
            hits += [
                Hit(key, bench.offer(unit, r) if offer else r.finding)
                for r, offer in zip(reports, offered, strict=True)
            ]
            if self.settings.tells_left and key[0] in task.begin and not unit.bare:
                from scanlint.host.left_loops import left_loops

                left += left_loops(unit, [report.node for report in reports], self.settings)
            unit.once.clear()
            bench.project.forget_replays()
        project = bench.project
        problems += project.left
        made = Slice(
            tuple(units), tuple(hits), project.consulted, project.missed, tuple(problems), project.wants, tuple(left)
        )
        if task in self.holds:
            self.held[task] = bench
        else:
            project.close()
        return made

    def release(self, task: SliceTask) -> None:
        """Let go of an analysis that was held."""
        bench = self.held.pop(task, None)
        if bench is not None:
            bench.project.close()
