"""The options of `scanlint verify`."""

from __future__ import annotations

from functools import partial, reduce
from pathlib import Path
from typing import TypedDict

import click

from scanlint.command.help_text import SectionOption
from scanlint.command.options import FILE, F
from scanlint.report.paint import ColorChoice


class VerifyOptions(TypedDict):
    """The options of `scanlint verify` as click hands them over."""

    files: tuple[Path, ...]
    function: str | None
    since: str | None
    strict: bool
    no_callers: bool
    python: str | None
    verify_timeout: float | None
    measure: bool
    jobs: int | None
    no_cache: bool
    config: Path | None
    form: str
    color: ColorChoice
    quiet: bool


SINCE = "With --since"
_option = partial(click.option, cls=SectionOption)
OPTIONS = (
    click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="OLD NEW | [PATHS]..."),
    _option("-f", "--function", metavar="NAME", help="The function, dotted for methods.", section="What is compared"),
    _option(
        "--since",
        metavar="REV",
        help="Compare each function that differs from a git revision (`HEAD`, a branch, a tag) with what it was.",
        section="What is compared",
    ),
    _option("--strict", is_flag=True, help="Exit with 3 if anything is unknown.", section=SINCE),
    _option("--no-callers", is_flag=True, help="Leave out functions that only reach what differs.", section=SINCE),
    _option("--config", type=FILE, help="Use this file instead of the nearest pyproject.toml.", section=SINCE),
    _option("--no-cache", is_flag=True, help="Neither read nor write kept verdicts.", section=SINCE),
    _option("--jobs", "-j", type=click.IntRange(1), metavar="N", help="Functions at a time.", section=SINCE),
    _option(
        "--python", metavar="INTERPRETER", help="Where both versions run (default: the project's environment).",
        section="Verification",
    ),
    _option(
        "--verify-timeout", type=click.FloatRange(0, min_open=True), metavar="SECONDS", help="Per function.",
        section="Verification",
    ),
    _option("--measure", is_flag=True, help="Also measure seconds of tracing and compiling.", section="Verification"),
    _option(
        "--output-format", "form", type=click.Choice(["full", "concise", "json"]), default="full", show_default=True,
        help="Verdicts with what they rest on, without it, or all of it as JSON.", section="Output",
    ),
    _option(
        "--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True, section="Output"
    ),
    _option("--quiet", "-q", is_flag=True, help="No summary, and no line that tells how far it is.", section="Output"),
)  # fmt: skip


def verify_options(function: F) -> F:
    """Decorate the command with all of them."""
    return reduce(lambda decorated, option: option(decorated), reversed(OPTIONS), function)
