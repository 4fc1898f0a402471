"""Reads from `.scanlint/evidence.json` what recorded runs have shown of files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, cast

from scanlint.finding import Finding, Measured
from scanlint.record.recordings import EVIDENCE, FOLDER


class MeasuredLoop(NamedTuple):
    """One loop, by its first and last line: the operations that were run one by one in it, and equations that recur.

    `entries` is how often it was begun, as far as other operations between two times show.
    """

    first: int
    last: int
    dispatches: int
    entries: int
    seconds: float
    repeats: int
    equations: int

    def has(self, line: int) -> bool:
        return self.first <= line <= self.last


class Recompiled(NamedTuple):
    """One function, by its first line, or an operation of one line.

    `own`: the project jits it. `again` is how often it was compiled for arguments of a kind that it knew.
    """

    line: int
    name: str
    own: bool
    times: int
    again: int
    seconds: float
    shapes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileEvidence:
    """The evidence of a run on one file, as far as it still holds."""

    run_seconds: float
    loops: tuple[MeasuredLoop, ...]
    compiled: tuple[Recompiled, ...]
    stopped: Mapping[int, str]

    def measured(self, finding: Finding) -> Measured | None:
        """The measurements of the loop that begins where a finding does, or of the loop in the middle of it."""
        found = [loop for loop in self.loops if loop.first == finding.start.line and loop.last >= finding.end.line]
        return self.of_loop(max(found, key=lambda loop: loop.last), alone=False) if found else None

    def of_loop(self, loop: MeasuredLoop, *, alone: bool) -> Measured:
        seconds = loop.seconds if loop.dispatches else None
        return Measured(alone, seconds, self.run_seconds, loop.dispatches, loop.repeats, loop.equations)


class RecordedFile(NamedTuple):
    """The evidence of a run on a file; `hash` stands for its content, `spans` say where its functions stood."""

    hash: str
    evidence: FileEvidence
    spans: Mapping[str, tuple[int, int]]


def load(root: Path) -> dict[str, RecordedFile] | None:
    """The files of the evidence; None where it is damaged."""
    try:
        document = json.loads((root / FOLDER / EVIDENCE).read_text(encoding="utf-8"))
        files = document["files"]
        return {str(path): _entry(entry) for path, entry in files.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        # whoever asks makes a note of it
        return None


def _entry(entry: Mapping[str, Mapping[str, Mapping[str, object]]]) -> RecordedFile:
    loops = [_loop(place, numbers) for place, numbers in entry.get("loops", {}).items()]
    compiled = [_compiled(place, facts) for place, facts in entry.get("compiled", {}).items()]
    stopped = {int(line): str(name) for line, name in entry.get("stopped", {}).items()}
    run_seconds = float(str(entry["run_seconds"]))
    spans = {key: (int(str(span[0])), int(str(span[1]))) for key, span in _spans(entry).items()}
    return RecordedFile(str(entry["hash"]), FileEvidence(run_seconds, tuple(loops), tuple(compiled), stopped), spans)


def _spans(entry: Mapping[str, object]) -> Mapping[str, Sequence[object]]:
    return cast("Mapping[str, Sequence[object]]", entry.get("spans", {}))


def _loop(place: str, numbers: Mapping[str, object]) -> MeasuredLoop:
    first, last = map(int, place.split("-"))
    dispatches, entries, seconds, repeats, equations = (
        float(str(numbers.get(key, 0))) for key in ("dispatches", "entries", "seconds", "repeats", "equations")
    )
    return MeasuredLoop(first, last, int(dispatches), int(entries), seconds, int(repeats), int(equations))


def _compiled(place: str, facts: Mapping[str, object]) -> Recompiled:
    line, name = place.split(":", 1)
    shapes = facts["shapes"]
    listed = tuple(map(str, shapes)) if isinstance(shapes, list) else ()
    times, again = int(str(facts["times"])), int(str(facts["again"]))
    return Recompiled(int(line), name, bool(facts["own"]), times, again, float(str(facts["seconds"])), listed)
