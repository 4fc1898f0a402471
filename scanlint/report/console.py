"""Writes all output: to standard output, to standard error, and as the progress line."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import suppress
from typing import TextIO

from scanlint.errors import UsageError, cause


class ReaderGone(Exception):
    """Who reads standard output has enough of it, as `head` does."""


def out(text: str) -> None:
    """Write to standard output, a character that it cannot show escaped. Raises UsageError where it takes nothing."""
    if text:
        encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        _out(text.encode(encoding, "backslashreplace").decode(encoding))


def out_bytes(data: bytes) -> None:
    """Write bytes to standard output as they are: newlines and encodings of the user's files. Raises UsageError."""
    if data:
        _out(data)


def err(text: str) -> None:
    """Write to standard error; where that takes nothing, nobody can be told."""
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    with suppress(OSError, ValueError, AttributeError):  # nobody listens to standard error
        sys.stderr.write(text.encode(encoding, "backslashreplace").decode(encoding))
        sys.stderr.flush()


def read_in() -> bytes:
    """All of standard input. Raises UsageError."""
    stream: TextIO | None = sys.stdin
    if stream is None:
        raise UsageError("standard input is closed; `-` reads the text to check from it")
    try:
        return stream.buffer.read()
    except (OSError, ValueError) as error:
        raise UsageError(f"standard input: cannot read: {cause(error)}") from None


def _out(data: str | bytes) -> None:
    stream: TextIO | None = sys.stdout
    if stream is None:
        raise UsageError("standard output is closed; `--output-file FILE` writes the report to a file")
    try:
        stream.flush()
        stream.write(data) if isinstance(data, str) else stream.buffer.write(data)
        stream.flush()
    except BrokenPipeError:
        abandon()
        raise ReaderGone from None
    except (OSError, ValueError) as error:
        abandon()
        raise UsageError(f"standard output: cannot write: {cause(error)}") from None


def abandon() -> None:
    """Let go of standard output with what it still holds: nothing is to be tried again when the process ends."""
    with suppress(OSError, ValueError):  # it is closed already
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)


class Progress:
    """A line on standard error, where that is a terminal; the next one takes its place."""

    def __init__(self, quiet: bool) -> None:
        stream: TextIO | None = sys.stderr
        self._on = not quiet and stream is not None and stream.isatty()
        self._shown = 0

    def __call__(self, text: str) -> None:
        """Show a line, cut where the terminal ends: one that goes on below could not be taken away."""
        if self._on:
            text = text[: shutil.get_terminal_size().columns - 1]
            err("\r" + text.ljust(self._shown))
            self._shown = len(text)

    def close(self) -> None:
        """Take the line away."""
        if self._shown:
            err("\r" + " " * self._shown + "\r")
            self._shown = 0
