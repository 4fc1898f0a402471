"""The verifier of a cluster: a worker there has a verifier of its own, with the project at the same path."""

from __future__ import annotations

import hashlib
import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scanlint.cluster import Cluster, WorkersLost
from scanlint.verify.installed_packages import packages_of
from scanlint.verify.interpreter import find_interpreter
from scanlint.verify.temporary import TemporaryFolder
from scanlint.verify.verifier import Task, Verifier, VerifierUnavailable
from scanlint.verify.worker.session.endings import OTHERWISE
from scanlint.verify.worker.session.watch import unknown

if TYPE_CHECKING:
    from distributed import Future

RECORDER = Path(__file__).parent.parent / "record" / "inside"
Bytes = Mapping[str, bytes]
"""The contents of files by their names."""


@dataclass(frozen=True)
class Terms:
    """How a worker is to verify, with an interpreter that it looks for; `run` tells whose verifier it is.

    `environment` stands for the packages of the interpreter here, which the one there must have: verdicts rest on them.
    """

    run: str
    python: str | None
    root: Path
    timeout: float
    measure: bool
    passed: tuple[str, ...]
    environment: str | None


class RemoteVerifier:
    """Asks a cluster what a `Verifier` is asked here; each question is one task, done anew where a worker dies."""

    def __init__(self, cluster: Cluster, terms: Terms) -> None:
        self.cluster = cluster
        self.terms = terms
        self.timeout = terms.timeout
        self.protections: tuple[str, ...] = ()
        self._asked: set[Future[Any]] = set()

    def answer(self, task: Task) -> Mapping[str, object]:
        """What a worker says of a task; raises VerifierUnavailable where none can verify."""
        handed = {path: _content(path) for path in (*task.recorded, *(task.harvested or ()))}
        try:
            answer = self._done(answered, self.terms, task, _digest(task.file), handed)
        except WorkersLost as error:
            return {**unknown(f"the verification {error}"), "limited": OTHERWISE}
        assert isinstance(answer, Mapping)
        held = answer.get("protections")
        self.protections = tuple(map(str, held)) if isinstance(held, list) else self.protections
        return answer

    def keep_calls(self, plan: Path, recorder: Path, root: str, seconds: float) -> None:
        """Have a worker run the project's own callers; the calls of a plan are written beside it.

        Raises VerifierUnavailable. The recorder is the one that the worker has.
        """
        with suppress(WorkersLost):  # the next question to a worker says that they are lost
            written = self._done(called, self.terms, plan.read_text(encoding="utf-8"), root, seconds)
            assert isinstance(written, Mapping)
            for name, data in written.items():
                (plan.parent / str(name)).write_bytes(data)

    def close(self) -> None:
        """Take back what is not answered, and end the verifiers of the run."""
        for future in list(self._asked):
            future.cancel()  # type: ignore[no-untyped-call]
        with suppress(Exception):  # the scheduler may be gone
            self.cluster.everywhere(ended, self.terms.run)

    def _done(self, function: Callable[..., object], *arguments: object) -> object:
        future = self.cluster.submit(function, *arguments)
        self._asked.add(future)
        try:
            return self.cluster.result(future)
        finally:
            self._asked.discard(future)


# -- on a worker

_held: dict[int, tuple[Terms, Verifier]] = {}
"""The verifier of each thread of this worker, and what it was started for."""


def answered(terms: Terms, task: Task, digest: str | None, handed: Bytes) -> Mapping[str, object]:
    """What this worker says of a task; `digest` is that of the file there, `handed` the recordings that it names."""
    if digest is not None and _digest(task.file) != digest:
        raise VerifierUnavailable(
            f"`{task.file}` is missing on {socket.gethostname()} or holds something else: "
            "the workers of a cluster need the project at the same path, in a folder that they share"
        )
    with _written(handed) as places:
        recorded = tuple(places[path] for path in task.recorded)
        harvested = None if task.harvested is None else tuple(places[path] for path in task.harvested)
        return dict(_verifier(terms).answer(replace(task, recorded=recorded, harvested=harvested)))


def called(terms: Terms, plan: str, root: str, seconds: float) -> Bytes:
    """The calls that one run of the project's callers makes here, as files."""
    folder = TemporaryFolder()
    try:
        place = Path(folder.name) / "plan.json"
        place.write_text(json.dumps({**json.loads(plan), "parts": folder.name}), encoding="utf-8")
        _verifier(terms).keep_calls(place, RECORDER, root, seconds)
        files = [file for file in Path(folder.name).iterdir() if file != place and file.is_file()]
        return {file.name: file.read_bytes() for file in files}
    finally:
        folder.close()


def ended(run: str) -> None:
    """End the verifiers that this worker holds for a run."""
    for thread, (terms, verifier) in list(_held.items()):
        if terms.run == run:
            del _held[thread]
            verifier.close()


def _verifier(terms: Terms) -> Verifier:
    """The verifier of this thread; one that was started on other terms is ended."""
    thread = threading.get_ident()
    known, verifier = _held.get(thread, (None, None))
    if verifier is None or known != terms:
        if verifier is not None:
            verifier.close()
        python = find_interpreter(terms.python, terms.root)
        if terms.environment is not None and packages_of(python) != terms.environment:
            raise VerifierUnavailable(
                f"`{python}` on {socket.gethostname()} has another Python or other packages than the interpreter here: "
                "give the workers of a cluster the same environment"
            )
        verifier = Verifier(python, timeout=terms.timeout, measure=terms.measure, passed=terms.passed)
        _held[thread] = terms, verifier
    return verifier


@contextmanager
def _written(handed: Bytes) -> Iterator[Mapping[str, str]]:
    """The files with these contents on this machine, by their names where they come from."""
    if not handed:
        yield {}
        return
    folder = TemporaryFolder()
    try:
        places = {path: Path(folder.name) / f"{index}{Path(path).suffix}" for index, path in enumerate(handed)}
        for path, place in places.items():
            place.write_bytes(handed[path])
        yield {path: str(place) for path, place in places.items()}
    finally:
        folder.close()


def _content(path: str) -> bytes:
    return Path(path).read_bytes()


def _digest(path: str) -> str | None:
    """What a file holds, in short; None where there is none."""
    try:
        return hashlib.blake2b(_content(path), digest_size=16).hexdigest()
    except OSError:  # what is not there is not handed on
        return None
