"""A process of the language server: it checks the files of one project, or fixes one of them, from its root."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import IO, BinaryIO, NoReturn

from scanlint.engine.cache import Cache
from scanlint.engine.live.live_session import LiveSession, TextFindings, text_source
from scanlint.engine.team.run_line import RunLine
from scanlint.errors import UsageError
from scanlint.finding import Finding
from scanlint.lsp.frames import (
    Ask,
    Begin,
    Early,
    FixAsk,
    Fixed,
    JitAsk,
    Jitted,
    Offer,
    Progressed,
    Reading,
    ReadOn,
    Told,
    frame,
    receive,
)
from scanlint.problem import Problem
from scanlint.project.discovery.folders import around
from scanlint.project.files import SourceFile
from scanlint.settings import Settings
from scanlint.verify.worker.sandbox.limits import end_with_parent

IDLE_SECONDS = 1.0
MOMENT = 0.05
"""Seconds for which a request may wait while a project is read."""
FEW = 30
"""Files that are read before anything is told: their findings do not change under the user's eyes."""
SOURCE = str(Path(__file__).parent.parent.parent)
START = f"import sys; sys.path.append({SOURCE!r}); from scanlint.lsp import child; child."
"""What runs this module where nothing of the project can be imported in its place."""
INDEX = f"{START}index()"


class Desk:
    """The sessions of one project: one for all files where there is a project around them, else one for each.

    Until a project of many files has been read, each file that is open stands for itself.
    """

    def __init__(self, begin: Begin) -> None:
        self.begin = begin
        self.texts: dict[str, str] = {}
        self.alone: dict[str, LiveSession] = {}
        self.project: LiveSession | None = None
        self._index: subprocess.Popen[bytes] | None = None
        if begin.whole and len(around([begin.settings.root / "any.py"], begin.settings).files) <= FEW:
            self._open()
        elif begin.whole and begin.settings.cache and not Cache(begin.settings).known:
            self._index = _index(begin)

    @property
    def whole(self) -> bool:
        """Whether all has been read that there is to be read."""
        return self.project is not None or not self.begin.whole

    def read(self) -> Reading:
        """Read the project, or wait a moment for the process that does."""
        if self._index is None:
            if not self.whole:
                self._open()
            return Reading("", done=True)
        assert self._index.stdout is not None
        if not _readable(self._index.stdout, MOMENT):
            return Reading("", done=False)
        news = receive(_Whole(self._index.stdout))  # type: ignore[arg-type]
        if isinstance(news, Progressed):
            return Reading(news.message, done=False)
        self._index.wait()
        self._index = None
        return Reading("", done=False)

    def _open(self) -> None:
        """Take the project in, with the texts that are open."""
        self.project = LiveSession(self.begin.settings)
        self.alone = {display: session for display, session in self.alone.items() if not display.endswith(".py")}
        for display, text in self.texts.items():
            if display.endswith(".py"):
                self.project.put(text_source(Path(display), text))

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
            self.texts.pop(display, None)
        self.texts |= ask.texts
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
        return Told(found, tuple(dict.fromkeys(problems)), tuple(dict.fromkeys(notes)), self.whole)

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

        while not self.read().done:
            pass
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


def jit(ask: JitAsk, settings: Settings, answers: BinaryIO) -> Jitted:
    """Have a function run under `jax.jit`, with what it calls, and verify that."""
    from scanlint.command.converting.jit import lines
    from scanlint.jitting.conversion import convert
    from scanlint.jitting.targets import JitTarget
    from scanlint.report.paint import Paint
    from scanlint.verify.interpreter import VerifierUnavailable

    def said(message: str) -> None:
        send(answers, Progressed(message))

    text = text_source(Path(ask.display), ask.text)
    try:
        made = convert(JitTarget(text.path, ask.function), settings, said, callees=True, text=text)
    except (UsageError, VerifierUnavailable) as error:
        return Jitted(None, str(error))
    told = "\n".join(lines(made, Paint(on=False), fixed=True))
    return Jitted(made.after if made.good and made.after != ask.text else None, told)


def _saved(text: tuple[str, str]) -> bool:
    """Whether a file is on disk as it is in the editor: a verdict rests on what the worker imports from there."""
    display, content = text
    try:
        return Path(display).read_bytes() == text_source(Path(display), content).data
    except OSError:
        return False


def _index(begin: Begin) -> subprocess.Popen[bytes]:
    """Have another process look at a project for the first time: what that takes in memory ends with it."""
    words = [sys.executable, "-P", "-c", INDEX]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    assert process.stdin is not None
    process.stdin.write(frame(begin))
    process.stdin.close()
    return process


def index() -> None:
    """The work of the indexing process: all that it finds is kept in the cache; what it prints goes nowhere."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    end_with_parent()
    if hasattr(os, "nice"):
        os.nice(5)  # whoever types goes first
    begin = receive(sys.stdin.buffer)
    if isinstance(begin, Begin):
        LiveSession(begin.settings, said=RunLine(lambda line: send(answers, Progressed(line)), after=0.0))


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
            case ReadOn():
                send(answers, desk.read())
            case Offer() as offer:
                send(answers, desk.offer(offer))
            case FixAsk() as ask:
                send(answers, desk.fix(ask, answers))
            case JitAsk() as ask:
                send(answers, jit(ask, begin.settings, answers))
            case _:
                return


def _next(requests: BinaryIO, desk: Desk | None = None) -> object | None:
    """The next request; while there is none, what can wait is done."""
    wait = IDLE_SECONDS
    while desk is not None and not _readable(requests, wait):
        if not desk.rest():
            break
        wait = 0.0
    return receive(_Whole(requests))  # type: ignore[arg-type]


def _readable(stream: BinaryIO | IO[bytes], seconds: float) -> bool:
    """Whether something comes within so many seconds; where pipes cannot be asked, reading waits for it."""
    return sys.platform == "win32" or bool(select.select([stream], [], [], seconds)[0])


class _Whole:
    """Reads as much as is asked for: a pipe without a buffer gives what there is."""

    def __init__(self, stream: BinaryIO | IO[bytes]) -> None:
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
