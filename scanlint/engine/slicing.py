"""From the surveys of a run to what is found in it: slices of the project, analysed or taken from the cache."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from scanlint.engine.kept import KeptSlices
from scanlint.engine.surveys import Surveys
from scanlint.engine.tasks import Hit, Place, Slice, SliceTask, UnitKey, joined, part, union
from scanlint.engine.team.executor import Team
from scanlint.finding import LeftLoop
from scanlint.problem import Problem
from scanlint.project.groups import MOST_TOGETHER, Member, groups
from scanlint.project.summary import Wanted

MOST_ASKED = 4
"""Rounds in which the callers of functions that trace their arguments are asked, themselves such functions or not."""
MOST_GROUPS = 32
"""Those that are asked in a run, those first in which nothing else begins: each costs an analysis of its own."""


class Slicing:
    """The slices of one project: `tasks` are those that tell of each unit, `problems` says what went wrong in them.

    A slice is what begins in files of at most `together` bytes that lie together and use each other. Rules look into
    the modules that are `told` alone, where any are named.
    """

    def __init__(
        self,
        team: Team,
        kept: KeptSlices,
        surveys: Surveys,
        places: Mapping[str, Place],
        together: int = MOST_TOGETHER,
        told: Iterable[str] = (),
    ) -> None:
        self.tasks: dict[UnitKey, SliceTask] = {}
        self.problems: list[Problem] = []
        self.left: list[LeftLoop] = []
        self._team = team
        self._kept = kept
        self._surveys = surveys
        self._places = places
        self._told = tuple(sorted(told))
        self._reaching = surveys.importing([places[name].display for name in self._told])
        self._tokens = {name: f"{place.digest} {place.display}" for name, place in places.items()}
        self._roots = frozenset(name.partition(".")[0] for name in places)
        self._tasks: dict[str, SliceTask] = {}
        members = [self._member(place) for place in sorted(places.values(), key=lambda place: place.display)]
        for names in groups(members, together):
            self._tasks |= dict.fromkeys(names, self._task(names))

    def hits(self, checked: frozenset[str]) -> Iterator[tuple[Hit, SliceTask]]:
        """The findings in the files that are `checked`, with a task each: all slices that reach a unit decide."""
        slices = self._slices()
        self.left = [loop for found in slices.values() for loop in found.left if loop.path in checked]
        reached: dict[UnitKey, list[SliceTask]] = {}
        for task, found in slices.items():
            for unit in found.units:
                reached.setdefault(unit, []).append(task)
        tasks = self.tasks
        tasks |= {unit: union(those) for unit, those in reached.items()}
        alone = {unit: len(reached[unit]) == 1 and task.tells(unit) for unit, task in tasks.items()}
        first = [hit for found in slices.values() for hit in found.hits if hit.finding.path in checked]
        joint = [unit for unit in dict.fromkeys(hit.unit for hit in first) if not alone[unit]]
        for found in self._analyse([tasks[unit]._replace(wanted=(unit,), told=()) for unit in joint]):
            yield from ((hit, tasks[hit.unit]) for hit in found.hits if hit.finding.path in checked)
        yield from ((hit, tasks[hit.unit]) for hit in first if alone[hit.unit])

    def prepare(self) -> None:
        """Analyse what begins in each file, so that its result is at hand."""
        self._slices()

    def _slices(self) -> dict[SliceTask, Slice]:
        """The slices of all files in which something begins.

        A file may hand functions to one that runs its arguments under a trace: it is asked, as often as more come up.
        """
        first = [t for t in dict.fromkeys(self._tasks.values()) if self._begins(t.begin[0]) and self._reaches(t)]
        slices = dict(zip(first, self._analyse(first), strict=True))
        latest = {task.begin[0]: task for task in first}
        asked = 0
        for _ in range(MOST_ASKED - 1):
            tasks = self._asking({want for found in slices.values() for want in found.wants}, slices, latest)
            tasks = sorted(tasks, key=lambda task: task.begin[0] in latest)[: MOST_GROUPS - asked]
            asked += len(tasks)
            if not tasks:
                break
            for task, found in zip(tasks, self._analyse(tasks), strict=True):
                slices.pop(latest.get(task.begin[0], task), None)
                slices[task], latest[task.begin[0]] = found, task
        return slices

    def _asking(
        self, wants: Collection[Wanted], slices: Mapping[SliceTask, Slice], latest: Mapping[str, SliceTask]
    ) -> list[SliceTask]:
        """The slices in which functions are spelled that they have not been asked for, with these functions."""
        left: dict[SliceTask, set[Wanted]] = {}
        for name, spelled in self._spelling(wants).items():
            task = self._tasks[name]
            task = task if self._begins(task.begin[0]) else SliceTask((name,), told=self._told)
            task = latest.get(task.begin[0], task)
            known = {*slices[task].wants, *task.asks} if task in slices else set()
            if spelled - known:
                left.setdefault(task, set()).update(spelled - known)
        return [task._replace(asks=tuple(sorted({*task.asks, *more}))) for task, more in left.items()]

    def _spelling(self, wants: Collection[Wanted]) -> dict[str, set[Wanted]]:
        """The modules whose imports spell functions that run their arguments under a trace, with these functions."""
        spelled: dict[str, set[Wanted]] = {}
        for want in wants:
            for word in want.words:
                spelled.setdefault(word, set()).add(want)
        found: dict[str, set[Wanted]] = {}
        for place in self._places.values():
            words = self._surveys[place.display].words
            named = {want for word in words for want in spelled.get(word, ()) if want.module != place.name}
            if named:
                found[place.name] = named
        return found

    def _member(self, place: Place) -> Member:
        display = place.display
        return Member(place.name, str(place.path), self._surveys.size([display]), self._surveys[display].words)

    def _begins(self, name: str) -> bool:
        surveyed = self._surveys[self._places[name].display]
        return surveyed.begins and not (surveyed.drives and self._spelled.isdisjoint(surveyed.words))

    @cached_property
    def _spelled(self) -> frozenset[str]:
        """The last words of the names of modules that spell JAX, and in which something begins."""
        surveyed = {name: self._surveys[place.display] for name, place in self._places.items()}
        return frozenset(name.rpartition(".")[2] for name, one in surveyed.items() if one.begins and not one.drives)

    def _reaches(self, task: SliceTask) -> bool:
        """Whether the analysis of a slice can reach a file that findings are wanted of: one of its files imports it."""
        displays = (self._places[name].display for name in (*task.begin, *task.around))
        return not self._told or not self._reaching.isdisjoint(displays)

    def _task(self, names: Sequence[str]) -> SliceTask:
        """A task for what begins in a group of files; where nothing does, one for its first file."""
        begin = tuple(name for name in names if self._begins(name))
        around = tuple(name for name in names if not self._begins(name)) if begin else ()
        return SliceTask(begin or tuple(names[:1]), around=around, told=self._told)

    def _holds(self, task: SliceTask, found: Slice) -> bool:
        """Whether a kept slice has asked all files around it that spell what it asks for: an import may be new."""
        spelling = self._spelling(found.wants) if task.around else {}
        return all(name in found.consulted for name in task.around if name in spelling)

    def _analyse(self, tasks: Sequence[SliceTask]) -> list[Slice]:
        """The results of tasks, from the cache where what they rest on is the same."""
        results: dict[SliceTask, Slice] = {}
        for task in tasks:
            known = self._at_hand(task)
            if known is not None and self._holds(task, known):
                results[task] = known
        left: dict[SliceTask, list[SliceTask]] = {}
        for task in tasks:
            if task not in results:
                left.setdefault(task if task.wanted is None else task._replace(wanted=()), []).append(task)
        joint = [task if task.wanted is None else joined(asked) for task, asked in left.items()]
        size = self._surveys.size([self._places[name].display for task in joint for name in task.begin])
        for asked, whole in zip(left.values(), self._team.analyse(joint, size), strict=True):
            self.problems += whole.problems
            for task in asked:
                made = results[task] = whole if task.wanted is None else part(whole, task.wanted)
                if not made.problems:
                    rests = {name: self._tokens[name] for name in made.consulted}
                    self._kept.put(self._key(task), rests, made)
        return [results[task] for task in tasks]

    def _at_hand(self, task: SliceTask) -> Slice | None:
        """The kept result of a task; what was found in all modules holds for those that are told."""
        keys = dict.fromkeys((self._key(task._replace(told=())), self._key(task)))
        found = (self._kept.get(key, self._tokens, self._roots) for key in keys)
        return next((known for known in found if known is not None), None)

    def _key(self, task: SliceTask) -> str:
        """The name of a task in the cache."""
        begin = "\n".join(self._places[name].display for name in task.begin)
        key = begin if task.wanted is None and not task.asks else f"{begin}\0{task.wanted!r}\0{task.asks!r}"
        return f"{key}\0{task.told!r}" if task.told else key
