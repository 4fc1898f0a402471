"""Workflow commands of GitHub Actions: an annotation for each finding that is left."""

from __future__ import annotations

from scanlint.finding import Finding
from scanlint.report.result import Result


def render(result: Result) -> str:
    return "".join(_command(finding) for finding in result.remaining)


def _command(finding: Finding) -> str:
    place = {"file": finding.path, "line": finding.start.line, "endLine": finding.end.line}
    if finding.start.line == finding.end.line:
        place |= {"col": finding.start.column, "endColumn": finding.end.column}
    fields = {"title": f"scanlint ({finding.code} {finding.name})", **place}
    spelled = ",".join(f"{key}={_field(str(value))}" for key, value in fields.items())
    where = f"{finding.path}:{finding.start.line}:{finding.start.column}"
    help = f"\n{finding.help}" if finding.help else ""
    return f"::error {spelled}::{_text(f'{where}: {finding.code} {finding.message}{help}')}\n"


def _text(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _field(text: str) -> str:
    return _text(text).replace(":", "%3A").replace(",", "%2C")
