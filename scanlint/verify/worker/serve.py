"""The worker's loop: one request per line in, one answer per line out, a forked child for each task."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Sequence
from typing import IO

Message = dict[str, object]
WALL = 3.0


def main(arguments: Sequence[str]) -> None:
    """Serve requests until standard input ends; `--once` runs a single request in this very process."""
    requests = os.fdopen(os.dup(0), "r", encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    _silence()
    sys.dont_write_bytecode = True
    warnings.simplefilter("ignore")
    try:
        import jax
    except Exception as error:  # noqa: BLE001
        _send(answers, {"ready": False, "error": f"{type(error).__name__}: {error}"})
        return
    import jax.numpy

    from . import task  # noqa: F401

    _send(answers, {"ready": True, "jax": jax.__version__, "python": sys.version.split()[0]})
    for line in requests:
        request: Message = json.loads(line)
        if "--once" in arguments:
            _send(answers, _here(request, answers))
            return
        _send(answers, _in_child(request, requests, answers))


def _silence() -> None:
    """What user code prints goes nowhere; standard input is empty."""
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.close(null)


def _send(stream: IO[str], message: Message) -> None:
    stream.write(json.dumps(message) + "\n")
    stream.flush()


def _here(request: Message, stream: IO[str]) -> Message:
    from .task import run

    folder = tempfile.mkdtemp(prefix="scanlint-")
    try:
        return run(request, folder, lambda stage: None)
    finally:
        os.chdir("/")
        shutil.rmtree(folder, ignore_errors=True)


def _in_child(request: Message, requests: IO[str], answers: IO[str]) -> Message:
    """Fork, run the task there, and give its answer or how it ended."""
    reading, writing = os.pipe()
    folder = tempfile.mkdtemp(prefix="scanlint-")
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setsid()
            os.close(reading)
            os.close(requests.fileno())
            os.close(answers.fileno())
            _child(request, folder, writing)
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    try:
        return _await(child, reading, float(str(request["timeout"])))
    finally:
        os.close(reading)
        shutil.rmtree(folder, ignore_errors=True)


def _child(request: Message, folder: str, writing: int) -> None:
    from .task import run

    stream = os.fdopen(writing, "w", encoding="utf-8")
    try:
        answer = run(request, folder, lambda stage: _send(stream, {"stage": stage}))
    except Exception as error:  # noqa: BLE001 - the verifier's own bug: no verdict, and it is said
        at = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{os.path.basename(at.filename)}:{at.lineno}"
        answer = {"verdict": "unknown", "reason": f"internal error at {place}: {type(error).__name__}: {error}"}
    _send(stream, {"answer": answer})


def _await(child: int, reading: int, timeout: float) -> Message:
    """Read the child's lines until its answer, its end, or its time is over; leave nothing of it running."""
    clock = Clock(child, timeout)
    buffer, stage, status = b"", "starting", None
    answer: Message | None = None
    while answer is None and not clock.over():
        ready, _, _ = select.select([reading], [], [], 0.05)
        if ready:
            chunk = os.read(reading, 1 << 16)
            buffer += chunk
            *lines, buffer = buffer.split(b"\n")
            for line in lines:
                message = _decode(line)
                if "stage" in message:
                    stage = str(message["stage"])
                found = message.get("answer")
                answer = found if isinstance(found, dict) else answer
            if not chunk:
                break
        elif status is None:
            status = _poll(child)
        else:
            break
    over = clock.over()
    ended = _stop(child, status)
    if answer is not None:
        return answer
    if over:
        return {"verdict": "unknown", "reason": f"timed out after {timeout:g} s while {stage}"}
    return {"verdict": "unknown", "reason": f"the code under test ended the process ({ended}) while {stage}"}


class Clock:
    """A child's time: that of the processor, so that a busy machine changes no verdict, within a limit by the clock."""

    def __init__(self, child: int, timeout: float) -> None:
        self.path = f"/proc/{child}/stat"
        self.timeout = timeout
        self.started = time.monotonic()
        self.seconds = 0.0

    def spent(self) -> float:
        """Seconds of processor time; by the clock on systems that do not tell."""
        passed = time.monotonic() - self.started
        try:
            with open(self.path, "rb") as stream:
                fields = stream.read().rpartition(b")")[2].split()
            self.seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        except (OSError, IndexError, ValueError):
            self.seconds = self.seconds or passed
        return min(self.seconds, passed)

    def over(self) -> bool:
        passed = time.monotonic() - self.started
        return passed > WALL * self.timeout or (passed > self.timeout and self.spent() > 0.9 * self.timeout)


def _decode(line: bytes) -> Message:
    try:
        message = json.loads(line)
    except ValueError:
        return {}
    return message if isinstance(message, dict) else {}


def _poll(child: int) -> int | None:
    done, status = os.waitpid(child, os.WNOHANG)
    return status if done else None


def _stop(child: int, status: int | None) -> str:
    """Kill the child's process group and say how the child ended."""
    if status is None:
        time.sleep(0.005)
        status = _poll(child)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    if status is None:
        _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        return f"signal {signal.Signals(-code).name}"
    return f"exit code {code}"
