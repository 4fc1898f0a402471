"""What is shown of a finding under the cursor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsprotocol import types

from scanlint.finding import Finding
from scanlint.lsp.diagnostics import Painter, fate, page_of
from scanlint.lsp.live_project import OpenText
from scanlint.rules.registry import entries


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
