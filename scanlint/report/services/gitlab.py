"""GitLab's Code Quality report: the findings that are left, and what was not done."""

from __future__ import annotations

import hashlib
import json

from scanlint.finding import Finding, Level, Position
from scanlint.fix.fingerprint import fingerprints
from scanlint.problem import Problem
from scanlint.report.result import Result

SEVERITIES: dict[Level, str] = {"error": "critical", "warning": "major", "advice": "info"}


def render(result: Result) -> str:
    left = result.remaining
    marks = fingerprints(left, [result.line(finding) for finding in left])
    issues = [_issue(finding, mark) for finding, mark in zip(left, marks, strict=True)]
    return json.dumps([*issues, *map(_failure, result.problems)], indent=2) + "\n"


def _issue(finding: Finding, mark: tuple[str, ...]) -> dict[str, object]:
    start, end = finding.span
    return {
        "check_name": finding.name,
        "description": f"{finding.code} {finding.message}{_cell(finding)}",
        "severity": SEVERITIES[finding.level],
        "fingerprint": _digest(*mark),
        "location": {"path": finding.path, "positions": {"begin": _position(start), "end": _position(end)}},
    }


def _failure(problem: Problem) -> dict[str, object]:
    at = _position(Position(max(problem.line, 1), 1))
    return {
        "check_name": "run-failed",
        "description": str(problem),
        "severity": "critical",
        "fingerprint": _digest("run-failed", str(problem)),
        "location": {"path": problem.path or ".", "positions": {"begin": at, "end": at}},
    }


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _cell(finding: Finding) -> str:
    return f" (cell {finding.cell}, line {finding.start.line})" if finding.cell is not None else ""


def _position(position: Position) -> dict[str, int]:
    return {"line": position.line, "column": position.column}
