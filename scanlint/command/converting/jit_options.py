"""The options of `scanlint jit`."""

from __future__ import annotations

from functools import partial, reduce
from pathlib import Path
from typing import TypedDict

import click

from scanlint.command.help_text import SectionOption
from scanlint.command.options import FILE, F
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


_option = partial(click.option, cls=SectionOption)
OPTIONS = (
    click.argument("targets", nargs=-1, required=True, metavar="TARGET..."),
    _option("--fix", is_flag=True, help="Write what was verified.", section="What is done"),
    _option(
        "--callees/--no-callees", default=True, show_default=True,
        help="Also rewrite the functions of the file that a target calls.", section="What is done",
    ),
    _option("--config", type=FILE, help="Use this file instead of the nearest pyproject.toml.", section="Settings"),
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
        "--output-format", "form", type=click.Choice(["full", "json"]), default="full", show_default=True,
        help="The diff and what it rests on, or all of it as JSON.", section="Output",
    ),
    _option(
        "--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True, section="Output"
    ),
    _option("--quiet", "-q", is_flag=True, help="No line that tells how far it is.", section="Output"),
)  # fmt: skip


def jit_options(function: F) -> F:
    """Decorate the command with all of them."""
    return reduce(lambda decorated, option: option(decorated), reversed(OPTIONS), function)
