"""That loops and branches in every combination are converted, and none of them wrongly.

    python benchmarks/check_combinations.py [--kinds KIND ...] [--only NAME ...] [--verify] [--show]

The programs in `combinations/` follow what AutoGraph and Catalyst say they convert: names that are made in one arm or
in the loop, targets that hide other names or are read after the loop, early returns from loops in loops, state in
tuples, dicts and lists, loops with an `else`. Each is run eagerly for the truth. Prints the share that is converted,
and what is said of the others. Exits with 1 if a rewrite is wrong.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")
os.environ.setdefault("JAX_PLATFORMS", "cpu")
sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "programs"))

from combinations import KINDS, programs
from judge import CASES, Verdict, inputs, judged, loaded, quietly, sound, verified


def told(verdict: Verdict) -> str:
    """What became of a program, in few words."""
    if not sound(verdict):
        return f"WRONG: {verdict.wrong}"
    if not verdict.reported:
        return "no finding"
    return "converted" if verdict.converted else f"left: {'; '.join(verdict.withheld)}"


def runs(verdict: Verdict) -> Exception | None:
    """Why a program does not even run eagerly."""
    program = verdict.program
    result = quietly(lambda: loaded(program.text).__wrapped__(**inputs(program, CASES[0])))  # type: ignore[attr-defined]
    return result if isinstance(result, Exception) else None


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kinds", nargs="*", default=KINDS, choices=KINDS)
    parser.add_argument("--only", nargs="*", help="only the programs of these names")
    parser.add_argument("--verify", action="store_true", help="as a user gets it: each rewrite is verified")
    parser.add_argument("--show", action="store_true", help="print what the programs become")
    options = parser.parse_args()
    start, count, reported, converted, wrong = time.process_time(), 0, 0, 0, 0
    for kind in options.kinds:
        for name, program in programs(kind):
            if options.only and name not in options.only:
                continue
            verdict = (verified if options.verify else judged)(program)
            if not sound(verdict) and not options.verify:
                verdict = verified(program)
            if (error := runs(verdict)) is not None:
                raise SystemExit(f"{kind}.{name} does not run: {error!r}")
            said = told(verdict)
            count, reported, converted = count + 1, reported + verdict.reported, converted + verdict.converted
            wrong += not sound(verdict)
            if said != "converted":
                print(f"{kind}.{name}: {said}", flush=True)
            if options.show:
                print(verdict.new or program.text)
    share = 100 * converted / max(1, reported)
    print(f"{count} programs: {reported} reported, {converted} converted ({share:.1f}%), {wrong} wrong")
    print(f"{time.process_time() - start:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
