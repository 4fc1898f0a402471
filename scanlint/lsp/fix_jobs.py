"""Rewrites that are being verified: one at a time, each told as progress that the user can cancel."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import replace
from typing import TypeVar

from lsprotocol import types

from scanlint.engine.live.live_session import TextFindings
from scanlint.finding import Finding
from scanlint.lsp.child_process import ChildDied
from scanlint.lsp.frames import Fixed, Jitted
from scanlint.lsp.language_server import ScanlintServer
from scanlint.lsp.live_project import LiveProject, OpenText
from scanlint.lsp.work_progress import WorkProgress

Made = TypeVar("Made", Fixed, Jitted)


class FixJobs:
    """Runs them; a job ends with its process and all that this has started."""

    def __init__(self, server: ScanlintServer) -> None:
        self.server = server
        self._turn = asyncio.Lock()
        self._running: dict[str, asyncio.Task[Fixed] | asyncio.Task[Jitted]] = {}
        self._cancelled: set[str] = set()

    async def run(self, project: LiveProject, text: OpenText, wanted: Finding | None) -> Fixed | None:
        """The outcome of a job; None where the user has cancelled it, or its process has died."""
        name = wanted.function or wanted.name if wanted is not None else "the file"
        return await self._job(f"rewriting {name}", lambda said: project.fix(text, wanted, said))

    async def jit(self, project: LiveProject, text: OpenText, function: str) -> Jitted | None:
        """The same for a function that is made to run under `jax.jit`."""
        return await self._job(f"jitting {function}", lambda said: project.jit(text, function, said))

    async def _job(
        self, title: str, work: Callable[[Callable[[str], None]], Coroutine[None, None, Made]]
    ) -> Made | None:
        async with (
            self._turn,
            WorkProgress(self.server, f"scanlint: {title}", cancellable=True) as progress,
        ):
            task = asyncio.ensure_future(work(progress.say))
            self._running[progress.token] = task
            try:
                return await task
            except ChildDied as error:
                self.server.report(f"{error} while it verified")
                return None
            except asyncio.CancelledError:
                if progress.token not in self._cancelled:
                    raise
                return None
            finally:
                self._running.pop(progress.token, None)
                self._cancelled.discard(progress.token)

    def cancelled(self, params: types.WorkDoneProgressCancelParams) -> None:
        """The user has cancelled a job."""
        task = self._running.get(str(params.token))
        if task is not None:
            self._cancelled.add(str(params.token))
            task.cancel()


def with_verdicts(found: TextFindings, verified: Iterable[Finding]) -> TextFindings:
    """Findings with the verdicts of a job: what verified can be rewritten, what did not is withheld."""
    known = {(f.code, f.start): f for f in verified if f.verification is not None}
    return found._replace(findings=tuple(_learned(f, known.get((f.code, f.start))) for f in found.findings))


def _learned(finding: Finding, verified: Finding | None) -> Finding:
    if verified is None:
        return finding
    fix = replace(verified.fix, status="available") if verified.fix.status == "applied" else verified.fix
    return replace(finding, fix=fix, verification=verified.verification)
