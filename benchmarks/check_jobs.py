"""How fast `--fix --diff` is, in ratios measured in one run.

    python benchmarks/check_jobs.py [FOLDER] [--rounds N]

FOLDER defaults to fixtures/example. Prints the time of two processes over that of one, on the clock and of processors,
whether both say the same, and the processor time of a second run, on a tree that has not changed, over that of a check
without `--fix`. A busy machine shows in the first ratio alone. Exits with 1 where they differ or a limit is passed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from statistics import median

from check_speed import Spent, compiled, spent

EXAMPLE = Path(__file__).parents[1] / "fixtures" / "example"
FIX = ("-m", "scanlint", "--fix", "--diff")
SECOND_LIMIT = 1.5


def fixed(folder: Path, jobs: int, scratch: Path) -> tuple[Spent, dict[str, object]]:
    """What a run with so many processes takes, and what it says."""
    said = scratch / f"{jobs}.json"
    words = [
        *["-m", "scanlint", "--fix", "--diff", "--no-cache", "--output-format", "json", "--output-file"],
        str(said),
    ]
    with compiled() as environment:
        taken = spent([sys.executable, *words, "--jobs", str(jobs), str(folder)], environment)
    found: dict[str, object] = json.loads(said.read_text())
    found.pop("summary")  # which holds the seconds
    return taken, found


def measure_jobs(folder: Path, scratch: Path) -> bool:
    """Two processes against one."""
    one, alone = fixed(folder, 1, scratch)
    two, both = fixed(folder, 2, scratch)
    print(f"fix run of {folder.name}, of {len(os.sched_getaffinity(0))} processors")
    print(f"  one process   {one.clock:7.1f} s on the clock {one.processor:7.1f} s of processors")
    print(f"  two processes {two.clock:7.1f} s on the clock {two.processor:7.1f} s of processors")
    print(
        f"  ratio         {two.clock / one.clock:7.2f} on the clock {two.processor / one.processor:9.2f} of processors"
    )
    print(f"  they say {'the same' if alone == both else 'different things'}")
    return alone == both


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
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        passed = [measure_jobs(options.folder, Path(scratch))]
        passed.append(measure_second(options.folder, Path(scratch), options.rounds))
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
