"""Findings as the protocol has them."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from lsprotocol import types

from scanlint.command.catalogue import page_file
from scanlint.finding import Finding, Level, Link, Position
from scanlint.lsp.exact_documents import Encoding, TextIndex
from scanlint.lsp.live_project import FileResult, LiveProject, OpenText, Sheet
from scanlint.report.result import evidence

SOURCE = "scanlint"
SEVERITIES: dict[Level, types.DiagnosticSeverity] = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "advice": types.DiagnosticSeverity.Hint,
}
UNUSED = ("unused-ignore", "dummy-xs", "discarded-ys")


class Painter(NamedTuple):
    """Makes the diagnostics of the files of a project; `links`: the client shows related places."""

    project: LiveProject
    encoding: Encoding
    links: bool

    def diagnostics(self, result: FileResult) -> dict[str, list[types.Diagnostic]]:
        """The diagnostics by the client's texts; a text without findings has an empty list."""
        made: dict[str, list[types.Diagnostic]] = {sheet.uri: [] for sheet in result.text.sheets}
        for finding in (*result.found.findings, *result.found.kept):
            made[result.text.sheet(finding.start.line).uri].append(self.diagnostic(finding, result))
        return made

    def diagnostic(self, finding: Finding, result: FileResult) -> types.Diagnostic:
        page = page_of(finding.name)
        return types.Diagnostic(
            range=self.head(finding, result.text),
            message=f"{finding.message}\nhelp: {finding.help}" if finding.help else finding.message,
            severity=SEVERITIES[finding.level],
            code=finding.name,
            code_description=types.CodeDescription(page) if page else None,
            source=SOURCE,
            tags=[types.DiagnosticTag.Unnecessary] if finding.name in UNUSED else None,
            related_information=[self._related(link, result) for link in finding.chain] if self.links else None,
            data={"code": finding.code, "line": finding.start.line, "column": finding.start.column},
        )

    def head(self, finding: Finding, text: OpenText) -> types.Range:
        """The range that is underlined: the part of a finding that stands on its first line, without a comment."""
        sheet = text.sheet(finding.start.line)
        index = TextIndex(sheet.text, self.encoding)
        start, end = (place._replace(line=place.line - sheet.above) for place in (finding.start, finding.end))
        if end.line != start.line:
            line = index.line(start.line).partition("  #")[0].rstrip()
            end = start._replace(column=max(len(line) + 1, start.column + 1))
        return index.range(start, end)

    def _related(self, link: Link, result: FileResult) -> types.DiagnosticRelatedInformation:
        path = self.project.settings.root / link.path
        known = (result.text, *self.project.texts.values())
        text = next((text for text in known if text.path == path), None)
        sheet = text.sheet(link.line) if text is not None else Sheet(path.as_uri(), None, _read(path))
        lines = TextIndex(sheet.text, self.encoding)
        start = lines.position(lines.place_offset(Position(link.line - sheet.above, link.column)))
        return types.DiagnosticRelatedInformation(types.Location(sheet.uri, types.Range(start, start)), link.text)


def _read(path: Path) -> str:
    """The text of a file that is not open, to count the units of its lines."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):  # the place is shown with the columns of its line as they are
        return ""


@cache
def page_of(name: str) -> str | None:
    """The address of a rule's page."""
    file = page_file(name)
    return file.absolute().as_uri() if file is not None else None


def result_id(items: list[types.Diagnostic]) -> str:
    """A digest of diagnostics: the client has them already where it is the same."""
    return hashlib.blake2b(repr(items).encode("utf-8", "backslashreplace"), digest_size=8).hexdigest()


def fate(finding: Finding) -> str:
    """The fate of a finding's rewrite, or what it would be."""
    verified = evidence(finding.verification) if finding.verification is not None else ""
    match finding.fix.status:
        case "available" | "applied":
            return f"can be rewritten: {verified}" if verified else "can be rewritten, once that is verified"
        case "withheld":
            return f"not rewritten: {finding.fix.reason or verified}"
    return f"no rewrite: {finding.fix.reason}" if finding.fix.reason else "no rewrite"
