"""A session that stays while texts change: what does not rest on a change is not looked at again."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from scanlint.deep import deeply
from scanlint.engine.cache import Cache
from scanlint.engine.kept import KeptSlices, RememberedSlices
from scanlint.engine.live.early import early_answer
from scanlint.engine.live.live_surveys import LiveSurveys
from scanlint.engine.session import Found, Session, syntax_error
from scanlint.engine.slicing import Slicing
from scanlint.engine.suppress import apply as suppress
from scanlint.engine.tasks import SliceTask
from scanlint.engine.team.executor import Said, unsaid
from scanlint.engine.unread import problem
from scanlint.finding import Finding, Fix, spot
from scanlint.project.discovery.folders import FoundFiles, around
from scanlint.project.files import SourceFile, Unreadable, as_program, read, shown
from scanlint.project.summary import marked
from scanlint.rules.registry import is_listed
from scanlint.settings import Settings
from scanlint.syntax.edits import fitting_line

FittingLine = Callable[[int], int | None]
ROOM = 3_000_000
"""Characters of source whose trees are held."""
HELD = 2
"""Files edited last whose analyses are held, so that more can be asked of them."""
AT_A_TIME = 50
"""Files that are held at a time for the time when they do not parse."""
SWEEP = 40
"""Checks after which what has become garbage is looked for, when there is nothing else to do."""


class TextFindings(NamedTuple):
    """The findings in a text; `kept` are those of the last version that parses, which still fit: this one is broken."""

    findings: tuple[Finding, ...] = ()
    kept: tuple[Finding, ...] = ()
    broken: bool = False


class LiveSession(Session):
    """The files of a project with texts in the place of some of them; `only`: it is this file alone.

    Each file is analysed by itself: an edit of one leaves what is known of the others.
    """

    together = 0

    def __init__(self, settings: Settings, only: Path | None = None, said: Said = unsaid) -> None:
        super().__init__(settings, said)
        gc.disable()
        self.only = only
        self.surveys: LiveSurveys = LiveSurveys(self.team)
        self._remembered = RememberedSlices()
        self._broken: dict[str, tuple[SourceFile, Unreadable]] = {}
        self._checks = 0
        self._raw: dict[str, list[Found]] = {}
        self._edited: tuple[str, ...] = ()
        if only is None:
            self._begin()
        else:
            self._alone()

    @property
    def kept(self) -> KeptSlices:
        return self._remembered

    def source(self, display: str) -> SourceFile | Unreadable:
        return self.surveys.texts.get(display) or read(self.files[display])

    def look(self) -> None:
        """Take in what has changed on disk, appeared or gone."""
        found = around([self.settings.root / "any.py"], self.settings) if self.only is None else FoundFiles()
        self.around = found
        self.surveys.follow({shown(path): path for path in found.files})

    def put(self, source: SourceFile) -> None:
        """Have a text stand in the place of its file. The last one that parses goes on to do so while it does not."""
        broken = self.surveys.cover(source)
        self._edited = (source.display, *(d for d in self._edited if d != source.display))[:HELD]
        if broken is not None:
            self._broken[source.display] = source, broken
        else:
            self._broken.pop(source.display, None)

    def take(self, display: str) -> None:
        """Have a file stand for itself again; `look` reads it."""
        self._broken.pop(display, None)
        self.surveys.uncover(display)

    def early(self, source: SourceFile) -> TextFindings | None:
        """The findings that can be told at once of a text that is about to be put; None where none can."""
        display, text = source.display, self.surveys.texts.get(source.display)
        module = self.surveys.module(display)
        bench = self.team.local.held.get(SliceTask((module,))) if module is not None else None
        if module is None or bench is None or text is None or self._broken:
            return None
        joint = frozenset(unit for unit, task in self.tasks.items() if task != SliceTask((module,)))
        before = self._raw.get(display, [])
        made = deeply(lambda: early_answer(bench, module, before, text.text, source.text, joint))
        if made is None:
            return None
        codes = self.codes if marked(source.text) else ()
        heard = suppress(made, display, source.text, self.settings, codes)
        return TextFindings(tuple(finding for finding in heard if is_listed(finding, self.settings)))

    def check(self, displays: Iterable[str]) -> dict[str, TextFindings]:
        """The findings in some files; they are checked once more if one of the others has changed meanwhile."""
        wanted = [display for display in displays if display in self.files]
        self._recheck(frozenset(wanted))
        if any(known.scope != "unread" for known in self.problems):
            self.look()
            self._recheck(frozenset(wanted))
        self._remembered.turn()
        self._checks += 1
        return {display: self._told(display) for display in wanted}

    def offer(self, display: str, first: int, last: int) -> tuple[Finding, ...]:
        """The findings that begin on some lines of a file, as it was checked last, with the edits of each rewrite."""
        here = [e for e in self.found.get(display, []) if first <= e.finding.start.line <= last]
        if display in self._broken:
            return self._told(display).kept
        for entry in here:
            if entry.finding.fix.status == "available" and not entry.finding.fix.edits:
                entry.finding = deeply(partial(self._offered, entry))
        others = (f for f in self.others if f.path == display and first <= f.start.line <= last)
        return (*(entry.finding for entry in here), *others)

    def keep_only(self, display: str, wanted: Finding) -> None:
        """Have it that nothing else was found."""
        entries = [e for e in self.found.get(display, []) if spot(e.finding) == spot(wanted)]
        self.others = [f for f in self.others if f.path == display and spot(f) == spot(wanted)]
        self.found = {display: entries}

    def _offered(self, entry: Found) -> Finding:
        """A finding with the edits of its rewrite, or with why there are none."""
        bench = self.team.local.bench(entry.task, self.problems)
        for unit, reports in bench.reports({entry.unit}):
            for report in reports:
                if spot(report.finding) == spot(entry.finding):
                    return bench.offer(unit, report)
        return entry.finding

    def rest(self) -> bool:
        """Nobody waits: find what is garbage, now and then, and hold files as they are; whether there are more."""
        if self._checks >= SWEEP:
            self._checks = 0
            gc.unfreeze()
            gc.collect()
            gc.freeze()
        return self.surveys.remember(AT_A_TIME)

    def _begin(self) -> None:
        """Survey and analyse the whole project, by as many processes as it is worth, and keep what is found."""
        if self.settings.cache:
            self.cache = Cache(self.settings)
            self.team.stored, self.team.keeping = self.cache.facts, True
        self._remembered.cache = self.surveys.cache = self.cache
        self.look()
        places = self.surveys.places()
        self.team.shelve(places.values())
        if self.surveys.control(self.files):
            Slicing(self.team, self.kept, self.surveys, places, self.together).prepare()
        if self.cache is not None:
            self.cache.save()
        self._alone()

    def _alone(self) -> None:
        """From now on this process does everything: others would not know the texts."""
        self.team.close()
        self.team.settings = replace(self.settings, jobs=1)
        self.team.stored, self.team.keeping = (lambda digest: None), False
        self.cache = self._remembered.cache = self.surveys.cache = None
        self.team.local.trees.limit, self.team.local.offers = ROOM, False

    def _recheck(self, checked: frozenset[str]) -> None:
        self.checked = checked
        self.problems, self.notes, self.others, self.below = [], [], [], []
        self.found, self.tasks, self.changes, self._raw = {}, {}, {}, {}
        names = (self.surveys.module(display) for display in self._edited)
        analyst = self.team.local
        analyst.holds = frozenset(SliceTask((name,)) for name in names if name is not None)
        for task in analyst.held.keys() - analyst.holds:
            analyst.release(task)
        self._conclude()
        self.notes += [str(problem(error)) for d, (_, error) in self._broken.items() if error.newer and d in checked]

    def _suppress(self, display: str) -> None:
        self._raw[display] = list(self.found.get(display, []))
        super()._suppress(display)

    def _told(self, display: str) -> TextFindings:
        entries = [entry.finding for entry in self.found.get(display, [])]
        others = [finding for finding in self.others if finding.path == display]
        lines = {d: fitting_line(self._text(d), now.text) for d, (now, _) in self._broken.items()}
        found = [_linked(f, lines) for f in sorted([*entries, *others], key=lambda f: (f.start, f.code))]
        if display not in lines:
            return TextFindings(tuple(found))
        kept = (_moved(finding, lines[display]) for finding in found)
        error = self._broken[display][1]
        said = () if error.newer else (syntax_error(error),)
        return TextFindings(said, tuple(f for f in kept if f is not None), broken=True)

    def _text(self, display: str) -> str:
        source = self.source(display)
        return source.text if isinstance(source, SourceFile) else ""


def text_source(path: Path, text: str) -> SourceFile:
    """A text as if it were that of a file, whatever its first lines say of its encoding."""
    return as_program(SourceFile(path, shown(path), text.encode("utf-8", "surrogatepass"), text))


def _moved(finding: Finding, line: FittingLine) -> Finding | None:
    """A finding in the last text that parses as it stands now; None where its line has changed."""
    first, last = line(finding.start.line), line(finding.end.line)
    if first is None:
        return None
    end = finding.end._replace(line=last) if last else finding.start._replace(line=first)
    fix = Fix("none", "the file does not parse") if finding.fix.status == "available" else finding.fix
    return replace(finding, start=finding.start._replace(line=first), end=end, fix=fix)


def _linked(finding: Finding, lines: Mapping[str, FittingLine]) -> Finding:
    """A finding whose chain speaks of lines as they are now, in files that do not parse too."""
    if not any(link.path in lines for link in finding.chain):
        return finding
    chain = (
        link._replace(line=lines[link.path](link.line) or link.line) if link.path in lines else link
        for link in finding.chain
    )
    return replace(finding, chain=tuple(chain))
