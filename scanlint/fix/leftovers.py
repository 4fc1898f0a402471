"""What is left when a file has been rewritten: no finding that its text no longer has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scanlint.engine.session import Session
from scanlint.fix.entries import PendingFix, loop_stands, match
from scanlint.project.files import SourceFile


def drop_gone(session: Session, entries: Sequence[PendingFix], changed: SourceFile) -> None:
    """Findings that a changed file no longer has, whatever became of their own rewrites: others dealt with them."""
    left = [e for e in entries if e.finding.fix.status != "applied"]
    if not left or len(left) == len(entries):
        return
    for task in dict.fromkeys(entry.found.task for entry in left):
        bench = session.team.local.bench(task, session.problems, changed, listed=True)
        mine = [e for e in left if e.found.task == task]
        now = list(bench.reports({e.found.unit for e in mine}))
        standing = {id(entry) for _, entry in match([r for _, listed in now for r in listed], mine)}
        for entry in mine:
            if id(entry) not in standing and not any(loop_stands(unit, entry.report) for unit, _ in now):
                _take_out(session, entry, entries)


def _take_out(session: Session, entry: PendingFix, entries: Sequence[PendingFix]) -> None:
    """A finding that is gone shares the verdict of what was rewritten around it.

    One that was found only in a text in between was never in the file.
    """
    if entry.later:
        session.found[entry.finding.path].remove(entry.found)
        return
    beside = [e for e in entries if e.found.unit == entry.found.unit and e.finding.fix.status == "applied"]
    if beside:
        fix = replace(entry.finding.fix, status="applied", reason=None)
        entry.finding = replace(entry.finding, fix=fix, verification=beside[-1].finding.verification)
