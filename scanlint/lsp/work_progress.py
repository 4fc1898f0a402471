"""Tells the client how far some work is, as work-done progress."""

from __future__ import annotations

import uuid
from types import TracebackType

from lsprotocol import types
from pygls.lsp.server import LanguageServer


class WorkProgress:
    """One piece of work under a `token` of its own; says nothing where the client shows no progress."""

    def __init__(self, server: LanguageServer, title: str, *, cancellable: bool = False) -> None:
        self.token = str(uuid.uuid4())
        self._server = server
        self._begin = types.WorkDoneProgressBegin(title, cancellable=cancellable)
        window = server.client_capabilities.window
        self._shown = window is not None and bool(window.work_done_progress)

    async def __aenter__(self) -> WorkProgress:
        if self._shown:
            await self._server.work_done_progress.create_async(self.token)
            self._server.work_done_progress.begin(self.token, self._begin)
        return self

    def say(self, message: str) -> None:
        """Tell the step that is being done."""
        if self._shown:
            self._server.work_done_progress.report(self.token, types.WorkDoneProgressReport(message=message))

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown:
            self._server.work_done_progress.end(self.token, types.WorkDoneProgressEnd())
            self._server.work_done_progress.tokens.pop(self.token, None)
