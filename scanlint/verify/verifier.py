"""The verifier: one worker process per run, in the user's interpreter, asked one task at a time."""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, cast

from scanlint.finding import InputSource, Verdict, Verification
from scanlint.verify.interpreter import VerifierUnavailable, check_interpreter, find_interpreter, missing_jax

__all__ = ["Task", "Verifier", "VerifierUnavailable", "check_interpreter", "find_interpreter", "verify_files"]

WORKER = Path(__file__).parent / "worker" / "__main__.py"
START_SECONDS = 120.0
GRACE_SECONDS = 10.0
WALL = 3.0  # the worker gives a sleeping task this much longer than a working one


@dataclass(frozen=True, slots=True)
class Task:
    """One function in two versions of one file, and what is known of how it is run."""

    path: str
    function: str
    old: str
    new: str
    root: str
    file: str
    given: tuple[str, ...] = ()
    static: frozenset[str] = frozenset()
    traced: bool = True
    differentiated: bool = False


class Verifier:
    """Starts its worker with the first task, and anew when it has died."""

    def __init__(self, python: str, *, timeout: float = 30.0, measure: bool = False) -> None:
        self.python = python
        self.timeout = timeout
        self.measure = measure
        self._process: subprocess.Popen[bytes] | None = None
        self._buffer = b""

    def __enter__(self) -> Verifier:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the worker."""
        process, self._process = self._process, None
        if process is None:
            return
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except BrokenPipeError:
                    continue
        try:
            process.wait(2.0)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def verify(self, task: Task) -> Verification:
        """The verdict on one task; raises VerifierUnavailable where no worker can run."""
        if self._process is None or self._process.poll() is not None:
            self._start()
        request = {
            "function": task.function,
            "old": task.old,
            "new": task.new,
            "root": task.root,
            "file": task.file,
            "given": list(task.given),
            "static": sorted(task.static),
            "traced": task.traced,
            "differentiated": task.differentiated,
            "measure": self.measure,
            "timeout": self.timeout,
        }
        try:
            _stream(self._process, "stdin").write(json.dumps(request).encode() + b"\n")
            _stream(self._process, "stdin").flush()
            answer = self._read(WALL * self.timeout + GRACE_SECONDS)
        except BrokenPipeError:
            answer = None
        if not hasattr(os, "fork"):
            self.close()
        if answer is None:
            self._kill()
            return Verification("unknown", "the verification worker died")
        return verification(answer)

    def _start(self) -> None:
        self.close()
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "JAX_ENABLE_COMPILATION_CACHE": "0"}
        environment.setdefault("JAX_PLATFORMS", "cpu")
        environment.setdefault("JAX_TRACEBACK_FILTERING", "off")  # half the cost of a failed attempt
        environment.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
        if not self.measure:
            environment.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")
        options = [] if hasattr(os, "fork") else ["--once"]
        self._buffer = b""
        try:
            self._process = subprocess.Popen(
                [self.python, str(WORKER), *options],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
            )
        except OSError as error:
            raise VerifierUnavailable(f"the interpreter `{self.python}` cannot be run: {error}") from error
        hello = self._read(START_SECONDS)
        if hello is None or not hello.get("ready"):
            self._kill()
            check_interpreter(self.python)
            raise VerifierUnavailable(
                missing_jax(self.python, str((hello or {}).get("error", "the worker did not start")))
            )

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()
        self.close()

    def _read(self, seconds: float) -> dict[str, object] | None:
        """One line of the worker's; None where it died or gave none in time."""
        stream = _stream(self._process, "stdout")
        deadline = time.monotonic() + seconds
        while b"\n" not in self._buffer:
            ready, _, _ = select.select([stream], [], [], max(0.0, deadline - time.monotonic()))
            chunk = os.read(stream.fileno(), 1 << 16) if ready else b""
            if not chunk:
                return None
            self._buffer += chunk
        line, self._buffer = self._buffer.split(b"\n", 1)
        return cast("dict[str, object]", json.loads(line))


def _stream(process: subprocess.Popen[bytes] | None, name: str) -> IO[bytes]:
    assert process is not None
    return cast("IO[bytes]", getattr(process, name))


def verification(answer: dict[str, object]) -> Verification:
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

    notes = answer.get("notes")
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
        notes=tuple(str(n) for n in notes) if isinstance(notes, list) else (),
    )


def verify_files(
    old: Path,
    new: Path,
    function: str,
    *,
    python: str,
    root: Path,
    timeout: float = 30.0,
    measure: bool = False,
    given: tuple[str, ...] = (),
    static: frozenset[str] = frozenset(),
    traced: bool = True,
    differentiated: bool = False,
) -> Verification:
    """Are the two versions of a function equivalent? Raises OSError, UnicodeError or VerifierUnavailable."""
    task = Task(
        path=str(new),
        function=function,
        old=old.read_text(encoding="utf-8"),
        new=new.read_text(encoding="utf-8"),
        root=str(root.resolve()),
        file=str(new.resolve()),
        given=given,
        static=static,
        traced=traced,
        differentiated=differentiated,
    )
    with Verifier(python, timeout=timeout, measure=measure) as verifier:
        return verifier.verify(task)
