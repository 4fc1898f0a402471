"""How long checking takes beside other linters, whole processes, in one run.

    python benchmarks/compare_tools.py TREE [--fixit CMD] [--flake8 CMD] [--ruff CMD] [--rounds N] [--growth FILES]

Each CMD starts a tool that is installed somewhere: `--ruff .venv/bin/ruff`. Prints the version of each, the processor
time (user and system, of the processes it starts too: fixit starts one per processor and cannot be told otherwise, so
theirs are added up) to check TREE without a cache, the others in one process, as the median of N rounds taken in turns,
and its ratio to scanlint's. Then checks FILES files of the tree once, 4 times and 16 times over (copies in folders of
their own): the lines, and the seconds for a million.
Exits with 1 if fixit with one rule is not 12 times slower, or flake8 not slower.
"""

from __future__ import annotations

import argparse
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from math import inf
from pathlib import Path
from statistics import median

from check_speed import compiled, spent

FIXIT_RULE = "fixit.rules:NoInheritFromObject"
FIXIT_LIMIT = 12.0
TIMES = (1, 4, 16)
SCANLINT = (sys.executable, "-m", "scanlint")


def scanlint(tree: Path) -> list[str]:
    return [*SCANLINT, "--no-cache", "--jobs", "1", "--exclude", "nothing", "-q", str(tree)]


def others(options: argparse.Namespace) -> dict[str, list[str]]:
    """The commands of the tools that are given, without what they check."""
    tools: dict[str, list[str]] = {}
    if options.fixit:
        tools["fixit"] = [*shlex.split(options.fixit), "--rules", FIXIT_RULE, "lint"]
    if options.flake8:
        tools["flake8"] = [*shlex.split(options.flake8), "--isolated", "--jobs", "1", "--exit-zero"]
    if options.ruff:
        tools["ruff"] = [*shlex.split(options.ruff), "check", "--isolated", "--no-cache", "--exit-zero", "-q"]
    return tools


def version(tool: str, words: Sequence[str]) -> str:
    """What a tool says of itself, on one line."""
    command = [*SCANLINT, "--version"] if tool == "scanlint" else [*words, "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return f"{tool}: {(done.stdout or done.stderr).strip().splitlines()[0]}"


def compare(tree: Path, options: argparse.Namespace, environment: Mapping[str, str]) -> dict[str, float]:
    """The median seconds of each tool, measured in turns."""
    tools = {"scanlint": scanlint(tree)} | {name: [*words, str(tree)] for name, words in others(options).items()}
    environment = {**environment, "RAYON_NUM_THREADS": "1"}
    found: dict[str, list[float]] = {name: [] for name in tools}
    with tempfile.TemporaryDirectory() as scratch:
        for turn in range(options.rounds + 1):
            for name, words in tools.items():
                if turn == 0 and name != "scanlint":
                    continue  # only scanlint has modules to compile first
                took = spent(words, environment, Path(scratch)).processor
                if turn:
                    found[name].append(took)
    return {name: median(times) for name, times in found.items()}


def growth(tree: Path, count: int, environment: Mapping[str, str]) -> list[tuple[int, float]]:
    """Lines and seconds for the same files once, 4 times and 16 times over."""
    files = sorted(tree.rglob("*.py"), key=lambda file: (-file.stat().st_size, str(file)))[:count]
    found = []
    with tempfile.TemporaryDirectory() as scratch:
        made = 0
        for times in TIMES:
            while made < times:
                for file in files:
                    copy = Path(scratch, "tree", f"copy{made}", file.relative_to(tree))
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(file, copy)
                made += 1
            lines = times * sum(file.read_bytes().count(b"\n") for file in files)
            found.append((lines, spent(scanlint(Path(scratch, "tree")), environment, Path(scratch)).processor))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("tree", type=Path)
    for tool in ("fixit", "flake8", "ruff"):
        parser.add_argument(f"--{tool}", metavar="CMD")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--growth", type=int, default=60, metavar="FILES")
    options = parser.parse_args()
    tree = options.tree.resolve()
    with compiled() as environment:
        for name, command in {"scanlint": "", **{tool: getattr(options, tool) for tool in others(options)}}.items():
            print(version(name, shlex.split(command)))
        took = compare(tree, options, environment)
        print(f"{tree.name}: {sum(1 for _ in tree.rglob('*.py'))} files, processor time, median of {options.rounds}")
        for name, seconds in took.items():
            print(f"  {name:9} {seconds:8.2f} s  {seconds / took['scanlint']:7.2f} x scanlint")
        if options.growth:
            for lines, seconds in growth(tree, options.growth, environment):
                print(f"  {lines:9} lines  {seconds:7.2f} s  {seconds / lines * 1e6:6.2f} s for a million")
    own = took["scanlint"]
    return 1 if took.get("fixit", inf) < FIXIT_LIMIT * own or took.get("flake8", inf) < own else 0


if __name__ == "__main__":
    sys.exit(main())
