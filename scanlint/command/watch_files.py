"""Checking again whenever a file changes, until it is interrupted."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from scanlint.command.request import Request
from scanlint.errors import UsageError
from scanlint.project.discovery.folders import discover
from scanlint.report.console import err
from scanlint.settings import Settings

PAUSE = 0.5
"""Seconds between two looks at the files."""

State = Mapping[Path, tuple[int, int]]


def check_watch(request: Request) -> None:
    """UsageError for options that make no sense where a run does not end."""
    if request.stdin or request.output_file or request.also or request.action != "check":
        raise UsageError("--watch only reports: it cannot be combined with `-`, --output-file, --fix or --diff")


def watch(request: Request, settings: Settings, once: Callable[[Request], int]) -> int:
    """Run once, and again after each change; gives the last exit code when it is interrupted."""
    paths = [path for path in request.paths if path.exists()]
    code, request = 0, replace(request, watch=False)
    seen: State | None = None
    try:
        while True:
            now = state(paths, settings)
            if now == seen:
                time.sleep(PAUSE)
                continue
            seen = now
            code = _tried(once, request)
            err(f"watching {len(seen)} files; Ctrl-C ends\n")
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


def state(paths: Sequence[Path], settings: Settings) -> State:
    """The times and sizes of all files that are checked, and of the configuration."""
    found: dict[Path, tuple[int, int]] = {}
    for file in (*discover(paths, settings).files, *filter(None, [settings.source])):
        try:
            known = file.stat()
        except OSError:  # gone in between
            continue
        found[file] = known.st_mtime_ns, known.st_size
    return found
