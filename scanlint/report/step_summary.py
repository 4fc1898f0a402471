"""The summary of a step of GitHub Actions, in Markdown: counts per rule, and each finding that is left."""

from __future__ import annotations

from scanlint.finding import Finding
from scanlint.report.closing import summary
from scanlint.report.result import Result
from scanlint.report.statistics import rows

MOST = 50


def render(result: Result) -> str:
    lines = ["### scanlint", "", f"{summary(result)}.", ""]
    lines += [*(f"- {_cell(str(problem))}" for problem in result.problems), ""] if result.problems else []
    if result.remaining:
        lines += ["| rule | findings |", "| --- | ---: |"]
        lines += [f"| {name} ({code}) | {count} |" for count, code, name, _, _ in rows(result)]
        lines += ["", "| place | finding |", "| --- | --- |"]
        lines += [_row(finding) for finding in result.remaining[:MOST]]
        if (more := len(result.remaining) - MOST) > 0:
            lines.append(f"| | and {more} more |")
    return "\n".join(lines) + "\n\n"


def _row(finding: Finding) -> str:
    return f"| {_cell(finding.place)} | {_cell(finding.message)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
