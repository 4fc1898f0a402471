"""Workflow commands of GitHub Actions: an annotation for each finding that is left, and for what was not done."""

from __future__ import annotations

from collections.abc import Mapping

from scanlint.finding import Finding, Level
from scanlint.problem import Problem
from scanlint.report.result import Result

COMMANDS: dict[Level, str] = {"error": "error", "warning": "warning", "advice": "notice"}


def render(result: Result) -> str:
    return "".join([*map(_command, result.remaining), *map(_failure, result.problems)])


def _command(finding: Finding) -> str:
    start, end = finding.span
    place = {"file": finding.path, "line": start.line, "endLine": end.line}
    if start.line == end.line:
        place |= {"col": start.column, "endColumn": end.column}
    spelled = _spelled({"title": f"scanlint ({finding.code} {finding.name})", **place})
    help = f"\n{finding.help}" if finding.help else ""
    return (
        f"::{COMMANDS[finding.level]} {spelled}::{_text(f'{finding.place}: {finding.code} {finding.message}{help}')}\n"
    )


def _failure(problem: Problem) -> str:
    """An annotation for what was not done, at the file that it is about."""
    place: dict[str, object] = {"file": problem.path} if problem.path else {}
    place |= {"line": problem.line} if problem.line else {}
    return f"::error {_spelled({'title': 'scanlint (the run failed)', **place})}::{_text(str(problem))}\n"


def _spelled(fields: Mapping[str, object]) -> str:
    return ",".join(f"{key}={_field(str(value))}" for key, value in fields.items())


def _text(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _field(text: str) -> str:
    return _text(text).replace(":", "%3A").replace(",", "%2C")
