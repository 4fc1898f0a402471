"""How fast checking is, in ratios measured in one run.

    python benchmarks/check_speed.py [TREE] [--rounds N] [--fix FOLDER]

TREE defaults to the installed jax package. Prints the time to check the tree over `ast.parse` of all its files in one
process, the time to check one clean file over `python -c 'import ast, click'`, which heavy packages a check imports,
and with --fix how often a fix run of FOLDER imports jax (each interpreter that the run starts is counted).
Exits with 1 if a limit is passed.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

HEAVY = ("libcst", "jax", "numpy", "pygls")
TREE_LIMIT = 6.0
FILE_LIMIT = 2.0
CLEAN = "import jax\n\n\n@jax.jit\ndef f(x):\n    return x + 1\n"
WATCH = """
import os, sys
class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == "jax":
            with open(os.environ["SCANLINT_JAX_IMPORTS"], "a") as log:
                log.write(f"{os.getpid()}\\n")
sys.meta_path.insert(0, Watch())
"""


def best(run: Callable[[], object], rounds: int) -> float:
    """The shortest of several runs, in seconds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def command(*words: str) -> Callable[[], object]:
    return lambda: subprocess.run([sys.executable, *words], capture_output=True, check=False)


def parse_all(files: Sequence[Path]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for file in files:
            ast.parse(file.read_bytes())


def measure_tree(tree: Path, rounds: int) -> bool:
    """Checking a tree against parsing it, both in this process, so that starting Python counts for neither."""
    from scanlint.engine import check
    from scanlint.project.sources import discover
    from scanlint.settings import Settings

    settings = Settings(cache=False)
    files = list(discover([tree], settings))
    parse = best(lambda: parse_all(files), rounds)
    checked = best(lambda: check([tree], settings), rounds)
    lines = sum(file.read_bytes().count(b"\n") for file in files)
    print(f"tree: {tree.name}, {len(files)} files, {lines} lines")
    print(f"  ast.parse of all files  {parse:7.3f} s  ({lines / parse:,.0f} lines/s)")
    print(f"  check                   {checked:7.3f} s  ({lines / checked:,.0f} lines/s)")
    print(f"  ratio                   {checked / parse:7.2f}    (limit {TREE_LIMIT})")
    return checked / parse <= TREE_LIMIT


def measure_file(rounds: int) -> bool:
    """Checking one clean file against starting Python with ast and click."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "clean.py")
        file.write_text(CLEAN)
        bare = best(command("-c", "import ast, click"), rounds * 5)
        checked = best(command("-m", "scanlint", "--no-cache", str(file)), rounds * 5)
        imported = imports("-m", "scanlint", "--no-cache", str(file))
    print("one clean file")
    print(f"  import ast, click       {bare:7.3f} s")
    print(f"  check                   {checked:7.3f} s")
    print(f"  ratio                   {checked / bare:7.2f}    (limit {FILE_LIMIT})")
    print(f"  heavy imports           {', '.join(imported) or 'none'}")
    return checked / bare <= FILE_LIMIT and not imported


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
        words = [sys.executable, "-m", "scanlint", "--fix", "--diff", "--no-cache", str(folder)]
        start = time.perf_counter()
        subprocess.run(words, env=environment, capture_output=True, check=False)
        seconds = time.perf_counter() - start
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
    passed = [measure_tree(tree, options.rounds), measure_file(options.rounds)]
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
