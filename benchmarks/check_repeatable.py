"""Whether the same files give the same verdicts, whatever else the machine does.

    python benchmarks/check_repeatable.py [FOLDER...] [--runs N] [--busy K] [--jobs 1,2]

FOLDERs default to two of the fixtures. Each run copies a folder, runs `scanlint --fix` on the copy with one of the
numbers of processes in turn, and every other run beside K processes that do nothing but compute. Prints each finding
whose status, verdict, source of inputs or equation counts differ between runs, and the written text where that differs.
Exits with 1 if any does.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

FIXTURES = Path(__file__).parent.parent / "fixtures"
DEFAULT = (FIXTURES / "hidden_markov", FIXTURES / "experts" / "control")
BUSY = "while True:\n    sum(range(10**6))"
Told = dict[str, str]


@contextlib.contextmanager
def busy(count: int) -> Iterator[None]:
    """So many processes that compute."""
    with contextlib.ExitStack() as stack:
        for _ in range(count):
            process = stack.enter_context(subprocess.Popen([sys.executable, "-c", BUSY]))
            stack.callback(process.kill)
        yield


def verdicts(folder: Path, jobs: str) -> Told:
    """What one run says of each finding, and the texts that it wrote."""
    with tempfile.TemporaryDirectory(prefix="scanlint-repeat-") as name:
        copy = Path(name) / folder.name
        shutil.copytree(folder, copy)
        words = ["--fix", "--no-cache", "--exit-zero", "--jobs", jobs, "--output-format", "json", "."]
        done = subprocess.run(
            [sys.executable, "-m", "scanlint", *words], cwd=copy, capture_output=True, text=True, check=True
        )
        told = {
            f"{f['path']}:{f['line']} {f['code']}": _said(f)
            for f in sorted(json.loads(done.stdout)["findings"], key=str)
        }
        texts = {file.relative_to(copy).as_posix(): file.read_text(encoding="utf-8") for file in copy.rglob("*.py")}
        return {**told, **texts}


def _said(finding: dict[str, dict[str, object] | None]) -> str:
    fix, proof = finding["fix"] or {}, finding["verification"] or {}
    told = [fix.get("status"), *(proof.get(n) for n in ("verdict", "inputs", "equations_before", "equations_after"))]
    return " ".join(map(str, told))


def differing(runs: list[tuple[str, Told]]) -> Iterator[str]:
    """The findings and files of which two runs say different things."""
    for place in sorted({place for _, told in runs for place in told}):
        said: dict[str, list[str]] = defaultdict(list)
        for label, told in runs:
            said[told.get(place, "not found")].append(label)
        if len(said) > 1:
            parts = (f"{text.splitlines()[0] if text else ''} ({', '.join(labels)})" for text, labels in said.items())
            yield f"  {place}: {'; '.join(parts)}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, default=DEFAULT)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--busy", type=int, default=8)
    parser.add_argument("--jobs", default="1,2")
    options = parser.parse_args()
    jobs = options.jobs.split(",")
    wrong = 0
    for folder in options.folders:
        runs = []
        for at in range(options.runs):
            count, chosen = options.busy * (at % 2), jobs[at // 2 % len(jobs)]
            with busy(count):
                runs.append((f"run {at + 1}, {count} busy, --jobs {chosen}", verdicts(folder, chosen)))
        found = list(differing(runs))
        told = sum(not place.endswith(".py") for place in runs[0][1])
        print(f"{folder.name}: {len(runs)} runs, {told} findings, {len(found)} places differ", *found, sep="\n")
        wrong += len(found)
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
