"""Confirms findings by recorded runs of the files that are checked, and adds some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from scanlint.engine.suppress import apply as suppress
from scanlint.finding import Finding
from scanlint.project.contents import contents
from scanlint.project.files import shown
from scanlint.record.moved_evidence import moved, spans_of
from scanlint.record.recorded_findings import recorded_findings
from scanlint.record.recordings import EVIDENCE, FOLDER, digest
from scanlint.record.run_evidence import FileEvidence, RecordedFile, load
from scanlint.rules.registry import UNUSED_IGNORE
from scanlint.settings import Settings

Changes = Mapping[Path, tuple[bytes, bytes]]


def with_evidence(
    findings: Sequence[Finding], files: Sequence[Path], changes: Changes, settings: Settings
) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
    """The findings as a run confirms them, with those that it adds, in order; and what is wrong with the evidence.

    Of the functions of a file that `changes` now, nothing that was recorded holds any more; of the others it does.
    """
    known = load(settings.root)
    if known is None:
        return tuple(findings), (f"{FOLDER}/{EVIDENCE}: cannot be read: `scanlint record` makes it anew",)
    left: dict[str, list[Finding]] = {path: [] for path in (*(f.path for f in findings), *map(shown, files))}
    for finding in findings:
        left[finding.path].append(finding)
    for file in files:
        recorded = _recorded(file, settings.root.resolve(), known)
        if recorded is not None:
            text, entry = recorded
            kept = _kept(entry, text, changes[file][1]) if file in changes else entry
            left[shown(file)] = _with_file(left[shown(file)], file, text, (entry, kept), settings)
    return tuple(sorted((f for told in left.values() for f in told), key=lambda f: (f.path, f.start, f.code))), ()


def _recorded(file: Path, root: Path, known: Mapping[str, RecordedFile]) -> tuple[str, FileEvidence] | None:
    """The text of a file, and what a run showed of the functions in it that are as they were."""
    path = file.resolve()
    recorded = known.get(path.relative_to(root).as_posix()) if path.is_relative_to(root) else None
    if recorded is None:
        return None
    try:
        data = contents(file)
    except OSError:  # that it cannot be read is a problem of the run already
        return None
    text = data.decode("utf-8", "replace")
    if recorded.hash == digest(data):
        return text, recorded.evidence
    return text, moved(recorded.evidence, recorded.spans, spans_of(text))


def _kept(entry: FileEvidence, text: str, new: bytes) -> FileEvidence:
    """The part of the evidence that holds of a new text as well, on the lines of the old one."""
    before, after = spans_of(text), spans_of(new.decode("utf-8", "replace"))
    return moved(entry, before, {key: span for key, span in before.items() if key in after})


def _with_file(
    findings: Sequence[Finding], file: Path, text: str, evidence: tuple[FileEvidence, FileEvidence], settings: Settings
) -> list[Finding]:
    """The findings of one file: all of the `evidence` confirms, and the second part of it adds some."""
    entry, kept = evidence
    confirmed = [replace(f, measured=entry.measured(f)) for f in findings]
    added = recorded_findings(text, shown(file), kept, findings, settings)
    wanted = suppress(added, shown(file), text, settings, ())
    unheard = {f.start.line for f in added} - {f.start.line for f in wanted}
    return [*(f for f in confirmed if not _ignores_one_of(f, unheard)), *wanted]


def _ignores_one_of(finding: Finding, lines: set[int]) -> bool:
    """Whether an ignore that is reported as vain suppresses what a run has shown."""
    return finding.code == UNUSED_IGNORE.code and bool({finding.start.line, finding.start.line + 1} & lines)
