"""The first pass over all files: syntax errors, the facts of each module, and whether anything can be found at all."""

from __future__ import annotations

import ast
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from scanlint.project.facts import ModuleFacts, Span, collect, parse
from scanlint.project.frameworks import METHODS
from scanlint.project.sources import SourceFile, Unreadable, read
from scanlint.project.wishes import wanted, wishes
from scanlint.settings import Settings

KEPT = 16_000_000
"""Characters of source whose trees (30 times as large) the survey hands on; other files are parsed again if needed."""


class Surveyed(NamedTuple):
    """A file that is Python; `tree` is None where it is not kept."""

    source: SourceFile
    facts: ModuleFacts
    tree: ast.Module | None


class Survey(NamedTuple):
    """All files of a run, by module name, and those that could not be read."""

    modules: dict[str, Surveyed]
    packages: frozenset[str]
    errors: list[Unreadable]

    def can_hold_findings(self, settings: Settings) -> bool:
        """Whether some function has control flow, and some place where a trace or a loop over arrays can begin."""
        if not any(span.control for _, facts, _ in self.modules.values() for span in facts.functions.values()):
            return False
        return any(_has_beginning(file, settings) for file in self.modules.values())


def survey(files: Sequence[SourceFile | Unreadable | Path]) -> Survey:
    """Read and parse the files, and collect the facts of each."""
    modules: dict[str, Surveyed] = {}
    packages: set[str] = set()
    errors: list[Unreadable] = []
    kept = 0
    for file in files:
        source = read(file) if isinstance(file, Path) else file
        tree = source if isinstance(source, Unreadable) else parse(source)
        if isinstance(source, Unreadable):
            errors.append(source)
            continue
        if isinstance(tree, Unreadable):
            errors.append(tree)
            continue
        facts = collect(tree, source)
        name, package = module_name(source.path)
        while name in modules:
            name += "_"
        if package:
            packages.add(name)
        keep = facts.transforms and kept < KEPT
        kept += len(source.text) if keep else 0
        modules[name] = Surveyed(source, facts, tree if keep else None)
    return Survey(modules, frozenset(packages), errors)


def _has_beginning(file: Surveyed, settings: Settings) -> bool:
    facts = file.facts
    if not facts.jax:
        return False
    if (
        facts.active
        or settings.assume_traced
        or any(c.bases and METHODS.intersection(c.methods) for c in facts.classes.values())
    ):
        return True
    if wanted(settings) and wishes(file.source.text):
        return True
    spans = facts.functions.values()
    if any(span.transforms for span in spans):
        return True
    return any(is_host_loop(span, facts, settings) for span in spans)


def is_host_loop(span: Span, facts: ModuleFacts, settings: Settings) -> bool:
    """A function with a loop whose lines speak of arrays; with any loop, where host loops are asked for."""
    return facts.jax and span.loops and (span.arrays or settings.asks_for("SCN107", "host-step-loop"))


def module_name(path: Path) -> tuple[str, bool]:
    """The dotted name under which a file is imported, and whether it is a package's own file."""
    absolute = Path(os.path.abspath(path))
    package = absolute.name == "__init__.py"
    parts = [] if package else [absolute.stem]
    folder = absolute.parent
    while (folder / "__init__.py").exists() and folder.name:
        parts.append(folder.name)
        folder = folder.parent
    if not parts:
        parts = [absolute.parent.name]
    return ".".join(reversed(parts)), package
