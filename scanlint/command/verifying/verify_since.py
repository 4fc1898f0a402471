"""`scanlint verify --since`: what differs from a git revision, and whether it does the same."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from scanlint.command.config import Overrides, load
from scanlint.command.verifying.verify_options import VerifyOptions
from scanlint.history.differences import FunctionChange
from scanlint.history.repository import NoCommit
from scanlint.history.since import Since
from scanlint.report.compared.since_document import document
from scanlint.report.compared.since_result import SinceResult
from scanlint.report.compared.since_text import FunctionLines, file_text, summary
from scanlint.report.console import Progress, err, out
from scanlint.report.paint import paint_for
from scanlint.verify.time_left import VerifyingLine


def since(revision: str, options: VerifyOptions) -> int:
    """Print what came of each function, and give the exit code. Raises UsageError if the run itself cannot be made."""
    try:
        return _since(revision, options)
    except NoCommit:
        err("note: there is no commit yet: nothing to compare with\n")
        return 0


def _since(revision: str, options: VerifyOptions) -> int:
    started = time.perf_counter()
    paths, form = options["files"] or (Path(),), options["form"]
    said = Overrides(
        python=options["python"],
        verify_timeout=options["verify_timeout"],
        measure=options["measure"],
        jobs=options["jobs"],
        no_cache=options["no_cache"],
    )
    settings = load(paths[0], options["config"], said)
    paint, progress = paint_for(sys.stdout, options["color"]), Progress(options["quiet"])
    told, lines = form != "json", FunctionLines(paint, brief=form == "concise")
    with Since(revision, paths, settings, only=options["function"], callers=not options["no_callers"]) as compared:
        pairs = [change for change in compared.changes if change.new is not None and change.old is not None]
        line, waiting = VerifyingLine(len(pairs)), iter(pairs)
        if told:
            out("".join(file_text(file, revision, paint) for file in compared.uncompared))
        found = []
        _show(progress, line, next(waiting, None))
        for one in compared.compared():
            found.append(one)
            progress.close()
            if told:
                out(lines.of(one))
            _show(progress, line, next(waiting, None))
        progress.close()
        result = SinceResult(
            revision,
            compared.commit,
            tuple(found),
            tuple(compared.uncompared),
            tuple(compared.programs),
            compared.tests,
            time.perf_counter() - started,
        )
    if not told:
        out(json.dumps(document(result), indent=2, allow_nan=False) + "\n")
    elif not options["quiet"]:
        out(f"\n{summary(result)}\n" if result.counts else f"{summary(result)}\n")
    return _code(result, strict=options["strict"])


def _show(progress: Progress, line: VerifyingLine, change: FunctionChange | None) -> None:
    """Tell whose turn it is."""
    if change is not None:
        progress(line.at(str(change.key), change.key.name))


def _code(result: SinceResult, *, strict: bool) -> int:
    if result.counts["refuted"]:
        return 1
    return 3 if strict and result.counts["unknown"] else 0
