"""How long one verification takes, and what the time goes into.

    python benchmarks/check_verification.py [FOLDER...] [--again] [--profile] [--slowest N]

FOLDERs default to the fixtures. `--fix --diff` of each, one verification after the other, without kept verdicts; the
seconds from question to answer, the start of the first worker apart. Prints for each folder how many there were of how
many functions, the median, the 95th percentile and the sum, and the processor's seconds of all processes; with --again
also those of a second run on what the first has written; then the slowest. With --profile, the parts of the worker that
took most of the processor's time (what they call is counted in; profiling itself takes a third more or so).
Exits with 1 if the median or the 95th percentile of all is over its limit, which is meant for a quiet machine.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from scanlint.fix.run import fix
from scanlint.settings import Settings
from scanlint.verify import process
from scanlint.verify.verifier import Task, Verifier

FIXTURES = Path(__file__).parents[1] / "fixtures"
WORKER = Path(__file__).with_name("profiled_worker.py")
MEDIAN_LIMIT, LATE_LIMIT = 1.0, 5.0
"""Seconds."""


class Asked(NamedTuple):
    """One question, how long the answer took, and the seconds that parts of the worker took."""

    path: str
    function: str
    asked: str
    verdict: str
    seconds: float
    parts: Mapping[str, float]


class Watched(Verifier):
    """A verifier that notes what it is asked."""

    noted: list[Asked] = []  # noqa: RUF012 - of all of them

    def answer(self, task: Task) -> Mapping[str, object]:
        self._ready()
        started = time.perf_counter()
        answer = super().answer(task)
        seconds = time.perf_counter() - started
        parts = answer.get("profile", {})
        assert isinstance(parts, dict)
        self.noted.append(
            Asked(Path(task.file).name, task.function, task.asked, str(answer["verdict"]), seconds, parts)
        )
        return answer


class Spent(NamedTuple):
    """The verifications of a folder and the processor's seconds of the run; how many and how long in a second run."""

    asked: list[Asked]
    seconds: float
    again: tuple[int, float] | None


def asked(folder: Path, *, again: bool = False) -> Spent:
    """All verifications of a folder, which is copied first; what was rewritten is written where it is run again."""
    from scanlint.fix import questions

    questions.Verifier = Watched  # type: ignore[misc]
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place) / folder.name
        shutil.copytree(folder, copy)
        settings = Settings(root=copy, jobs=1, cache=again)
        first, seconds = _run(copy, settings, write=again)
        second = _run(copy, settings, write=False) if again else None
    return Spent(first, seconds, (len(second[0]), second[1]) if second is not None else None)


def _run(folder: Path, settings: Settings, *, write: bool) -> tuple[list[Asked], float]:
    """One run, with its verifications and the processor's seconds of all its processes."""
    Watched.noted = []
    before = _processor()
    outcome = fix([folder], settings, lambda text: None)
    for path, (_, new) in outcome.changes.items() if write else ():
        path.write_bytes(new)
    return Watched.noted, _processor() - before


def _processor() -> float:
    """Seconds of this process and of those that it has waited for."""
    return sum(os.times()[:4])


def late(seconds: Sequence[float]) -> float:
    """The 95th percentile."""
    return sorted(seconds)[min(len(seconds) - 1, int(0.95 * len(seconds)))]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--slowest", type=int, default=15)
    options = parser.parse_args(arguments)
    if options.profile:
        process.WORKER = WORKER
    found: list[Asked] = []
    for folder in options.folders or sorted(x for x in FIXTURES.iterdir() if x.is_dir()):
        here = asked(folder.resolve(), again=options.again)
        found += here.asked
        told(folder.name, here.asked)
        told_of_run(here)
    if not found:
        print("nothing was verified")
        return 0
    told("all", found)
    for one in sorted(found, key=lambda x: -x.seconds)[: options.slowest]:
        print(f"  {one.seconds:6.2f} s  {one.verdict:8} {one.path}: {one.function} ({one.asked})")
    parts = Counter[str]()
    for one in found:
        parts.update(one.parts)
    total = sum(one.seconds for one in found)
    for name, seconds in parts.most_common(60):
        print(f"  {seconds / total:6.1%}  {name}")
    seconds_each = [x.seconds for x in found]
    return int(statistics.median(seconds_each) > MEDIAN_LIMIT or late(seconds_each) > LATE_LIMIT)


def told(name: str, found: Sequence[Asked]) -> None:
    seconds = [x.seconds for x in found]
    if seconds:
        print(
            f"{name}: {len(seconds)} verifications, median {statistics.median(seconds):.2f} s, "
            f"95th percentile {late(seconds):.2f} s, together {sum(seconds):.1f} s",
            flush=True,
        )


def told_of_run(spent: Spent) -> None:
    """Print what a run took of the processor, and what a second one did."""
    functions = len({(one.path, one.function) for one in spent.asked})
    second = f"; again {spent.again[0]} verifications, {spent.again[1]:.1f} s" if spent.again is not None else ""
    print(f"    {functions} functions, {spent.seconds:.1f} s of the processor{second}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
