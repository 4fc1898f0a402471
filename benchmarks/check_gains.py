"""What rewriting host loops gains: their time before over their time after, in one run.

    python benchmarks/check_gains.py [--rounds N] [--show]

scanlint rewrites gains/host_loops.py, with SCN108, and verifies what it writes. Each function is run as it was and as
it became, in turns, with the same results; printed are the ratios of the medians, for the first call (tracing and
compiling are in it) and for later ones. What is not jitted compiles its `lax.scan` on each call. Exits with 1 if a
function is left as it was, gives something else, or gains nothing in later calls.
"""

from __future__ import annotations

import argparse
import os
import runpy
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import numpy as np

from scanlint.fix.run import fix
from scanlint.settings import Settings

PROGRAM = Path(__file__).parent / "gains" / "host_loops.py"


def rewritten(folder: Path, program: Path = PROGRAM) -> tuple[Path, set[str]]:
    """A program as scanlint writes it, and the functions in which it rewrote something."""
    file = folder / program.name
    file.write_bytes(program.read_bytes())
    outcome = fix([file], Settings(root=folder, extend_select=("SCN108",), verify_timeout=120.0), lambda line: None)
    for finding in outcome.findings:
        if finding.fix.status != "applied":
            print(f"left: {finding.function} {finding.name}: {finding.fix.reason}")
    for _, new in outcome.changes.values():
        file.write_bytes(new)
    return file, {f.function for f in outcome.findings if f.fix.status == "applied" and f.function}


def seconds(function: Callable[..., object], given: tuple[object, ...]) -> float:
    started = time.perf_counter()
    jax.block_until_ready(function(*given))
    return time.perf_counter() - started


def same(one: object, two: object) -> bool:
    pairs = zip(jax.tree.leaves(one), jax.tree.leaves(two), strict=True)
    return all(np.allclose(a, b, rtol=1e-2, atol=1e-3) and np.shape(a) == np.shape(b) for a, b in pairs)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--show", action="store_true", help="print the rewritten program")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file, changed = rewritten(Path(folder))
        if options.show:
            print(file.read_text(encoding="utf-8"))
        before: Mapping[str, object] = runpy.run_path(str(PROGRAM))
        after: Mapping[str, object] = runpy.run_path(str(file))
    arguments = before["arguments"]
    assert callable(arguments)
    failed, ratios = False, list[float]()
    print(f"{'function':<12} {'first call':>10} {'later':>8}")
    for name, given in arguments().items():
        old, new = before[name], after[name]
        assert callable(old) and callable(new)
        first = (seconds(old, given), seconds(new, given))
        rounds = [(seconds(old, given), seconds(new, given)) for _ in range(options.rounds)]
        later = statistics.median(a for a, _ in rounds) / statistics.median(b for _, b in rounds)
        good = name in changed and same(old(*given), new(*given))
        failed |= not good or later <= 1
        ratios.append(later)
        print(f"{name:<12} {first[0] / first[1]:>10.1f} {later:>8.1f}{'' if good else '  LEFT OR WRONG'}", flush=True)
    print(f"geometric mean of the later ones: {statistics.geometric_mean(ratios):.1f}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
