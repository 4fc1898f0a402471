"""From the surveys of a run to what is found in it: slices of the project, analysed or taken from the cache."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from scanlint.engine.kept import KeptSlices
from scanlint.engine.surveys import Surveys
from scanlint.engine.tasks import Hit, Place, Slice, SliceTask, UnitKey, joined, part
from scanlint.engine.team.executor import Team
from scanlint.finding import LeftLoop
from scanlint.problem import Problem
from scanlint.project.summary import Wanted

MOST_ASKED = 4
"""Rounds in which the callers of functions that trace their arguments are asked, themselves such functions or not."""
MOST_FILES = 32
"""Files that are asked in a run, those first in which nothing else begins: each costs an analysis of its own."""


class Slicing:
    """The slices of one project: `tasks` are those that tell of each unit, `problems` says what went wrong in them."""

    def __init__(self, team: Team, kept: KeptSlices, surveys: Surveys, places: Mapping[str, Place]) -> None:
        self.tasks: dict[UnitKey, SliceTask] = {}
        self.problems: list[Problem] = []
        self.left: list[LeftLoop] = []
        self._team = team
        self._kept = kept
        self._surveys = surveys
        self._places = places
        self._tokens = {name: f"{place.digest} {place.display}" for name, place in places.items()}
        self._roots = frozenset(name.partition(".")[0] for name in places)

    def hits(self, checked: frozenset[str]) -> Iterator[tuple[Hit, SliceTask]]:
        """What is found in the files that are `checked`, with the task that tells it: all slices that reach a unit."""
        slices, asks = self._slices()
        self.left = [loop for found in slices.values() for loop in found.left if loop.path in checked]
        reached: dict[UnitKey, list[str]] = {}
        for name, found in slices.items():
            for unit in found.units:
                reached.setdefault(unit, []).append(name)
        tasks = self.tasks
        for unit, names in reached.items():
            asked = {want for name in names for want in asks[name]}
            tasks[unit] = SliceTask(tuple(names), asks=tuple(sorted(asked)))
        alone = {unit: task.begin == (unit[0],) for unit, task in tasks.items()}
        first = [hit for found in slices.values() for hit in found.hits if hit.finding.path in checked]
        joint = [unit for unit in dict.fromkeys(hit.unit for hit in first) if not alone[unit]]
        for found in self._analyse([tasks[unit]._replace(wanted=(unit,)) for unit in joint]):
            yield from ((hit, tasks[hit.unit]) for hit in found.hits if hit.finding.path in checked)
        yield from ((hit, tasks[hit.unit]) for hit in first if alone[hit.unit])

    def prepare(self) -> None:
        """Analyse what begins in each file, so that its result is at hand."""
        self._slices()

    def _slices(self) -> tuple[dict[str, Slice], dict[str, tuple[Wanted, ...]]]:
        """A slice for each file in which something begins, and what else each file was asked for.

        A file may hand functions to one that runs its arguments under a trace: it is asked, as often as more come up.
        """
        slices: dict[str, Slice] = {}
        asks: dict[str, tuple[Wanted, ...]] = {}
        tasks = [SliceTask((p.name,)) for p in self._places.values() if self._surveys[p.display].begins]
        asked = 0
        for _ in range(MOST_ASKED):
            for task, found in zip(tasks, self._analyse(tasks), strict=True):
                slices[task.begin[0]] = found
                asks[task.begin[0]] = task.asks
            wants = {want for found in slices.values() for want in found.wants}
            known = {name: {*found.wants} for name, found in slices.items()}
            tasks = [
                SliceTask((name,), asks=tuple(sorted(wanted)))
                for name, wanted in self._surveys.spelling(wants, self._places.values()).items()
                if wanted - known.get(name, set()) - {*asks.get(name, ())}
            ]
            tasks = sorted(tasks, key=lambda task: task.begin[0] in slices)[: MOST_FILES - asked]
            asked += len(tasks)
            if not tasks:
                break
        return {name: slices[name] for name in self._places if name in slices}, asks

    def _analyse(self, tasks: Sequence[SliceTask]) -> list[Slice]:
        """The results of tasks, from the cache where what they rest on is the same."""
        results: dict[SliceTask, Slice] = {}
        for task in tasks:
            known = self._kept.get(self._key(task), self._tokens, self._roots)
            if known is not None:
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

    def _key(self, task: SliceTask) -> str:
        """The name of a task in the cache."""
        begin = "\n".join(self._places[name].display for name in task.begin)
        return begin if task.wanted is None and not task.asks else f"{begin}\0{task.wanted!r}\0{task.asks!r}"
