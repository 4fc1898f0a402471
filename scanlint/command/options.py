"""The options of `scanlint check`, and the request that they make."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, TypedDict, TypeVar

import click

from scanlint.command.config import Overrides
from scanlint.command.help_text import decorated, option, section
from scanlint.command.request import Request
from scanlint.finding import LEVELS, Level
from scanlint.report.output import FORMATS, Format
from scanlint.report.paint import ColorChoice
from scanlint.report.result import Action

F = TypeVar("F", bound=Callable[..., object])
FILE = click.Path(dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)


class FormatAndFile(click.ParamType):  # type: ignore[type-arg, unused-ignore]  # generic in newer versions of click
    """`sarif:out.sarif`: a format and the file that it goes to."""

    name = "format and file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[Format, Path]:
        form, _, file = str(value).partition(":")
        for known in FORMATS:
            if form == known and file:
                return known, Path(file)
        return self.fail(f"`{value}` is not FORMAT:FILE with a format of {', '.join(FORMATS)}", param, ctx)


class ReportOptions(TypedDict):
    """The options of `scanlint report` as click parses them, each under the name that it has for `scanlint check`."""

    paths: tuple[Path, ...]
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    extend_select: tuple[str, ...]
    level: Level | None
    exclude: tuple[str, ...]
    extend_exclude: tuple[str, ...]
    python: str | None
    verify_timeout: float | None
    measure: bool
    config: Path | None
    jobs: int | None
    executor: str
    no_cache: bool
    cache_dir: Path | None
    exit_zero: bool
    quiet: bool


class CheckOptions(ReportOptions):
    """The options of `scanlint check` as click parses them: those of `scanlint report`, and the following."""

    fix: bool
    diff: bool
    fix_only: bool
    unsafe_fixes: bool | None
    output_format: Format
    output_file: Path | None
    also: tuple[tuple[Format, Path], ...]
    statistics: bool
    show_files: bool
    show_settings: bool
    exit_non_zero_on_fix: bool
    stdin_filename: Path | None
    force_exclude: bool
    respect_gitignore: bool | None
    markdown: bool
    baseline: Path | None
    write_baseline: bool
    prune_baseline: bool
    add_ignore: bool
    watch: bool
    color: ColorChoice
    verbose: bool


class VerificationOptions(TypedDict):
    """The options that `verify` and `jit` share."""

    python: str | None
    verify_timeout: float | None
    measure: bool
    config: Path | None
    form: str
    color: ColorChoice
    quiet: bool


CONFIG = option(
    "--config",
    type=FILE,
    help="Use this file instead of the nearest pyproject.toml; its patterns are relative to the working directory.",
)
TIMEOUT = option("--verify-timeout", type=click.FloatRange(0, min_open=True), metavar="SECONDS", help="Per function.")
VERIFICATION = section(
    "Verification",
    option("--python", metavar="INTERPRETER", help="Where both versions run (default: the project's environment)."),
    TIMEOUT,
    option("--measure", is_flag=True, help="Also measure seconds of tracing and compiling."),
)
"""Of the commands that compare two versions."""
COLOR = option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True)


def output(forms: Sequence[str], told: str, quiet: str) -> list[Any]:
    """The options of the output of such a command: `told` is what its forms show, `quiet` what is left out."""
    choice = click.Choice(forms)
    return section(
        "Output",
        option("--output-format", "form", type=choice, default="full", show_default=True, help=told),
        COLOR,
        option("--quiet", "-q", is_flag=True, help=quiet),
    )


OPTIONS = (
    click.argument("paths", nargs=-1, type=click.Path(path_type=Path, allow_dash=True)),
    *section(
        "What is done",
        option("--fix", is_flag=True, help="Rewrite, verify each rewrite under JAX, write what was verified."),
        option("--diff", is_flag=True, help="Print what --fix would change as a diff; write nothing."),
        option(
            "--unsafe-fixes/--no-unsafe-fixes", default=None, help="Also write rewrites that could not be verified."
        ),
        option("--fix-only", is_flag=True, help="Fix, and do not report what is left. Implies --fix."),
        option("--add-ignore", is_flag=True, help="Add an ignore comment for each finding."),
        option("--watch", "-w", is_flag=True, help="Check again whenever a file changes."),
    ),
    *section(
        "Rules",
        option(
            "--select", multiple=True, metavar="RULES", help="Rules to run: names, codes or prefixes, comma-separated."
        ),
        option("--ignore", multiple=True, metavar="RULES", help="Rules not to run."),
        option("--extend-select", multiple=True, metavar="RULES", help="Rules to run as well."),
        option(
            "--level", type=click.Choice(LEVELS), help="The least grave findings that are listed (default: warning)."
        ),
    ),
    *section(
        "Files",
        option("--exclude", multiple=True, metavar="PATTERNS", help="Files to leave out, instead of the defaults."),
        option("--extend-exclude", multiple=True, metavar="PATTERNS", help="Files to leave out as well."),
        option("--force-exclude", is_flag=True, help="Leave them out even when they are named."),
        option(
            "--respect-gitignore/--no-respect-gitignore", default=None, help="Leave out what git ignores (default)."
        ),
        option("--markdown", is_flag=True, help="Check the blocks of Python in files of Markdown too."),
        option("--stdin-filename", type=click.Path(path_type=Path), help="The name of the file that `-` stands for."),
        option("--show-files", is_flag=True, help="List the files that would be checked."),
    ),
    *section(
        "Verification",
        option("--python", metavar="INTERPRETER", help="Where rewrites are verified: the project's environment."),
        TIMEOUT,
        option("--measure", is_flag=True, help="Measure the seconds of tracing and compiling before and after."),
    ),
    *section(
        "Output",
        option("--output-format", type=click.Choice(FORMATS), default="full", show_default=True),
        option("--output-file", "-o", type=FILE, help="Write the report to a file."),
        option(
            "--also",
            multiple=True,
            type=FormatAndFile(),
            metavar="FORMAT:FILE",
            help="Also write it in another format to a file (repeatable).",
        ),
        option("--statistics", is_flag=True, help="Counts per rule instead of the findings."),
        COLOR,
        option("--quiet", "-q", is_flag=True, help="Print nothing but the findings."),
        option(
            "--verbose", "-v", is_flag=True, help="Also print the configuration used, the protections and the cache."
        ),
        option("--exit-zero", is_flag=True, help="Exit with 0 even if there are findings."),
        option("--exit-non-zero-on-fix", is_flag=True, help="Exit with 1 if anything was fixed."),
    ),
    *section(
        "Known findings",
        option("--baseline", type=FILE, help="Findings that are known and not reported."),
        option("--write-baseline", is_flag=True, help="Put all findings into the baseline."),
        option("--prune-baseline", is_flag=True, help="Take out of the baseline what is no longer found."),
    ),
    *section(
        "Settings",
        CONFIG,
        option("--show-settings", is_flag=True, help="Show the settings that would be used."),
        option("--no-cache", is_flag=True, help="Neither read nor write the cache."),
        option(
            "--cache-dir", type=FOLDER, envvar="SCANLINT_CACHE_DIR", show_envvar=True, help="Where the cache is kept."
        ),
        option("--jobs", "-j", type=click.IntRange(1), metavar="N", help="Processes to use (default: all processors)."),
        option(
            "--executor",
            default="",
            metavar="URL",
            help="Have the workers of a cluster do the work: `dask://HOST:PORT`.",
        ),
    ),
)


def check_options(function: F) -> F:
    """Decorate a command with all of them."""
    return decorated(function, OPTIONS)


def report_options(function: F) -> F:
    """Decorate a command with those that `scanlint report` shares."""
    shared = ReportOptions.__annotations__
    chosen = [each for each in OPTIONS if _name(each) in shared]
    return decorated(function, chosen)


def _name(option: Callable[[Any], Any]) -> str:
    """The name that click gives the parameter that a decorator adds."""
    command: Any = option(lambda: None)
    return str(command.__click_params__[0].name)


def report_request(page: Path, options: ReportOptions, *, verified: bool) -> Request:
    """The request for a page: what `--fix --diff` would do, written to a file."""
    action: Action = "diff" if verified else "check"
    return Request(action=action, form="html", output_file=page, **_named_alike(options))


def request_from(options: CheckOptions) -> Request:
    """The request that the options make."""
    fixing = options["fix"] or options["fix_only"]
    action: Action = "diff" if options["diff"] else "fix" if fixing else "check"
    return Request(action=action, form=options["output_format"], **_named_alike(options))


def _named_alike(options: ReportOptions) -> dict[str, Any]:
    """The fields of a request that options of the same name give, with the settings that options give."""
    names = {field.name for field in fields(Request)}
    said: dict[str, Any] = {name: value for name, value in options.items() if name in names}
    return said | {"paths": options["paths"] or (Path(),), "overrides": _overrides(options)}


def _overrides(options: ReportOptions) -> Overrides:
    """The settings that the options of either command give."""
    said: dict[str, Any] = {name: value for name, value in options.items() if name in Overrides._fields}
    for name in ("select", "ignore", "extend_select", "exclude", "extend_exclude"):
        given = said.pop(name)
        if given or name not in ("select", "exclude"):
            said[name] = _split(given)
    return Overrides(**said)


def _split(values: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a repeatable, comma-separated option."""
    return tuple(word.strip() for value in values for word in value.split(",") if word.strip())
