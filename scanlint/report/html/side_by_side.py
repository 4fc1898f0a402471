"""Two versions of a piece of code in two columns, the lines that belong together beside each other."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import NamedTuple

from scanlint.finding import Finding
from scanlint.report.html.markup import NOTHING, Markup, element, joined
from scanlint.report.result import Result
from scanlint.syntax.edits import apply_edits

CONTEXT = 3
Hunk = tuple[tuple[str, int, int, int, int], ...]


class Sides(NamedTuple):
    """The lines of both versions, and which of the old ones are meant: all where a rewrite stands alone."""

    old: Sequence[str]
    new: Sequence[str]
    first: int = 1
    last: int = 10**9


def sides(finding: Finding, result: Result) -> Sides | None:
    """A finding's function before and after; where nothing of the file was verified, its own rewrite."""
    old = result.lines(finding)
    verified = finding.verification is not None and finding.verification.verdict in ("proved", "tested")
    if verified and finding.cell is None and (new := result.after(finding)):
        return Sides(old, new, *_around("".join(old), finding))
    if not finding.fix.edits or any(edit.cell != finding.cell for edit in finding.fix.edits):
        return None
    return Sides(old, apply_edits("".join(old), finding.fix.edits).splitlines(keepends=True))


def table(both: Sides) -> Markup:
    """A table of the lines that differ, with a few lines around them."""
    rows = [joined(*_rows(hunk, both)) for hunk in _hunks(both)]
    gap = element("tr", element("td", "⋯", colspan="4"), class_="gap")
    if not rows:
        return NOTHING
    body = joined(*(row if not n else joined(gap, row) for n, row in enumerate(rows)))
    head = element("tr", element("th", "Before", colspan="2"), element("th", "After", colspan="2"))
    columns = element("colgroup", Markup('<col class="narrow"><col><col class="narrow"><col>'))
    return element("div", element("table", columns, element("thead", head), element("tbody", body)), class_="sides")


def _around(source: str, finding: Finding) -> tuple[int, int]:
    """The first and the last line of the outermost function around a finding, else those of the finding."""
    for node in ast.walk(ast.parse(source)):  # outer ones come before inner ones
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if first <= finding.start.line <= (node.end_lineno or 0):
                return first, node.end_lineno or first
    return finding.start.line, finding.end.line


def _hunks(both: Sides) -> Iterator[Hunk]:
    matcher = SequenceMatcher(None, both.old, both.new, autojunk=False)
    for group in matcher.get_grouped_opcodes(CONTEXT):
        changed = [code for code in group if code[0] != "equal"]
        if any(code[1] < both.last and max(code[2], code[1] + 1) >= both.first for code in changed):
            yield tuple(group)


def _rows(hunk: Hunk, both: Sides) -> Iterator[Markup]:
    for kind, first, last, start, end in hunk:
        pairs = zip_longest(range(first, last), range(start, end))
        for left, right in pairs:
            yield element(
                "tr",
                *_cells(both.old, left, "" if kind == "equal" else "old"),
                *_cells(both.new, right, "" if kind == "equal" else "new"),
            )


def _cells(lines: Sequence[str], index: int | None, kind: str) -> tuple[Markup, Markup]:
    """The number and the text of a line; empty beside a line that the other side lacks."""
    if index is None:
        return element("td", class_="number none"), element("td", class_="none")
    return element("td", str(index + 1), class_=f"number {kind}"), element(
        "td", lines[index].rstrip("\r\n"), class_=kind
    )
