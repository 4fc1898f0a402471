"""How fast `--fix --diff` is, in ratios measured in one run.

    python benchmarks/check_jobs.py [FOLDER] [--rounds N] [--cluster]

FOLDER defaults to fixtures/example. Prints the time of two processes over that of one, on the clock and of processors,
whether both say the same, and the processor time of a second run, on a tree that has not changed, over that of a check
without `--fix`. A busy machine shows in the first ratio alone. `--cluster` compares two workers of a dask cluster on
this machine with one instead. Exits with 1 where they differ or a limit is passed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from check_speed import Spent, compiled, spent

EXAMPLE = Path(__file__).parents[1] / "fixtures" / "example"
FIX = ("-m", "scanlint", "--fix", "--diff")
SECOND_LIMIT = 1.5


def fixed(folder: Path, how: Sequence[str], scratch: Path) -> tuple[Spent, list[dict[str, Any]]]:
    """What a run takes, and its findings, without how many inputs the time allowed."""
    said = scratch / "said.json"
    words = [
        *["-m", "scanlint", "--fix", "--diff", "--no-cache", "--output-format", "json", "--output-file"],
        str(said),
    ]
    with compiled() as environment:
        taken = spent([sys.executable, *words, *how, str(folder)], environment)
    found: list[dict[str, Any]] = json.loads(said.read_text())["findings"]
    for verdict in (finding["verification"] for finding in found if finding["verification"]):
        for key in ("cases", "max_abs_error", "notes", "holds_for", "evidence"):
            verdict.pop(key)
    return taken, found


def measure_jobs(folder: Path, scratch: Path) -> bool:
    """Two processes against one."""
    one, alone = fixed(folder, ("--jobs", "1"), scratch)
    two, both = fixed(folder, ("--jobs", "2"), scratch)
    print(f"fix run of {folder.name}, of {len(os.sched_getaffinity(0))} processors")
    print(f"  one process   {one.clock:7.1f} s on the clock {one.processor:7.1f} s of processors")
    print(f"  two processes {two.clock:7.1f} s on the clock {two.processor:7.1f} s of processors")
    print(
        f"  ratio         {two.clock / one.clock:7.2f} on the clock {two.processor / one.processor:9.2f} of processors"
    )
    print(f"  they say {'the same' if alone == both else 'different things'}")
    return alone == both


def measure_cluster(folder: Path, scratch: Path) -> bool:
    """Two workers of a cluster against one; what they take of processors is not this process's to tell."""
    from distributed import LocalCluster

    said, clocks = [], []
    for workers in (1, 2):
        with LocalCluster(workers, threads_per_worker=1, scheduler_port=0, dashboard_address=None) as cluster:
            taken, found = fixed(
                folder, ("--executor", cluster.scheduler_address.replace("tcp://", "dask://")), scratch
            )
        said.append(found)
        clocks.append(taken.clock)
        print(f"  workers: {workers}    {taken.clock:7.1f} s on the clock")
    print(f"  ratio         {clocks[1] / clocks[0]:7.2f}")
    print(f"  they say {'the same' if said[0] == said[1] else 'different things'}")
    return said[0] == said[1]


def measure_second(folder: Path, scratch: Path, rounds: int) -> bool:
    """A second run on an unchanged tree against a check without `--fix`, in turns."""
    checks: list[float] = []
    again: list[float] = []
    kept = ["--cache-dir", str(scratch / "kept"), str(folder)]
    with compiled() as environment:
        for turn in range(rounds + 1):
            fix = spent([sys.executable, *FIX, *kept], environment)
            check = spent([sys.executable, "-m", "scanlint", *kept], environment)
            if turn:
                again.append(fix.processor)
                checks.append(check.processor)
            else:
                print(f"first run     {fix.clock:7.1f} s on the clock")
    ratio = median(again) / median(checks)
    print(f"second run    {median(again):7.2f} s of processors, median of {rounds}")
    print(f"check         {median(checks):7.2f} s")
    print(f"ratio         {ratio:7.2f}    (limit {SECOND_LIMIT})")
    return ratio <= SECOND_LIMIT


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=EXAMPLE)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cluster", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        if options.cluster:
            return 0 if measure_cluster(options.folder, Path(scratch)) else 1
        passed = [measure_jobs(options.folder, Path(scratch))]
        passed.append(measure_second(options.folder, Path(scratch), options.rounds))
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
