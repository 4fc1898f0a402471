"""Checks an edit at once: the function around it is analysed by itself, with all else as it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from scanlint.engine.analyst import Bench
from scanlint.engine.session import Found
from scanlint.engine.tasks import UnitKey
from scanlint.finding import Finding
from scanlint.syntax.edits import line_edits, split_lines
from scanlint.syntax.source import Source
from scanlint.trace.program.project import Around


class ChangedLines(NamedTuple):
    """The lines from `first` on up to, not including, `old` have become those up to `new`."""

    first: int
    old: int
    new: int

    @property
    def grown(self) -> int:
        return self.new - self.old

    def idle(self, before: str, after: str) -> bool:
        """Whether these lines were and are empty, or comments."""
        lines = *split_lines(before)[self.first - 1 : self.old - 1], *split_lines(after)[self.first - 1 : self.new - 1]
        return all(not line.strip() or line.lstrip().startswith("#") for line in lines)


def changed_lines(before: str, after: str) -> ChangedLines:
    """The smallest run of lines that holds all changes."""
    edits, end = line_edits(before, after), len(split_lines(before)) + 1
    first, last = (edits[0].start.line, edits[-1].end.line) if edits else (end, end)
    return ChangedLines(first, last, last + len(split_lines(after)) + 1 - end)


def early_answer(
    bench: Bench, module: str, found: Sequence[Found], before: str, after: str, joint: frozenset[UnitKey]
) -> tuple[Finding, ...] | None:
    """The findings where the change stands in one function, of which no other analysis tells; else None.

    `found` is what was found in the text before, and `joint` are the units that other analyses tell of too.
    """
    change = changed_lines(before, after)
    around = bench.project.around(module, change.first, change.old)
    if around is None and change.idle(before, after):
        return tuple(_moved(entry.finding, change) for entry in found)
    if around is None or (module, around.qualname) in joint:
        return None
    lines = split_lines(after)[around.source.above : around.source.below + change.grown]
    own = _own(bench, around, around.source.changed("".join(lines), ()))
    if own is None:
        return None
    others = (entry.finding for entry in found if entry.unit != (module, around.qualname))
    return (*own, *(_moved(finding, change) for finding in others))


def _own(bench: Bench, around: Around, source: Source) -> list[Finding] | None:
    """The findings in a function with another text; None where that does not parse, or is no longer this function."""
    try:
        if around.unit is None:
            source.statements()
            return []
        renewed = around.unit.renew(source)
    except SyntaxError:  # the whole check that follows tells it
        return None
    reports = bench.rewriter.reports(renewed, bench.selected) if renewed is not None else None
    return [report.finding for report in reports] if reports is not None else None


def _moved(finding: Finding, change: ChangedLines) -> Finding:
    """A finding outside of the changed lines, with its chain, where they stand now."""

    def line(was: int) -> int:
        return was + change.grown if was >= change.old else was

    start = finding.start._replace(line=line(finding.start.line))
    end = finding.end._replace(line=line(finding.end.line))
    chain = (link._replace(line=line(link.line)) if link.path == finding.path else link for link in finding.chain)
    return replace(finding, start=start, end=end, chain=tuple(chain))
