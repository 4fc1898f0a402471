"""One run of `scanlint check`: the engine, then what is written, what is said, and the exit code."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scanlint.command.config import load
from scanlint.command.request import STDIN, Request, check
from scanlint.command.show import show
from scanlint.fix.write import NotWritten, write_new
from scanlint.record.recordings import priced
from scanlint.report.console import Progress, err, out
from scanlint.report.result import Result, plural
from scanlint.settings import Settings

if TYPE_CHECKING:
    from scanlint.engine.session import RunOutcome

CLEAN, FINDINGS, FAILED = 0, 1, 2


def run(request: Request) -> int:
    """Carry out a request and give its exit code. Raises UsageError."""
    check(request)
    settings = load(request.start, request.config, request.overrides)
    if request.show_settings:
        from scanlint.report.listing import settings_text

        out(settings_text(settings))
        return CLEAN
    if request.write_baseline or request.prune_baseline:
        from scanlint.command.known_findings import baseline_file

        baseline_file(settings)
    missing = [path for path in request.paths if path != STDIN and not path.exists()]
    paths = tuple(path for path in request.paths if path not in missing)
    problems = [f"{path}: no such file or directory{'' if path.suffix else ', nor a command'}" for path in missing]
    code = _run(replace(request, paths=paths), settings, problems) if paths else CLEAN
    for problem in problems:
        err(f"error: {problem}\n")
    return FAILED if problems else code


def _run(request: Request, settings: Settings, problems: list[str]) -> int:
    """The exit code if there are no problems; what goes wrong on the way is added to `problems`."""
    if request.show_files:
        from scanlint.project.files import discover

        out("".join(f"{file}\n" for file in sorted(discover(request.paths, settings))))
        return CLEAN
    if request.verbose:
        err(f"settings: {settings.source or 'none found, defaults'}\nroot: {settings.root}\n")
    stdin = _read_stdin() if request.stdin else None
    outcome = _engine(request, settings, stdin)
    outcome = replace(outcome, findings=priced(outcome.findings, settings.root))
    problems += outcome.problems
    for remark in outcome.remarks if request.verbose else ():
        err(f"{remark}\n")
    for protection in outcome.protections if request.verbose else ():
        err(f"protected by: {protection}\n")
    for note in outcome.notes:
        err(f"note: {note}\n")
    findings, written = outcome.findings, len(outcome.changes)
    if request.action == "fix" and stdin is None and outcome.changes:
        from scanlint.fix.commit import write_changes

        findings, written = write_changes(outcome.changes, findings, problems)
    if request.add_ignore:
        return _add_ignores(outcome, request, problems)
    if not outcome.files and not problems and not request.quiet:
        err("warning: no Python files found under the given paths\n")
    result = _result(replace(outcome, findings=findings), request, settings, stdin, problems)
    if (text := show(result, request, outcome.changes, stdin)) is not None and request.output_file:
        try:
            write_new(request.output_file, text.encode())
        except NotWritten as error:
            problems.append(str(error))
    return _exit_code(result, request, written)


def _result(
    outcome: RunOutcome, request: Request, settings: Settings, stdin: bytes | None, problems: list[str]
) -> Result:
    from scanlint.engine.texts import Texts

    lines = Texts(outcome.changes, stdin).lines
    result = Result(outcome.findings, outcome.files, outcome.seconds, request.action, lines)
    if settings.baseline is not None:
        from scanlint.command.known_findings import baselined

        result = baselined(result, request, settings, problems)
    return replace(result, findings=result.applied) if request.fix_only else result


def _engine(request: Request, settings: Settings, stdin: bytes | None) -> RunOutcome:
    from scanlint.engine import session

    name = request.stdin_filename or STDIN
    if request.action == "check":
        if stdin is not None:
            return session.check_text(stdin, name, settings)
        return session.check(request.paths, settings)
    from scanlint.fix.fixer import fix, fix_text

    progress = Progress(request.quiet)
    try:
        if stdin is not None:
            return fix_text(stdin, name, settings, progress)
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
    if request.action == "diff":
        return FINDINGS if written else CLEAN
    if request.exit_non_zero_on_fix and written:
        return FINDINGS
    return FINDINGS if result.remaining else CLEAN
