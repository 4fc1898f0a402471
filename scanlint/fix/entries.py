"""Findings that are being fixed: paired with what the rules say of the text as it is by then."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from scanlint.engine.analyst import Bench
from scanlint.engine.session import Found
from scanlint.finding import Finding, Report
from scanlint.trace.unit import Unit

Key = tuple[str, str | None, str]
ROLLED = frozenset(["SCN101", "SCN102", "SCN104", "SCN105", "SCN301"])
"""The rules of which one at a time reports a `for`."""
LOOP = "a loop"


@dataclass
class PendingFix:
    """One finding with the unit that it stands in, and the analysis in which it was found.

    `later`: it was found only in a text that was rewritten already.
    """

    bench: Bench
    unit: Unit
    report: Report
    found: Found
    later: bool = False

    @property
    def finding(self) -> Finding:
        return self.found.finding

    @finding.setter
    def finding(self, finding: Finding) -> None:
        self.found.finding = finding


Renamed = Mapping[int, Report]
"""What the reports of findings have become whose header or expression another rewrite has changed, by their ids."""


def absorbed(
    unit: Unit, last: Report, reports: Sequence[Report], remaining: Sequence[PendingFix], renamed: Renamed
) -> list[PendingFix]:
    """Findings that the `last` rewrite has dealt with, as part of the code that it took in: `reports` lack them.

    A loop that still stands in the new unit has been dealt with if one in it has: few trips are left to unroll. If
    only a branch has, less is left of it than is worth a word.
    """
    loops = () if isinstance(last.node, ast.For | ast.While) else (*unit.every(ast.For), *unit.every(ast.While))
    standing = {_header(node) for node in loops}
    left = Counter(_place(r) for r in reports)
    gone = []
    for entry in remaining:
        place = _place(renamed.get(id(entry), entry.report))
        if place[0] == LOOP and place[1] in standing:
            continue
        if left[place]:
            left[place] -= 1
        else:
            gone.append(entry)
    return gone


def loop_stands(unit: Unit, report: Report) -> bool:
    """Whether what is reported is a loop that the unit still has, whatever the rules say of it now."""
    loops = (*unit.every(ast.For), *unit.every(ast.While))
    return _place(report)[0] == LOOP and _header(report.node) in {_header(node) for node in loops}


def match(
    reports: Sequence[Report], entries: Sequence[PendingFix], renamed: Renamed | None = None
) -> list[tuple[Report, PendingFix]]:
    """Pair what is found now with the findings of the run: by rule, function and header, in order."""
    waiting: dict[Key, list[PendingFix]] = {}
    for entry in entries:
        report = entry.report if renamed is None else renamed.get(id(entry), entry.report)
        waiting.setdefault(_key(report), []).append(entry)
    pairs = []
    for report in sorted(reports, key=lambda r: r.finding.start):
        if found := waiting.get(_key(report)):
            pairs.append((report, found.pop(0)))
    return pairs


def changed_around(
    last: Report, before: Sequence[tuple[Report, PendingFix]], reports: Sequence[Report]
) -> dict[int, Report]:
    """The findings whose header or expression held the node of the `last` rewrite, with what is now said of them."""
    known, found = {_key(report) for report, _ in before}, dict[int, Report]()
    fresh = [r for r in sorted(reports, key=lambda r: r.finding.start) if _key(r) not in known]
    for report, entry in before:
        if report.node is last.node or not any(n is last.node for n in ast.walk(report.node)):
            continue
        same = (r for r in fresh if _key(r)[:2] == _key(report)[:2] and r not in found.values())
        if not any(_key(r) == _key(report) for r in reports) and (now := next(same, None)) is not None:
            found[id(entry)] = now
    return found


def put_back(finding: Finding, line: Callable[[int], int]) -> Finding:
    """A finding in a changed text with its places in the text before; `line` gives the line that a line was."""
    start = finding.start._replace(line=line(finding.start.line))
    end = finding.end._replace(line=start.line + finding.end.line - finding.start.line)
    chain = tuple(link._replace(line=line(link.line)) if link.path == finding.path else link for link in finding.chain)
    return replace(finding, start=start, end=end, chain=chain)


def _key(report: Report) -> Key:
    rule, header = _place(report)
    return rule, report.finding.function, header


def _place(report: Report) -> tuple[str, str]:
    """The rule and the header of what it reports, wherever that stands now.

    Which rule a `for` is one of depends on its body, which another rewrite may have changed.
    """
    code = report.finding.code
    return LOOP if code in ROLLED else code, _header(report.node)


def _header(node: ast.AST) -> str:
    match node:
        case ast.For(target=target, iter=iterable):
            return f"{ast.unparse(target)} in {ast.unparse(iterable)}"
        case ast.While(test=test) | ast.If(test=test):
            return ast.unparse(test)
    return ast.unparse(node)
