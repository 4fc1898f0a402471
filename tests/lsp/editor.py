"""A language client over standard input and output, with the real server in a process of its own."""

from __future__ import annotations

import ast
import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

import scanlint
from scanlint.lsp.exact_documents import TextIndex

ROOT = Path(scanlint.__file__).parent.parent
QUIET = 60.0
Encodings = Sequence[types.PositionEncodingKind]
UTF16 = (types.PositionEncodingKind.Utf16,)


class Editor(LanguageClient):
    """Has texts open, changes them and keeps what the server says."""

    def __init__(self, encoding: types.PositionEncodingKind = types.PositionEncodingKind.Utf16) -> None:
        super().__init__("editor", "1")
        self.encoding = encoding
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.published: dict[str, types.PublishDiagnosticsParams] = {}
        self.messages: list[str] = []
        self.progress: list[Any] = []
        self.applied: list[types.ApplyWorkspaceEditParams] = []
        self.errors: list[str] = []
        self.settings: object = None
        self.refreshed = 0
        self.cancels = False
        self._news = asyncio.Event()
        self._listen()

    def _listen(self) -> None:
        @self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: types.PublishDiagnosticsParams) -> None:
            self.published[params.uri] = params
            self._news.set()

        @self.feature(types.WINDOW_SHOW_MESSAGE)
        def shown(params: types.ShowMessageParams) -> None:
            self.messages.append(params.message)
            self._news.set()

        @self.feature(types.WORKSPACE_APPLY_EDIT)
        def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
            self.applied.append(params)
            self.apply(params.edit)
            return types.ApplyWorkspaceEditResult(True)

        @self.feature(types.WORKSPACE_CONFIGURATION)
        def configuration(params: types.ConfigurationParams) -> list[Any]:
            return [self.settings for _ in params.items]

        @self.feature(types.CLIENT_REGISTER_CAPABILITY)
        def registered(params: types.RegistrationParams) -> None:
            return None

        @self.feature(types.WORKSPACE_DIAGNOSTIC_REFRESH)
        def refresh(*params: Any) -> None:
            self.refreshed += 1
            self._news.set()

        @self.feature(types.WINDOW_WORK_DONE_PROGRESS_CREATE)
        def created(params: types.WorkDoneProgressCreateParams) -> None:
            return None

        @self.feature(types.PROGRESS)
        def progressed(params: types.ProgressParams) -> None:
            self.progress.append(params.value)
            if self.cancels and params.value["kind"] == "begin":
                self.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(params.token))
            self._news.set()

    def report_server_error(self, error: Exception, source: object) -> None:
        self.errors.append(repr(error))

    # -- texts

    def open(self, path: Path, text: str | None = None) -> str:
        uri = path.as_uri()
        self.texts[uri] = path.read_text() if text is None else text
        self.versions[uri] = 1
        item = types.TextDocumentItem(uri, "python", 1, self.texts[uri])
        self.published.pop(uri, None)
        self.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def change(self, uri: str, start: int, end: int, new: str) -> None:
        """Replace a part of a text, as an editor does it: by a range."""
        index = TextIndex(self.texts[uri], self.encoding)
        area = types.Range(index.position(start), index.position(end))
        self.texts[uri] = self.texts[uri][:start] + new + self.texts[uri][end:]
        self._send(uri, types.TextDocumentContentChangePartial(area, new))

    def replace(self, uri: str, text: str) -> None:
        """Put another text in the place of the whole one."""
        self.texts[uri] = text
        self._send(uri, types.TextDocumentContentChangeWholeDocument(text))

    def _send(self, uri: str, change: types.TextDocumentContentChangeEvent) -> None:
        self.versions[uri] += 1
        document = types.VersionedTextDocumentIdentifier(uri=uri, version=self.versions[uri])
        self.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    def save(self, uri: str) -> None:
        Path(uri.removeprefix("file://")).write_text(self.texts[uri])
        self.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri)))

    def close(self, uri: str) -> None:
        del self.texts[uri], self.versions[uri]
        self.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))

    def apply(self, edit: types.WorkspaceEdit) -> None:
        """Apply an edit to the open texts."""
        changes = dict(edit.changes or {})
        for change in edit.document_changes or []:
            assert isinstance(change, types.TextDocumentEdit)
            assert change.text_document.version == self.versions[change.text_document.uri]
            changes[change.text_document.uri] = change.edits  # type: ignore[assignment]
        for uri, edits in changes.items():
            index = TextIndex(self.texts[uri], self.encoding)
            text = self.texts[uri]
            for e in sorted(edits, key=lambda e: index.offset(e.range.start), reverse=True):
                text = text[: index.offset(e.range.start)] + e.new_text + text[index.offset(e.range.end) :]
            self.replace(uri, text)

    # -- waiting and asking

    async def until(self, holds: Callable[[], object], seconds: float = QUIET) -> None:
        async with asyncio.timeout(seconds):
            while not holds():
                self._news.clear()
                await self._news.wait()

    async def diagnostics(self, uri: str) -> Sequence[types.Diagnostic]:
        """What is published for a text as it is now."""
        await self.until(lambda: uri in self.published and self.published[uri].version == self.versions[uri])
        return self.published[uri].diagnostics

    async def pulled(self, uri: str, previous: str | None = None) -> Any:
        params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri), previous_result_id=previous)
        return await self.text_document_diagnostic_async(params)

    async def actions(self, uri: str, line: int, only: Sequence[str] | None = None) -> list[types.CodeAction]:
        """The actions on a line, counted from 0."""
        at = types.Position(line, 0)
        context = types.CodeActionContext([], only=list(only) if only is not None else None)
        params = types.CodeActionParams(types.TextDocumentIdentifier(uri), types.Range(at, at), context)
        return [_action(found) for found in await self.text_document_code_action_async(params) or []]

    async def hover(self, uri: str, line: int, character: int) -> str:
        params = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(line, character))
        found = await self.text_document_hover_async(params)
        assert found is None or isinstance(found.contents, types.MarkupContent)
        return found.contents.value if found is not None else ""

    async def command(self, name: str, *arguments: Any) -> None:
        await self.workspace_execute_command_async(types.ExecuteCommandParams(name, arguments=list(arguments)))


def _action(found: types.Command | types.CodeAction) -> types.CodeAction:
    """An action: lsprotocol reads one that holds a command as if it were a command of that spelling."""
    if isinstance(found, types.CodeAction):
        return found
    said = ast.literal_eval(found.command)
    return types.CodeAction(found.title, command=types.Command(said["title"], said["command"], None, said["arguments"]))


def capabilities(*, encodings: Encodings = UTF16, pull: bool = False, lazy: bool = True) -> types.ClientCapabilities:
    """What an editor of today can do; `lazy`: it resolves actions, `pull`: it asks for diagnostics."""
    resolve = types.ClientCodeActionResolveOptions(["edit"]) if lazy else None
    return types.ClientCapabilities(
        general=types.GeneralClientCapabilities(position_encodings=list(encodings)),
        text_document=types.TextDocumentClientCapabilities(
            publish_diagnostics=types.PublishDiagnosticsClientCapabilities(related_information=True),
            diagnostic=types.DiagnosticClientCapabilities(related_document_support=True) if pull else None,
            code_action=types.CodeActionClientCapabilities(resolve_support=resolve),
        ),
        window=types.WindowClientCapabilities(work_done_progress=True),
        workspace=types.WorkspaceClientCapabilities(
            configuration=True,
            workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True),
            did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True),
            diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=True),
        ),
    )


@asynccontextmanager
async def editing(
    *folders: Path,
    able: types.ClientCapabilities | None = None,
    options: object = None,
    encoding: types.PositionEncodingKind = types.PositionEncodingKind.Utf16,
) -> AsyncIterator[Editor]:
    """An editor with folders open, and its server; both end with it."""
    editor = Editor(encoding)
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    await editor.start_io(
        sys.executable, "-m", "scanlint", "lsp", cwd=folders[0], env={**os.environ, "PYTHONPATH": path}
    )
    spaces = [types.WorkspaceFolder(folder.as_uri(), folder.name) for folder in folders]
    able = able or capabilities(encodings=[encoding])
    params = types.InitializeParams(
        able, root_uri=folders[0].as_uri(), workspace_folders=spaces, initialization_options=options
    )
    await editor.initialize_async(params)
    editor.initialized(types.InitializedParams())
    try:
        yield editor
        await editor.shutdown_async(None)
        editor.exit(None)
        async with asyncio.timeout(10):
            await editor.stop()
    finally:
        server = editor._server
        if server is not None and server.returncode is None:
            server.kill()
            await server.wait()
