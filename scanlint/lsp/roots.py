"""Which project a file belongs to: the folder of its configuration, else the folder that the client has open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from scanlint.command.config import load
from scanlint.lsp.client_options import ClientOptions
from scanlint.project.discovery.folders import excluded
from scanlint.project.summary import PROJECT_FILES
from scanlint.settings import Settings


class EditorRoot(NamedTuple):
    """The settings of a project; `whole`: there is a project around its files."""

    settings: Settings
    whole: bool


def root_of(path: Path, options: ClientOptions, folders: Sequence[Path]) -> EditorRoot | None:
    """The project of a file; None where the file is excluded. Raises UsageError for a configuration that is none."""
    settings = load(path, options.config, options.overrides)
    if settings.source is None and not any((settings.root / name).is_file() for name in PROJECT_FILES):
        within = [folder for folder in folders if path.is_relative_to(folder)]
        settings = replace(settings, root=max(within, key=lambda f: len(f.parts), default=path.parent))
    if excluded(path, settings):
        return None
    return EditorRoot(settings, any((settings.root / name).exists() for name in PROJECT_FILES))
