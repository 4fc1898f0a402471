"""How fast checking is, in ratios measured in one run.

    python benchmarks/check_speed.py [TREE] [--rounds N] [--fix FOLDER]

TREE defaults to the installed jax package. Prints the time to check the tree over `ast.parse` of all its files in
one process and the memory it takes, the time to check one clean file (without and with a loop to think about) over
`python -c 'import ast, click'`, which heavy packages a check imports, and with --fix how often a fix run of FOLDER
imports jax (each interpreter that the run starts is counted).
Exits with 1 if a limit is passed.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

HEAVY = ("libcst", "jax", "numpy", "pygls")
TREE_LIMIT = 3.0
MEMORY_LIMIT = 400.0
"""Megabytes."""
FILE_LIMIT = 2.0
CLEAN = {
    "a jitted function": "import jax\n\n\n@jax.jit\ndef f(x):\n    return x + 1\n",
    "a jitted function with a short loop": (
        "import jax\nimport jax.numpy as jnp\n\n\n@jax.jit\ndef f(x):\n"
        "    for _ in range(3):\n        x = jnp.sin(x)\n    return x\n"
    ),
}
TREE = """
import ast, resource, sys, time, warnings
from pathlib import Path
from scanlint.engine.session import check
from scanlint.project.discovery.folders import discover
from scanlint.settings import Settings
warnings.simplefilter("ignore")
tree = Path(sys.argv[1])
settings = Settings(root=tree, exclude=("nothing",), jobs=1, cache=False)
files = discover([tree], settings).files
start = time.process_time()
{code}
spent = time.process_time() - start
unit = 1e6 if sys.platform == "darwin" else 1e3
print(spent, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit, len(files))
"""
PARSE = "for file in files: ast.parse(file.read_bytes())"
CHECK = "check([tree], settings)"
WATCH = """
import os, sys
class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == "jax":
            with open(os.environ["SCANLINT_JAX_IMPORTS"], "a") as log:
                log.write(f"{os.getpid()}\\n")
sys.meta_path.insert(0, Watch())
"""


class Spent(NamedTuple):
    """The seconds of one command: of processors, user and system (steadier on a busy machine), and on the clock."""

    processor: float
    clock: float


def spent(words: Sequence[str], environment: Mapping[str, str], folder: Path | None = None) -> Spent:
    """What a command and those that it starts take. RuntimeError if it fails (1 is: there are findings)."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    clock, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{shlex.join(words)} ended with {done.returncode}: {done.stderr[-500:]}")
    return Spent(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, clock)


@contextmanager
def compiled() -> Iterator[dict[str, str]]:
    """An environment in which every module is compiled once, as it is where scanlint is installed."""
    with tempfile.TemporaryDirectory() as folder:
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        yield kept | {"PYTHONPYCACHEPREFIX": folder}


def measure_tree(tree: Path, rounds: int) -> bool:
    """Checking a tree against parsing it, each in its own process, in turns; starting Python counts for neither."""
    parses: list[float] = []
    checks: list[float] = []
    memory = 0.0
    with compiled() as environment:
        for turn in range(rounds + 1):
            parsed, _, files = tree_run(PARSE, tree, environment)
            checked, memory, _ = tree_run(CHECK, tree, environment)
            if turn:  # the first one compiles scanlint
                parses.append(parsed)
                checks.append(checked)
    parse, check = median(parses), median(checks)
    print(f"tree: {tree.name}, {files:.0f} files, processor time, median of {rounds}")
    print(f"  ast.parse of all files  {parse:7.3f} s")
    print(f"  check                   {check:7.3f} s")
    print(f"  ratio                   {check / parse:7.2f}    (limit {TREE_LIMIT})")
    print(f"  memory of the check     {memory:4.0f} MB    (limit {MEMORY_LIMIT:.0f} MB)")
    return check / parse <= TREE_LIMIT and memory <= MEMORY_LIMIT


def tree_run(code: str, tree: Path, environment: Mapping[str, str]) -> tuple[float, float, float]:
    """The seconds, megabytes and files of one process."""
    words = [sys.executable, "-c", TREE.format(code=code), str(tree)]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    seconds, peak, files = map(float, done.stdout.split())
    return seconds, peak, files


def measure_file(name: str, text: str, rounds: int) -> bool:
    """Checking one clean file against starting Python with ast and click, in turns."""
    bare: list[float] = []
    checks: list[float] = []
    with tempfile.TemporaryDirectory() as folder, compiled() as environment:
        file = Path(folder, "clean.py")
        file.write_text(text)
        words = ["-m", "scanlint", "--no-cache", str(file)]
        for turn in range(rounds * 5 + 1):
            started = spent([sys.executable, "-c", "import ast, click"], environment)
            checked = spent([sys.executable, *words], environment)
            if turn:  # the first one compiles both
                bare.append(started.processor)
                checks.append(checked.processor)
        imported = imports(*words)
    ratio = median(checks) / median(bare)
    print(f"one clean file: {name}, processor time, median of {rounds * 5}")
    print(f"  import ast, click       {median(bare):7.3f} s")
    print(f"  check                   {median(checks):7.3f} s")
    print(f"  ratio                   {ratio:7.2f}    (limit {FILE_LIMIT})")
    print(f"  heavy imports           {', '.join(imported) or 'none'}")
    return ratio <= FILE_LIMIT and not imported


def imports(*words: str) -> list[str]:
    """Which heavy packages a command imports."""
    run = subprocess.run([sys.executable, "-X", "importtime", *words], capture_output=True, text=True, check=False)
    names = {line.rpartition("|")[2].strip() for line in run.stderr.splitlines() if line.startswith("import time:")}
    return [name for name in HEAVY if name in names]


def measure_fix(folder: Path) -> bool:
    """How many processes of a fix run look for the package jax at all."""
    with tempfile.TemporaryDirectory() as scratch:
        log = Path(scratch, "imports")
        Path(scratch, "sitecustomize.py").write_text(WATCH)
        path = os.pathsep.join(filter(None, [scratch, os.environ.get("PYTHONPATH")]))
        environment = {**os.environ, "PYTHONPATH": path, "SCANLINT_JAX_IMPORTS": str(log)}
        words = [sys.executable, "-m", "scanlint", "--fix", "--diff", "--no-cache", "--jobs", "1", str(folder)]
        seconds = spent(words, environment).clock
        count = len(set(log.read_text().split())) if log.exists() else 0
    print(f"fix run of {folder.name}: {seconds:.1f} s, processes that import jax: {count}")
    return count == 1


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("tree", nargs="?", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--fix", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    tree = options.tree or installed("jax")
    passed = [measure_tree(tree, options.rounds)]
    passed += [measure_file(name, text, options.rounds) for name, text in CLEAN.items()]
    if options.fix:
        passed.append(measure_fix(options.fix))
    return 0 if all(passed) else 1


def installed(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        sys.exit(f"{package} is not installed: name a tree")
    return Path(spec.origin).parent


if __name__ == "__main__":
    sys.exit(main())
