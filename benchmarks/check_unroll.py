"""What `unroll=` gives in rolled loops with small bodies: run and compile time, in one run, on JAX's default device.

    python benchmarks/check_unroll.py [--rounds N] [--factors 2,4,8,16,32] [--only NAME ...]

scanlint rewrites gains/small_bodies.py and verifies what it writes. Each loop then runs as a Python loop that tracing
unrolls, as the `scan` or `fori_loop` that scanlint wrote, and as that with `unroll=k`. Printed are ratios of medians to
the rolled loop: of one run, and in brackets of tracing and compiling. Exits with 1 if a loop is left as it was or gives
something else.
"""

from __future__ import annotations

import argparse
import inspect
import runpy
import statistics
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import jax
import numpy as np
from check_gains import rewritten, seconds

from scanlint.verify.worker.session.measure import unrolled

PROGRAM = Path(__file__).parent / "gains" / "small_bodies.py"


def times(function: Callable[..., object], given: tuple[object, ...], rounds: int) -> tuple[float, float]:
    """Seconds of the first call, and the median of later ones."""
    first = seconds(function, given)
    return first, statistics.median(seconds(function, given) for _ in range(rounds))


def same(one: object, two: object) -> bool:
    pairs = zip(jax.tree.leaves(one), jax.tree.leaves(two), strict=True)
    return all(np.allclose(a, b, rtol=1e-2, atol=1e-3, equal_nan=True) for a, b in pairs)


def afresh(jitted: Callable[..., object]) -> Callable[..., object]:
    """What is jitted, as a function that nothing was traced of."""
    inside = inspect.unwrap(jitted)
    return lambda *given: inside(*given)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--factors", default="2,4,8,16,32")
    parser.add_argument("--only", nargs="*", metavar="NAME")
    options = parser.parse_args()
    factors = [int(k) for k in options.factors.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        file, changed = rewritten(Path(folder), PROGRAM)
        before: Mapping[str, object] = runpy.run_path(str(PROGRAM))
        after: Mapping[str, object] = runpy.run_path(str(file))
    device = jax.devices()[0]
    print(f"JAX {jax.__version__} on {device.device_kind}, {before['TRIPS']} trips; the rolled loop in seconds")
    print(f"{'loop':<11} {'rolled':>17} {'Python loop':>13}" + "".join(f"{f'unroll={k}':>13}" for k in factors))
    arguments, failed = before["arguments"], False
    assert callable(arguments)
    for name, given in arguments().items():
        if options.only and name not in options.only:
            continue
        old, new = before[name], after[name]
        assert callable(old) and callable(new)
        compiling, running = times(new, given, options.rounds)
        columns = [times(old, given, options.rounds)]
        good = name in changed and (name == "logistic" or same(old(*given), new(*given)))  # chaos shows each rounding
        for k in factors:
            with unrolled(k):
                columns.append(times(jax.jit(afresh(new)), given, options.rounds))
        failed |= not good
        shown = "".join(f"{f'{run / running:.2f} ({first / compiling:.1f})':>13}" for first, run in columns)
        print(f"{name:<11} {running:>8.2g} ({compiling:.2g}) {shown}{'' if good else '  LEFT OR WRONG'}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
