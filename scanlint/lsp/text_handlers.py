"""Handles what the client says of files and settings, and what it asks to know of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote, urlparse

from lsprotocol import types
from pygls.uris import to_fs_path

from scanlint.errors import UsageError
from scanlint.finding import Finding
from scanlint.lsp.client_options import options_from
from scanlint.lsp.diagnostics import Painter, fate, page_of, result_id
from scanlint.lsp.exact_documents import ExactWorkspace
from scanlint.lsp.language_server import ScanlintServer
from scanlint.lsp.live_project import OpenText
from scanlint.lsp.notebooks import notebook_text
from scanlint.rules.registry import entries

CONFIGURATIONS = ("pyproject.toml", "ruff.toml", ".ruff.toml", "setup.py", "setup.cfg")
WATCHED = ("**/*.py", *(f"**/{name}" for name in CONFIGURATIONS))
SCHEMES = ("file", "untitled")
PULL = types.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=False, identifier="scanlint")


def register(server: ScanlintServer) -> None:
    """Have the server answer."""
    for method, handler in HANDLERS.items():
        server.feature(method)(handler)
    server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, PULL)(diagnostic)


# -- the beginning


def initialize(ls: ScanlintServer, params: types.InitializeParams) -> None:
    ls.protocol._workspace = ExactWorkspace.like(ls.workspace)
    _configure(ls, params.initialization_options)


async def initialized(ls: ScanlintServer, params: types.InitializedParams) -> None:
    space = ls.client_capabilities.workspace
    files = space.did_change_watched_files if space is not None else None
    if files is not None and files.dynamic_registration:
        watchers = [types.FileSystemWatcher(pattern) for pattern in WATCHED]
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        registration = types.Registration("scanlint-watch", method, options)
        await ls.client_register_capability_async(types.RegistrationParams([registration]))
        ls.watching = True
        for project in ls.projects.values():
            project.watched = True
    await _pull_configuration(ls)


async def shutdown(ls: ScanlintServer, params: None) -> None:
    await asyncio.gather(*(project.close() for project in ls.projects.values()))


async def _pull_configuration(ls: ScanlintServer) -> None:
    space = ls.client_capabilities.workspace
    if space is None or not space.configuration:
        return
    items = [types.ConfigurationItem(section="scanlint")]
    [said] = await ls.workspace_configuration_async(types.ConfigurationParams(items)) or [None]
    if said is not None and _configure(ls, said):
        ls.reload()


def _configure(ls: ScanlintServer, said: object) -> bool:
    """Whether the options are others now."""
    try:
        made = options_from(said)
    except UsageError as error:
        ls.report(str(error))
        return False
    before, ls.options = ls.options, made
    return made != before


async def did_change_configuration(ls: ScanlintServer, params: types.DidChangeConfigurationParams) -> None:
    said = params.settings
    if isinstance(said, dict) and "scanlint" in said:
        if _configure(ls, said):
            ls.reload()
    else:
        await _pull_configuration(ls)


# -- texts


def did_open(ls: ScanlintServer, params: types.DidOpenTextDocumentParams) -> None:
    item = params.text_document
    path = _path(ls, item.uri)
    if path is not None and (item.language_id == "python" or path.suffix == ".py"):
        ls.put(OpenText(item.uri, path, item.version, item.text))


def did_change(ls: ScanlintServer, params: types.DidChangeTextDocumentParams) -> None:
    known = ls.opened.get(params.text_document.uri)
    if known is not None:
        document = ls.workspace.get_text_document(known.uri)
        ls.put(known._replace(version=document.version, text=document.source))


def did_save(ls: ScanlintServer, params: types.DidSaveTextDocumentParams) -> None:
    path = _path(ls, params.text_document.uri)
    if path is not None and path.name in CONFIGURATIONS:
        ls.reload()
    project = ls.owners.get(params.text_document.uri)
    if project is not None and not ls.watching:
        project.touch(look=True)


def did_close(ls: ScanlintServer, params: types.DidCloseTextDocumentParams) -> None:
    ls.take(params.text_document.uri)


def did_change_watched_files(ls: ScanlintServer, params: types.DidChangeWatchedFilesParams) -> None:
    paths = [Path(path) for change in params.changes if (path := to_fs_path(change.uri))]
    if any(path.name in CONFIGURATIONS for path in paths):
        ls.reload()
    for project in ls.projects.values():
        if any(path.is_relative_to(project.settings.root) for path in paths):
            project.touch(look=True)


def did_change_workspace_folders(ls: ScanlintServer, params: types.DidChangeWorkspaceFoldersParams) -> None:
    ls.reload()


def _path(ls: ScanlintServer, uri: str) -> Path | None:
    """The path of a text, or the one that it might have once it is saved."""
    parts = urlparse(uri)
    if parts.scheme not in SCHEMES:
        return None
    if parts.scheme == "file":
        path = to_fs_path(uri)
        return Path(path) if path else None
    root = to_fs_path(ls.workspace.root_uri or "") or "."
    name = Path(unquote(parts.path)).name
    return Path(root).absolute() / (name if name.endswith(".py") else f"{name}.py")


# -- notebooks


def notebook_did_open(ls: ScanlintServer, params: types.DidOpenNotebookDocumentParams) -> None:
    _put_notebook(ls, params.notebook_document.uri)


def notebook_did_change(ls: ScanlintServer, params: types.DidChangeNotebookDocumentParams) -> None:
    before = ls.opened.get(params.notebook_document.uri)
    _put_notebook(ls, params.notebook_document.uri)
    after = ls.opened.get(params.notebook_document.uri)
    if before is not None and after is not None:
        ls.forget({sheet.uri for sheet in before.sheets} - {sheet.uri for sheet in after.sheets})


def notebook_did_close(ls: ScanlintServer, params: types.DidCloseNotebookDocumentParams) -> None:
    ls.take(params.notebook_document.uri)


def _put_notebook(ls: ScanlintServer, uri: str) -> None:
    notebook = ls.workspace.get_notebook_document(notebook_uri=uri)
    text = notebook_text(notebook, ls.workspace) if notebook is not None else None
    if text is not None:
        ls.put(text)


# -- what is asked


async def diagnostic(
    ls: ScanlintServer, params: types.DocumentDiagnosticParams
) -> types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport:
    uri = params.text_document.uri
    project = ls.owners.get(uri)
    items: list[types.Diagnostic] = []
    if project is not None:
        ls.pulling[uri] += 1
        try:
            await project.current()
        finally:
            ls.pulling[uri] -= 1
        result = project.result(uri)
        items = ls.painter(project).diagnostics(result).get(uri, []) if result is not None else []
    made = result_id(items)
    if params.previous_result_id == made:
        return types.RelatedUnchangedDocumentDiagnosticReport(made)
    return types.RelatedFullDocumentDiagnosticReport(items, result_id=made)


async def hovered(ls: ScanlintServer, params: types.HoverParams) -> types.Hover | None:
    uri = params.text_document.uri
    project = ls.owners.get(uri)
    if project is None:
        return None
    await project.current()
    result = project.result(uri)
    if result is None:
        return None
    line = result.text.at(uri).above + params.position.line + 1
    painter = ls.painter(project)
    if not under(params.position, result.starting(line, line), painter, result.text):
        return None
    offered = await project.offer(uri, line, line)
    found = under(params.position, offered, painter, result.text)
    return hover(found, painter.head(found[0], result.text)) if found else None


HANDLERS: dict[str, Callable[..., object]] = {
    types.INITIALIZE: initialize,
    types.INITIALIZED: initialized,
    types.SHUTDOWN: shutdown,
    types.WORKSPACE_DID_CHANGE_CONFIGURATION: did_change_configuration,
    types.TEXT_DOCUMENT_DID_OPEN: did_open,
    types.TEXT_DOCUMENT_DID_CHANGE: did_change,
    types.TEXT_DOCUMENT_DID_CLOSE: did_close,
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: did_change_watched_files,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: did_change_workspace_folders,
    types.NOTEBOOK_DOCUMENT_DID_OPEN: notebook_did_open,
    types.NOTEBOOK_DOCUMENT_DID_CHANGE: notebook_did_change,
    types.NOTEBOOK_DOCUMENT_DID_CLOSE: notebook_did_close,
    types.TEXT_DOCUMENT_HOVER: hovered,
}


def under(position: types.Position, findings: Sequence[Finding], painter: Painter, text: OpenText) -> list[Finding]:
    """The findings whose underlined part holds a position."""
    return [finding for finding in findings if _holds(painter.head(finding, text), position)]


def hover(findings: Sequence[Finding], area: types.Range) -> types.Hover:
    text = "\n\n---\n\n".join("\n\n".join(_parts(finding)) for finding in findings)
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), area)


def _parts(finding: Finding) -> Iterator[str]:
    summary = next((entry.summary for entry in entries() if entry.code == finding.code), "")
    page = page_of(finding.name)
    name = f"[{finding.name}]({page})" if page else finding.name
    yield f"**{name}**: {finding.message}"
    if finding.chain:
        yield f"{finding.reasons}:\n" + "\n".join(f"- {link}" for link in finding.chain)
    if finding.help:
        yield f"help: {finding.help}"
    yield f"*{fate(finding)}*"
    if finding.verification is not None and finding.verification.counterexample:
        yield f"counterexample:\n```\n{finding.verification.counterexample}\n```"
    if summary:
        yield f"{finding.code}: {summary}"


def _holds(area: types.Range, position: types.Position) -> bool:
    return area.start <= position <= area.end
