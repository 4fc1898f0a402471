"""Several verifiers, each with a worker process of its own: as many questions are answered at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Protocol

from scanlint.verify.verifier import Task

Answer = Mapping[str, object]


class AnyVerifier(Protocol):
    """Who answers: a verifier with a process here, or one that asks a cluster."""

    timeout: float
    protections: tuple[str, ...]

    def answer(self, task: Task) -> Answer: ...

    def keep_calls(self, plan: Path, recorder: Path, root: str, seconds: float) -> None: ...

    def close(self) -> None: ...


Work = Callable[[AnyVerifier], Answer]


class Verifiers:
    """Starts a verifier when there is a question and none that has nothing to do, up to `jobs`."""

    def __init__(self, make: Callable[[], AnyVerifier], jobs: int) -> None:
        self._make = make
        self._threads = ThreadPoolExecutor(jobs)
        self._lock = threading.Lock()
        self._made: list[AnyVerifier] = []
        self._idle: list[AnyVerifier] = []

    @property
    def protections(self) -> tuple[str, ...]:
        """What kept the code under test from doing harm; nothing where none was run."""
        return next((verifier.protections for verifier in self._made if verifier.protections), ())

    def ask(self, work: Work) -> Future[Answer]:
        """What comes of the work with one of the verifiers; questions are begun in the order in which they come."""
        return self._threads.submit(self._with_one, work)

    def close(self) -> None:
        """End all workers, whatever they are asked."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for verifier in self._made:
            verifier.close()
        self._threads.shutdown()
        for verifier in self._made:
            verifier.close()  # what a thread had begun to start

    def _with_one(self, work: Work) -> Answer:
        with self._lock:
            verifier = self._idle.pop() if self._idle else self._make()
            if verifier not in self._made:
                self._made.append(verifier)
        try:
            return work(verifier)
        finally:
            with self._lock:
                self._idle.append(verifier)
