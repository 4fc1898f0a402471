"""What `scanlint record` is worth on one repository that has tests.

    python benchmarks/check_recording.py REPO [--paths src] [--set "ignore = ['SCN204']"] -- pytest tests/test_model.py

Works on copies of REPO. Prints how many rewrites are on offer and how many of them are verified (proved or tested),
without recordings and with those of the command; whether the command still passes the same tests on each fixed tree;
and how much recording slows the command down, plain and recorded runs in turns. REPO is left as it is.
Exits with 1 if a test that passed before does not pass on a fixed tree, or recording is slower than the limit.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import cast
from xml.etree import ElementTree

SLOWDOWN = 1.3
LEFT = shutil.ignore_patterns(".git", ".scanlint", ".scanlint_cache", "__pycache__", ".venv", "*.pyc")
TIMED = """
import json, resource, subprocess, sys, time
start = time.perf_counter()
code = subprocess.run(sys.argv[2:]).returncode
clock, used = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
json.dump([used.ru_utime + used.ru_stime, clock], open(sys.argv[1], "w"))
sys.exit(code)
"""
Json = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Options:
    """What is measured, and how. `settings` are lines of `[tool.scanlint]`."""

    repository: Path
    python: str
    command: tuple[str, ...]
    paths: tuple[str, ...]
    settings: tuple[str, ...]
    rounds: int


@dataclass(frozen=True, slots=True)
class Tests:
    """One run of the command: the tests that passed, how many there are, and the seconds of processors and clock."""

    passed: frozenset[str]
    total: int
    processor: float
    clock: float


@dataclass(frozen=True, slots=True)
class Fixed:
    """What a run with `--fix` came to: how many rewrites are on offer, verified, and why the others are not."""

    offered: int
    verified: int
    reached: int
    left: tuple[str, ...]
    tests: Tests | None = None


def scanlint(tree: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run scanlint in a tree. RuntimeError where it fails."""
    command = [sys.executable, "-P", "-m", "scanlint", *words]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    if done.returncode == 2:
        raise RuntimeError(f"scanlint {' '.join(words)}: {done.stderr[-800:]}")
    return done


def findings(tree: Path, options: Options, *words: str) -> list[Json]:
    """What a run over the sources of a tree tells."""
    words = (*words, "--output-format", "json", "--python", options.python, *options.paths)
    return cast("list[Json]", json.loads(scanlint(tree, *words).stdout)["findings"])


def run_tests(tree: Path, options: Options, *, recorded: bool) -> Tests:
    """The command once, plain or under `record`; the command is timed, not the check of the project before it."""
    with tempfile.TemporaryDirectory() as folder:
        report, times = Path(folder, "report.xml"), Path(folder, "times.json")
        command = [options.python, "-c", TIMED, str(times), *options.command, f"--junitxml={report}"]
        if recorded:
            done = scanlint(tree, "record", "--python", options.python, "--", *command)
        else:
            done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
        if not report.exists():
            raise RuntimeError(f"no report of {' '.join(command)}: {done.stdout[-800:]}{done.stderr[-800:]}")
        processor, clock = json.loads(times.read_text())
        outcomes = dict(_outcomes(report))
    return Tests(frozenset(n for n, passed in outcomes.items() if passed), len(outcomes), processor, clock)


def _outcomes(report: Path) -> Iterator[tuple[str, bool]]:
    for case in ElementTree.parse(report).iter("testcase"):
        name = f"{case.get('classname')}::{case.get('name')}"
        yield name, not any(case.find(kind) is not None for kind in ("failure", "error", "skipped"))


def fixed(tree: Path, options: Options) -> Fixed:
    """Fix a tree, and run its tests where that changed anything."""
    before = [f for f in findings(tree, options) if _fix(f)["status"] == "available"]
    places = {_place(f) for f in before}
    after = [f for f in findings(tree, options, "--fix") if _place(f) in places]
    verified = [f for f in after if _fix(f)["status"] == "applied"]
    recordings = tree / ".scanlint" / "recorded"
    left = [
        f"{f['path']}:{f['line']} {f['code']} {f['function']}: {_fix(f)['reason']} ({_source(f)})"
        for f in after
        if f not in verified
    ]
    reached = sum(_is_recorded(recordings, f) for f in before)
    return Fixed(len(before), len(verified), reached, tuple(left), run_tests(tree, options, recorded=False))


def _fix(finding: Json) -> Json:
    return cast("Json", finding["fix"])


def _place(finding: Json) -> tuple[object, ...]:
    return finding["path"], finding["line"], finding["column"], finding["code"]


def _source(finding: Json) -> object:
    verification = cast("Json | None", finding["verification"])
    return verification["inputs"] if verification is not None else "not run"


def _is_recorded(recordings: Path, finding: Json) -> bool:
    """Whether calls of the function that a finding stands in were kept, or of those that it is defined in."""
    module = str(finding["path"]).removesuffix(".py").replace("/", ".")
    name = str(finding["function"]).replace(".<locals>", "").partition(".")[0]
    return any(f.name.startswith(f"{module}--{name}.") for f in recordings.glob("*.npz"))


def copied(options: Options, name: str, folder: Path) -> Path:
    """A copy of the repository, with the settings in its pyproject.toml."""
    tree = folder / name / options.repository.name
    shutil.copytree(options.repository, tree, ignore=LEFT, symlinks=True)
    if options.settings:
        with (tree / "pyproject.toml").open("a", encoding="utf-8") as stream:
            stream.write("\n[tool.scanlint]\n" + "".join(f"{line}\n" for line in options.settings))
    return tree


def measure(options: Options, folder: Path) -> bool:
    """All figures of one repository; whether no test was broken and recording was quick enough."""
    trees = {name: copied(options, name, folder) for name in ("plain", "without", "with")}
    plain, recorded = [], []
    if options.rounds > 1:
        run_tests(trees["plain"], options, recorded=False)  # compiles the repository
    for _ in range(options.rounds):
        plain.append(run_tests(trees["plain"], options, recorded=False))
        recorded.append(run_tests(trees["with"], options, recorded=True))
    base = frozenset.intersection(*(t.passed for t in plain))
    print(f"{options.repository.name}: {len(base)} of {plain[0].total} tests pass", flush=True)
    harmless = [_told("under record", base, recorded[-1])]
    for name in ("without", "with"):
        found = fixed(trees[name], options)
        share = 100 * found.verified / max(found.offered, 1)
        print(f"  {name} recordings: {found.verified} of {found.offered} rewrites verified ({share:.0f}%),", end=" ")
        print(f"{found.reached} in functions that were recorded")
        for line in found.left:
            print(f"    left: {line}")
        harmless.append(_told(f"fixed {name} recordings", base, found.tests))
    processor = median(b.processor / a.processor for a, b in zip(plain, recorded, strict=True))
    clock = median(b.clock / a.clock for a, b in zip(plain, recorded, strict=True))
    print(
        f"  recording takes {processor:.2f} times the processor time, {clock:.2f} times the time on the clock,", end=" "
    )
    print(f"median of {options.rounds} pairs of {plain[0].clock:.0f} s (limit {SLOWDOWN})", flush=True)
    return all(harmless) and processor <= SLOWDOWN


def _told(name: str, base: frozenset[str], tests: Tests | None) -> bool:
    """Print which tests that passed do not pass any more."""
    broken = sorted(base - tests.passed) if tests is not None else []
    print(f"  {name}: {len(broken)} tests are broken{': ' + ', '.join(broken[:5]) if broken else ''}", flush=True)
    return not broken


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("repository", type=Path)
    parser.add_argument("--python", default=sys.executable, help="the interpreter of the repository")
    parser.add_argument("--paths", nargs="+", default=["."], help="what is checked and fixed")
    parser.add_argument("--set", action="append", default=[], metavar="LINE", help="a line of [tool.scanlint]")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="leave the trees in this folder")
    ours, command = sys.argv[1:], []
    if "--" in ours:
        at = ours.index("--")
        ours, command = ours[:at], ours[at + 1 :]
    given = parser.parse_args(ours)
    if not command:
        parser.error("a command is missing: -- pytest tests")
    python = str(Path(given.python).absolute())
    words = [python, "-m", *command] if command[0] == "pytest" else command
    repository = given.repository.resolve()
    options = Options(repository, python, tuple(words), tuple(given.paths), tuple(given.set), given.rounds)
    with tempfile.TemporaryDirectory() as folder:
        return 0 if measure(options, given.keep.resolve() if given.keep else Path(folder)) else 1


if __name__ == "__main__":
    sys.exit(main())
