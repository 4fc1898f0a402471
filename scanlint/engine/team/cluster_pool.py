"""The pool whose processes are the workers of a cluster: the texts of the project go to them, nothing is read there."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from scanlint.cluster import Cluster, WorkersLost
from scanlint.engine.analyst import Analyst
from scanlint.engine.tasks import Place, Slice, SliceTask
from scanlint.engine.team.pool import CHUNK, File, Surveys, lost_files, lost_task
from scanlint.project.files import SourceFile, read
from scanlint.project.summary import Surveyed
from scanlint.settings import Settings

Shelf = tuple[Sequence[Place], Mapping[str, bytes], Mapping[str, SourceFile]]

_analysts: dict[str, Analyst] = {}
"""On a worker: who analyses for which run. Threads take turns: an analysis is all Python."""
_turns = threading.Lock()


class ClusterPool:
    """Hands out work to a cluster and puts the results in order: they are the same as one process gives."""

    def __init__(self, cluster: Cluster, settings: Settings) -> None:
        self.cluster = cluster
        self.settings = settings
        self.run = uuid.uuid4().hex
        self.displays: dict[str, str] = {}
        self._texts: dict[str, SourceFile] = {}
        self._shelf: object = None
        self._shelves = 0

    def survey(self, files: Sequence[File]) -> Iterator[tuple[Surveyed, bytes | None]]:
        """The surveys of files, in order."""
        sources = [read(file) if isinstance(file, Path) else file for file in files]
        self._texts |= {source.display: source for source in sources if isinstance(source, SourceFile)}
        chunks = [sources[at : at + CHUNK] for at in range(0, len(sources), CHUNK)]
        asked = [self.cluster.submit(survey, self.run, self.settings, chunk) for chunk in chunks]
        for chunk, answer in zip(chunks, self.cluster.results(asked), strict=True):
            yield from lost_files(chunk, str(answer)) if isinstance(answer, WorkersLost) else answer  # type: ignore[misc]

    def shelve(self, places: Sequence[Place], packed: Mapping[str, bytes]) -> None:
        """Send the texts of the project once; the scheduler sends them on to those who analyse."""
        self.displays = {place.name: place.display for place in places}
        for place in places:
            if place.display not in self._texts:
                source = read(place.path)
                if isinstance(source, SourceFile):
                    self._texts[place.display] = source
        self._shelves += 1
        self._shelf = self.cluster.submit(shelf, places, dict(packed), dict(self._texts))

    def analyse(self, tasks: Sequence[SliceTask]) -> Iterator[Slice]:
        """The results of tasks, in order."""
        key = f"{self.run} {self._shelves}"
        asked = [self.cluster.submit(analyse, key, self.settings, self._shelf, task) for task in tasks]
        for task, answer in zip(tasks, self.cluster.results(asked), strict=True):
            if isinstance(answer, Slice):
                yield answer
            else:
                yield lost_task([self.displays[name] for name in task.begin], str(answer))

    def close(self) -> None:
        """Have the workers let go of what they hold for the run."""
        self.cluster.everywhere(forget, self.run)


def survey(run: str, settings: Settings, files: Sequence[File]) -> Surveys:
    """On a worker: what some files are."""
    with _turns:
        return list(_analyst(run, settings).survey(files))


def shelf(places: Sequence[Place], packed: Mapping[str, bytes], texts: Mapping[str, SourceFile]) -> Shelf:
    """On a worker: the project as every task is given it, from one result that can be made again."""
    return places, packed, texts


def analyse(key: str, settings: Settings, project: Shelf, task: SliceTask) -> Slice:
    """On a worker: the result of one task; `key` names the run and the shelf."""
    with _turns:
        analyst = _analysts.get(key)
        if analyst is None:
            analyst = _analyst(key, settings)
            places, packed, texts = project
            analyst.trees.texts = dict(texts)
            analyst.shelve(places, packed)
        return analyst.analyse(task)


def forget(run: str) -> None:
    """On a worker: let go of a run."""
    for key in [key for key in _analysts if key.startswith(run)]:
        _analysts.pop(key, None)


def _analyst(key: str, settings: Settings) -> Analyst:
    if key not in _analysts:
        _analysts[key] = Analyst(settings)
    return _analysts[key]
