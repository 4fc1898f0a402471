"""One run of `scanlint check`: the engine, then what is written, what is said, and the exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scanlint.command.config import load
from scanlint.command.request import STDIN, Request, check
from scanlint.command.show import further, show
from scanlint.engine.suppress import ignorable, unparsed
from scanlint.engine.team.run_line import RunLine
from scanlint.errors import cause, did_you_mean
from scanlint.fix.write import NotWritten, write_new
from scanlint.problem import Problem
from scanlint.record.recordings import has_evidence, priced, unreadable
from scanlint.report.console import Progress, err, out, read_in
from scanlint.report.output import render_step_summary
from scanlint.report.paint import paint_for
from scanlint.report.result import Result, left_lines, plural
from scanlint.report.visible import visible_lines
from scanlint.rules.registry import RECOMPILED, is_listed, selected_codes
from scanlint.settings import Settings

if TYPE_CHECKING:
    from scanlint.engine.session import RunOutcome
    from scanlint.fix.baseline import Looked

CLEAN, FINDINGS, FAILED = 0, 1, 2


def run(request: Request) -> int:
    """Carry out a request and give its exit code. Raises UsageError."""
    check(request)
    absent = {path: why for path in request.paths if path != STDIN and (why := absence(path))}
    present = replace(request, paths=tuple(path for path in request.paths if path not in absent))
    settings = replace(load(present.start, request.config, request.overrides), tells_left=request.verbose)
    if request.show_settings:
        from scanlint.command.listing import settings_text

        out(settings_text(settings))
        return CLEAN
    if request.watch:
        from scanlint.command.watch_files import check_watch, watch

        check_watch(request)
        return watch(request, settings, run)
    if request.write_baseline or request.prune_baseline:
        from scanlint.command.known_findings import baseline_file

        baseline_file(settings)
    problems = [Problem(str(path), 0, why, "unread") for path, why in absent.items()]
    try:
        code = _run(present, settings, problems)
    finally:
        for problem in problems:
            err(f"error: {visible_lines(str(problem))}\n")
    return FAILED if problems else code


def absence(path: Path) -> str | None:
    """Why there is nothing to check under a path that is named; None where there is."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        if path.is_symlink():
            return "cannot read: the link leads nowhere"
        if path.suffix:
            return "no such file or directory"
        return f"no such file or directory, nor a command{did_you_mean(str(path), _commands())}"
    except (OSError, ValueError) as error:
        return f"cannot read: {cause(error)}"
    return None


def _commands() -> tuple[str, ...]:
    """The names of the commands, where a command line is being run."""
    context = click.get_current_context(silent=True)
    group = context.find_root().command if context is not None else None
    return tuple(group.commands) if isinstance(group, click.Group) else ()


def _run(request: Request, settings: Settings, problems: list[Problem]) -> int:
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
    stdin = read_in() if request.stdin else None
    outcome = _engine(request, settings, stdin)
    findings, notes = priced(outcome.findings, settings.root)
    outcome = _measured(replace(outcome, findings=findings, notes=(*outcome.notes, *notes)), request, settings)
    problems += [*unreadable(settings.root), *outcome.problems]
    outcome = replace(outcome, notes=(*outcome.notes, *_passed_over(request, settings, outcome)))
    _tell(outcome, verbose=request.verbose)
    findings, written = outcome.findings, len(outcome.changes)
    if request.action == "fix" and stdin is None and outcome.changes:
        from scanlint.fix.commit import write_changes

        findings, written = write_changes(outcome.changes, findings, problems)
    if request.add_ignore:
        from scanlint.fix.commit import write_ignores

        written = write_ignores(outcome.findings, problems)
        findings = tuple(finding for finding in findings if not ignorable(finding))
    result = _result(replace(outcome, findings=findings), request, settings, stdin, problems)
    if not result.asked:
        err("warning: no Python files found under the given paths\n")
    if request.add_ignore:
        return _ignored(result, request, written)
    text = show(result, request, outcome.changes, stdin)
    if request.output_file and text is not None:
        _write(request.output_file, text, problems)
    for also, report in further(result, request):
        _write(also, report, problems)
    if request.form == "github" and (file := os.environ.get("GITHUB_STEP_SUMMARY")):
        _add_summary(Path(file), result, problems)
    return _exit_code(result, request, written)


def _tell(outcome: RunOutcome, *, verbose: bool) -> None:
    """Tell on standard error what goes beside the report."""
    if verbose:
        for line in (*outcome.remarks, *outcome.protections, *left_lines(outcome.left)):
            err(f"{line}\n")
    for note in outcome.notes:
        err(f"note: {visible_lines(note)}\n")


def _passed_over(request: Request, settings: Settings, outcome: RunOutcome) -> Iterator[str]:
    """The problems with what the command line named in vain, and with configurations that are not used."""
    from scanlint.command.passed_over import passed_over

    return passed_over(request, settings, outcome.found)


def _measured(outcome: RunOutcome, request: Request, settings: Settings) -> RunOutcome:
    """The findings, with what recorded runs show of them, and those that nothing else shows."""
    if request.stdin or not has_evidence(settings.root):
        return outcome
    from scanlint.project.discovery.folders import discover
    from scanlint.record.confirmed import with_evidence

    files = discover(request.paths, settings).files
    every, notes = with_evidence(outcome.findings, files, outcome.changes, settings)
    findings = tuple(finding for finding in every if is_listed(finding, settings))
    told = {(finding.path, finding.start) for finding in every}
    counted = [finding for finding in outcome.below if (finding.path, finding.start) not in told]
    counted += [finding for finding in every if not is_listed(finding, settings)]
    return replace(outcome, findings=findings, below=tuple(counted), notes=(*outcome.notes, *notes))


def _write(file: Path, text: str, problems: list[Problem]) -> None:
    try:
        write_new(file, text.encode("utf-8", "backslashreplace"))
    except NotWritten as error:
        problems.append(error.problem)


def _add_summary(file: Path, result: Result, problems: list[Problem]) -> None:
    """Add to the summary of the step that runs this."""
    try:
        with file.open("a", encoding="utf-8") as stream:
            stream.write(render_step_summary(result))
    except OSError as error:
        problems.append(Problem(str(file), 0, f"cannot write: {cause(error)}", "undone"))


def _result(
    outcome: RunOutcome, request: Request, settings: Settings, stdin: bytes | None, problems: list[Problem]
) -> Result:
    from scanlint.engine.texts import Texts

    texts = Texts(outcome.changes, stdin)
    result = Result(
        tuple(map(texts.placed, outcome.findings)),
        outcome.files,
        outcome.seconds,
        request.action,
        texts.lines,
        request.verbose,
        texts.rewritten,
        outcome.left,
        tuple(problems),
        outcome.notes,
        below=tuple(map(texts.placed, outcome.below)),
    )
    if settings.baseline is not None:
        from scanlint.command.known_findings import baselined

        result = baselined(result, request, settings, _looked(outcome, settings, problems), problems)
    if request.fix_only:
        listed = tuple(f for f in result.findings if f.fix.status == "applied" or unparsed(f))
        result = replace(result, findings=listed, unlisted=len(result.findings) - len(listed))
    return replace(result, problems=tuple(problems))


def _looked(outcome: RunOutcome, settings: Settings, problems: list[Problem]) -> Looked:
    """The rules and files that a run has looked at, for the baseline to go by."""
    from scanlint.fix.baseline import Looked

    stopped = {*(p.path for p in problems if p.scope != "undone"), *(f.path for f in outcome.findings if unparsed(f))}
    codes = selected_codes(settings) - (frozenset() if has_evidence(settings.root) else {RECOMPILED.code})
    return Looked(_absolute(outcome.checked - stopped), codes, _absolute(stopped))


def _absolute(displays: Iterable[str]) -> frozenset[Path]:
    return frozenset(Path(os.path.abspath(display)) for display in displays)


def _engine(request: Request, settings: Settings, stdin: bytes | None) -> RunOutcome:
    from scanlint.engine import session

    name, whole = request.stdin_filename or STDIN, request.stdin_filename is not None
    if request.action == "check":
        if stdin is not None:
            return session.check_text(stdin, name, settings, whole=whole)
        progress = Progress(request.quiet)
        try:
            return session.check(request.paths, settings, RunLine(progress))
        finally:
            progress.close()
    from scanlint.fix.run import fix, fix_text

    progress = Progress(request.quiet)
    try:
        if stdin is not None:
            return fix_text(stdin, name, settings, progress, whole=whole)
        return fix(request.paths, settings, progress)
    finally:
        progress.close()


def _ignored(result: Result, request: Request, count: int) -> int:
    """Say how many comments were added, and what no comment can silence."""
    from scanlint.report.output import render

    left = f"; {plural(len(result.findings), 'finding')} cannot be silenced so:" if result.findings else ""
    told = "" if request.quiet else f"Added an ignore comment for {plural(count, 'finding')}{left}\n"
    out(told + render(result, "concise", paint_for(sys.stdout, request.color), closing=False))
    return FINDINGS if result.findings and not request.exit_zero else CLEAN


def _exit_code(result: Result, request: Request, written: int) -> int:
    """With --diff, whether there is something to change; else whether something is left, or was changed if asked.

    A file that does not parse is left whatever was asked for.
    """
    if request.exit_zero:
        return CLEAN
    if any(map(unparsed, result.findings)):
        return FINDINGS
    if request.action == "diff" and request.form == "html":
        return FINDINGS if result.findings else CLEAN
    if request.action == "diff":
        return FINDINGS if written else CLEAN
    if request.exit_non_zero_on_fix and written:
        return FINDINGS
    return FINDINGS if result.remaining else CLEAN
