"""Leaves out the findings that the baseline knows; writes or prunes it where that is asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from scanlint.command.request import Request
from scanlint.engine.suppress import unparsed
from scanlint.errors import UsageError, listed
from scanlint.fix import baseline
from scanlint.fix.baseline import Looked, Mark
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


def baselined(result: Result, request: Request, settings: Settings, looked: Looked, problems: list[Problem]) -> Result:
    """Leave out what the baseline knows, be it listed or only counted; write or prune the baseline where that is asked.

    A file that does not parse is never known: nothing else in it was looked at.
    """
    if settings.baseline is None:
        return result
    file = settings.baseline
    every = (*result.findings, *result.below)
    marks = dict(zip(map(id, every), baseline.marks(every, result.line, file), strict=True))
    found = [marks[id(finding)] for finding in result.findings]
    taken = [mark for finding, mark in zip(result.findings, found, strict=True) if not unparsed(finding)]
    known = baseline.renewed(taken, looked, file) if request.write_baseline else baseline.read(file)
    if request.prune_baseline:
        known = baseline.prune(known, [*marks.values()], looked, file)
    if request.write_baseline or request.prune_baseline:
        try:
            baseline.save(file, known)
            if not request.quiet:
                err(f"{file}: {plural(len(known), 'known finding')}\n")
        except NotWritten as error:
            problems.append(error.problem)
    left = tuple(
        finding
        for finding, mark in zip(result.findings, found, strict=True)
        if mark not in known or finding.fix.status == "applied" or unparsed(finding)
    )
    below = tuple(finding for finding in result.below if marks[id(finding)] not in known)
    vain = tuple(_vain(known, [*marks.values()], looked, file))
    for note in vain:
        err(f"note: {note}\n")
    out = len(result.findings) - len(left)
    return replace(result, findings=left, below=below, notes=(*result.notes, *vain), known=out)


def _vain(known: frozenset[Mark], found: list[Mark], looked: Looked, file: Path) -> Iterator[str]:
    """A note on what the baseline knows and this run would have found, were it still there."""
    gone = sorted(known - baseline.prune(known, found, looked, file))
    if gone:
        paths = listed([*dict.fromkeys(mark[0] for mark in gone)])
        yield f"`baseline`: {plural(len(gone), 'known finding')} met nothing ({paths}): --prune-baseline drops them"
