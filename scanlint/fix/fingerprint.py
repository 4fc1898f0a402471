"""What a finding is known by from one version of a file to the next: its line may move, its text stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from scanlint.finding import Finding


def fingerprints(findings: Sequence[Finding], lines: Sequence[str]) -> list[tuple[str, ...]]:
    """One per finding: path, code, function, text of its first line, and a number that keeps equal ones apart."""
    seen: Counter[tuple[str, ...]] = Counter()
    marks: list[tuple[str, ...]] = []
    for finding, line in zip(findings, lines, strict=True):
        mark = (finding.path, finding.code, finding.function or "", " ".join(line.split()))
        seen[mark] += 1
        marks.append((*mark, str(seen[mark])))
    return marks
