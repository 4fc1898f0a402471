"""SARIF 2.1.0, as code scanning services read it: what is left to do, with rules, related places and fixes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import quote

from scanlint import __version__
from scanlint.finding import Edit, Finding
from scanlint.report.result import Result
from scanlint.rules.registry import Entry

Json = dict[str, object]

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_PLACE = re.compile(r" at (?P<path>.+):(?P<line>\d+)$")


def render(result: Result, catalogue: tuple[Entry, ...]) -> str:
    index = {entry.code: number for number, entry in enumerate(catalogue)}
    driver: Json = {
        "name": "scanlint",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [_rule(entry) for entry in catalogue],
    }
    run: Json = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, index[finding.code]) for finding in result.remaining],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(entry: Entry) -> Json:
    return {
        "id": entry.code,
        "name": entry.name,
        "shortDescription": {"text": entry.summary or entry.name},
        "defaultConfiguration": {"enabled": entry.default, "level": "error"},
    }


def _result(finding: Finding, index: int) -> Json:
    text = f"{finding.message}; {finding.help}" if finding.help else finding.message
    record: Json = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": "error",
        "message": {"text": text},
        "locations": [{"physicalLocation": _location(finding.path, _region(finding))}],
    }
    related = [_related(number, link) for number, link in enumerate(finding.chain) if _PLACE.search(link)]
    if related:
        record["relatedLocations"] = related
    if finding.fix.edits:
        record["fixes"] = [_fix(finding)]
    return record


def _related(number: int, link: str) -> Json:
    place = _PLACE.search(link)
    assert place is not None
    location = _location(place["path"], {"startLine": int(place["line"])})
    return {"id": number, "physicalLocation": location, "message": {"text": link}}


def _fix(finding: Finding) -> Json:
    replacements = [{"deletedRegion": _deleted(e), "insertedContent": {"text": e.text}} for e in finding.fix.edits]
    change: Json = {"artifactLocation": {"uri": _uri(finding.path)}, "replacements": replacements}
    return {"description": {"text": finding.help or finding.message}, "artifactChanges": [change]}


def _deleted(edit: Edit) -> Json:
    return {
        "startLine": edit.start.line,
        "startColumn": edit.start.column,
        "endLine": edit.end.line,
        "endColumn": edit.end.column,
    }


def _region(finding: Finding) -> Json:
    return _deleted(Edit(finding.start, finding.end, ""))


def _location(path: str, region: Json) -> Json:
    return {"artifactLocation": {"uri": _uri(path)}, "region": region}


def _uri(path: str) -> str:
    return Path(path).as_uri() if Path(path).is_absolute() else quote(path)
