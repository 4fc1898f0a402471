"""The worker's process and its lines, read by a thread: Windows cannot wait on pipes."""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, cast

from scanlint.verify.asked import end_group
from scanlint.verify.interpreter import VerifierUnavailable
from scanlint.verify.worker.session.watch import Clock

WORKER = Path(__file__).parent / "worker" / "__main__.py"
CHUNK = 1 << 16
LOOK_SECONDS = 0.2


class Process:
    """One process of the worker."""

    def __init__(self, python: str, options: list[str], environment: Mapping[str, str]) -> None:
        try:
            self.process = subprocess.Popen(
                [python, str(WORKER), *options],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=dict(environment),
                start_new_session=sys.platform != "win32",  # Ctrl-C ends it through `close`, which leaves nothing
            )
        except OSError as error:
            raise VerifierUnavailable(f"the interpreter `{python}` cannot be run: {error}") from error
        self.chunks: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.buffer = b""
        self.ended = False
        self.greeting: dict[str, object] | None = None
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        stream = cast("IO[bytes]", self.process.stdout)
        with stream:
            while chunk := stream.read1(CHUNK):  # type: ignore[attr-defined]
                self.chunks.put(chunk)
        self.chunks.put(b"")

    def alive(self) -> bool:
        return self.process.poll() is None

    def send(self, message: Mapping[str, object]) -> bool:
        """Write one line; False where nobody reads it."""
        stream = cast("IO[bytes]", self.process.stdin)
        try:
            stream.write(json.dumps(message).encode() + b"\n")
            stream.flush()
        except OSError:
            return False
        return True

    def some(self, seconds: float) -> bytes | None:
        """What came next; None where nothing did, empty at the end."""
        try:
            return self.chunks.get(timeout=max(0.0, seconds))
        except queue.Empty:  # the caller asks again until its time is over
            return None

    def line(self, seconds: float) -> dict[str, object] | None:
        """The next line; None where the process died or gave none in time."""
        deadline = time.monotonic() + seconds
        while b"\n" not in self.buffer:
            chunk = self.some(deadline - time.monotonic())
            if not chunk:
                self.ended = self.ended or chunk is not None
                return None
            self.buffer += chunk
        line, self.buffer = self.buffer.split(b"\n", 1)
        return cast("dict[str, object]", json.loads(line))

    def greet(self, clock: Clock) -> bool:
        """Wait for its first line; False where the time was over before that."""
        while self.greeting is None and not self.ended and not clock.over():
            self.greeting = self.line(LOOK_SECONDS)
        return self.greeting is not None or self.ended

    def end(self, patience: float = 0.0) -> int:
        """Close its input, wait that long for it, then kill it; gives its exit code."""
        with contextlib.suppress(OSError):  # its other end is closed already
            cast("IO[bytes]", self.process.stdin).close()
        try:
            return self.process.wait(patience)
        except subprocess.TimeoutExpired:
            end_group(self.process)
            return self.process.wait()
