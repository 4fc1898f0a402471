"""What the baseline knows is left out; it is written or pruned where that is asked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from scanlint.command.request import Request
from scanlint.errors import UsageError
from scanlint.fix.write import NotWritten
from scanlint.problem import Problem
from scanlint.report.console import err
from scanlint.report.result import Result, plural
from scanlint.settings import Settings


def baseline_file(settings: Settings) -> Path:
    """The baseline that is to be written. Raises UsageError if none was named."""
    if settings.baseline is None:
        raise UsageError("--write-baseline and --prune-baseline need the file: --baseline FILE")
    return settings.baseline


def baselined(result: Result, request: Request, settings: Settings, problems: list[Problem]) -> Result:
    """Leave out what the baseline knows; write or prune the baseline where that is asked."""
    if settings.baseline is None:
        return result
    from scanlint.fix import baseline

    found = baseline.marks(result.findings, result.line, settings.baseline)
    known = frozenset(found) if request.write_baseline else baseline.read(settings.baseline)
    if request.prune_baseline:
        known = baseline.prune(known, found, request.paths, settings.baseline)
    if request.write_baseline or request.prune_baseline:
        try:
            baseline.save(settings.baseline, known)
            if not request.quiet:
                err(f"{settings.baseline}: {plural(len(known), 'known finding')}\n")
        except NotWritten as error:
            problems.append(error.problem)
    pairs = zip(result.findings, found, strict=True)
    left = tuple(finding for finding, mark in pairs if mark not in known or finding.fix.status == "applied")
    return replace(result, findings=left)
