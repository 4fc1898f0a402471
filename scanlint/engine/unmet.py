"""Notes on entries of settings and paths that match nothing: patterns, functions, files."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from scanlint.engine.suppress import names_file
from scanlint.errors import did_you_mean
from scanlint.project.patterns import spellings
from scanlint.project.summary import ModuleNames
from scanlint.settings import Settings

if TYPE_CHECKING:
    from scanlint.project.facts import ModuleFacts


def unmet(
    option: str, named: Iterable[str], met: Collection[str], thing: str, choices: Iterable[str] = ()
) -> Iterator[str]:
    """A note for each entry of an option that meets nothing; `choices` are what may have been meant."""
    near = list(choices)
    for entry in named:
        if entry not in met:
            slash = "; folders are parted by `/`" if "\\" in entry and os.sep == "/" else did_you_mean(entry, near)
            yield f"`{option}`: `{entry}` names no {thing}{slash}"


def unmet_patterns(files: Iterable[Path], excluding: Collection[str], settings: Settings) -> Iterator[str]:
    """The patterns of files that name none below the root; `excluding` are those that left something out."""
    listed = list(files)
    met = {p for p in settings.per_file_ignores if any(names_file(p, file, settings) for file in listed)}
    yield from unmet("per-file-ignores", settings.per_file_ignores, met, "file that was found")
    yield from unmet("exclude", settings.exclude or (), excluding, "file or folder that was found")
    yield from unmet("extend-exclude", settings.extend_exclude, excluding, "file or folder that was found")


def unmet_inputs(modules: Mapping[Path, ModuleFacts], settings: Settings) -> Iterator[str]:
    """The functions that `inputs` names and that are none of the files that were checked, or around them."""
    left, near, naming = dict.fromkeys(settings.inputs), set[str](), ModuleNames()
    for path, facts in modules.items() if left else ():
        module = naming.wanted(path)[0]
        for qualname in facts.functions:
            spelled = spellings(path, facts.path, module, qualname, settings.root)
            near |= {qualname, f"{module}.{qualname}"}
            for name in spelled & left.keys():
                del left[name]
        if not left:
            return
    yield from unmet("inputs", left, (), "function of the files that were checked", near)
