"""A process of the language server: it checks the files of one project, or fixes one of them, from its root."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO, NoReturn

from scanlint.engine.cache import Cache
from scanlint.engine.live.live_session import LiveSession, TextFindings, text_source
from scanlint.finding import Finding
from scanlint.lsp.frames import Ask, Begin, Early, FixAsk, Fixed, Offer, Progressed, Told, frame, receive
from scanlint.problem import Problem
from scanlint.project.files import SourceFile
from scanlint.verify.worker.sandbox.limits import end_with_parent

IDLE_SECONDS = 1.0
SOURCE = str(Path(__file__).parent.parent.parent)
START = f"import sys; sys.path.append({SOURCE!r}); from scanlint.lsp import child; child."
"""What runs this module where nothing of the project can be imported in its place."""
INDEX = f"{START}index()"


class Desk:
    """The sessions of one project: one for all files where there is a project around them, else one for each."""

    def __init__(self, begin: Begin) -> None:
        self.begin = begin
        if begin.whole and begin.settings.cache and not Cache(begin.settings).known:
            _index(begin)
        self.project = LiveSession(begin.settings) if begin.whole else None
        self.alone: dict[str, LiveSession] = {}

    def session(self, display: str) -> LiveSession:
        """The session that a file is part of. A notebook is no module of its project."""
        if self.project is not None and display.endswith(".py"):
            return self.project
        if display not in self.alone:
            self.alone[display] = LiveSession(self.begin.settings, Path(display))
        return self.alone[display]

    def early(self, ask: Ask) -> Early | None:
        """The findings that can be told at once, where one text has changed and nothing else."""
        if len(ask.texts) != 1 or ask.look or ask.closed:
            return None
        [(display, text)] = ask.texts.items()
        found = self.session(display).early(text_source(Path(display), text))
        return Early(display, found) if found is not None else None

    def check(self, ask: Ask) -> Told:
        """Take the texts in and check."""
        for display in ask.closed:
            self.session(display).take(display)
            self.alone.pop(display, None)
        if self.project is not None and (ask.look or ask.closed):
            self.project.look()
        for display, text in ask.texts.items():
            self.session(display).put(text_source(Path(display), text))
        found: dict[str, TextFindings] = {}
        problems: list[Problem] = []
        notes: list[str] = []
        for session, displays in self._groups(ask.displays):
            found |= session.check(displays)
            problems += session.problems
            notes += session.notes
        return Told(found, tuple(dict.fromkeys(problems)), tuple(dict.fromkeys(notes)))

    def _groups(self, displays: Iterable[str]) -> list[tuple[LiveSession, list[str]]]:
        groups: dict[int, tuple[LiveSession, list[str]]] = {}
        for display in displays:
            session = self.session(display)
            groups.setdefault(id(session), (session, []))[1].append(display)
        return list(groups.values())

    def offer(self, offer: Offer) -> tuple[Finding, ...]:
        return self.session(offer.display).offer(offer.display, offer.first, offer.last)

    def rest(self) -> bool:
        """Do a part of what can wait; whether there is more of it."""
        sessions = (self.project, *self.alone.values())
        more = [session.rest() for session in sessions if session is not None]
        return any(more)

    def fix(self, ask: FixAsk, answers: BinaryIO) -> Fixed:
        """Rewrite what is wanted of one file, verify it, and give the text."""
        from scanlint.fix.fixer import Fixer

        self.check(Ask((), ask.texts, (), look=False))
        session = self.session(ask.display)
        if session.check([ask.display])[ask.display].broken:
            return Fixed(ask.texts[ask.display], (), (Problem(ask.display, 0, "does not parse", "undone"),))
        if ask.wanted is not None:
            session.keep_only(ask.display, ask.wanted)

        if self.begin.settings.cache and all(map(_saved, ask.texts.items())):
            session.cache = Cache(self.begin.settings)

        def said(message: str) -> None:
            send(answers, Progressed(message))

        with Fixer(session, said, alone=ask.wanted is not None) as fixer:
            fixer.fix_all()
        source = session.source(ask.display)
        assert isinstance(source, SourceFile)
        new = next((after for _, after in session.changes.values()), source.data)
        findings = session.outcome().findings
        return Fixed(new.decode("utf-8", "surrogatepass"), findings, tuple(dict.fromkeys(session.problems)))


def _saved(text: tuple[str, str]) -> bool:
    """Whether a file is on disk as it is in the editor: a verdict rests on what the worker imports from there."""
    display, content = text
    try:
        return Path(display).read_bytes() == text_source(Path(display), content).data
    except OSError:
        return False


def _index(begin: Begin) -> None:
    """Have another process look at a project for the first time: what that takes in memory ends with it."""
    words = [sys.executable, "-P", "-c", INDEX]
    subprocess.run(words, input=frame(begin), stdout=subprocess.DEVNULL, check=False)


def index() -> None:
    """The work of the indexing process: all that it finds is kept in the cache."""
    end_with_parent()
    begin = receive(sys.stdin.buffer)
    if isinstance(begin, Begin):
        LiveSession(begin.settings)


def send(stream: BinaryIO, message: object) -> None:
    stream.write(frame(message))
    stream.flush()


def main() -> None:
    """Answer until the server hangs up; what anything else prints goes to standard error."""
    requests, answers = os.fdopen(os.dup(0), "rb", buffering=0), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)
    end_with_parent(signal.SIGTERM)  # while it verifies it does not see that nobody asks any more
    begin = _next(requests)
    if not isinstance(begin, Begin):
        return
    desk = Desk(begin)
    while True:
        match _next(requests, desk):
            case Ask() as ask:
                if (early := desk.early(ask)) is not None:
                    send(answers, early)
                send(answers, desk.check(ask))
            case Offer() as offer:
                send(answers, desk.offer(offer))
            case FixAsk() as ask:
                send(answers, desk.fix(ask, answers))
            case _:
                return


def _next(requests: BinaryIO, desk: Desk | None = None) -> object | None:
    """The next request; while there is none, what can wait is done."""
    wait = IDLE_SECONDS
    while desk is not None and sys.platform != "win32" and not select.select([requests], [], [], wait)[0]:
        if not desk.rest():
            break
        wait = 0.0
    return receive(_Whole(requests))  # type: ignore[arg-type]


class _Whole:
    """Reads as much as is asked for: a pipe without a buffer gives what there is."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream

    def read(self, size: int) -> bytes:
        pieces = []
        while size and (piece := self.stream.read(size)):
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)


def _end(number: int, frame: object) -> NoReturn:
    """Exit, so that the processes that run code under test are closed on the way out."""
    raise SystemExit(128 + number)
