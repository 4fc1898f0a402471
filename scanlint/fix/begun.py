"""The files of a run that have something to rewrite, and what an earlier run made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

from scanlint.engine.session import Session
from scanlint.finding import Finding
from scanlint.fix.verdicts import FixedFile, KeptVerdicts
from scanlint.problem import Problem
from scanlint.project.files import SourceFile, Unreadable
from scanlint.syntax.edits import apply_edits


class FileToFix(NamedTuple):
    """A file with its findings, the text that its rewrites begin with, and what an earlier run made of it."""

    path: str
    file: SourceFile
    before: tuple[Finding, ...]
    text: str
    known: FixedFile | None


def begun(session: Session, kept: Callable[[], KeptVerdicts | None]) -> Iterator[FileToFix]:
    """The files to rewrite, or what an earlier run made of them; what is found in no unit is settled."""
    for path in session.files:
        vain = [f for f in session.others if f.path == path and f.fix.status == "available"]
        found = [found.finding for found in session.found.get(path, [])]
        if not any(f.fix.status == "available" for f in (*vain, *found)):
            continue
        file = session.source(path)
        if isinstance(file, Unreadable):
            session.problems.append(Problem(path, 0, file.message, "undone"))
            continue
        session.others = [replace(f, fix=replace(f.fix, status="applied")) if f in vain else f for f in session.others]
        text = apply_edits(file.text, [e for f in vain for e in f.fix.edits])
        before, earlier = (*vain, *found), kept()
        yield FileToFix(path, file, before, text, earlier.fixed(path, before) if earlier is not None else None)


def settle(session: Session, file: FileToFix, known: FixedFile) -> None:
    """The findings of an earlier run in the place of those of this one."""
    listed = session.found.get(file.path, [])
    if listed:
        session.found[file.path] = [replace(listed[0], finding=finding) for finding in known.findings]


def change(session: Session, begun: FileToFix, text: str) -> bool:
    """Whether a file has another text than before, which is to be written in the end."""
    file = begun.file
    if text != file.text:
        session.changes[file.path] = (file.data, file.encode(text))
    return text != file.text
