"""Reviewdog's Diagnostic Format: what is left to do, for comments on a change under review.

Columns count bytes of UTF-8 from 1, as the format has it: https://github.com/reviewdog/reviewdog/tree/master/proto/rdf
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from scanlint.finding import Edit, Finding, Level, Position
from scanlint.problem import Problem
from scanlint.report.result import Result

Json = dict[str, object]
SEVERITIES: dict[Level, str] = {"error": "ERROR", "warning": "WARNING", "advice": "INFO"}


def render(result: Result) -> str:
    found = [_diagnostic(finding, result.lines(finding)) for finding in result.remaining]
    document: Json = {"source": {"name": "scanlint"}, "diagnostics": [*found, *map(_failure, result.problems)]}
    return json.dumps(document, indent=2) + "\n"


def _diagnostic(finding: Finding, lines: Sequence[str]) -> Json:
    cell = f"cell {finding.cell}, line {finding.start.line}: " if finding.cell is not None else ""
    text = f"{cell}{finding.message}" + (f"; {finding.help}" if finding.help else "")
    place: Json = {"path": finding.path}
    suggestions: list[Json] = []
    if finding.cell is None:
        place["range"] = _range(*finding.span, lines)
        suggestions = [_suggestion(edit, lines) for edit in finding.fix.edits]
    return {
        "message": text,
        "location": place,
        "severity": SEVERITIES[finding.level],
        "code": {"value": finding.code},
        **({"suggestions": suggestions} if suggestions else {}),
    }


def _suggestion(edit: Edit, lines: Sequence[str]) -> Json:
    return {"range": _range(edit.start, edit.end, lines), "text": edit.text}


def _failure(problem: Problem) -> Json:
    place: Json = {"path": problem.path or "."}
    if problem.line:
        place["range"] = {"start": {"line": problem.line}}
    return {"message": str(problem), "location": place, "severity": "ERROR"}


def _range(start: Position, end: Position, lines: Sequence[str]) -> Json:
    return {"start": _position(start, lines), "end": _position(end, lines)}


def _position(at: Position, lines: Sequence[str]) -> Json:
    line = lines[at.line - 1] if 0 < at.line <= len(lines) else ""
    return {"line": at.line, "column": len(line[: at.column - 1].encode()) + 1 if line else at.column}
