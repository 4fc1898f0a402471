"""The options of `scanlint check`, and the request that they make."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import TypedDict, TypeVar

import click

from scanlint.command.config import Overrides
from scanlint.command.request import Request
from scanlint.report.output import FORMATS, Format
from scanlint.report.paint import ColorChoice

F = TypeVar("F", bound=Callable[..., object])
FILE = click.Path(dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)


class CheckOptions(TypedDict):
    """What click hands over: one entry per option."""

    paths: tuple[Path, ...]
    fix: bool
    diff: bool
    fix_only: bool
    unsafe_fixes: bool | None
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    extend_select: tuple[str, ...]
    output_format: Format
    output_file: Path | None
    statistics: bool
    show_files: bool
    show_settings: bool
    exit_zero: bool
    exit_non_zero_on_fix: bool
    stdin_filename: Path | None
    no_cache: bool
    cache_dir: Path | None
    jobs: int | None
    config: Path | None
    exclude: tuple[str, ...]
    extend_exclude: tuple[str, ...]
    force_exclude: bool
    python: str | None
    verify_timeout: float | None
    measure: bool
    baseline: Path | None
    write_baseline: bool
    prune_baseline: bool
    add_ignore: bool
    color: ColorChoice
    quiet: bool
    verbose: bool


OPTIONS = (
    click.argument("paths", nargs=-1, type=click.Path(path_type=Path, allow_dash=True)),
    click.option("--fix", is_flag=True, help="Rewrite, verify each rewrite under JAX, write what was verified."),
    click.option("--diff", is_flag=True, help="Print what --fix would change as a diff; write nothing."),
    click.option(
        "--unsafe-fixes/--no-unsafe-fixes", default=None, help="Also write rewrites that could not be verified."
    ),
    click.option("--fix-only", is_flag=True, help="Fix, and do not report what is left. Implies --fix."),
    click.option(
        "--select", multiple=True, metavar="RULES", help="Rules to run: names, codes or prefixes, comma-separated."
    ),
    click.option("--ignore", multiple=True, metavar="RULES", help="Rules not to run."),
    click.option("--extend-select", multiple=True, metavar="RULES", help="Rules to run as well."),
    click.option("--output-format", type=click.Choice(FORMATS), default="full", show_default=True),
    click.option("--output-file", "-o", type=FILE, help="Write the report to a file."),
    click.option("--statistics", is_flag=True, help="Counts per rule instead of the findings."),
    click.option("--show-files", is_flag=True, help="List the files that would be checked."),
    click.option("--show-settings", is_flag=True, help="Show the settings that would be used."),
    click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are findings."),
    click.option("--exit-non-zero-on-fix", is_flag=True, help="Exit with 1 if anything was fixed."),
    click.option("--stdin-filename", type=click.Path(path_type=Path), help="The name of the file that `-` stands for."),
    click.option("--no-cache", is_flag=True, help="Neither read nor write the cache."),
    click.option(
        "--cache-dir", type=FOLDER, envvar="SCANLINT_CACHE_DIR", show_envvar=True, help="Where the cache is kept."
    ),
    click.option(
        "--jobs", "-j", type=click.IntRange(1), metavar="N", help="Processes to use (default: all processors)."
    ),
    click.option("--config", type=FILE, help="Use this file instead of the nearest pyproject.toml."),
    click.option("--exclude", multiple=True, metavar="PATTERNS", help="Files to leave out, instead of the defaults."),
    click.option("--extend-exclude", multiple=True, metavar="PATTERNS", help="Files to leave out as well."),
    click.option("--force-exclude", is_flag=True, help="Leave them out even when they are named."),
    click.option("--python", metavar="INTERPRETER", help="Where rewrites are verified: the project's environment."),
    click.option("--verify-timeout", type=click.FloatRange(0, min_open=True), metavar="SECONDS", help="Per function."),
    click.option("--measure", is_flag=True, help="Measure the seconds of tracing and compiling before and after."),
    click.option("--baseline", type=FILE, help="Findings that are known and not reported."),
    click.option("--write-baseline", is_flag=True, help="Put all findings into the baseline."),
    click.option("--prune-baseline", is_flag=True, help="Take out of the baseline what is no longer found."),
    click.option("--add-ignore", is_flag=True, help="Add an ignore comment for each finding."),
    click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True),
    click.option("--quiet", "-q", is_flag=True, help="Print nothing but the findings."),
    click.option(
        "--verbose", "-v", is_flag=True, help="Also print the configuration used, the protections and the cache."
    ),
)


def check_options(function: F) -> F:
    """Decorate a command with all of them."""
    return reduce(lambda decorated, option: option(decorated), reversed(OPTIONS), function)


def request_from(options: CheckOptions) -> Request:
    """The request that the options make."""
    fixing = options["fix"] or options["fix_only"]
    return Request(
        paths=options["paths"] or (Path(),),
        action="diff" if options["diff"] else "fix" if fixing else "check",
        fix_only=options["fix_only"],
        config=options["config"],
        overrides=_overrides(options),
        form=options["output_format"],
        output_file=options["output_file"],
        statistics=options["statistics"],
        show_files=options["show_files"],
        show_settings=options["show_settings"],
        exit_zero=options["exit_zero"],
        exit_non_zero_on_fix=options["exit_non_zero_on_fix"],
        stdin_filename=options["stdin_filename"],
        color=options["color"],
        quiet=options["quiet"],
        verbose=options["verbose"],
        write_baseline=options["write_baseline"],
        prune_baseline=options["prune_baseline"],
        add_ignore=options["add_ignore"],
    )


def _overrides(options: CheckOptions) -> Overrides:
    return Overrides(
        select=_split(options["select"]),
        ignore=_split(options["ignore"]),
        extend_select=_split(options["extend_select"]),
        exclude=_split(options["exclude"]),
        extend_exclude=_split(options["extend_exclude"]),
        force_exclude=options["force_exclude"],
        python=options["python"],
        verify_timeout=options["verify_timeout"],
        measure=options["measure"],
        unsafe_fixes=options["unsafe_fixes"],
        baseline=options["baseline"],
        no_cache=options["no_cache"],
        cache_dir=options["cache_dir"],
        jobs=options["jobs"],
    )


def _split(values: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a repeatable, comma-separated option."""
    return tuple(word.strip() for value in values for word in value.split(",") if word.strip())
