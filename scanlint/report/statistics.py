"""Counts per rule instead of the findings themselves."""

from __future__ import annotations

import json
from collections import Counter

from scanlint.report.result import Result

Row = tuple[int, str, str, int, int]


def render(result: Result) -> str:
    """Most frequent first: count, code, name, and how many of them have a rewrite or got one."""
    told = f"{len(result.problems):>5}  not done, see the errors\n" if result.problems else ""
    return "".join(_line(row) for row in rows(result)) + told


def render_json(result: Result) -> str:
    """Counts per rule as JSON; what was not done is a row without a code."""
    keys = ("count", "code", "name", "fixable", "fixed")
    failed: list[tuple[object, ...]] = [(len(result.problems), None, "not-done", 0, 0)] if result.problems else []
    return json.dumps([dict(zip(keys, row, strict=True)) for row in [*rows(result), *failed]], indent=2) + "\n"


def rows(result: Result) -> list[Row]:
    """(count, code, name, fixable, fixed) per rule, most frequent first."""
    counts = Counter((finding.code, finding.name) for finding in result.findings)
    status = Counter((finding.code, finding.fix.status) for finding in result.findings)
    found = [
        (count, code, name, status[code, "available"], status[code, "applied"])
        for (code, name), count in counts.items()
    ]
    return sorted(found, key=lambda row: (-row[0], row[1]))


def _line(row: Row) -> str:
    count, code, name, fixable, fixed = row
    parts = [f"{fixable} fixable"] if fixable else []
    parts += [f"{fixed} fixed"] if fixed else []
    mark = f"  [{', '.join(parts)}]" if parts else ""
    return f"{count:>5}  {code}  {name}{mark}\n"
