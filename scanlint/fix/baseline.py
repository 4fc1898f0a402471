"""A file of findings that are known: they are not reported again until their line changes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from scanlint.errors import UsageError
from scanlint.finding import Finding
from scanlint.fix.fingerprint import fingerprints
from scanlint.fix.write import write_new

Mark = tuple[str, ...]
KEYS = ("path", "code", "function", "line", "number")


def marks(findings: Sequence[Finding], line: Callable[[Finding], str], file: Path) -> list[Mark]:
    """What each finding is known by; paths are relative to the baseline's folder."""
    folder = file.absolute().parent
    found = fingerprints(findings, [line(finding) for finding in findings])
    return [(Path(os.path.relpath(mark[0], folder)).as_posix(), *mark[1:]) for mark in found]


def read(file: Path) -> frozenset[Mark]:
    """The marks in a baseline. Raises UsageError if there is no such file or it is not a baseline."""
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
        return frozenset(tuple(str(row[key]) for key in KEYS) for row in document["findings"])
    except OSError as error:
        raise UsageError(f"{file}: cannot read the baseline: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UsageError(f"{file}: not a baseline of scanlint: {error!r}") from None


def save(file: Path, found: Iterable[Mark]) -> None:
    """Write a baseline, sorted, a finding a line, so that its changes read well in a diff. Raises NotWritten."""
    rows = [json.dumps(dict(zip(KEYS, mark, strict=True))) for mark in sorted(found)]
    body = ",\n".join(f"  {row}" for row in rows)
    write_new(file, f'{{"version": 1, "findings": [\n{body}\n]}}\n'.encode())


def prune(known: frozenset[Mark], found: Iterable[Mark], paths: Sequence[Path], file: Path) -> frozenset[Mark]:
    """The known marks that were found again, or whose file exists but was not looked at."""
    folder = file.absolute().parent
    again = frozenset(found)
    looked = [Path(os.path.abspath(path)) for path in paths]

    def elsewhere(mark: Mark) -> bool:
        at = Path(os.path.abspath(folder / mark[0]))
        return at.exists() and not any(at.is_relative_to(path) for path in looked)

    return frozenset(mark for mark in known if mark in again or elsewhere(mark))
