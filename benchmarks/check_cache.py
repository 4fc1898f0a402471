"""What keeping results and using several processes is worth, in ratios measured in one run.

    python benchmarks/check_cache.py [TREE] [--rounds N] [--files N]

TREE defaults to the installed jax package. Whole processes, started anew each time, in turns. Prints the time of a run
that finds everything unchanged over a run without a cache, of one process over two, and of checking again after one
edit in a tree of N files (taken from TREE) over a run that finds everything unchanged. Processor time, user and system,
but for two processes, where it is the time on the clock: that one needs two free processors (their load is shown).
Exits with 1 if a limit is passed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from check_speed import Spent, compiled, installed, spent

WARM_LIMIT = 0.1
JOBS_LIMIT = 1.6
EDIT_LIMIT = 1.5
SETTLED = 2.1
"""Seconds after which the time of a file proves that it is the same."""


def run(words: Sequence[str]) -> Spent:
    """What one run of scanlint takes, its modules compiled."""
    return spent([sys.executable, "-m", "scanlint", *words], os.environ)


def measure_warm(tree: Path, cache: Path, rounds: int) -> bool:
    words = ["--exclude", "nothing", "--jobs", "1", str(tree)]
    cold = min(run([*words, "--no-cache"]).processor for _ in range(rounds))
    run([*words, "--cache-dir", str(cache)])
    warm = min(run([*words, "--cache-dir", str(cache)]).processor for _ in range(rounds))
    print(f"tree: {tree.name}, processor time of a whole run, least of {rounds}")
    print(f"  cold, one process       {cold:7.3f} s")
    print(f"  all unchanged           {warm:7.3f} s")
    print(f"  ratio                   {warm / cold:7.3f}    (limit {WARM_LIMIT})")
    return warm / cold <= WARM_LIMIT


def measure_jobs(tree: Path, rounds: int) -> bool:
    words = ["--exclude", "nothing", "--no-cache", str(tree)]
    load = os.getloadavg()[0]
    turns = [[run([*words, "--jobs", jobs]) for jobs in ("1", "2")] for _ in range(rounds)]
    one, two = (min(turn[place].clock for turn in turns) for place in (0, 1))
    work = [min(turn[place].processor for turn in turns) for place in (0, 1)]
    print(f"one process and two, time on the clock, least of {rounds} (load before: {load:.1f})")
    print(f"  one process             {one:7.3f} s  (processors: {work[0]:.3f} s)")
    print(f"  two processes           {two:7.3f} s  (processors: {work[1]:.3f} s)")
    print(f"  ratio                   {one / two:7.2f}    (at least {JOBS_LIMIT})")
    return one / two >= JOBS_LIMIT


def measure_edit(tree: Path, folder: Path, count: int, rounds: int) -> bool:
    """Edit one file after the other in a tree of `count` files."""
    files = copied(tree, folder / "tree", count)
    words = ["--exclude", "nothing", "--jobs", "1", "--cache-dir", str(folder / "cache"), str(folder / "tree")]
    run(words)
    time.sleep(SETTLED)
    run(words)
    warm = min(run(words).processor for _ in range(rounds))
    edits: list[float] = []
    for file in files[:: max(len(files) // (rounds * 3), 1)]:
        file.write_text(file.read_text(encoding="utf-8") + "\nedited = True\n", encoding="utf-8")
        edits.append(run(words).processor)
    edited = sorted(edits)[len(edits) // 2]
    print(f"an edit in a tree of {len(files)} files, processor time, median of {len(edits)} edits")
    print(f"  all unchanged           {warm:7.3f} s")
    print(f"  one file edited         {edited:7.3f} s")
    print(f"  ratio                   {edited / warm:7.2f}    (limit {EDIT_LIMIT})")
    return edited / warm <= EDIT_LIMIT


def copied(tree: Path, folder: Path, count: int) -> list[Path]:
    """A tree of so many files: the same one several times over, under different names."""
    found = sorted(tree.rglob("*.py"))
    made: list[Path] = []
    for number in range(count):
        source = found[number % len(found)]
        target = folder / f"copy{number // len(found)}" / source.relative_to(tree)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
        made.append(target)
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("tree", nargs="?", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--files", type=int, default=1000)
    options = parser.parse_args()
    tree = options.tree or installed("jax")
    with compiled() as environment, tempfile.TemporaryDirectory() as scratch:
        os.environ.update(environment)
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        run(["--version"])
        passed = [
            measure_warm(tree, Path(scratch, "cache"), options.rounds),
            measure_jobs(tree, options.rounds),
            measure_edit(tree, Path(scratch), options.files, options.rounds),
        ]
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
