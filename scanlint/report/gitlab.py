"""GitLab's Code Quality report: the findings that are left."""

from __future__ import annotations

import hashlib
import json

from scanlint.finding import Finding, Position
from scanlint.fix.fingerprint import fingerprints
from scanlint.report.result import Result


def render(result: Result) -> str:
    left = result.remaining
    marks = fingerprints(left, [result.line(finding) for finding in left])
    return json.dumps([_issue(finding, mark) for finding, mark in zip(left, marks, strict=True)], indent=2) + "\n"


def _issue(finding: Finding, mark: tuple[str, ...]) -> dict[str, object]:
    start, end = finding.span
    return {
        "check_name": finding.name,
        "description": f"{finding.code} {finding.message}{_cell(finding)}",
        "severity": "major",
        "fingerprint": hashlib.sha256("\0".join(mark).encode()).hexdigest(),
        "location": {
            "path": finding.path,
            "positions": {"begin": _position(start), "end": _position(end)},
        },
    }


def _cell(finding: Finding) -> str:
    return f" (cell {finding.cell}, line {finding.start.line})" if finding.cell is not None else ""


def _position(position: Position) -> dict[str, int]:
    return {"line": position.line, "column": position.column}
