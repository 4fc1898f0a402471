"""The options of `scanlint jit`."""

from __future__ import annotations

import click

from scanlint.command.help_text import decorated, option, section
from scanlint.command.options import CONFIG, VERIFICATION, F, VerificationOptions, output


class JitOptions(VerificationOptions):
    """The options of `scanlint jit` as click hands them over."""

    targets: tuple[str, ...]
    fix: bool
    callees: bool


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
    *output(
        ["full", "json"],
        "The diff and what it rests on, or all of it as JSON.",
        "No line that tells how far it is.",
    ),
)


def jit_options(function: F) -> F:
    """Decorate the command with all of them."""
    return decorated(function, OPTIONS)
