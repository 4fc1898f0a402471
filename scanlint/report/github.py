"""Workflow commands of GitHub Actions: an annotation for each finding that is left."""

from __future__ import annotations

from scanlint.finding import Finding
from scanlint.report.result import Result


def render(result: Result) -> str:
    return "".join(_command(finding) for finding in result.remaining)


def _command(finding: Finding) -> str:
    start, end = finding.span
    place = {"file": finding.path, "line": start.line, "endLine": end.line}
    if start.line == end.line:
        place |= {"col": start.column, "endColumn": end.column}
    fields = {"title": f"scanlint ({finding.code} {finding.name})", **place}
    spelled = ",".join(f"{key}={_field(str(value))}" for key, value in fields.items())
    help = f"\n{finding.help}" if finding.help else ""
    return f"::error {spelled}::{_text(f'{finding.place}: {finding.code} {finding.message}{help}')}\n"


def _text(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _field(text: str) -> str:
    return _text(text).replace(":", "%3A").replace(",", "%2C")
