"""What recorded runs show of the files that are checked: it confirms findings, and adds some."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from scanlint.engine.suppress import apply as suppress
from scanlint.finding import Finding
from scanlint.project.contents import contents
from scanlint.project.files import shown
from scanlint.record.recorded_findings import recorded_findings
from scanlint.record.recordings import EVIDENCE, FOLDER
from scanlint.record.run_evidence import FileEvidence, load, unchanged
from scanlint.rules.registry import UNUSED_IGNORE
from scanlint.settings import Settings


def with_evidence(
    findings: Sequence[Finding], files: Sequence[Path], settings: Settings
) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
    """The findings as a run confirms them, with those that it adds, in order; and what is wrong with the evidence."""
    known = load(settings.root)
    if known is None:
        return tuple(findings), (f"{FOLDER}/{EVIDENCE}: cannot be read: `scanlint record` makes it anew",)
    left: dict[str, list[Finding]] = {path: [] for path in (*(f.path for f in findings), *map(shown, files))}
    for finding in findings:
        left[finding.path].append(finding)
    for file in files:
        entry = unchanged(file, settings.root.resolve(), known)
        if entry is not None:
            left[shown(file)] = _with_file(left[shown(file)], file, entry, settings)
    return tuple(sorted((f for told in left.values() for f in told), key=lambda f: (f.path, f.start, f.code))), ()


def _with_file(findings: Sequence[Finding], file: Path, entry: FileEvidence, settings: Settings) -> list[Finding]:
    confirmed = [replace(f, measured=entry.measured(f)) for f in findings]
    text = contents(file).decode("utf-8", "replace")
    added = recorded_findings(text, shown(file), entry, findings, settings)
    wanted = suppress(added, shown(file), text, settings, ())
    unheard = {f.start.line for f in added} - {f.start.line for f in wanted}
    return [*(f for f in confirmed if not _ignores_one_of(f, unheard)), *wanted]


def _ignores_one_of(finding: Finding, lines: set[int]) -> bool:
    """Whether an ignore that is reported as vain suppresses what a run has shown."""
    return finding.code == UNUSED_IGNORE.code and bool({finding.start.line, finding.start.line + 1} & lines)
