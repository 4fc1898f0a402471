"""The language server: the projects of the open files, and what is told of them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from scanlint import __version__
from scanlint.command.config import load
from scanlint.errors import UsageError
from scanlint.lsp.client_options import ClientOptions
from scanlint.lsp.diagnostics import Painter, result_id
from scanlint.lsp.exact_documents import Encoding
from scanlint.lsp.live_project import FileResult, LiveProject, OpenText
from scanlint.lsp.notebooks import SYNC
from scanlint.lsp.work_progress import WorkProgress
from scanlint.project.discovery.folders import excluded
from scanlint.project.summary import PROJECT_FILES
from scanlint.settings import Settings

LINGER = 60.0
"""Seconds that a project is held after its last file was closed."""


class ScanlintServer(LanguageServer):
    """One for all roots; `owners` are the projects of what is open, by the addresses of the client's texts."""

    def __init__(self) -> None:
        super().__init__("scanlint", __version__, types.TextDocumentSyncKind.Incremental, SYNC)
        self.options = ClientOptions()
        self.projects: dict[Path, LiveProject] = {}
        self.owners: dict[str, LiveProject] = {}
        self.opened: dict[str, OpenText] = {}
        self.watching = False
        self.pulling: Counter[str] = Counter()
        self._told: dict[str, str] = {}
        self._said: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._refreshing = False

    def shutdown(self) -> None:
        """End without waiting for what reads standard input: after a signal the client may still hold that open."""
        pool, self._thread_pool = self._thread_pool, None
        super().shutdown()  # type: ignore[no-untyped-call]
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)

    # -- what the client can do

    @property
    def encoding(self) -> Encoding:
        return self.workspace.position_encoding or types.PositionEncodingKind.Utf16

    @property
    def pulls(self) -> bool:
        """Whether the client asks for diagnostics: then they are not pushed too."""
        text = self.client_capabilities.text_document
        return text is not None and text.diagnostic is not None

    @property
    def lazy(self) -> bool:
        """Whether the client asks for the edit of an action when it is chosen."""
        text = self.client_capabilities.text_document
        support = text.code_action.resolve_support if text is not None and text.code_action is not None else None
        return support is not None and "edit" in support.properties

    @property
    def versioned(self) -> bool:
        space = self.client_capabilities.workspace
        edit = space.workspace_edit if space is not None else None
        return edit is not None and bool(edit.document_changes)

    def painter(self, project: LiveProject) -> Painter:
        text = self.client_capabilities.text_document
        publish = text.publish_diagnostics if text is not None else None
        pull = text.diagnostic if text is not None else None
        related = getattr(pull if self.pulls else publish, "related_information", None)
        return Painter(project, self.encoding, related is not False)

    # -- projects

    def put(self, text: OpenText) -> None:
        """A text was opened or has changed: it goes to its project, if it is not excluded."""
        new = text.uri not in self.opened
        self.opened[text.uri] = text
        project = self.owners.get(text.uri) if not new else self._project(text)
        if project is None:
            return
        for uri in (text.uri, *(sheet.uri for sheet in text.sheets)):
            self.owners[uri] = project
        project.put(text)

    def take(self, uri: str) -> None:
        """A text was closed: nothing is said of it any more."""
        text = self.opened.pop(uri, None)
        project = self.owners.get(uri)
        if text is None or project is None:
            return
        project.take(uri)
        self.forget({uri, *(sheet.uri for sheet in text.sheets)})
        if not project.texts:
            asyncio.get_running_loop().call_later(LINGER, self._drop, project)

    def forget(self, uris: set[str]) -> None:
        """Cells that are gone."""
        for uri in uris:
            self.owners.pop(uri, None)
            self._silence(uri)

    def reload(self) -> None:
        """Configurations may have changed: a project whose settings have is begun anew."""
        before, self.projects, self.owners = self.projects, {}, {}
        kept = dict(before)
        for text in self.opened.values():
            project = self._project(text, kept)
            if project is None:
                for sheet in text.sheets:
                    self._silence(sheet.uri)
                continue
            for uri in (text.uri, *(sheet.uri for sheet in text.sheets)):
                self.owners[uri] = project
            project.put(text)
        for project in before.values():
            if project not in self.projects.values():
                self._later(project.close())

    def _project(self, text: OpenText, kept: dict[Path, LiveProject] | None = None) -> LiveProject | None:
        """The project of a text, begun if need be: with its settings as they are now, or as they were while they last.

        `kept` are the projects that there were.
        """
        try:
            root = root_of(text.path, self.options, self._folders())
        except UsageError as error:
            self.report(str(error))
            return self._last_good(text, kept or self.projects)
        if root is None:
            return None
        settings = root.settings
        known = self.projects.get(settings.root) or (kept or {}).get(settings.root)
        if known is None or known.begin != (settings, root.whole):
            progress = partial(WorkProgress, self)
            known = LiveProject(settings, root.whole, self.tell, self.report, self.note, progress)
            known.watched = self.watching
        self.projects[settings.root] = known
        return known

    def _last_good(self, text: OpenText, projects: dict[Path, LiveProject]) -> LiveProject | None:
        """The project that a text was in before its configuration went wrong."""
        for root, project in projects.items():
            if text.uri in project.texts:
                self.projects[root] = project
                return project
        return None

    def _folders(self) -> list[Path]:
        uris = [folder.uri for folder in self.workspace.folders.values()] or [self.workspace.root_uri or ""]
        return [Path(path) for uri in uris if uri and (path := to_fs_path(uri))]

    def _drop(self, project: LiveProject) -> None:
        if not project.texts and self.projects.get(project.settings.root) is project:
            del self.projects[project.settings.root]
            self._later(project.close())

    def _later(self, work: Coroutine[None, None, None]) -> None:
        """Do something that nobody waits for."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # -- what is told

    def tell(self, project: LiveProject, result: FileResult) -> None:
        """Say what was found: by pushing it, or by asking the client to ask for what has changed without its doing."""
        changed = False
        for uri, items in self.painter(project).diagnostics(result).items():
            version = result.text.at(uri).version
            made = result_id(items) if self.pulls else f"{version} {result_id(items)}"
            if not self.pulls and self._told.get(uri) != made:
                self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, items, version))
            elif self.pulls and self._told.get(uri) != made and not self.pulling[uri]:
                changed = True
            self._told[uri] = made
        if changed and not self._refreshing:
            self._refreshing = True
            self._later(self._refresh())

    def report(self, problem: str) -> None:
        """Say what is wrong, once."""
        self._say_once(problem, types.MessageType.Error)

    def note(self, note: str) -> None:
        """Say what could not be looked at, once."""
        self._say_once(note, types.MessageType.Warning)

    def _say_once(self, text: str, kind: types.MessageType) -> None:
        if text not in self._said:
            self._said.add(text)
            self.show(text, kind)

    def show(self, text: str, kind: types.MessageType = types.MessageType.Info) -> None:
        self.window_show_message(types.ShowMessageParams(kind, f"scanlint: {text}"))

    async def _refresh(self) -> None:
        self._refreshing = False
        space = self.client_capabilities.workspace
        if space is not None and space.diagnostics is not None and space.diagnostics.refresh_support:
            await self.workspace_diagnostic_refresh_async(None)

    def _silence(self, uri: str) -> None:
        self._told.pop(uri, None)
        if not self.pulls:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))


class EditorRoot(NamedTuple):
    """The settings of a project; `whole`: there is a project around its files."""

    settings: Settings
    whole: bool


def root_of(path: Path, options: ClientOptions, folders: Sequence[Path]) -> EditorRoot | None:
    """The project of a file; None where the file is excluded. Raises UsageError for a configuration that is none."""
    settings = load(path, options.config, options.overrides)
    if options.config or (
        settings.source is None and not any((settings.root / name).is_file() for name in PROJECT_FILES)
    ):
        within = [folder for folder in folders if path.is_relative_to(folder)]
        settings = replace(settings, root=max(within, key=lambda f: len(f.parts), default=path.parent))
    if excluded(path, settings):
        return None
    return EditorRoot(settings, any((settings.root / name).exists() for name in PROJECT_FILES))
