"""Whoever surveys and analyses for a run: one analyst in this process, or a pool of processes, here or elsewhere."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from scanlint.engine.tasks import Place, Slice, SliceTask
from scanlint.project.files import SourceFile, Unreadable
from scanlint.project.summary import Surveyed
from scanlint.settings import Settings

if TYPE_CHECKING:
    from scanlint.cluster import Cluster
    from scanlint.engine.analyst import Analyst
    from scanlint.engine.team.cluster_pool import ClusterPool
    from scanlint.engine.team.pool import Pool

Answer = TypeVar("Answer")
Said = Callable[[str, int, int], None]
"""Takes a step of the run, how much of it is done, and of how much."""
ENOUGH = 2_000_000
"""Bytes of source from which on starting processes pays for itself."""


def unsaid(step: str, done: int, total: int) -> None:
    """Nobody is told how far a run is."""


class Team:
    """Starts whom it needs, when there is something to do."""

    def __init__(self, settings: Settings, said: Said) -> None:
        self.settings = settings
        self.said = said
        self.stored: Callable[[str], bytes | None] = lambda digest: None
        self.places: tuple[Place, ...] = ()
        self.packed: dict[str, bytes] = {}
        self.keeping = False
        self._local: Analyst | None = None
        self._pool: Pool | ClusterPool | None = None
        self._cluster: Cluster | None = None

    @property
    def cluster(self) -> Cluster | None:
        """The cluster that the settings name, from now on connected; raises UsageError where it cannot be used."""
        if self._cluster is None and self.settings.executor:
            from scanlint.cluster import Cluster

            self._cluster = Cluster(self.settings.executor)
        return self._cluster

    @property
    def local(self) -> Analyst:
        """The analyst of this process."""
        if self._local is None:
            from scanlint.engine.analyst import Analyst

            self._local = Analyst(self.settings, self.stored)
            self._local.shelve(self.places, self.packed)
        return self._local

    def survey(
        self, files: Sequence[Path | SourceFile | Unreadable], size: int
    ) -> Iterator[tuple[Surveyed, bytes | None]]:
        """The surveys of files, in order; `size` is that of all in bytes."""
        if not files:
            return
        pool = self._started(size)
        if pool is not None:
            answers = pool.survey(files)
        else:
            self.local.packs = self.keeping
            answers = self._counted("reading", self.local.survey(files), len(files))
        for surveyed, packed in answers:
            if packed is not None:
                self.packed[surveyed.digest] = packed
            yield surveyed, packed

    def shelve(self, places: Iterable[Place]) -> None:
        """Name the files of the project, for all who analyse."""
        self.places = tuple(places)
        if self._local is not None:
            self._local.shelve(self.places, self.packed)
        if self._pool is not None:
            self._pool.shelve(self.places, self.packed)

    def forget(self, display: str, digest: str) -> None:
        """Let go of what a file held."""
        self.packed.pop(digest, None)
        if self._local is not None:
            self._local.forget(display, digest)

    def analyse(self, tasks: Sequence[SliceTask], size: int) -> Iterator[Slice]:
        """The results of tasks, in order; `size` is that of the files in bytes."""
        if not tasks:
            return
        pool = self._started(size) if len(tasks) > 1 or self.settings.executor else None
        if pool is not None:
            yield from pool.analyse(tasks)
        else:
            yield from self._counted("checking", map(self.local.analyse, tasks), len(tasks))

    def _counted(self, step: str, answers: Iterable[Answer], total: int) -> Iterator[Answer]:
        for number, answer in enumerate(answers, 1):
            self.said(step, number, total)
            yield answer

    def close(self) -> None:
        """End the processes of the pool; those of a cluster let go of the run."""
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    def leave(self) -> None:
        """Close, and leave the cluster."""
        self.close()
        if self._cluster is not None:
            self._cluster.close()
            self._cluster = None

    def _started(self, size: int) -> Pool | ClusterPool | None:
        """The pool, if it runs or is worth starting."""
        if self._pool is None:
            self._pool = self._made(size)
            if self._pool is not None and self.places:
                self._pool.shelve(self.places, self.packed)
        return self._pool

    def _made(self, size: int) -> Pool | ClusterPool | None:
        """The cluster if one is named, else as many processes as the size is worth."""
        if self.cluster is not None:
            from scanlint.engine.team.cluster_pool import ClusterPool

            return ClusterPool(self.cluster, self.settings)
        jobs = self.settings.jobs or available()
        if jobs > 1 and size >= ENOUGH:
            from scanlint.engine.team.pool import Pool

            return Pool(min(jobs, size * 2 // ENOUGH), self.settings, self.said)
        return None


def available() -> int:
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
