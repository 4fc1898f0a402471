"""The options of `scanlint verify`."""

from __future__ import annotations

from pathlib import Path

import click

from scanlint.command.help_text import decorated, option, section
from scanlint.command.options import CONFIG, VERIFICATION, F, VerificationOptions, output


class VerifyOptions(VerificationOptions):
    """The options of `scanlint verify` as click hands them over."""

    files: tuple[Path, ...]
    function: str | None
    since: str | None
    strict: bool
    no_callers: bool
    jobs: int | None
    no_cache: bool


SINCE = "With --since"
OPTIONS = (
    click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="OLD NEW | [PATHS]..."),
    *section(
        "What is compared",
        option("-f", "--function", metavar="NAME", help="The function, dotted for methods."),
        option(
            "--since",
            metavar="REV",
            help="Compare each function that differs from a git revision (`HEAD`, a branch, a tag) with what it was.",
        ),
    ),
    *section(
        SINCE,
        option("--strict", is_flag=True, help="Exit with 3 if anything is unknown."),
        option("--no-callers", is_flag=True, help="Leave out functions that only reach what differs."),
        CONFIG,
        option("--no-cache", is_flag=True, help="Neither read nor write kept verdicts."),
        option("--jobs", "-j", type=click.IntRange(1), metavar="N", help="Functions at a time."),
    ),
    *VERIFICATION,
    *output(
        ["full", "concise", "json"],
        "Verdicts with what they rest on, without it, or all of it as JSON.",
        "No summary, and no line that tells how far it is.",
    ),
)


def verify_options(function: F) -> F:
    """Decorate the command with all of them."""
    return decorated(function, OPTIONS)
