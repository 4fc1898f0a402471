"""A file of findings that are known: they are not reported again until their line changes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from scanlint.errors import UsageError, cause
from scanlint.finding import Finding
from scanlint.fix.fingerprint import fingerprints
from scanlint.fix.write import write_new
from scanlint.project.contents import may_exist

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
        raise UsageError(f"{file}: cannot read the baseline: {cause(error)}") from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UsageError(f"{file}: not a baseline of scanlint ({error}): `--write-baseline` writes it anew") from None


def save(file: Path, found: Iterable[Mark]) -> None:
    """Write a baseline, sorted, a finding a line, so that its changes read well in a diff. Raises NotWritten."""
    rows = [json.dumps(dict(zip(KEYS, mark, strict=True))) for mark in sorted(found)]
    body = ",\n".join(f"  {row}" for row in rows)
    write_new(file, f'{{"version": 1, "findings": [\n{body}\n]}}\n'.encode())


class Looked(NamedTuple):
    """What a run can tell of known findings: it looked for these rules in these files; in the others it failed to."""

    files: frozenset[Path]
    codes: frozenset[str]
    failed: frozenset[Path]

    def tells(self, mark: Mark, folder: Path) -> bool:
        """Whether it was looked for what bears this mark; a file that is gone has nothing to look for."""
        file = Path(os.path.abspath(folder / mark[0]))
        return not may_exist(file) or (file in self.files and mark[1] in self.codes)


def renewed(found: Iterable[Mark], looked: Looked, file: Path) -> frozenset[Mark]:
    """What is found now, and what a baseline that is there knows of files that were to be checked and were not."""
    folder = file.absolute().parent
    try:
        before = read(file)
    except UsageError:  # there is none, or none that can be read: it is to be written anew
        before = frozenset[Mark]()
    kept = (mark for mark in before if Path(os.path.abspath(folder / mark[0])) in looked.failed)
    return frozenset([*found, *kept])


def prune(known: frozenset[Mark], found: Iterable[Mark], looked: Looked, file: Path) -> frozenset[Mark]:
    """The known marks that were found again, or were not looked for."""
    folder, again = file.absolute().parent, frozenset(found)
    return frozenset(mark for mark in known if mark in again or not looked.tells(mark, folder))
