"""The result of `scanlint verify --since` as plain data. Fields are added, never changed."""

from __future__ import annotations

from scanlint.history.comparisons import ComparedFunction
from scanlint.report.compared.since_result import WORDS, SinceResult, file_verdict
from scanlint.report.json import Json, verification


def document(result: SinceResult) -> Json:
    """The whole as plain data."""
    return {
        "version": 1,
        "revision": result.revision,
        "commit": result.commit,
        "functions": [_record(found) for found in result.functions],
        "files": [
            {
                "path": file.path,
                "line": file.line,
                "revision": result.commit if file.old else None,
                "verdict": file_verdict(file),
                "message": file.message,
            }
            for file in result.files
        ],
        "summary": {
            "functions": len(result.functions),
            **{word: result.counts[word] for word in WORDS},
            "programs_left_out": list(result.programs),
            "test_files_left_out": result.tests,
            "seconds": round(result.seconds, 3),
        },
    }


def _record(found: ComparedFunction) -> Json:
    change = found.change
    old = change.old if change.way != "removed" else None
    return {
        "path": change.key.path,
        "line": change.line,
        "function": change.key.name,
        "change": change.way,
        "old": {"path": old.path, "line": change.old_line, "function": old.name} if old is not None else None,
        "alike": change.alike if change.way in ("renamed", "moved") else None,
        "reaches": list(change.reaches),
        "verification": verification(found.verdict) if found.verdict is not None else None,
    }
