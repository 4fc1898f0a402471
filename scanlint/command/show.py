"""What a run prints: the report, and with a diff or standard input the text itself."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from scanlint.command.request import Request
from scanlint.report.console import err, out, out_bytes
from scanlint.report.output import render, render_rewrites, render_statistics
from scanlint.report.paint import paint_for
from scanlint.report.result import Result

Changes = Mapping[Path, tuple[bytes, bytes]]


def show(result: Result, request: Request, changes: Changes, stdin: bytes | None) -> str | None:
    """Print a run; gives the report where it is to go to a file.

    With --diff the diff has standard output to itself, as the fixed text has with `--fix -`: what became of each
    rewrite is then said on standard error.
    """
    text_first = request.action == "diff" or (request.action == "fix" and stdin is not None)
    if request.action == "diff":
        _show_diff(changes, request)
    elif text_first and stdin is not None:
        out_bytes(next((new for _, new in changes.values()), stdin))
    if request.output_file:
        return _report(result, request, colors=False)
    if not text_first:
        out(_report(result, request, colors=True))
    elif not request.quiet:
        err(render_rewrites(result, paint_for(sys.stderr, request.color)))
    return None


def _report(result: Result, request: Request, *, colors: bool) -> str:
    paint = paint_for(sys.stdout, request.color if colors else "never")
    if request.statistics:
        return render_statistics(result, request.form, closing=not request.quiet)
    return render(result, request.form, paint, closing=not request.quiet)


def _show_diff(changes: Changes, request: Request) -> None:
    from scanlint.report.diff import colored, unified

    paint = paint_for(sys.stdout, request.color)
    for path, (old, new) in sorted(changes.items()):
        name = Path(os.path.relpath(path)).as_posix()
        out_bytes(colored(unified(name, old, new), paint))
