"""The verifier: one worker process per run, in the user's interpreter, asked one task at a time."""

from __future__ import annotations

import secrets
import sys
import tempfile
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Literal, cast

from scanlint.finding import Carry, HoldsFor, InputSource, Like, Verdict, Verification
from scanlint.verify.interpreter import (
    VerifierUnavailable,
    check_interpreter,
    find_interpreter,
    missing_jax,
    old_jax,
    unanswered,
)
from scanlint.verify.process import Process
from scanlint.verify.process_environment import cleaned
from scanlint.verify.temporary import TemporaryFolder
from scanlint.verify.worker.session.children import TICK
from scanlint.verify.worker.session.removal import remove
from scanlint.verify.worker.session.watch import RENEWALS, WALL, Clock, Watch, exit_text, unknown

__all__ = ["Task", "Verifier", "VerifierUnavailable", "check_interpreter", "find_interpreter"]

LINUX = sys.platform == "linux"
LEAST_START_SECONDS = 20.0
START_TIMES = 4.0  # times the limit of a verification: Python and JAX are imported
ENDING_SECONDS = 7.0
GRACE_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Task:
    """One function in two versions of one file, and what is known of how it is run.

    `given` are specifications of inputs, each with the place where it stands; `recorded` files of `scanlint record`.
    `harvested` are files of the same kind, from a run of the project's callers; None where there was none. `changed`
    are other files of the project with the texts that they will have. `old_file` and `old_root`: where the old version
    stands, if the two are versions as a user has them: each runs with the modules beside it, the way in which they are
    called may not change, and they may be functions that are never traced. `tops`: the folders with all projects of the
    old and of the new version; what the interpreter imports from the new one, the old version imports from the old one.
    `asked`: whether all inputs are tried, or only the harvested ones.
    """

    path: str
    function: str
    old: str
    new: str
    root: str
    file: str
    given: tuple[tuple[str, str], ...] = ()
    static: frozenset[str] = frozenset()
    traced: bool = True
    differentiated: bool = False
    recorded: tuple[str, ...] = ()
    harvested: tuple[str, ...] | None = None
    changed: Mapping[str, str] = field(default_factory=dict)
    asked: Literal["all", "called"] = "all"
    old_file: str = ""
    old_root: str = ""
    tops: tuple[str, str] = ("", "")


class Verifier(AbstractContextManager["Verifier"]):
    """Starts its worker with the first task, and anew when it has died.

    Where the system forks safely there is one worker, which forks for each task; elsewhere a process is spawned for
    each, the next one while the first still works. `fork` and `kernel` let tests run here what runs elsewhere.
    """

    def __init__(
        self,
        python: str,
        *,
        timeout: float = 30.0,
        measure: bool = False,
        passed: tuple[str, ...] = (),
        fork: bool = LINUX,
        kernel: bool = LINUX,
    ) -> None:
        self.python = python
        self.timeout = timeout
        self.measure = measure
        self.passed = passed
        self.fork = fork
        self.kernel = kernel
        self.protections: tuple[str, ...] = ()
        self.closed = False
        self._process: Process | None = None
        self._folder: TemporaryFolder | None = None

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """End the worker, also while another thread asks it, and remove its folder; it is not asked again."""
        self.closed = True
        self._end()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.end(ENDING_SECONDS if self.fork else 0.0)
        folder, self._folder = self._folder, None
        if folder is not None:
            folder.close()

    def verify(self, task: Task) -> Verification:
        """The verdict on one task; raises VerifierUnavailable where no worker can run."""
        return verification(self.answer(task))

    def answer(self, task: Task) -> Mapping[str, object]:
        """What the worker says of a task, as plain data; raises VerifierUnavailable where no worker can run.

        What is refuted because it did not end is tried once more: on a busy machine a process may hang for itself.
        `limited` is set where a limit of time or memory ended it.
        """
        answer = self._answer(task)
        if "endless" in answer:
            answer = self._answer(task)
        held = answer.get("protections")
        self.protections = tuple(str(p) for p in held) if isinstance(held, list) else self.protections
        return answer

    def _answer(self, task: Task) -> dict[str, object]:
        process = self._ready()
        request: dict[str, object] = {
            **{part.name: getattr(task, part.name) for part in fields(task)},
            "static": sorted(task.static),
            "changed": dict(task.changed),
            "measure": self.measure,
            "timeout": self.timeout,
            "kernel": self.kernel,
            "folder": self._home(),
        }
        return self._ask(process, request) if self.fork else self._ask_once(process, request)

    def keep_calls(self, plan: Path, recorder: Path, root: str, seconds: float) -> None:
        """Have the project's own callers run, confined as ever; the calls of a plan are written beside it.

        Raises VerifierUnavailable where no worker can run. A run that is ended has written what it had by then.
        """
        process = self._ready()
        request: dict[str, object] = {
            "plan": str(plan),
            "recorder": str(recorder),
            "root": root,
            "timeout": seconds,
            "kernel": self.kernel,
            "folder": str(plan.parent),
        }
        self._ask(process, request) if self.fork else self._ask_once(process, request)

    def _home(self) -> str:
        """The folder that tasks have their temporary folders in."""
        if self._folder is None:
            self._folder = TemporaryFolder()
        return self._folder.name

    def _ask(self, process: Process, request: dict[str, object]) -> dict[str, object]:
        """Have the worker fork for a task and watch over it."""
        limit = float(str(request["timeout"]))
        answer = process.line((1 + RENEWALS) * WALL * limit + GRACE_SECONDS) if process.send(request) else None
        if answer is None:
            process.end()
            self._end()
            return unknown("the verification worker died")
        return answer

    def _ask_once(self, process: Process, request: dict[str, object]) -> dict[str, object]:
        """Have a process of its own do the task, and watch over it from here."""
        kept = "plan" in request
        folder = str(request["folder"]) if kept else tempfile.mkdtemp(prefix="task-", dir=self._home())
        watch = Watch(process.process.pid, secrets.token_hex(16), float(str(request["timeout"])), folder)
        ended = not process.send({**request, "token": watch.token, "folder": folder})
        self._process = self._launch()
        while not ended and watch.running():
            chunk = process.some(TICK)
            if chunk is not None:
                watch.feed(chunk)
                ended = not chunk
        status = process.end(TICK if ended else 0.0)
        if not kept:
            remove(folder)
        return watch.verdict(exit_text(status))

    def _ready(self) -> Process:
        """A process that waits for a task."""
        if self.closed:
            raise VerifierUnavailable("the run was ended")
        process = self._process
        if process is None or not process.alive():
            self._end()
            process = self._process = self._launch()
        limit = max(LEAST_START_SECONDS, START_TIMES * self.timeout)
        answered = process.greet(Clock(process.process.pid, limit))
        greeting = process.greeting or {"error": "the worker did not start"}
        if not greeting.get("ready"):
            process.end()
            self._end()
            if self.closed:
                raise VerifierUnavailable("the run was ended")
            if not answered:
                raise VerifierUnavailable(unanswered(self.python, limit))
            if "old" in greeting:
                raise VerifierUnavailable(old_jax(self.python, str(greeting["old"])))
            check_interpreter(self.python)
            raise VerifierUnavailable(missing_jax(self.python, str(greeting.get("error"))))
        return process

    def _launch(self) -> Process:
        options = [] if self.fork else ["--once"]
        environment = cleaned(self.passed, measure=self.measure)
        return Process(self.python, options, {**environment, "TMPDIR": self._home()})


def verification(answer: Mapping[str, object]) -> Verification:
    """The worker's answer as a record."""

    def number(name: str) -> int | None:
        value = answer.get(name)
        return value if isinstance(value, int) else None

    def real(name: str) -> float | None:
        value = answer.get(name)
        return float(value) if isinstance(value, int | float) else None

    def text(name: str) -> str | None:
        value = answer.get(name)
        return str(value) if value is not None else None

    carries = answer.get("carries")
    return Verification(
        verdict=cast("Verdict", answer["verdict"]),
        reason=text("reason"),
        inputs=cast("InputSource", answer.get("inputs", "synthesised")),
        cases=number("cases") or 0,
        max_abs_error=real("max_abs_error"),
        equations_before=number("equations_before"),
        equations_after=number("equations_after"),
        compile_seconds_before=real("compile_seconds_before"),
        compile_seconds_after=real("compile_seconds_after"),
        counterexample=text("counterexample"),
        notes=_words(answer.get("notes")),
        carries=tuple(_carry(c) for c in carries) if isinstance(carries, list) else (),
        holds_for=_held(held) if isinstance(held := answer.get("holds_for"), dict) else None,
        evidence=_words(answer.get("evidence")),
        elsewhere=bool(answer.get("elsewhere")),
    )


def _held(said: Mapping[str, object]) -> HoldsFor:
    trips = said["trips"]
    return HoldsFor(
        trips=tuple(trips) if isinstance(trips, list) else None,
        sizes=_words(said["sizes"]),
        dtypes=_words(said["dtypes"]),
        notes=_words(said["notes"]),
    )


def _words(listed: object) -> tuple[str, ...]:
    return tuple(map(str, listed)) if isinstance(listed, list) else ()


def _carry(said: dict[str, object]) -> Carry:
    likes = cast("list[tuple[list[tuple[str, int]], bool, bool]]", said["likes"])
    return Carry(
        line=int(str(said["line"])),
        name=str(said["name"]),
        before=str(said["before"]),
        after=str(said["after"]),
        weak=bool(said["weak"]),
        likes=tuple(Like(tuple((name, cut) for name, cut in arrays), *promoted) for arrays, *promoted in likes),
        problem=str(said["problem"]),
        scalar=bool(said["scalar"]),
        late=bool(said["late"]),
    )
