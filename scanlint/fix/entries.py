"""Findings that are being fixed: paired with what the rules say of the text as it is by then."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Sequence
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
    """One finding with the unit that it stands in, and the analysis in which it was found."""

    bench: Bench
    unit: Unit
    report: Report
    found: Found

    @property
    def finding(self) -> Finding:
        return self.found.finding

    @finding.setter
    def finding(self, finding: Finding) -> None:
        self.found.finding = finding


def absorbed(unit: Unit, last: Report, reports: Sequence[Report], remaining: Sequence[PendingFix]) -> list[PendingFix]:
    """Findings that the `last` rewrite has dealt with, as part of the code that it took in: `reports` lack them.

    A loop that still stands in the new unit has been dealt with if one in it has: few trips are left to unroll. If
    only a branch has, less is left of it than is worth a word.
    """
    loops = () if isinstance(last.node, ast.For | ast.While) else (*unit.every(ast.For), *unit.every(ast.While))
    standing = {_header(node) for node in loops}
    left = Counter(_place(r) for r in reports)
    gone = []
    for entry in remaining:
        if _place(entry.report)[0] == LOOP and _header(entry.report.node) in standing:
            continue
        if left[_place(entry.report)]:
            left[_place(entry.report)] -= 1
        else:
            gone.append(entry)
    return gone


def match(reports: Sequence[Report], entries: Sequence[PendingFix]) -> list[tuple[Report, PendingFix]]:
    """Pair what is found now with the findings of the run: by rule, function and header, in order."""
    waiting: dict[Key, list[PendingFix]] = {}
    for entry in entries:
        waiting.setdefault(_key(entry.report), []).append(entry)
    pairs = []
    for report in sorted(reports, key=lambda r: r.finding.start):
        if found := waiting.get(_key(report)):
            pairs.append((report, found.pop(0)))
    return pairs


def spot(finding: Finding) -> tuple[object, ...]:
    """What tells one finding of a file from the others."""
    return finding.code, finding.start, finding.end, finding.message


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
