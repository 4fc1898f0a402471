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
    return {
        "check_name": finding.name,
        "description": f"{finding.code} {finding.message}",
        "severity": "major",
        "fingerprint": hashlib.sha256("\0".join(mark).encode()).hexdigest(),
        "location": {
            "path": finding.path,
            "positions": {"begin": _position(finding.start), "end": _position(finding.end)},
        },
    }


def _position(position: Position) -> dict[str, int]:
    return {"line": position.line, "column": position.column}
