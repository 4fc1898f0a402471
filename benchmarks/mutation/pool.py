"""Verifiers that judge many versions in one process each: what JAX compiled for one serves the next.

Without the isolation of a real run, whose price is paid once for each function; what hangs is ended from outside.
"""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import IO, cast

import scanlint
from scanlint.finding import Verification
from scanlint.verify.process_environment import cleaned
from scanlint.verify.verifier import Task, verification
from scanlint.verify.worker.__main__ import load
from scanlint.verify.worker.session.watch import Watch

TOKEN = "said"
LOOK_SECONDS = 0.3
FOR_EVER = 1e6
"""Seconds of the process that judges; each task is ended from outside."""
ENTRY = Path(scanlint.__file__).parent / "verify" / "worker" / "__main__.py"


class Judge:
    """One process, asked one task at a time."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.process: subprocess.Popen[bytes] | None = None
        self.lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def ask(self, task: Task) -> Verification:
        process = self.process or self.start()
        request = {
            **{part.name: getattr(task, part.name) for part in fields(task)},
            "static": sorted(task.static),
            "changed": dict(task.changed),
            "measure": False,
            "timeout": self.seconds,
            "kernel": False,
        }
        watch = Watch(process.pid, TOKEN, self.seconds, task.root)
        with contextlib.suppress(OSError):
            stdin = cast("IO[bytes]", process.stdin)
            stdin.write(json.dumps(request).encode() + b"\n")
            stdin.flush()
        while watch.running():
            with contextlib.suppress(queue.Empty):
                line = self.lines.get(timeout=LOOK_SECONDS)
                if not line:
                    break
                watch.feed(line)
        if watch.answer is None:
            self.close()
        return verification(watch.verdict("it died"))

    def start(self) -> subprocess.Popen[bytes]:
        environment = {**cleaned(), "PYTHONPATH": str(ENTRY.parents[3])}
        self.process = process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        self.lines = queue.SimpleQueue()
        threading.Thread(target=_read, args=(cast("IO[bytes]", process.stdout), self.lines), daemon=True).start()
        return process

    def close(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


def _read(stream: IO[bytes], lines: queue.SimpleQueue[bytes]) -> None:
    """All lines of a stream, and nothing at its end."""
    for line in stream:
        lines.put(line)
    lines.put(b"")


def judged(
    groups: list[list[Task]], workers: int, seconds: float, done: Callable[[int, list[Verification]], None]
) -> list[list[Verification]]:
    """The verdicts on groups of tasks that have their old version in common, side by side; each told as it comes."""
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    for at in range(len(groups)):
        waiting.put(at)
    found: dict[int, list[Verification]] = {}

    def work() -> None:
        judge = Judge(seconds)
        while True:
            try:
                at = waiting.get_nowait()
            except queue.Empty:
                break
            found[at] = [judge.ask(task) for task in groups[at]]
            judge.close()
            done(at, found[at])
        judge.close()

    threads = [threading.Thread(target=work) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [found[at] for at in range(len(groups))]


def serve() -> None:
    """The process: one request a line in, one answer a line out."""
    import importlib
    import os
    import tempfile
    import warnings

    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")

    def tell(message: dict[str, object]) -> None:
        answers.write(f"{TOKEN} {json.dumps(message)}\n")
        answers.flush()

    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (1, 2):
        os.dup2(null, descriptor)
    warnings.simplefilter("ignore")
    load()
    grounds = importlib.import_module("_scanlint_worker.session.ground")
    worker = importlib.import_module("_scanlint_worker.session.task")
    jaxes = importlib.import_module("_scanlint_worker.runtime.jax_functions")
    ground = None
    with tempfile.TemporaryDirectory() as folder:
        for line in sys.stdin:
            request = json.loads(line)
            ground = ground or grounds.Ground.of({**request, "timeout": FOR_EVER}, folder)
            jaxes.enable_x64(False)
            ground.waits()
            task, answer = worker.attempt(
                worker.VerificationRun(request, lambda stage: tell({"stage": stage}), ground, worker.Recordings())
            )
            tell({"answer": task.trusted(answer)})


if __name__ == "__main__":
    serve()
