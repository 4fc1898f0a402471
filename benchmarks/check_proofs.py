"""Is what the proof finds equal also equal when it is run? Random programs against mutants of them.

    python benchmarks/check_proofs.py [--cases N] [--seed N] [--jobs N]

Programs are made of every primitive and dtype that the proof knows; a mutant differs from one in one node. Both are run
on hard values where the proof finds them equal. Exits with 1 if any pair is not.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import warnings

os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")  # what runs once is compiled sooner than optimised

import jax
from proofs.random_programs import Tally, Wrong, fuzz, text

from scanlint.verify.worker.runtime.jax_functions import in_x64

CHUNK = 500


def told(wrong: Wrong) -> None:
    inputs, results = [str(x) for x in wrong.leaves], [str(x) for x in wrong.results]
    print(
        f"proved, and wrong:\n{text(wrong.before)}\n against\n{text(wrong.after)}\n on {inputs}:\n {results}",
        flush=True,
    )


def chunk(seed: int) -> Tally:
    """So many pairs as are compared in one process without its caches growing."""
    with in_x64(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tally = fuzz(CHUNK, seed, told)
    jax.clear_caches()  # type: ignore[no-untyped-call]
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0, help="of the first 500; the next have the next one")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    pairs = proved = wrong = 0
    seeds = range(options.seed, options.seed - (-options.cases // CHUNK))
    with multiprocessing.get_context("spawn").Pool(options.jobs) as pool:
        for tally in pool.imap_unordered(chunk, seeds):
            pairs, proved, wrong = pairs + tally.pairs, proved + tally.proved, wrong + len(tally.wrong)
            print(f"{pairs} pairs, {proved} proved, {wrong} wrong", flush=True)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
