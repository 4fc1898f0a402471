"""The folder of recordings of `scanlint record`, and the costs that it measured."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from scanlint.errors import cause
from scanlint.finding import Cost, Finding
from scanlint.problem import Problem
from scanlint.project.contents import may_exist

FOLDER = ".scanlint"
CALLS = "recorded"
COSTS = "costs.json"
EVIDENCE = "evidence.json"


def recording(root: Path, path: str, qualname: str) -> Path:
    """The file of one function's recorded calls; `path` is relative to the root."""
    return root / FOLDER / CALLS / named(path, qualname)


def named(path: str, qualname: str) -> str:
    """The name of the file of one function's calls."""
    return f"{path.removesuffix('.py').replace('/', '.')}--{qualname}.npz"


def recorded(root: Path, file: Path, qualname: str) -> tuple[str, ...]:
    """The recordings of a function, and of the functions that are defined in it, the outer one first."""
    try:
        path = file.resolve().relative_to(root.resolve()).as_posix()
    except ValueError:  # what lies outside of the root is not recorded
        return ()
    return with_inner(recording(root.resolve(), path, qualname))


def with_inner(own: Path) -> tuple[str, ...]:
    """The recording of a function, where there is one, and those of the functions that are defined in it."""
    if not os.path.isdir(own.parent):
        return ()
    inner = sorted(own.parent.glob(f"{''.join(f'[{c}]' if c in '*?[' else c for c in own.stem)}.*.npz"))
    return tuple(str(f) for f in (own, *inner) if os.path.isfile(f))


def unreadable(root: Path) -> Iterator[Problem]:
    """The folders with recordings that cannot be read."""
    for folder in (root / FOLDER, root / FOLDER / CALLS):
        try:
            os.scandir(folder).close()
        except (FileNotFoundError, NotADirectoryError):  # nothing was recorded
            return
        except OSError as error:
            yield Problem(str(folder), 0, f"cannot read: {cause(error)}: what was recorded is not used", "undone")
            return


def digest(data: bytes) -> str:
    """A digest that tells whether a file is still the one that was measured."""
    import hashlib  # 5 ms that a run without recordings is spared

    return hashlib.sha256(data).hexdigest()[:32]


def damage(file: Path) -> str | None:
    """Why recorded calls cannot be read; None where they can."""
    import json
    import zipfile

    try:
        with zipfile.ZipFile(file) as archive:
            broken = archive.testzip()
            json.loads(archive.read("calls.json"))["calls"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError, zipfile.BadZipFile) as error:
        return str(error) or type(error).__name__
    return f"`{broken}` in it is damaged" if broken is not None else None


def has_evidence(root: Path) -> bool:
    """Whether a run was recorded that may show something of lines and loops."""
    return may_exist(root / FOLDER / EVIDENCE)


def priced(findings: Sequence[Finding], root: Path) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
    """The findings with what they were measured to cost, where their files have not changed since; what is wrong."""
    if not may_exist(root / FOLDER / COSTS):
        return tuple(findings), ()
    import json

    try:
        document = json.loads((root / FOLDER / COSTS).read_text(encoding="utf-8"))
        files = cast("Mapping[str, Mapping[str, object]]", document["files"])
        fresh: dict[str, Mapping[str, object] | None] = {}
        return tuple(_priced(f, root.resolve(), files, fresh) for f in findings), ()
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return tuple(findings), (f"{FOLDER}/{COSTS}: cannot be read: `scanlint record` makes it anew",)


def _priced(
    finding: Finding,
    root: Path,
    files: Mapping[str, Mapping[str, object]],
    fresh: dict[str, Mapping[str, object] | None],
) -> Finding:
    if finding.path not in fresh:
        fresh[finding.path] = _unchanged(Path(finding.path), root, files)
    entry = fresh[finding.path]
    spans = cast("Mapping[str, Mapping[str, object]]", entry.get("spans", {}) if entry else {})
    found = spans.get(str(finding.start.line))
    if found is None:
        return finding
    numbers = {k: float(str(found[k])) for k in ("trace", "lower", "compile")}
    cost = Cost(
        equations=int(str(found["equations"])),
        total_equations=int(str(found["total"])),
        program=str(found["program"]),
        trace_seconds=numbers["trace"] + numbers["lower"],
        compile_seconds=numbers["compile"],
    )
    return replace(finding, cost=cost)


def _unchanged(file: Path, root: Path, files: Mapping[str, Mapping[str, object]]) -> Mapping[str, object] | None:
    try:
        entry = files.get(file.resolve().relative_to(root).as_posix())
        return entry if entry is not None and entry.get("hash") == digest(file.read_bytes()) else None
    except (ValueError, OSError):  # of such a file no costs are known
        return None
