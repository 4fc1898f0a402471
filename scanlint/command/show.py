"""Prints the result of a run: the report, and with a diff or standard input the text itself."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from scanlint.command.request import Request
from scanlint.finding import Finding
from scanlint.report.closing import summary
from scanlint.report.console import err, out, out_bytes
from scanlint.report.output import render, render_rewrites, render_statistics
from scanlint.report.paint import paint_for
from scanlint.report.result import Result
from scanlint.report.visible import visible

FOR_PEOPLE = ("full", "concise")
Changes = Mapping[Path, tuple[bytes, bytes]]


def show(result: Result, request: Request, changes: Changes, stdin: bytes | None) -> str | None:
    """Print a run; gives the report where it is to go to a file.

    With --diff the diff has standard output to itself, as the fixed text has with `--fix -`: what became of each
    rewrite is then said on standard error. A form for programs takes the place of the diff.
    """
    data = request.form not in FOR_PEOPLE
    if request.form == "html" and request.output_file:
        if not request.quiet:
            err(f"{visible(summary(result))}, see {request.output_file}\n")
        return report(result, request)
    text_first = (request.action == "diff" and not (data and not request.output_file)) or (
        request.action == "fix" and stdin is not None
    )
    if request.action == "diff" and text_first:
        _show_diff(changes, request)
    elif text_first and stdin is not None:
        out_bytes(next((new for _, new in changes.values()), stdin))
    if request.output_file:
        return report(result, request)
    if not text_first:
        out(report(result, request, file=False))
    elif not request.quiet:
        err(render_rewrites(result, paint_for(sys.stderr, request.color)))
    return None


def further(result: Result, request: Request) -> Iterator[tuple[Path, str]]:
    """The reports that are asked for beside the one that is shown: each file with its text."""
    for form, file in request.also:
        yield file, report(result, replace(request, form=form))


def report(result: Result, request: Request, *, file: bool = True) -> str:
    """The report, for a file that has to say everything or for standard output."""
    paint = paint_for(sys.stdout, "never" if file else request.color)
    if request.action == "diff" and request.form not in FOR_PEOPLE:
        result = replace(result, findings=tuple(map(_offered, result.findings)))
    if request.statistics:
        return render_statistics(result, request.form, closing=not request.quiet)
    return render(result, request.form, paint, closing=not request.quiet, alone=file)


def _offered(finding: Finding) -> Finding:
    """A rewrite that was verified and is not written."""
    return (
        replace(finding, fix=replace(finding.fix, status="available")) if finding.fix.status == "applied" else finding
    )


def _show_diff(changes: Changes, request: Request) -> None:
    from scanlint.report.diff import colored, unified

    paint = paint_for(sys.stdout, request.color)
    for path, (old, new) in sorted(changes.items()):
        name = Path(os.path.relpath(path)).as_posix()
        out_bytes(colored(unified(name, old, new), paint))
