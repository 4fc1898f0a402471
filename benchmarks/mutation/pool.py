"""Verifiers that judge many versions in one process each: what JAX compiled for one serves the next.

Without the isolation of a real run, whose price is paid once for each function; what hangs is ended from outside.
"""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO, cast

import scanlint
from scanlint.finding import Verification
from scanlint.verify.environment import cleaned
from scanlint.verify.verifier import Task, verification
from scanlint.verify.worker.watch import Clock

ENTRY = Path(scanlint.__file__).parent / "verify" / "worker" / "__main__.py"


class Judge:
    """One process, asked one task at a time."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.process: subprocess.Popen[str] | None = None

    def ask(self, task: Task) -> Verification:
        if self.process is None:
            environment = {**cleaned(), "PYTHONPATH": str(ENTRY.parents[3])}
            self.process = subprocess.Popen(
                [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
            )
        fields = {
            name: getattr(task, name) for name in ("function", "old", "new", "root", "file", "traced", "differentiated")
        }
        request = {
            **fields,
            "given": list(task.given),
            "static": sorted(task.static),
            "measure": False,
            "timeout": self.seconds,
        }
        stdin, stdout = cast("IO[str]", self.process.stdin), cast("IO[str]", self.process.stdout)
        answered = threading.Event()
        threading.Thread(target=_end_late, args=(self.process, Clock(self.process.pid, self.seconds), answered)).start()
        try:
            stdin.write(json.dumps(request) + "\n")
            stdin.flush()
            line = stdout.readline()
        except OSError:
            line = ""
        finally:
            answered.set()
        if not line:
            self.close()
            return Verification("unknown", f"timed out after {self.seconds:g} s, or died")
        return verification(json.loads(line))

    def close(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


def _end_late(process: subprocess.Popen[str], clock: Clock, answered: threading.Event) -> None:
    """Kill a process that takes too long, without what it waited for a processor."""
    while not answered.wait(0.5):
        if clock.over():
            process.kill()
            return


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
    import importlib.util
    import os
    import tempfile
    import warnings

    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (1, 2):
        os.dup2(null, descriptor)
    warnings.simplefilter("ignore")
    spec = importlib.util.spec_from_file_location("worker_entry", ENTRY)
    assert spec is not None and spec.loader is not None
    entry = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(entry)
    entry.load()
    worker = importlib.import_module("_scanlint_worker.task")
    jaxes = importlib.import_module("_scanlint_worker.jaxes")
    intact = worker.Intact.now()
    with tempfile.TemporaryDirectory() as folder:
        enclosure = worker.enclose(folder, 1e6, kernel=False)
        for line in sys.stdin:
            enclosure.loading.clear()
            enclosure.running.clear()
            intact.fields.clear()
            jaxes.enable_x64(False)
            request = json.loads(line)
            task, answer = worker.attempt(
                worker.Task(request, lambda stage: None, enclosure, intact, worker.Recordings())
            )
            answers.write(json.dumps(task.trusted(answer)) + "\n")
            answers.flush()


if __name__ == "__main__":
    serve()
