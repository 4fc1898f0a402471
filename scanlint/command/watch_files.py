"""Checking again whenever a file changes, until it is interrupted."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from scanlint.command.config import load
from scanlint.command.request import Request
from scanlint.errors import UsageError
from scanlint.project.discovery.folders import around, discover
from scanlint.record.recordings import COSTS, EVIDENCE, FOLDER
from scanlint.report.console import err
from scanlint.report.result import plural
from scanlint.settings import Settings

PAUSE = 0.5
"""Seconds between two looks at the files."""
CONFIGURATIONS = ("pyproject.toml", "ruff.toml", ".ruff.toml")

State = Mapping[Path, tuple[int, int]]


def check_watch(request: Request) -> None:
    """UsageError for options that make no sense where a run does not end."""
    if request.stdin or request.output_file or request.also or request.action != "check":
        raise UsageError("--watch only reports: it cannot be combined with `-`, --output-file, --fix or --diff")


def watch(request: Request, settings: Settings, once: Callable[[Request], int]) -> int:
    """Run once, and again after each change; gives the last exit code when it is interrupted."""
    code, request = 0, replace(request, watch=False)
    seen: tuple[State, State] | None = None
    try:
        while True:
            settings = _settings(request, settings)
            now = _state(_python(request, settings)), _state(_rested_on(request, settings))
            if now == seen:
                time.sleep(PAUSE)
                continue
            seen = now
            code = _tried(once, request)
            err(f"watching {plural(len(now[0]), 'file')}; Ctrl-C ends\n")
    except KeyboardInterrupt:
        err("\n")
        return code


def _tried(once: Callable[[Request], int], request: Request) -> int:
    """One run; a configuration that is wrong by now is said, and may be mended."""
    try:
        return once(request)
    except UsageError as error:
        err(f"error: {error}\n")
        return 2


def _settings(request: Request, before: Settings) -> Settings:
    """The settings as they are now; where they cannot be used, those before: the run itself says so."""
    try:
        return load(request.start, request.config, request.overrides)
    except UsageError:
        return before


def _python(request: Request, settings: Settings) -> Iterator[Path]:
    """The files that are checked, and those around them."""
    paths = [path for path in request.paths if path.exists()]
    yield from discover(paths, settings).files
    yield from around(paths, settings).files


def _rested_on(request: Request, settings: Settings) -> Iterator[Path]:
    """The other files that a run depends on: configurations, also those made later, the baseline, and recordings."""
    start = request.start.absolute()
    for folder in (start, *start.parents):
        yield from (folder / name for name in CONFIGURATIONS)
    named = (request.config, settings.source, settings.baseline)
    yield from (file for file in named if file is not None)
    yield from (settings.root / FOLDER / name for name in (EVIDENCE, COSTS))


def _state(files: Iterator[Path]) -> State:
    """The times and sizes of files; one that cannot be looked at has none, and a change if that changes."""
    found: dict[Path, tuple[int, int]] = {}
    for file in files:
        try:
            known = file.stat()
        except OSError:  # there is none, or none yet: when there is, that is a change
            continue
        found[file] = known.st_mtime_ns, known.st_size
    return found
