"""Collects in `.scanlint/evidence.json` what the processes of a run showed of lines and loops."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import cast

from scanlint.record.moved_evidence import spans_of
from scanlint.record.recordings import EVIDENCE, FOLDER, digest

Json = dict[str, object]
Row = list[object]


def write_evidence(root: Path, shown: Sequence[Json], programs: Sequence[Json], before: Mapping[str, bytes]) -> None:
    """Replace what is known of the files that this run has something to say of; of others it stays."""
    files: dict[str, Json] = {}
    for path, row in _rows(shown, "loops"):
        loop = _loop(files, path, row)
        for key, value in zip(("dispatches", "entries", "seconds"), row[2:], strict=True):
            loop[key] = round(_number(loop.get(key, 0)) + _number(value), 4)
    for path, row in _rows(programs, "repeats"):
        loop = _loop(files, path, row)
        if _number(row[3]) > _number(loop.get("equations", 0)):
            loop |= {"repeats": row[2], "equations": row[3]}
    for path, row in _rows(shown, "compiled"):
        _part(files, path, "compiled")[f"{row[0]}:{row[1]}"] = dict(
            zip(("own", "times", "again", "seconds", "shapes"), row[2:], strict=True)
        )
    for path, row in _rows(shown, "stopped"):
        _part(files, path, "stopped")[str(row[0])] = row[1]
    seconds = round(sum(_number(one["seconds"]) for one in shown), 4)
    for path, entry in files.items():
        data = before.get(path)
        spans = spans_of(data.decode("utf-8", "replace")) if data is not None else {}
        entry |= {"hash": digest(data) if data is not None else None, "run_seconds": seconds, "spans": spans}
    write_files(root / FOLDER / EVIDENCE, files)


def write_files(target: Path, files: Mapping[str, Json]) -> None:
    """Replace what a document says of these files; what it says of others stays, unless it is damaged."""
    try:
        before = json.loads(target.read_text(encoding="utf-8"))["files"]
        known = dict(before)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):  # it is made anew by this very run
        known = {}
    target.write_text(json.dumps({"version": 1, "files": {**known, **files}}, indent=1), encoding="utf-8")


def _rows(records: Iterable[Json], key: str) -> Iterable[tuple[str, Row]]:
    """The rows of all records by the file that they speak of."""
    for record in records:
        for path, *row in cast("list[list[object]]", record.get(key, [])):
            yield str(path), row


def _part(files: dict[str, Json], path: str, part: str) -> Json:
    return cast("Json", files.setdefault(path, {}).setdefault(part, {}))


def _loop(files: dict[str, Json], path: str, row: Row) -> Json:
    """The entry of one loop, by its first and last line."""
    return cast("Json", _part(files, path, "loops").setdefault(f"{row[0]}-{row[1]}", {}))


def _number(value: object) -> float:
    return float(cast("float", value))
