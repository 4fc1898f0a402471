"""The options of `scanlint cache`, without what they need."""

from __future__ import annotations

from pathlib import Path
from typing import TypedDict


class CacheOptions(TypedDict):
    """The options of `scanlint cache`."""

    export: Path | None
    taken: Path | None
    trust: bool
    config: Path | None
    cache_dir: Path | None
