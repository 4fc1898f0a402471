"""SARIF 2.1.0, as code scanning services read it: what is left to do, with rules, related places and fixes."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from urllib.parse import quote

from scanlint import __version__
from scanlint.finding import Edit, Finding, Level, Link
from scanlint.fix.fingerprint import fingerprints
from scanlint.problem import Problem
from scanlint.report.result import Result
from scanlint.rules.registry import Entry

Json = dict[str, object]

HOME = "https://github.com/OWNER/scanlint"
ROOT = "SRCROOT"
SARIF: dict[Level, str] = {"error": "error", "warning": "warning", "advice": "note"}
SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def render(result: Result, catalogue: tuple[Entry, ...]) -> str:
    left = result.remaining
    index = {entry.code: number for number, entry in enumerate(catalogue)}
    driver: Json = {
        "name": "scanlint",
        "informationUri": HOME,
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [_rule(entry) for entry in catalogue],
    }
    run: Json = {
        "tool": {"driver": driver},
        "originalUriBaseIds": {ROOT: {"uri": f"{Path.cwd().as_uri()}/"}},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(result)],
        "results": [
            _result(finding, index[finding.code], mark)
            for finding, mark in zip(left, fingerprints(left, [result.line(f) for f in left]), strict=True)
        ],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _invocation(result: Result) -> Json:
    """Whether all was done that was asked for, and what was not."""
    notices = [*map(_notice, result.problems), *({"level": "note", "message": {"text": n}} for n in result.notes)]
    return {"executionSuccessful": not result.problems, "toolExecutionNotifications": notices}


def _notice(problem: Problem) -> Json:
    notice: Json = {"level": "error", "message": {"text": str(problem)}}
    if problem.path:
        region: Json = {"region": {"startLine": problem.line}} if problem.line else {}
        notice["locations"] = [{"physicalLocation": {"artifactLocation": _artifact(problem.path), **region}}]
    return notice


def _rule(entry: Entry) -> Json:
    return {
        "id": entry.code,
        "name": entry.name,
        "shortDescription": {"text": entry.summary or entry.name},
        "defaultConfiguration": {"enabled": True, "level": SARIF[entry.level]},
    }


def _result(finding: Finding, index: int, mark: tuple[str, ...]) -> Json:
    text = f"{finding.message}; {finding.help}" if finding.help else finding.message
    text = text if finding.cell is None else f"cell {finding.cell}, line {finding.start.line}: {text}"
    record: Json = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": SARIF[finding.level],
        "message": {"text": text},
        "locations": [{"physicalLocation": _location(finding.path, _region(finding))}],
        "partialFingerprints": {"scanlint/v1": hashlib.sha256("\0".join(mark).encode()).hexdigest()},
    }
    if finding.chain:
        record["relatedLocations"] = [{"id": n, **_step(link)} for n, link in enumerate(finding.chain)]
        record["codeFlows"] = [_flow(finding)]
    if finding.fix.edits and finding.cell is None:
        record["fixes"] = [_fix(finding)]
    return record


def _step(link: Link) -> Json:
    region: Json = {"startLine": link.line, "startColumn": link.column} if link.cell is None else {"startLine": 1}
    return {"physicalLocation": _location(link.path, region), "message": {"text": link.text}}


def _flow(finding: Finding) -> Json:
    """The chain from where tracing begins to the finding."""
    last: Json = {"physicalLocation": _location(finding.path, _region(finding)), "message": {"text": finding.message}}
    steps = [*(_step(link) for link in reversed(finding.chain)), last]
    return {"threadFlows": [{"locations": [{"location": step} for step in steps]}]}


def _fix(finding: Finding) -> Json:
    replacements = [{"deletedRegion": _deleted(e), "insertedContent": {"text": e.text}} for e in finding.fix.edits]
    change: Json = {"artifactLocation": _artifact(finding.path), "replacements": replacements}
    return {"description": {"text": finding.help or finding.message}, "artifactChanges": [change]}


def _deleted(edit: Edit) -> Json:
    return {
        "startLine": edit.start.line,
        "startColumn": edit.start.column,
        "endLine": edit.end.line,
        "endColumn": edit.end.column,
    }


def _region(finding: Finding) -> Json:
    return _deleted(Edit(*finding.span, ""))


def _location(path: str, region: Json) -> Json:
    return {"artifactLocation": _artifact(path), "region": region}


def _artifact(path: str) -> Json:
    """A file: relative to the root of the run where it lies below."""
    if Path(path).is_absolute():
        return {"uri": Path(path).as_uri()}
    return {"uri": quote(path), "uriBaseId": ROOT}
