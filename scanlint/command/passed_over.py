"""Notes on paths of the command line that lead to nothing, and on configurations that a run does not use."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from scanlint.command.config import nearest, speaks
from scanlint.command.request import Request
from scanlint.engine.unmet import unmet
from scanlint.errors import UsageError, listed
from scanlint.project.discovery.folders import FoundFiles
from scanlint.settings import Settings


def passed_over(request: Request, settings: Settings, found: FoundFiles) -> Iterator[str]:
    """A note for each path that led to nothing, and for each configuration that is not the one of the run."""
    if request.stdin:
        return
    if found.files or found.unread:
        yield from unmet("PATHS", map(str, found.empty), (), "Python file")
    if found.left_out:
        yield f"left out though named, as `force-exclude` has it: {listed([*map(str, found.left_out)])}"
    if request.config is None:
        yield from _other_configurations(request.paths, settings, found.configured)
    elif settings.source is not None and settings.source.name == "pyproject.toml" and not _speaks(settings.source):
        yield f"`--config`: {settings.source} has no [tool.scanlint]"


def _other_configurations(paths: Sequence[Path], settings: Settings, below: Sequence[Path]) -> Iterator[str]:
    """The configurations of paths after the first one, and those that stand below the paths."""
    used = _shown(settings.source) if settings.source is not None else "none"
    for_all = f"one run has one configuration, that of its first path ({used})"
    told: set[Path] = set()
    alone: list[str] = []
    known: dict[Path, Path | None] = {}
    for path in paths:
        folder = path.absolute() if path.is_dir() else path.absolute().parent
        if folder not in known:
            known[folder] = _nearest(folder)
        own = known[folder]
        if own is None and settings.source is not None:
            alone.append(str(path))
        elif own is not None and (settings.source is None or not _same(own, settings.source)):
            told.add(own)
    told.update(file.absolute() for file in below if _speaks(file))
    for file in sorted(told):
        if settings.source is None or not _same(file, settings.source):
            yield f"{_shown(file)} is not used: {for_all}"
    if alone:
        yield f"{used} holds for {listed(alone)} too, which it does not stand above: {for_all}"


def _nearest(folder: Path) -> Path | None:
    """The configuration of a folder, be it one that cannot be used: it is not."""
    try:
        return nearest(folder)[0]
    except UsageError:  # the file is another one's: whoever begins with it is told
        return None


def _speaks(file: Path) -> bool:
    """The configuration is meant for scanlint; one that cannot be read may be."""
    try:
        return speaks(file)
    except UsageError:
        return True


def _same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _shown(file: Path) -> str:
    path = os.path.abspath(file)
    return Path(os.path.relpath(path) if Path(path).is_relative_to(Path.cwd()) else path).as_posix()
