"""What a run changes on disk: rewrites, ignore comments, the baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from scanlint.finding import Finding, Fix
from scanlint.fix.write import NotWritten, write
from scanlint.problem import Problem

Changes = Mapping[Path, tuple[bytes, bytes]]


def write_changes(
    changes: Changes, findings: tuple[Finding, ...], problems: list[Problem]
) -> tuple[tuple[Finding, ...], int]:
    """Write the files; gives the findings and the number of files written.

    The findings of a file that could not be written are withheld and say why.
    """
    written = 0
    for path, (old, new) in changes.items():
        try:
            write(path, old, new)
            written += 1
        except NotWritten as error:
            problems.append(error.problem)
            findings = tuple(_unwritten(finding, path, str(error)) for finding in findings)
    return findings, written


def _unwritten(finding: Finding, path: Path, why: str) -> Finding:
    if finding.fix.status != "applied" or Path(finding.path).resolve() != path.resolve():
        return finding
    return replace(finding, fix=Fix("withheld", why, finding.fix.edits))


def write_ignores(findings: Sequence[Finding], problems: list[Problem]) -> int:
    """Add an ignore comment for each finding that can have one; gives the number of findings it is for."""
    from scanlint.engine.suppress import add_ignores, ignorable
    from scanlint.project.files import SourceFile, read

    count = 0
    by_file: dict[str, list[Finding]] = {}
    for finding in filter(ignorable, findings):
        by_file.setdefault(finding.path, []).append(finding)
    for name, listed in by_file.items():
        source = read(Path(name))
        if not isinstance(source, SourceFile):
            problems.append(Problem(name, 0, source.message, "undone"))
            continue
        try:
            text = add_ignores(source.text, listed)
            if refusal := source.refusal(text):
                raise NotWritten(name, refusal)
            write(source.path, source.data, source.encode(text))
            count += len(listed)
        except NotWritten as error:
            problems.append(error.problem)
    return count
