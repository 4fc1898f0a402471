"""What a batch gains: five bodies over 1,000 examples as an eager loop, unrolled under `jit`, and mapped, in one run.

    python benchmarks/check_bodies.py [--rounds N] [--examples N] [--only NAME ...]

scanlint rewrites gains/bodies.py and verifies what it writes. Printed are ratios of medians to what it wrote under
`jit`: of the eager loop, of the old text under `jit` (all trips in one program), and of what compiling takes. Exits
with 1 if a function is left as it was, gives something else, or gains nothing. `solve`, unrolled, compiles for minutes.
"""

from __future__ import annotations

import argparse
import runpy
import statistics
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import jax
from check_gains import rewritten, same, seconds

PROGRAM = Path(__file__).parent / "gains" / "bodies.py"


def median(function: Callable[..., object], given: tuple[object, ...], rounds: int) -> float:
    return statistics.median(seconds(function, given) for _ in range(rounds))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--examples", type=int, default=1000)
    parser.add_argument("--only", nargs="*", metavar="NAME")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file, changed = rewritten(Path(folder), PROGRAM)
        before: Mapping[str, object] = runpy.run_path(str(PROGRAM))
        after: Mapping[str, object] = runpy.run_path(str(file))
    arguments = before["arguments"]
    assert callable(arguments)
    failed = False
    print(f"{'body':<12} {'eager':>8} {'unrolled':>9} {'compiling':>10}   times what the mapped one takes")
    for name, whole in arguments().items():
        if options.only and name not in options.only:
            continue
        given = tuple(a[: options.examples] if a.shape[0] == before["EXAMPLES"] else a for a in whole)
        old, new = before[name], after[name]
        assert callable(old) and callable(new)
        unrolled, mapped = jax.jit(old), jax.jit(new)
        compiled = seconds(unrolled, given) / seconds(mapped, given)
        base = median(mapped, given, options.rounds)
        eager, rolled_out = median(old, given, options.rounds) / base, median(unrolled, given, options.rounds) / base
        good = name in changed and same(old(*given), mapped(*given))
        failed |= not good or eager <= 1
        verdict = "" if good else "  LEFT OR WRONG"
        print(f"{name:<12} {eager:>8.0f} {rolled_out:>9.1f} {compiled:>10.0f}{verdict}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
