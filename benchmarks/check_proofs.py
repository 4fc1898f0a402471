"""Is what the proof finds equal also equal when it is run? Random programs against mutants of them.

    python benchmarks/check_proofs.py [--cases N] [--seed N]

Programs are made of every primitive and dtype that the proof knows; a mutant differs from one in one node. Both are run
on hard values where the proof finds them equal. Exits with 1 if any pair is not.
"""

from __future__ import annotations

import argparse
import sys
import warnings

from proofs.random_programs import Wrong, fuzz, text

from scanlint.verify.worker.runtime.jax_functions import in_x64


def told(wrong: Wrong) -> None:
    inputs, results = [str(x) for x in wrong.leaves], [str(x) for x in wrong.results]
    print(
        f"proved, and wrong:\n{text(wrong.before)}\n against\n{text(wrong.after)}\n on {inputs}:\n {results}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with in_x64(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tally = fuzz(options.cases, options.seed, told)
    print(f"{tally.pairs} pairs, {tally.proved} proved, {len(tally.wrong)} wrong")
    sys.exit(bool(tally.wrong))


if __name__ == "__main__":
    main()
