"""How long libraries take to check, in units of `ast.parse` of all their files.

    python benchmarks/check_libraries.py FOLDER... [--limit RATIO]

Each FOLDER holds one unpacked library. Each is checked in a process of its own, without cache, by one job; processor
time counts, without that of imports: what rewrites loops is imported before, and a small file is checked. Exits with 1
where one takes more than the limit, leaves a function out, or does not end in ten minutes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

LIMIT = 10.0
LONGEST = 600
SMALL = """\
import jax


@jax.jit
def f(xs):
    s = 0.0
    for x in xs:
        s = s + x
    return s, [f(x) for x in xs]
"""
CODE = """
import ast, json, sys, time, warnings
from contextlib import suppress
from pathlib import Path
import scanlint.keys.found, scanlint.rewrite.driver, scanlint.rewrite.lower.loops.host_loops
import scanlint.trace.program.project
from scanlint.engine.session import check, check_text
from scanlint.project.discovery.folders import discover
from scanlint.rules.registry import rules
from scanlint.settings import Settings
warnings.simplefilter("ignore")
rules()
check_text(sys.argv[2].encode(), Path("small.py"), Settings(cache=False))
tree = Path(sys.argv[1])
settings = Settings(root=tree, exclude=("nothing",), jobs=1, cache=False)
start = time.process_time()
for file in (files := discover([tree], settings).files):
    with suppress(SyntaxError):
        ast.parse(file.read_bytes())
parsed = time.process_time()
made = check([tree], settings)
used = time.process_time() - parsed
print(json.dumps([len(files), parsed - start, used, len(made.findings), list(map(str, made.problems))]))
"""


def measure(folder: Path, limit: float) -> bool:
    """Print what one library takes; whether that is within the limit."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", CODE, str(folder), SMALL],
            capture_output=True,
            text=True,
            check=True,
            timeout=LONGEST,
        )
    except subprocess.TimeoutExpired:
        print(f"{folder.name:12} does not end in {LONGEST} s")
        return False
    files, parse, check, findings, problems = json.loads(done.stdout)
    print(
        f"{folder.name:12} {files:5} files  ast.parse {parse:6.2f} s  check {check:7.2f} s  ratio {check / parse:6.1f}"
        f"  {findings} findings",
        *problems,
        sep="\n    ",
        flush=True,
    )
    return check / parse <= limit and not problems


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--limit", type=float, default=LIMIT)
    options = parser.parse_args()
    passed = [measure(folder, options.limit) for folder in options.folders]
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
