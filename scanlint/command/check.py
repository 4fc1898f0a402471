"""One run of `scanlint check`: the engine, then what is written, what is said, and the exit code."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from scanlint.command.config import load
from scanlint.command.request import STDIN, Request, check
from scanlint.command.show import further, show
from scanlint.fix.write import NotWritten, write_new
from scanlint.record.recordings import has_evidence, priced
from scanlint.report.console import Progress, err, out
from scanlint.report.output import render_step_summary
from scanlint.report.result import Result, left_lines, plural
from scanlint.report.visible import visible_lines
from scanlint.settings import Settings

if TYPE_CHECKING:
    from scanlint.engine.session import RunOutcome

CLEAN, FINDINGS, FAILED = 0, 1, 2


def run(request: Request) -> int:
    """Carry out a request and give its exit code. Raises UsageError."""
    check(request)
    settings = replace(load(request.start, request.config, request.overrides), tells_left=request.verbose)
    if request.show_settings:
        from scanlint.report.listing import settings_text

        out(settings_text(settings))
        return CLEAN
    if request.watch:
        from scanlint.command.watch_files import check_watch, watch

        check_watch(request)
        return watch(request, settings, run)
    if request.write_baseline or request.prune_baseline:
        from scanlint.command.known_findings import baseline_file

        baseline_file(settings)
    missing = [path for path in request.paths if path != STDIN and not path.exists()]
    paths = tuple(path for path in request.paths if path not in missing)
    problems = [f"{path}: no such file or directory{'' if path.suffix else ', nor a command'}" for path in missing]
    code = _run(replace(request, paths=paths), settings, problems) if paths else CLEAN
    for problem in problems:
        err(f"error: {visible_lines(problem)}\n")
    return FAILED if problems else code


def _run(request: Request, settings: Settings, problems: list[str]) -> int:
    """The exit code if there are no problems; what goes wrong on the way is added to `problems`."""
    if request.show_files:
        from scanlint.engine.unread import problem
        from scanlint.project.discovery.folders import discover

        found = discover(request.paths, settings)
        problems += map(problem, found.unread)
        out("".join(f"{file}\n" for file in sorted(found.files)))
        return CLEAN
    if request.verbose:
        err(f"settings: {settings.source or 'none found, defaults'}\nroot: {settings.root}\n")
    stdin = _read_stdin() if request.stdin else None
    outcome = _engine(request, settings, stdin)
    outcome = _measured(replace(outcome, findings=priced(outcome.findings, settings.root)), request, settings)
    problems += outcome.problems
    for remark in outcome.remarks if request.verbose else ():
        err(f"{remark}\n")
    for protection in outcome.protections if request.verbose else ():
        err(f"{protection}\n")
    for line in left_lines(outcome.left) if request.verbose else ():
        err(f"{line}\n")
    for note in (*outcome.notes, *_passed_over(request, settings, outcome)):
        err(f"note: {visible_lines(note)}\n")
    findings, written = outcome.findings, len(outcome.changes)
    if request.action == "fix" and stdin is None and outcome.changes:
        from scanlint.fix.commit import write_changes

        findings, written = write_changes(outcome.changes, findings, problems)
    if request.add_ignore:
        return _add_ignores(outcome, request, problems)
    if not outcome.files and not problems and not request.quiet:
        err("warning: no Python files found under the given paths\n")
    result = _result(replace(outcome, findings=findings), request, settings, stdin, problems)
    text = show(result, request, outcome.changes, stdin)
    if request.output_file and text is not None:
        _write(request.output_file, text, problems)
    for also, report in further(result, request):
        _write(also, report, problems)
    if request.form == "github" and (file := os.environ.get("GITHUB_STEP_SUMMARY")):
        _add_summary(Path(file), result, problems)
    return _exit_code(result, request, written)


def _passed_over(request: Request, settings: Settings, outcome: RunOutcome) -> Iterator[str]:
    """What the command line named in vain, and configurations that are not used."""
    from scanlint.command.passed_over import passed_over

    return passed_over(request, settings, outcome.found)


def _measured(outcome: RunOutcome, request: Request, settings: Settings) -> RunOutcome:
    """What is found, with what a recorded run shows of it, and with what nothing else shows."""
    if request.stdin or not has_evidence(settings.root):
        return outcome
    from scanlint.project.discovery.folders import discover
    from scanlint.record.confirmed import with_evidence

    files = [path for path in discover(request.paths, settings).files if path not in outcome.changes]
    findings, notes = with_evidence(outcome.findings, files, settings)
    return replace(outcome, findings=findings, notes=(*outcome.notes, *notes))


def _write(file: Path, text: str, problems: list[str]) -> None:
    try:
        write_new(file, text.encode("utf-8", "backslashreplace"))
    except NotWritten as error:
        problems.append(str(error))


def _add_summary(file: Path, result: Result, problems: list[str]) -> None:
    """Add to the summary of the step that runs this."""
    try:
        with file.open("a", encoding="utf-8") as stream:
            stream.write(render_step_summary(result))
    except OSError as error:
        problems.append(f"{file}: cannot write: {error.strerror or error}")


def _result(
    outcome: RunOutcome, request: Request, settings: Settings, stdin: bytes | None, problems: list[str]
) -> Result:
    from scanlint.engine.texts import Texts

    texts = Texts(outcome.changes, stdin)
    findings = tuple(map(texts.placed, outcome.findings))
    result = Result(
        findings,
        outcome.files,
        outcome.seconds,
        request.action,
        texts.lines,
        request.verbose,
        texts.rewritten,
        outcome.left,
    )
    if settings.baseline is not None:
        from scanlint.command.known_findings import baselined

        result = baselined(result, request, settings, problems)
    return replace(result, findings=result.applied) if request.fix_only else result


def _engine(request: Request, settings: Settings, stdin: bytes | None) -> RunOutcome:
    from scanlint.engine import session

    name, whole = request.stdin_filename or STDIN, request.stdin_filename is not None
    if request.action == "check":
        if stdin is not None:
            return session.check_text(stdin, name, settings, whole=whole)
        return session.check(request.paths, settings)
    from scanlint.fix.run import fix, fix_text

    progress = Progress(request.quiet)
    try:
        if stdin is not None:
            return fix_text(stdin, name, settings, progress, whole=whole)
        return fix(request.paths, settings, progress)
    finally:
        progress.close()


def _read_stdin() -> bytes:
    import sys

    return sys.stdin.buffer.read()


def _add_ignores(outcome: RunOutcome, request: Request, problems: list[str]) -> int:
    from scanlint.fix.commit import write_ignores

    count = write_ignores(outcome.findings, problems)
    if not request.quiet:
        out(f"Added an ignore comment for {plural(count, 'finding')}\n")
    return CLEAN


def _exit_code(result: Result, request: Request, written: int) -> int:
    """With --diff, whether there is something to change; else whether something is left, or was changed if asked."""
    if request.exit_zero:
        return CLEAN
    if request.action == "diff" and request.form == "html":
        return FINDINGS if result.findings else CLEAN
    if request.action == "diff":
        return FINDINGS if written else CLEAN
    if request.exit_non_zero_on_fix and written:
        return FINDINGS
    return FINDINGS if result.remaining else CLEAN
