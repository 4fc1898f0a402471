"""Offers what can be done about findings: rewrite, ignore, say why not. Edits are made when an action is chosen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lsprotocol import types

from scanlint.engine.suppress import add_ignores, ignorable
from scanlint.finding import Edit, Finding
from scanlint.lsp.client_options import Verify
from scanlint.lsp.diagnostics import Painter
from scanlint.lsp.exact_documents import Encoding, TextIndex
from scanlint.lsp.live_project import FileResult, OpenText, Sheet
from scanlint.report.result import evidence
from scanlint.syntax.edits import line_edits, moved

FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.scanlint"
JIT = types.CodeActionKind.RefactorRewrite
QUICK = types.CodeActionKind.QuickFix
Json = dict[str, object]


class Actions(NamedTuple):
    """Makes the actions of one file; `lazy`: the client asks for the edit of the one that is chosen."""

    painter: Painter
    result: FileResult
    verify: Verify
    lazy: bool
    versioned: bool

    def of(self, findings: Sequence[Finding]) -> Iterator[types.CodeAction]:
        """The actions on findings, a rewrite first."""
        for finding in findings:
            if finding.fix.status == "available":
                yield self._rewrite(finding)
            elif finding.fix.status == "withheld":
                yield self._why(finding)
        for finding in filter(ignorable, findings):
            yield self._ignore(finding)

    def fix_all(self) -> types.CodeAction:
        """Everything in the file that verifies."""
        title = "scanlint: rewrite all that verifies in this file"
        return self._lazy(types.CodeAction(title, kind=FIX_ALL), {"do": "fixAll"}, "scanlint.fixAll")

    def jit(self, function: str) -> types.CodeAction:
        """A function made to run under `jax.jit`, with what it calls."""
        action = types.CodeAction(f"scanlint: make {function} run under jax.jit", kind=JIT)
        return self._lazy(action, {"do": "jit", "function": function}, "scanlint.jit")

    def edit(self, edits: Sequence[Edit]) -> types.WorkspaceEdit:
        return workspace_edit(self.result.text, edits, self.painter.encoding, self.versioned)

    def _rewrite(self, finding: Finding) -> types.CodeAction:
        known = finding.verification
        verdict = f" [{evidence(known)}]" if known else "" if runs(finding, self.verify) else " (not verified)"
        action = self._action(f"scanlint: {finding.help or 'remove it'}{verdict}", finding)
        action.is_preferred = True
        if not runs(finding, self.verify):
            action.edit = self.edit(finding.fix.edits)
            return action
        return self._lazy(action, {"do": "fix", **place(finding)}, "scanlint.fix")

    def _why(self, finding: Finding) -> types.CodeAction:
        action = self._action(f"scanlint: why {finding.name} is not rewritten", finding)
        action.command = types.Command(action.title, "scanlint.why", arguments=[self.result.text.uri, place(finding)])
        return action

    def _ignore(self, finding: Finding) -> types.CodeAction:
        action = self._action(f"scanlint: ignore {finding.name} here", finding)
        if self.lazy:
            action.data = {**self._where, "do": "ignore", **place(finding)}
        else:
            action.edit = self.edit(ignoring(self.result.text.text, finding))
        return action

    def _action(self, title: str, finding: Finding) -> types.CodeAction:
        diagnostic = self.painter.diagnostic(finding, self.result)
        return types.CodeAction(title, kind=QUICK, diagnostics=[diagnostic])

    def _lazy(self, action: types.CodeAction, data: Json, command: str) -> types.CodeAction:
        """An action whose edit is made when it is chosen: by resolving it, or by its command."""
        if self.lazy:
            action.data = {**self._where, **data}
        else:
            action.command = types.Command(action.title, command, arguments=[self.result.text.uri, data])
        return action

    @property
    def _where(self) -> Json:
        return {"uri": self.result.text.uri, "version": self.result.text.version}


def runs(finding: Finding, verify: Verify) -> bool:
    """Whether the rewrite of a finding runs code before it is made: that a comment is in vain needs no proof."""
    return verify != "off" and finding.code != "SCN901"


def ignoring(text: str, finding: Finding) -> tuple[Edit, ...]:
    return line_edits(text, add_ignores(text, [finding]))


def place(finding: Finding) -> Json:
    """The key that tells a finding of a text from the others."""
    return {"code": finding.code, "line": finding.start.line, "column": finding.start.column}


def meant(findings: Sequence[Finding], said: Json) -> Finding | None:
    """The finding that such a place speaks of."""
    return next((f for f in findings if place(f).items() <= said.items()), None)


def workspace_edit(text: OpenText, edits: Sequence[Edit], encoding: Encoding, versioned: bool) -> types.WorkspaceEdit:
    """Edits of one file, or of the cells of a notebook, for the version of the text that they were made for."""
    made: dict[Sheet, list[types.TextEdit]] = {}
    for edit in edits:
        sheet = text.sheet(edit.start.line)
        made.setdefault(sheet, []).append(TextIndex(sheet.text, encoding).edit(moved(edit, -sheet.above)))
    if not versioned:
        return types.WorkspaceEdit(changes={sheet.uri: listed for sheet, listed in made.items()})
    changes = [
        types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(sheet.uri, sheet.version), list(listed))
        for sheet, listed in made.items()
    ]
    return types.WorkspaceEdit(document_changes=list(changes))
