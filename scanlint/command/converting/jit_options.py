"""The options of `scanlint jit`."""

from __future__ import annotations

from pathlib import Path
from typing import TypedDict

import click

from scanlint.command.help_text import decorated, option, section
from scanlint.command.options import COLOR, CONFIG, VERIFICATION, F
from scanlint.report.paint import ColorChoice


class JitOptions(TypedDict):
    """The options of `scanlint jit` as click hands them over."""

    targets: tuple[str, ...]
    fix: bool
    callees: bool
    python: str | None
    verify_timeout: float | None
    measure: bool
    config: Path | None
    form: str
    color: ColorChoice
    quiet: bool


OPTIONS = (
    click.argument("targets", nargs=-1, required=True, metavar="TARGET..."),
    *section(
        "What is done",
        option("--fix", is_flag=True, help="Write what was verified."),
        option(
            "--callees/--no-callees",
            default=True,
            show_default=True,
            help="Also rewrite the functions of the file that a target calls.",
        ),
    ),
    *section("Settings", CONFIG),
    *VERIFICATION,
    *section(
        "Output",
        option(
            "--output-format",
            "form",
            type=click.Choice(["full", "json"]),
            default="full",
            show_default=True,
            help="The diff and what it rests on, or all of it as JSON.",
        ),
        COLOR,
        option("--quiet", "-q", is_flag=True, help="No line that tells how far it is."),
    ),
)


def jit_options(function: F) -> F:
    """Decorate the command with all of them."""
    return decorated(function, OPTIONS)
