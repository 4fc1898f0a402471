"""The open files of one project: one check after a pause, off the event loop, and none that is outdated is told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, cast

from scanlint.engine.live.live_session import TextFindings
from scanlint.finding import Finding, spot
from scanlint.lsp.child_process import ChildDied, ChildProcess
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
)
from scanlint.lsp.work_progress import WorkProgress
from scanlint.settings import Settings

PAUSE = 0.1
"""Seconds without a keystroke after which there is a check."""
LATEST = 0.5
"""Seconds after a keystroke at which there is a check, though more keys come."""
STALE = 5.0
"""Seconds after which the disk is looked at with a check, where the client does not watch it."""


class Sheet(NamedTuple):
    """A text of the client: a file, or a cell of a notebook with so many lines of others `above` it."""

    uri: str
    version: int | None
    text: str
    above: int = 0


class OpenText(NamedTuple):
    """A file or notebook that is open, and its text as one program; `cells` are those that it is put together of."""

    uri: str
    path: Path
    version: int | None
    text: str
    cells: tuple[Sheet, ...] = ()

    @property
    def sheets(self) -> tuple[Sheet, ...]:
        return self.cells or (Sheet(self.uri, self.version, self.text),)

    def sheet(self, line: int) -> Sheet:
        """The one that holds a line of the program."""
        return next((s for s in reversed(self.sheets) if s.above < line), self.sheets[0])

    def at(self, uri: str) -> Sheet:
        """The one that the client calls so."""
        return next((s for s in self.sheets if s.uri == uri), self.sheets[0])


class FileResult(NamedTuple):
    """The findings in the text of an open file."""

    text: OpenText
    found: TextFindings

    def starting(self, first: int, last: int) -> list[Finding]:
        """The findings that begin on some lines, counted from 1."""
        both = (*self.found.findings, *self.found.kept)
        return [finding for finding in both if first <= finding.start.line <= last]


class LiveProject:
    """Hands texts to the process that checks them, and tells what it finds of them as they are now."""

    def __init__(
        self,
        settings: Settings,
        whole: bool,
        tell: Callable[[LiveProject, FileResult], None],
        report: Callable[[str], None],
        note: Callable[[str], None],
        progress: Callable[[str], WorkProgress],
    ) -> None:
        self.settings = settings
        self.begin = Begin(settings, whole)
        self.tell = tell
        self.report = report
        self.note = note
        self.progress = progress
        self.watched = False
        self.texts: dict[str, OpenText] = {}
        self.results: dict[str, FileResult] = {}
        self.child = ChildProcess(self.begin)
        self._look = False
        self._looked = 0.0
        self._version = 0
        self._checked = 0
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._reading: asyncio.Task[None] | None = None
        self._since: float | None = None
        self._waiting: list[asyncio.Future[None]] = []

    # -- what the client does

    def put(self, text: OpenText) -> None:
        """A file was opened, or its text has changed."""
        known = self.texts.get(text.uri)
        self.texts[text.uri] = text
        self.touch(at_once=known is None, look=known is None and not self.watched)

    def take(self, uri: str) -> None:
        """A file was closed."""
        self.texts.pop(uri)
        self.results.pop(uri, None)
        self.touch(look=True)

    def touch(self, *, at_once: bool = False, look: bool = False) -> None:
        """Mark the findings as outdated and check again after a pause. `look`: the disk may have changed."""
        self._version += 1
        self._look = self._look or look
        if self._timer is not None:
            self._timer.cancel()
        loop = asyncio.get_running_loop()
        self._since = self._since or loop.time()
        self._timer = loop.call_at(0.0 if at_once else min(loop.time() + PAUSE, self._since + LATEST), self._due)

    async def current(self) -> None:
        """Wait until what is known is not outdated."""
        while self._checked != self._version:
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(future)
            await future

    # -- checking

    def _due(self) -> None:
        self._timer = self._since = None
        if self._task is None or self._task.done():
            self._task = asyncio.ensure_future(self._check())

    async def _check(self) -> None:
        """Check until nothing has changed meanwhile; a change that waits for its pause comes with its own check."""
        while self._timer is None and self._checked != self._version:
            version, texts = self._version, dict(self.texts)
            told = await self._asked(texts, version)
            if version == self._version:
                self._checked = version
                self._tell(texts, told)

    async def _asked(self, texts: dict[str, OpenText], version: int) -> Told:
        by_display = {self.display(text.path): text.text for text in texts.values()}
        now = asyncio.get_running_loop().time()
        if not self.watched and now - self._looked > STALE:
            self._look = True

        def request() -> Ask:
            sent, look = self.child.sent, self._look and bool(self.child.sent)
            changed = {display: text for display, text in by_display.items() if sent.get(display) != text}
            closed = tuple(display for display in sent if display not in by_display)
            self._looked, self._look = now if self._look else self._looked, False
            self.child.sent = by_display
            return Ask(tuple(by_display), changed, closed, look)

        def early(news: Progressed | Early) -> None:
            if isinstance(news, Early) and version == self._version:
                text = next(text for text in texts.values() if self.display(text.path) == news.display)
                self.tell(self, FileResult(text, news.found))

        try:
            told = await self.child.ask(request, early)
        except ChildDied as error:
            self.report(f"{error}: nothing is said of these files until they change")
            return Told({})
        assert isinstance(told, Told)
        if not told.whole and (self._reading is None or self._reading.done()):
            self._reading = asyncio.ensure_future(self._read())
        return told

    async def _read(self) -> None:
        """Have the project read while what is open is answered by itself; then check it as a part of that."""
        async with self.progress(f"scanlint: reading {self.settings.root.name}") as progress:
            try:
                while isinstance(answer := await self.child.ask(ReadOn), Reading) and not answer.done:
                    if answer.message:
                        progress.say(answer.message)
            except ChildDied:  # the check that waits, or the next one, says so
                return
        self.touch(at_once=True)

    def _tell(self, texts: dict[str, OpenText], told: Told) -> None:
        for problem in told.problems:
            self.report(str(problem))
        for note in told.notes:
            self.note(note)
        for uri, text in texts.items():
            found = told.findings.get(self.display(text.path), TextFindings())
            self.results[uri] = FileResult(text, found)
            self.tell(self, self.results[uri])
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)

    def result(self, uri: str) -> FileResult | None:
        """The findings in a file, or in the notebook that holds a cell."""
        own = self.results.get(uri)
        return own or next((r for r in self.results.values() if any(s.uri == uri for s in r.text.cells)), None)

    # -- rewriting

    async def offer(self, uri: str, first: int, last: int) -> list[Finding]:
        """What begins on some lines, with the edits of each rewrite; nothing is run for that."""
        await self.current()
        result = self.result(uri)
        if result is None or result.found.broken or not result.starting(first, last):
            return result.starting(first, last) if result is not None else []
        version = self._version
        try:
            offer = Offer(self.display(result.text.path), first, last)
            answer = await asyncio.shield(self.child.ask(lambda: offer))
        except ChildDied as error:
            self.report(str(error))
            return []
        offered = cast("tuple[Finding, ...]", answer)
        verified = {spot(known): known for known in result.found.findings if known.verification is not None}
        return [verified.get(spot(f), f) for f in offered] if version == self._version else []

    async def fix(self, text: OpenText, wanted: Finding | None, said: Callable[[str], None]) -> Fixed:
        """Rewrite and verify in a process of its own, which ends with it; user code runs. Raises ChildDied."""
        texts = {self.display(other.path): other.text for other in self.texts.values()}
        texts[self.display(text.path)] = text.text
        fixed = await self._apart(self.begin, FixAsk(self.display(text.path), texts, wanted), said)
        assert isinstance(fixed, Fixed)
        return fixed

    async def jit(self, text: OpenText, function: str, said: Callable[[str], None]) -> Jitted:
        """Make a function run under `jax.jit`, in a process of its own too. Raises ChildDied."""
        asked = JitAsk(self.display(text.path), text.text, function)
        jitted = await self._apart(Begin(self.settings, whole=False), asked, said)
        assert isinstance(jitted, Jitted)
        return jitted

    @staticmethod
    async def _apart(begin: Begin, request: object, said: Callable[[str], None]) -> object:
        """The answer of a process that is started for one request, and ends with it."""
        child = ChildProcess(begin)

        def progressed(news: Progressed | Early) -> None:
            if isinstance(news, Progressed):
                said(news.message)

        try:
            return await child.ask(lambda: request, progressed)
        finally:
            await child.end()

    async def close(self) -> None:
        """End everything."""
        if self._timer is not None:
            self._timer.cancel()
        for future in self._waiting:
            future.cancel()
        for task in (self._task, self._reading):
            if task is not None:
                task.cancel()
        await self.child.end()

    def display(self, path: Path) -> str:
        """The name of a file for a process that works in the root."""
        inside = path.is_relative_to(self.settings.root)
        return (path.relative_to(self.settings.root) if inside else path).as_posix()
