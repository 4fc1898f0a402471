"""The request of one command line, beside the settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from scanlint.command.config import Overrides
from scanlint.errors import UsageError
from scanlint.report.output import Format
from scanlint.report.paint import ColorChoice
from scanlint.report.result import Action

STDIN = Path("-")


@dataclass(frozen=True, slots=True)
class Request:
    """The options of `scanlint check` that are no settings."""

    paths: tuple[Path, ...]
    action: Action = "check"
    fix_only: bool = False
    config: Path | None = None
    overrides: Overrides = field(default_factory=Overrides)
    form: Format = "full"
    output_file: Path | None = None
    also: tuple[tuple[Format, Path], ...] = ()
    statistics: bool = False
    show_files: bool = False
    show_settings: bool = False
    exit_zero: bool = False
    exit_non_zero_on_fix: bool = False
    stdin_filename: Path | None = None
    color: ColorChoice = "auto"
    quiet: bool = False
    verbose: bool = False
    write_baseline: bool = False
    prune_baseline: bool = False
    add_ignore: bool = False
    watch: bool = False

    @property
    def stdin(self) -> bool:
        return STDIN in self.paths

    @property
    def start(self) -> Path:
        """The folder where the search for a configuration starts."""
        return (self.stdin_filename or Path()) if self.stdin or not self.paths else self.paths[0]


def check(request: Request) -> None:
    """UsageError for options that contradict each other."""
    if request.stdin and len(request.paths) > 1:
        raise UsageError("`-` (standard input) cannot be combined with other paths")
    if request.stdin and (request.add_ignore or request.show_files):
        raise UsageError("--add-ignore and --show-files need files, not standard input")
    if request.stdin_filename and not request.stdin:
        raise UsageError("--stdin-filename is for `-` (standard input)")
    chores = {
        "--add-ignore": request.add_ignore,
        "--write-baseline": request.write_baseline,
        "--prune-baseline": request.prune_baseline,
    }
    asked = [name for name, wanted in chores.items() if wanted]
    if len(asked) > 1:
        raise UsageError(f"{asked[0]} cannot be combined with {asked[1]}")
    if asked and request.action != "check":
        raise UsageError(f"{asked[0]} cannot be combined with --fix or --diff")
