"""Processes that survey and analyse: each keeps the trees that it has parsed and gets the slices of their files."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TypeVar

from scanlint.engine.analyst import Analyst
from scanlint.engine.tasks import Place, Slice, SliceTask
from scanlint.problem import Problem
from scanlint.project.files import SourceFile, Unreadable, shown
from scanlint.project.modules import KEPT
from scanlint.project.summary import Surveyed
from scanlint.settings import Settings
from scanlint.verify.worker.sandbox.limits import end_with_parent

CHUNK = 8
STEPS = {"survey": "reading", "analyse": "checking"}
SAFE = "PYTHONSAFEPATH"
LEAST = 2_000_000
"""Characters of source whose trees every process may hold."""
File = Path | SourceFile | Unreadable
Surveys = list[tuple[Surveyed, bytes | None]]
Subject = TypeVar("Subject")
Answer = TypeVar("Answer")


class Worker:
    """One process and what it was asked last."""

    def __init__(self, context: BaseContext, settings: Settings, room: int) -> None:
        self.connection, other = context.Pipe()
        ends = other, self.connection
        self.process: BaseProcess = context.Process(target=serve, args=(*ends, settings, room), daemon=True)  # type: ignore[attr-defined]
        self.process.start()
        other.close()
        self.surveyed: set[str] = set()
        self.lost = False


def context_of() -> BaseContext:
    """Fork where that is safe and quick: on Linux, and while no other thread runs, of Python's or of a library's."""
    safe = sys.platform == "linux" and sum(1 for _ in Path("/proc/self/task").iterdir()) == 1
    return multiprocessing.get_context("fork" if safe else "spawn")


def serve(connection: Connection, other: Connection, settings: Settings, room: int) -> None:
    """The work of one process: answer until the other side hangs up. An interrupt is the parent's affair.

    Its own copy of the other end is closed: the last process to be started sees that the parent is gone, however it
    was ended, and when that one ends the one before it does.
    """
    import gc

    other.close()
    end_with_parent()  # an analysis is not asked whether anybody waits for it
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()
    analyst = Analyst(settings)
    analyst.trees.limit = room
    while True:
        try:
            order, subject = connection.recv()
            match order:
                case "survey":
                    connection.send(list(analyst.survey(subject)))
                case "shelve":
                    analyst.shelve(*subject)
                case "analyse":
                    connection.send(analyst.analyse(subject))
        except (EOFError, ConnectionError):  # the run that asked has ended
            return


class Pool:
    """Hands out work and puts the results in order: they are the same for any number of processes."""

    def __init__(self, jobs: int, settings: Settings, said: Callable[[str, int, int], None]) -> None:
        self.said = said
        _import_ahead()
        context = context_of()
        room = max(KEPT // jobs, LEAST)
        self.displays: dict[str, str] = {}
        with _uninterrupted(), _without_working_folder():
            self.workers = [Worker(context, settings, room) for _ in range(jobs)]

    def survey(self, files: Sequence[File]) -> Iterator[tuple[Surveyed, bytes | None]]:
        """The surveys of files, in order. Neighbours go to the same process: they use each other."""
        chunks = [files[at : at + CHUNK] for at in range(0, len(files), CHUNK)]
        queues = _spread(list(range(len(chunks))), len(self.workers))
        answers: dict[int, Surveys] = {}
        for worker, number, answer in self._work("survey", chunks, queues, _ended_by):
            worker.surveyed |= {surveyed.display for surveyed, _ in answer}
            answers[number] = answer
        for number in range(len(chunks)):
            yield from answers[number]

    def shelve(self, places: Sequence[Place], packed: Mapping[str, bytes]) -> None:
        for worker in self.workers:
            try:
                worker.connection.send(("shelve", (places, packed)))
            except ConnectionError:
                worker.lost = True
        self.displays = {place.name: place.display for place in places}

    def analyse(self, tasks: Sequence[SliceTask]) -> Iterator[Slice]:
        queues: list[list[int]] = [[] for _ in self.workers]
        nobodys: list[int] = []
        for number, task in enumerate(tasks):
            display = self.displays[task.begin[0]]
            owner = next((i for i, w in enumerate(self.workers) if display in w.surveyed), None)
            (nobodys if owner is None else queues[owner]).append(number)
        for queue, more in zip(queues, _spread(nobodys, len(queues)), strict=True):
            queue += more
        answers = {number: answer for _, number, answer in self._work("analyse", tasks, queues, self._lost_task)}
        for number in range(len(tasks)):
            yield answers[number]

    def _lost_task(self, task: SliceTask, code: int | None) -> Slice:
        return lost_task([self.displays[name] for name in task.begin], f"ended a process ({code})")

    def close(self) -> None:
        """End the processes at once: what they hold is of no use any more."""
        for worker in self.workers:
            worker.process.terminate()
        for worker in self.workers:
            worker.process.join()
            worker.connection.close()

    def _work(
        self,
        order: str,
        subjects: Sequence[Subject],
        queues: Sequence[Sequence[int]],
        lost: Callable[[Subject, int | None], Answer],
    ) -> Iterator[tuple[Worker, int, Answer]]:
        """Ask each process for what is in its queue, then for what is last in the longest one."""
        waiting = [deque(queue) for queue in queues]
        asked: dict[Connection, tuple[int, int]] = {}
        for index in range(len(self.workers)):
            self._ask(index, order, subjects, waiting, asked)
        done = 0
        while asked:
            for connection in wait(list(asked)):
                assert isinstance(connection, Connection)
                index, number = asked.pop(connection)
                worker = self.workers[index]
                try:
                    answer = connection.recv()
                except (EOFError, ConnectionError):
                    worker.process.join()
                    worker.lost = True
                    answer = lost(subjects[number], worker.process.exitcode)
                else:
                    self._ask(index, order, subjects, waiting, asked)
                done += 1
                self.said(STEPS[order], done, len(subjects))
                yield worker, number, answer
        for number in (number for queue in waiting for number in queue):
            yield self.workers[0], number, lost(subjects[number], self.workers[0].process.exitcode)

    def _ask(
        self,
        index: int,
        order: str,
        subjects: Sequence[Subject],
        waiting: Sequence[deque[int]],
        asked: dict[Connection, tuple[int, int]],
    ) -> None:
        worker, own = self.workers[index], waiting[index]
        queue = own or max(waiting, key=len)
        if worker.lost or not queue:
            return
        number = queue.popleft() if queue is own else queue.pop()
        try:
            worker.connection.send((order, subjects[number]))
        except ConnectionError:
            worker.lost = True
            queue.append(number)
            return
        asked[worker.connection] = index, number


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Start processes so that an interrupt is ignored from their first moment, and a request to end heeded.

    Only the main thread can say so.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN), signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before[0])
        signal.signal(signal.SIGTERM, before[1])


@contextmanager
def _without_working_folder() -> Iterator[None]:
    """Start processes that do not look for modules in the working directory: what lies there is the user's code."""
    before = os.environ.get(SAFE)
    os.environ[SAFE] = "1"
    try:
        yield
    finally:
        os.environ.pop(SAFE)
        os.environ.update({} if before is None else {SAFE: before})


def _spread(numbers: Sequence[int], count: int) -> list[list[int]]:
    """Equal runs of neighbours."""
    return [list(numbers[len(numbers) * i // count : len(numbers) * (i + 1) // count]) for i in range(count)]


def _ended_by(files: Sequence[File], code: int | None) -> Surveys:
    return lost_files(files, f"ended a process ({code})")


def lost_files(files: Sequence[File], how: str) -> Surveys:
    """The problems that are told of files whose survey did not come back."""
    displays = [shown(file) if isinstance(file, Path) else file.display for file in files]
    return [(Surveyed(d, "", error=(f"its survey {how}", 1, 1, False, False)), None) for d in displays]


def lost_task(displays: Sequence[str], how: str) -> Slice:
    """The problems that are told of a task that did not come back; `displays` are the files that it begins in."""
    return Slice(problems=tuple(Problem(display, 0, f"its analysis {how}") for display in displays))


def _import_ahead() -> None:
    """Import before forking what every process needs."""
    from importlib import import_module

    from scanlint.rules.registry import rules

    rules()
    for name in ("trace.program.project", "rewrite.driver"):
        import_module(f"scanlint.{name}")
