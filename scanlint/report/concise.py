"""One line per finding: `path:line:column: SCN101 message`."""

from __future__ import annotations

from collections.abc import Iterator

from scanlint.finding import Finding
from scanlint.report.paint import Paint
from scanlint.report.result import Notes, Result, fate, written


def render(result: Result, paint: Paint) -> str:
    return "".join(f"{_line(finding, result, paint)}\n" for finding in result.findings)


def rewrites(result: Result, paint: Paint) -> str:
    """One line per finding that says what became of its rewrite, what is left first: goes with a diff.

    What the verifier noted stands below, once per function; about what was rewritten, only where all is asked for.
    """
    notes = Notes()
    listed = (*result.remaining, *result.applied)
    return "".join(f"{line}\n" for finding in listed for line in _rewrite(finding, result, paint, notes))


def _rewrite(finding: Finding, result: Result, paint: Paint, notes: Notes) -> Iterator[str]:
    code = paint.grave(finding.code, finding.level)
    yield f"{_place(finding, paint)} {code} {finding.name}{_became(finding, result)}"
    if counterexample := _counterexample(finding):
        yield f"    counterexample: {counterexample}"
    if result.verbose or finding.fix.status != "applied":
        yield from (f"    note: {note}" for note in notes.of(finding))


def _became(finding: Finding, result: Result) -> str:
    if finding.fix.status != "applied":
        return f": {fate(finding, result.action) or finding.message}"
    return written(finding)


def _line(finding: Finding, result: Result, paint: Paint) -> str:
    counterexample = _counterexample(finding)
    became = fate(finding, result.action) if counterexample or finding.fix.status == "applied" else None
    mark = f" [{': '.join(filter(None, (became, counterexample)))}]" if became else ""
    return f"{_place(finding, paint)} {paint.grave(finding.code, finding.level)} {finding.message}{mark}"


def _counterexample(finding: Finding) -> str:
    """The counterexample that refuted a rewrite, on one line."""
    found = finding.verification.counterexample if finding.verification else None
    return " ".join(found.split()) if found else ""


def _place(finding: Finding, paint: Paint) -> str:
    return f"{paint.bold(finding.path)}{finding.place.removeprefix(finding.path)}:"
