"""A run of fix mode. What rewrites and verifies is only imported where not every file is known from an earlier run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from scanlint.engine.session import RunOutcome, Session, in_project
from scanlint.engine.team.run_line import RunLine
from scanlint.engine.unmet import unmet
from scanlint.fix.begun import begun, change, settle
from scanlint.fix.verdicts import KeptVerdicts
from scanlint.project.discovery.folders import FoundFiles, around, discover
from scanlint.project.files import decode, shown
from scanlint.project.modules import Module
from scanlint.record.recordings import CALLS, FOLDER, damage, named
from scanlint.settings import Settings


def fix(paths: Sequence[Path], settings: Settings, progress: Callable[[str], None]) -> RunOutcome:
    """The findings of a tree, with what was rewritten and verified."""
    with Session(settings, RunLine(progress)) as session:
        session.load(discover(paths, settings), lambda: around(paths, settings))
        session.team.close()
        return _fixed(session, progress)


def fix_text(
    text: bytes, filename: Path, settings: Settings, progress: Callable[[str], None], *, whole: bool = False
) -> RunOutcome:
    """The same for one file that is given as text; `whole`: as a part of its project."""
    with Session(settings) as session:
        session.load_text(decode(text, filename), in_project(filename, settings) if whole else FoundFiles)
        return _fixed(session, progress)


def _fixed(session: Session, progress: Callable[[str], None]) -> RunOutcome:
    passed = session.settings.verify_environment
    session.notes += unmet("verify-environment", passed, os.environ, "variable that is set")
    session.notes += _recordings(session)
    files = list(begun(session, cache(lambda: KeptVerdicts.of(session))))
    left = [file for file in files if file.known is None]
    if left:
        from scanlint.fix.fixer import Fixer

        with Fixer(session, progress) as fixer:
            fixer.fix(files)
        return replace(session.outcome(), protections=fixer.protections)
    for file in files:
        if file.known is not None:
            settle(session, file, file.known)
            change(session, file, file.known.text)
    return session.outcome()


def _recordings(session: Session) -> Iterator[str]:
    """The recordings that are damaged, or of functions that are no more: verdicts rest on other inputs than these."""
    root = session.settings.root.resolve()
    files = sorted((root / FOLDER / CALLS).glob("*.npz"))
    for file in files:
        if (why := damage(file)) is not None:
            yield f"{shown(file)}: cannot be read ({why}): `scanlint record` makes it anew"
    if files and (session.sought.whole or session.around.whole):
        known = {name for module in session.team.local.library.values() for name in _named(root, module)}
        recorded = {file.stem: file for file in files}
        met = {stem for stem in recorded if any(name in known for name in _outer(stem))}
        yield from unmet("scanlint record", recorded, met, "function of the files that were checked any more")


def _named(root: Path, module: Module) -> Iterator[str]:
    """What the recordings of the functions of a module are called, if it lies below the root."""
    path = module.path.resolve()
    if path.is_relative_to(root):
        below = path.relative_to(root).as_posix()
        yield from (named(below, qualname).removesuffix(".npz") for qualname in module.facts.functions)


def _outer(stem: str) -> Iterator[str]:
    """The name of a recording, and those of the functions in which its own is defined."""
    file, dashes, qualname = stem.rpartition("--")
    while qualname:
        yield f"{file}{dashes}{qualname}"
        qualname = qualname.rpartition(".")[0]
