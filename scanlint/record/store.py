"""Gather what the processes kept into `.scanlint/`: one compressed file per function, and one of costs."""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from scanlint.record.evidence_store import write_evidence, write_files
from scanlint.record.plan import KEPT, RecordingPlan
from scanlint.record.recordings import CALLS, COSTS, FOLDER, digest, recording

ALIKE = 2
IGNORE = "# made by `scanlint record`: inputs and costs of this machine's runs\n*\n"
Json = dict[str, object]


@dataclass
class Summary:
    """The counts for the closing line of a recording; `skipped` says per function why calls were not kept."""

    functions: int = 0
    calls: int = 0
    skipped: dict[str, str] = field(default_factory=dict)


def prepare(root: Path) -> Path:
    """The folder of the store, which version control ignores."""
    folder = root / FOLDER
    (folder / CALLS).mkdir(parents=True, exist_ok=True)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text(IGNORE, encoding="utf-8")
    return folder


def gather(plan: RecordingPlan, parts: Path, before: dict[str, bytes]) -> Summary:
    """Replace the recordings of the functions that were called; those of others stay."""
    summary = Summary()
    lines = [line for file in sorted(parts.glob("*.jsonl")) for line in _lines(file)]
    called = calls_of(parts)
    for index, files in called.items():
        target = plan.targets[index]
        calls = chosen(files)
        write(recording(plan.root, target.path, target.qualname), calls)
        summary.functions += 1
        summary.calls += len(calls)
    for line in lines:
        if isinstance(at := line.get("function"), int) and at not in called:
            target = plan.targets[at]
            summary.skipped.setdefault(f"{target.path}:{target.qualname}", str(line.get("skipped")))
    programs = [cast("Json", line["program"]) for line in lines if "program" in line]
    if programs:
        _write_costs(plan, programs, {path: digest(data) for path, data in before.items()})
    shown = [cast("Json", line["evidence"]) for line in _last(lines)]
    if shown:
        write_evidence(plan.root, shown, programs, before)
    return summary


def _last(lines: list[Json]) -> list[Json]:
    """Of each process the last line of evidence: it holds what the others do."""
    return list({line["process"]: line for line in lines if "evidence" in line}.values())


def calls_of(parts: Path) -> dict[int, list[Path]]:
    """The files of single calls, by the place of the function in the plan."""
    called: dict[int, list[Path]] = {}
    for part in sorted(parts.glob("*.npz"), key=lambda p: [int(n) for n in p.stem.split("-")]):
        called.setdefault(int(part.name.partition("-")[0]), []).append(part)
    return called


def _lines(file: Path) -> Iterator[Json]:
    for line in file.read_text(encoding="utf-8").splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            continue  # the process was killed while it wrote


def chosen(files: list[Path]) -> list[tuple[Path, Json]]:
    """The calls to keep of all processes: those with values and of distinct shapes first."""
    found: list[tuple[Path, Json]] = []
    for file in files:
        with zipfile.ZipFile(file) as archive:
            found.append((file, json.loads(archive.read("call.json"))))
    found.sort(key=lambda item: bool(item[1]["abstract"]))
    shapes: Counter[object] = Counter()
    ranked = []
    for item in found:
        ranked.append((shapes[item[1]["shape"]], item))
        shapes[item[1]["shape"]] += 1
    ranked.sort(key=lambda pair: pair[0])
    return [item for turn, item in ranked if turn < ALIKE][:KEPT]


def write(target: Path, calls: list[tuple[Path, Json]]) -> None:
    """One archive: `calls.json`, and the arrays of each call in a folder of its own."""
    temporary = target.with_suffix(".partial")
    with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("calls.json", json.dumps({"version": 1, "calls": [call for _, call in calls]}))
        for at, (file, _) in enumerate(calls):
            with zipfile.ZipFile(file) as part:
                for name in part.namelist():
                    if name.endswith(".npy"):
                        archive.writestr(f"{at}/{name}", part.read(name))
    temporary.replace(target)


def _write_costs(plan: RecordingPlan, programs: list[Json], hashes: dict[str, str]) -> None:
    """Per file the equations of its findings, each from the program where it has most."""
    files: dict[str, Json] = {}
    for program in programs:
        facts = {
            "total": program["equations"],
            "program": program["function"],
            **{k: round(float(str(program[k])), 4) for k in ("trace", "lower", "compile")},
        }
        for path in cast("list[str]", program["files"]):
            _entry(files, path, hashes)
        for path, first, _, count in cast("list[tuple[str, int, int, int]]", program["spans"]):
            spans = cast("dict[str, Json]", _entry(files, path, hashes)["spans"])
            known = spans.get(str(first))
            if known is None or count > cast("int", known["equations"]):
                spans[str(first)] = {"equations": count, **facts}
    write_files(plan.root / FOLDER / COSTS, files)


def _entry(files: dict[str, Json], path: str, hashes: dict[str, str]) -> Json:
    return files.setdefault(path, {"hash": hashes.get(path), "spans": {}})


def texts(plan: RecordingPlan, root: Path) -> dict[str, bytes]:
    """The files of the plan as they are before the run."""
    paths = {t.path for t in plan.targets} | set(plan.spans) | set(plan.loops)
    return {path: (root / path).read_bytes() for path in sorted(paths)}
