"""How long one verification takes, and what the time goes into.

    python benchmarks/check_verification.py [FOLDER...] [--profile] [--slowest N]

FOLDERs default to the fixtures. `--fix --diff` of each, one verification after the other, without kept verdicts; the
seconds from question to answer, the start of the first worker apart. Prints for each folder how many there were, the
median, the 95th percentile and the sum, then the slowest. With --profile, the parts of the worker that took most of the
processor's time (what they call is counted in; profiling itself takes a third more or so).
Exits with 1 if the median or the 95th percentile of all is over its limit, which is meant for a quiet machine.
"""

from __future__ import annotations

import argparse
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


def asked(folder: Path) -> list[Asked]:
    """All verifications of a folder, which is copied first."""
    from scanlint.fix import questions

    Watched.noted = []
    questions.Verifier = Watched  # type: ignore[misc]
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place) / folder.name
        shutil.copytree(folder, copy)
        fix([copy], Settings(root=copy, jobs=1, cache=False), lambda text: None)
    return Watched.noted


def late(seconds: Sequence[float]) -> float:
    """The 95th percentile."""
    return sorted(seconds)[min(len(seconds) - 1, int(0.95 * len(seconds)))]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--slowest", type=int, default=15)
    options = parser.parse_args(arguments)
    if options.profile:
        process.WORKER = WORKER
    found: list[Asked] = []
    for folder in options.folders or sorted(x for x in FIXTURES.iterdir() if x.is_dir()):
        here = asked(folder.resolve())
        found += here
        told(folder.name, here)
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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
