"""A run of fix mode. What rewrites and verifies is only imported where not every file is known from an earlier run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from scanlint.engine.session import RunOutcome, Session, in_project
from scanlint.fix.begun import begun, change, settle
from scanlint.fix.verdicts import KeptVerdicts
from scanlint.project.discovery.folders import FoundFiles, around, discover
from scanlint.project.files import decode
from scanlint.settings import Settings


def fix(paths: Sequence[Path], settings: Settings, progress: Callable[[str], None]) -> RunOutcome:
    """The findings of a tree, with what was rewritten and verified."""
    with Session(settings) as session:
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
