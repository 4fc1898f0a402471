"""The server's side of a process that checks or fixes: it is asked one thing at a time, and can be ended at any."""

from __future__ import annotations

import asyncio
import pickle
import sys
from asyncio.subprocess import PIPE
from collections.abc import Callable

from scanlint.lsp.child import START
from scanlint.lsp.frames import HEAD, Begin, Early, Progressed, frame

BOOT = f"{START}main()"
PATIENCE = 3.0


class ChildDied(Exception):
    """The process ended before it answered; the message says how."""


class ChildProcess:
    """A process that works in the root of a project; nothing that lies there can be imported by it."""

    def __init__(self, begin: Begin) -> None:
        self.begin = begin
        self._lock = asyncio.Lock()
        self._process: asyncio.subprocess.Process | None = None
        self.sent: dict[str, str] = {}

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def ask(
        self, request: Callable[[], object], said: Callable[[Progressed | Early], None] = lambda news: None
    ) -> object:
        """The answer to a request, which is made when it is its turn. Raises ChildDied."""
        async with self._lock:
            process = await self._started()
            assert process.stdin is not None
            try:
                process.stdin.write(frame(request()))
                await process.stdin.drain()
                while isinstance(answer := await self._answer(process), Progressed | Early):
                    said(answer)
            except (OSError, EOFError, asyncio.IncompleteReadError) as error:
                self._process = None
                code = await process.wait()
                raise ChildDied(f"a process of the server ended ({code})") from error
            except asyncio.CancelledError:
                await self.end()  # its answer would be taken for that of the next request
                raise
            return answer

    async def _started(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            self.sent = {}
            words = [sys.executable, "-P", "-c", BOOT]
            self._process = await asyncio.create_subprocess_exec(
                *words, stdin=PIPE, stdout=PIPE, cwd=self.begin.settings.root
            )
            assert self._process.stdin is not None
            self._process.stdin.write(frame(self.begin))
        return self._process

    async def _answer(self, process: asyncio.subprocess.Process) -> object:
        assert process.stdout is not None
        (size,) = HEAD.unpack(await process.stdout.readexactly(HEAD.size))
        made: object = pickle.loads(await process.stdout.readexactly(size))
        return made

    async def end(self) -> None:
        """End the process; it may take a moment to close what it has started."""
        process, self._process = self._process, None
        if process is None or process.returncode is not None:
            return
        if process.stdin is not None:
            process.stdin.close()
        try:
            process.terminate()
            await asyncio.wait_for(process.wait(), PATIENCE)
        except ProcessLookupError:  # it has ended by itself
            return
        except TimeoutError:
            process.kill()
            await process.wait()
