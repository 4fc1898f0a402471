"""Where all output goes: standard output, standard error, the progress line."""

from __future__ import annotations

import sys
import time
from typing import TextIO

WAIT = 2.0
AGAIN = 20.0


def out(text: str) -> None:
    """Write to standard output; a character that it cannot show is escaped."""
    _write(sys.stdout, text)


def out_bytes(data: bytes) -> None:
    """Write bytes to standard output as they are: newlines and encodings of the user's files."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def err(text: str) -> None:
    """Write to standard error."""
    _write(sys.stderr, text)


def _write(stream: TextIO, text: str) -> None:
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
    stream.flush()


class Progress:
    """A line on standard error that appears when a run takes more than two seconds."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._tty = sys.stderr.isatty()
        self._next = time.monotonic() + WAIT
        self._shown = 0

    def __call__(self, text: str) -> None:
        if self._quiet or time.monotonic() < self._next:
            return
        if not self._tty:
            self._next = time.monotonic() + AGAIN
            err(f"{text}\n")
            return
        err("\r" + text.ljust(self._shown))
        self._shown = len(text)

    def close(self) -> None:
        """Take the line away."""
        if self._shown:
            err("\r" + " " * self._shown + "\r")
            self._shown = 0
