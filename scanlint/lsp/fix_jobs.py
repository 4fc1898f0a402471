"""Rewrites that are being verified: one at a time, each told as progress that the user can cancel."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterable
from dataclasses import replace

from lsprotocol import types

from scanlint.engine.live.live_session import TextFindings
from scanlint.finding import Finding
from scanlint.lsp.child_process import ChildDied
from scanlint.lsp.frames import Fixed
from scanlint.lsp.language_server import ScanlintServer
from scanlint.lsp.live_project import LiveProject, OpenText


class FixJobs:
    """Runs them; a job ends with its process and all that this has started."""

    def __init__(self, server: ScanlintServer) -> None:
        self.server = server
        self._turn = asyncio.Lock()
        self._running: dict[str, asyncio.Task[Fixed]] = {}
        self._cancelled: set[str] = set()

    async def run(self, project: LiveProject, text: OpenText, wanted: Finding | None) -> Fixed | None:
        """The outcome of a job; None where the user has cancelled it, or its process has died."""
        async with self._turn:
            token = str(uuid.uuid4())
            shown = await self._begin(token, wanted)

            def said(message: str) -> None:
                if shown:
                    self.server.work_done_progress.report(token, types.WorkDoneProgressReport(message=message))

            task = self._running[token] = asyncio.ensure_future(project.fix(text, wanted, said))
            try:
                return await task
            except ChildDied as error:
                self.server.report(f"{error} while it verified")
                return None
            except asyncio.CancelledError:
                if token not in self._cancelled:
                    raise
                return None
            finally:
                self._end(token, shown)

    def cancelled(self, params: types.WorkDoneProgressCancelParams) -> None:
        """The user has cancelled a job."""
        task = self._running.get(str(params.token))
        if task is not None:
            self._cancelled.add(str(params.token))
            task.cancel()

    async def _begin(self, token: str, wanted: Finding | None) -> bool:
        """Whether the client shows progress."""
        window = self.server.client_capabilities.window
        if window is None or not window.work_done_progress:
            return False
        await self.server.work_done_progress.create_async(token)
        name = wanted.function or wanted.name if wanted is not None else "the file"
        begin = types.WorkDoneProgressBegin(f"scanlint: rewriting {name}", cancellable=True)
        self.server.work_done_progress.begin(token, begin)
        return True

    def _end(self, token: str, shown: bool) -> None:
        self._running.pop(token, None)
        self._cancelled.discard(token)
        if shown:
            self.server.work_done_progress.end(token, types.WorkDoneProgressEnd())
            self.server.work_done_progress.tokens.pop(token, None)


def with_verdicts(found: TextFindings, verified: Iterable[Finding]) -> TextFindings:
    """Findings with the verdicts of a job: what verified can be rewritten, what did not is withheld."""
    known = {(f.code, f.start): f for f in verified if f.verification is not None}
    return found._replace(findings=tuple(_learned(f, known.get((f.code, f.start))) for f in found.findings))


def _learned(finding: Finding, verified: Finding | None) -> Finding:
    if verified is None:
        return finding
    fix = replace(verified.fix, status="available") if verified.fix.status == "applied" else verified.fix
    return replace(finding, fix=fix, verification=verified.verification)
