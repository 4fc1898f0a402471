"""The messages between the server and the processes that check and fix for it: pickled records behind their length."""

from __future__ import annotations

import pickle
import struct
from typing import BinaryIO, NamedTuple

from scanlint.engine.live.live_session import TextFindings
from scanlint.finding import Finding
from scanlint.problem import Problem
from scanlint.settings import Settings

HEAD = struct.Struct(">Q")


class Begin(NamedTuple):
    """The first thing that is said to a process: `whole`: there is a project around the files that it is asked for."""

    settings: Settings
    whole: bool


class Ask(NamedTuple):
    """Check these files, some of which have other texts now, or none any more; `look`: the disk has changed as well."""

    displays: tuple[str, ...]
    texts: dict[str, str]
    closed: tuple[str, ...]
    look: bool


class Told(NamedTuple):
    """The findings of each file, what went wrong, and what could not be looked at.

    Not `whole`: the project has not been read yet, and each file was looked at by itself.
    """

    findings: dict[str, TextFindings]
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    whole: bool = True


class ReadOn(NamedTuple):
    """Go on reading the project; the answer comes after a moment, so that other requests need not wait."""


class Reading(NamedTuple):
    """How far it is, and whether all has been read."""

    message: str
    done: bool


class Early(NamedTuple):
    """The findings in the one text that has changed, before the rest is known."""

    display: str
    found: TextFindings


class Offer(NamedTuple):
    """Carry the rewrites through of what begins on some lines of a file as it was when it was checked last."""

    display: str
    first: int
    last: int


class FixAsk(NamedTuple):
    """Rewrite and verify one finding of a file, or all; `texts` are those of all open files."""

    display: str
    texts: dict[str, str]
    wanted: Finding | None


class JitAsk(NamedTuple):
    """Make a function of a text run under `jax.jit`."""

    display: str
    text: str
    function: str


class Jitted(NamedTuple):
    """The text with the function jitted, None where it cannot be; and what is said of it."""

    text: str | None
    said: str


class Progressed(NamedTuple):
    """The step that is being done at the moment."""

    message: str


class Fixed(NamedTuple):
    """The text of a file after its rewrites, the findings with their verdicts, and what went wrong."""

    text: str
    findings: tuple[Finding, ...]
    problems: tuple[Problem, ...] = ()


def frame(message: object) -> bytes:
    """A record as it is sent."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return HEAD.pack(len(data)) + data


def receive(stream: BinaryIO) -> object | None:
    """The next record; None at the end."""
    head = stream.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    (size,) = HEAD.unpack(head)
    data = stream.read(size)
    made: object = pickle.loads(data) if len(data) == size else None
    return made
