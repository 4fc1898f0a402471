"""`scanlint cache`: what was verified in one checkout, for another one."""

from __future__ import annotations

from pathlib import Path

from scanlint.command.caching.cache_options import CacheOptions
from scanlint.command.config import Overrides, load
from scanlint.engine.cache import Cache
from scanlint.errors import UsageError, cause
from scanlint.fix.answers.travelling import exported, take_in
from scanlint.report.console import err


def run(options: CacheOptions) -> int:
    """Write the verdicts of the project's cache into a file, or take those of a file into it. Raises UsageError."""
    export, taken = options["export"], options["taken"]
    if (export is None) == (taken is None):
        raise UsageError("give either --export FILE or --import FILE")
    if options["trust"] and taken is None:
        raise UsageError("--trust is an option of --import")
    cache = Cache(load(Path(), options["config"], Overrides(cache_dir=options["cache_dir"])))
    if export is not None:
        data, count = exported(cache)
        try:
            export.write_bytes(data)
        except OSError as error:
            raise UsageError(f"{export}: cannot write: {cause(error)}") from None
        err(f"{_verdicts(count)} written to {export}\n")
        return 0
    assert taken is not None
    try:
        data = taken.read_bytes()
    except OSError as error:
        raise UsageError(f"{taken}: cannot read: {cause(error)}") from None
    count = take_in(cache, data, str(taken), trusted=options["trust"])
    if cache.remarks:
        raise UsageError(cache.remarks[0])
    err(f"{_verdicts(count)} taken from {taken}\n")
    return 0


def _verdicts(count: int) -> str:
    return f"{count} verdict{'' if count == 1 else 's'}"
