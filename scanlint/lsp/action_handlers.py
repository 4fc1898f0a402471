"""Code actions and commands: user code runs only in what stands here, and only because the user asked for it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import cast

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from scanlint.finding import Finding
from scanlint.jitting.targets import begins_at
from scanlint.lsp.code_actions import FIX_ALL, JIT, QUICK, Actions, Json, ignoring, meant, runs
from scanlint.lsp.diagnostics import fate
from scanlint.lsp.fix_jobs import FixJobs, with_verdicts
from scanlint.lsp.frames import Fixed
from scanlint.lsp.language_server import ScanlintServer
from scanlint.lsp.live_project import FileResult, LiveProject
from scanlint.report.result import evidence, plural
from scanlint.syntax.edits import line_edits

OPTIONS = types.CodeActionOptions(code_action_kinds=[QUICK, JIT, FIX_ALL], resolve_provider=True)
Command = Callable[..., Awaitable[None]]
Known = tuple[LiveProject, FileResult]


def register(server: ScanlintServer) -> None:
    """Have the server answer."""
    handlers = ActionHandlers(server)

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, OPTIONS)
    async def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        return await handlers.actions(params)

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolve(action: types.CodeAction) -> types.CodeAction:
        return await handlers.resolve(action)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveTextDocumentParams) -> None:
        handlers.did_save(params)

    @server.feature(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
    def cancel(params: types.WorkDoneProgressCancelParams) -> None:
        handlers.jobs.cancelled(params)

    commands: dict[str, Command] = {
        "fix": handlers.fix,
        "fixAll": handlers.fix_all,
        "jit": handlers.jit,
        "verify": handlers.verify,
        "why": handlers.why,
    }
    for name, command in commands.items():
        server.command(f"scanlint.{name}")(_taking_all(command))


def _taking_all(command: Command) -> Command:
    """A command whose arguments are taken as they come."""

    async def run(ls: ScanlintServer, *arguments: object) -> None:
        await command(*arguments)

    return run


class ActionHandlers:
    """The handlers, with the jobs that run."""

    def __init__(self, server: ScanlintServer) -> None:
        self.server = server
        self.jobs = FixJobs(server)
        self._saved: asyncio.Task[None] | None = None

    # -- code actions

    async def actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        uri, only = params.text_document.uri, params.context.only
        known = await self._known(uri)
        if known is None:
            return []
        project, result = known
        actions = self._of(project, result)
        made: list[types.CodeAction] = []
        if _asked(QUICK, only):
            above = result.text.at(uri).above + 1
            first, last = above + params.range.start.line, above + params.range.end.line
            made += actions.of(await project.offer(uri, first, last))
        if _asked(JIT, only) and not result.text.cells and self.server.options.verify != "off":
            function = begins_at(result.text.text, params.range.start.line + 1)
            made += [actions.jit(function)] if function is not None else []
        fixable = any(
            f.fix.status == "available" and runs(f, self.server.options.verify) for f in result.found.findings
        )
        if _asked(FIX_ALL, only) and fixable and self.server.options.verify != "off":
            made.append(actions.fix_all())
        return made

    async def resolve(self, action: types.CodeAction) -> types.CodeAction:
        """The action with its edit; without, where it was not verified: then the reason is shown."""
        data = cast("Json", action.data) if isinstance(action.data, dict) else {}
        uri = str(data.get("uri"))
        known = await self._known(uri)
        if known is None or known[1].text.at(uri).version != data.get("version"):
            raise JsonRpcException("the text has changed meanwhile", types.LSPErrorCodes.ContentModified)
        project, result = known
        finding = meant(result.found.findings, data)
        match data.get("do"):
            case "ignore" if finding is not None:
                text = result.text
                action.edit = self._of(project, result).edit(ignoring(text.text, finding))
            case "fix" if finding is not None:
                action.edit, verdict = await self._rewritten(project, result, finding)
                action.title = f"{action.title} [{verdict}]" if verdict else action.title
            case "jit":
                action.edit = await self._jitted(project, result, str(data.get("function")))
            case "fixAll":
                action.edit, verdict = await self._rewritten(project, result, None)
                action.title = f"{action.title} [{verdict}]" if verdict else action.title
        return action

    # -- commands

    async def fix(self, uri: str, where: object) -> None:
        """Rewrite one finding, where that verifies."""
        await self._apply(uri, cast("Json", where))

    async def fix_all(self, uri: str, *rest: object) -> None:
        """Rewrite everything in a file that verifies."""
        await self._apply(uri, None)

    async def jit(self, uri: str, where: object) -> None:
        """Make a function run under `jax.jit`, where that verifies."""
        known = await self._known(uri)
        edit = await self._jitted(*known, str(cast("Json", where).get("function"))) if known is not None else None
        if edit is not None:
            await self.server.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit, "scanlint: jitted"))

    async def verify(self, uri: str, *rest: object) -> None:
        """Verify the rewrites of a file without making them: hovers and actions tell the verdicts from then on."""
        known = await self._known(uri)
        fixed = await self.jobs.run(known[0], known[1].text, None) if known is not None else None
        if known is None or fixed is None:
            return
        self._learn(*known, fixed)
        good = sum(f.fix.status == "applied" for f in fixed.findings)
        bad = sum(f.fix.status == "withheld" for f in fixed.findings)
        self.server.show(f"{plural(good, 'rewrite')} verified, {bad} withheld")

    async def why(self, uri: str, where: object) -> None:
        """Show why a finding is not rewritten."""
        known = await self._known(uri)
        finding = meant(known[1].found.findings, cast("Json", where)) if known is not None else None
        if known is None or finding is None:
            return
        sheet = known[1].text.at(uri)
        offered = await known[0].offer(sheet.uri, finding.start.line, finding.start.line)
        self.server.show(fate(meant(offered, cast("Json", where)) or finding))

    def did_save(self, params: types.DidSaveTextDocumentParams) -> None:
        """Verify what was saved, where the user wants that; a later save takes the place of an earlier one."""
        from scanlint.lsp.text_handlers import did_save

        did_save(self.server, params)
        if self.server.options.verify == "on-save" and params.text_document.uri in self.server.owners:
            if self._saved is not None:
                self._saved.cancel()
            self._saved = asyncio.ensure_future(self._verify_saved(params.text_document.uri))

    async def _verify_saved(self, uri: str) -> None:
        known = await self._known(uri)
        if known is None or not any(f.fix.status == "available" for f in known[1].found.findings):
            return
        fixed = await self.jobs.run(known[0], known[1].text, None)
        if fixed is not None:
            self._learn(*known, fixed)

    # -- rewriting

    async def _apply(self, uri: str, where: Json | None) -> None:
        known = await self._known(uri)
        finding = meant(known[1].found.findings, where) if known is not None and where is not None else None
        if known is None or (where is not None and finding is None):
            return
        edit, verdict = await self._rewritten(*known, finding)
        if edit is not None:
            await self.server.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit, f"scanlint: {verdict}"))

    async def _rewritten(
        self, project: LiveProject, result: FileResult, finding: Finding | None
    ) -> tuple[types.WorkspaceEdit | None, str]:
        """The edit of one finding, or of all, and the verdict; no edit where nothing was verified."""
        actions = self._of(project, result)
        if finding is not None and not runs(finding, self.server.options.verify):
            return actions.edit(finding.fix.edits), ""
        fixed = await self.jobs.run(project, result.text, finding)
        if fixed is None:
            return None, ""
        self._learn(project, result, fixed)
        for problem in fixed.problems:
            self.server.report(str(problem))
        applied = [f for f in fixed.findings if f.fix.status == "applied"]
        if not applied:
            self.server.show("; ".join(dict.fromkeys(map(fate, fixed.findings))), types.MessageType.Warning)
            return None, ""
        verdicts = [evidence(f.verification) for f in applied if f.verification is not None]
        verdict = verdicts[0] if len(verdicts) == 1 else f"{plural(len(applied), 'finding')} verified"
        return actions.edit(line_edits(result.text.text, fixed.text)), verdict

    async def _jitted(self, project: LiveProject, result: FileResult, function: str) -> types.WorkspaceEdit | None:
        """The edit that makes a function run under `jax.jit`; where there is none, what is in the way is shown."""
        jitted = await self.jobs.jit(project, result.text, function)
        if jitted is None:
            return None
        if jitted.text is None:
            self.server.show(jitted.said, types.MessageType.Warning)
            return None
        self.server.show(jitted.said.partition("\n")[0])
        return self._of(project, result).edit(line_edits(result.text.text, jitted.text))

    def _learn(self, project: LiveProject, result: FileResult, fixed: Fixed) -> None:
        """Keep the verdicts with the findings, while the text is what it was."""
        now = project.results.get(result.text.uri)
        if now is not None and now.text == project.texts.get(result.text.uri) == result.text:
            learned = now._replace(found=with_verdicts(now.found, fixed.findings))
            project.results[result.text.uri] = learned
            self.server.tell(project, learned)

    async def _known(self, uri: str) -> Known | None:
        """What is found in a text as it is now."""
        project = self.server.owners.get(uri)
        if project is None:
            return None
        await project.current()
        result = project.result(uri)
        return (project, result) if result is not None else None

    def _of(self, project: LiveProject, result: FileResult) -> Actions:
        server = self.server
        painter = server.painter(project)
        return Actions(painter, result, server.options.verify, server.lazy, server.versioned)


def _asked(kind: str, only: Sequence[types.CodeActionKind | str] | None) -> bool:
    """Whether the client wants actions of a kind: all but those of `source` where it does not say."""
    if only is None:
        return True
    name = str(getattr(kind, "value", kind))
    return any(name == wanted or name.startswith(f"{wanted}.") for o in only for wanted in [getattr(o, "value", o)])
