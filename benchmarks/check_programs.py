"""That random loop programs compute the same after they were rewritten.

    python benchmarks/check_programs.py [--of loops|branches|batches] [--programs N] [--seed S] [--verify K]
                                        [--keep FOLDER] [--show REASON]

Makes N modules at random over the forms of loops (or branches, or batches) that people write, rewrites each without
verification, and runs the old text eagerly and the new one under `jit`: values, dtypes, weak types, trees and places of
NaNs. What is wrong then is rewritten again with verification, as a user gets it: it is mended (a carry that changes its
type), or refused, or else wrong. The first K that were right go through the verifier too, which should not refuse them.
Prints how many were reported, converted in the end, withheld and wrong, by form and by reason, and keeps what was wrong
in FOLDER; and of those that are left, how many have no JAX program at all: run eagerly with values of one shape, the
old text gives other trees, shapes or dtypes, or raises for some of them. Exits with 1 if anything was wrong after
verification. 5,000 programs take about 80 minutes on one processor.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import time
from collections import Counter
from pathlib import Path

os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")
os.environ.setdefault("JAX_PLATFORMS", "cpu")
sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "programs"))

import jax
from generate import numbered
from judge import Verdict, judged, shapeless, sort_of, sound, verified

BATCH = 250
"""Programs after which what was compiled is thrown away."""


class Tally:
    """Counts what became of the programs: of those that were wrong without verification, with it."""

    def __init__(self, keep: Path | None) -> None:
        self.keep = keep
        self.verdicts: list[Verdict] = []
        self.wrong: Counter[str] = Counter()
        self.mended = 0
        self.passed: list[str] = []
        self.refused: Counter[str] = Counter()
        self.tried = 0
        self.without: Counter[str] = Counter()

    def take(self, verdict: Verdict, number: int) -> None:
        if sound(verdict):
            self.verdicts.append(verdict)
            return
        assert verdict.wrong is not None
        self.wrong[sort_of(verdict.wrong)] += 1
        if self.keep is not None:
            self.write(f"{number:05}", verdict)
        after = verified(verdict.program)
        self.verdicts.append(after)
        self.mended += after.converted
        if not sound(after):
            self.passed.append(f"{number}: {after.wrong}")
            print(f"  {number}: and the verifier lets pass: {(after.wrong or '')[:300]}", flush=True)

    def write(self, name: str, verdict: Verdict) -> None:
        assert self.keep is not None
        self.keep.mkdir(parents=True, exist_ok=True)
        new = (verdict.new or "").partition("SEEN = []")[2]
        text = f"{verdict.program.text}\n# {'-' * 70}\n# {verdict.wrong!r}\n\n{new}"
        (self.keep / f"{name}.py").write_text(text)

    def judge(self, verdict: Verdict) -> None:
        """Whether there is a JAX program for what was reported and is left as it is."""
        if verdict.reported and not verdict.converted and (why := shapeless(verdict.program)) is not None:
            self.without[why] += 1

    def verify(self, verdict: Verdict) -> None:
        """Whether the verifier lets pass what is right."""
        self.tried += 1
        for finding in verified(verdict.program).findings:
            if finding.fix.status != "applied":
                self.refused[(finding.fix.reason or "")[:110]] += 1
                if self.keep is not None:
                    self.write(f"refused{self.tried}", verdict._replace(wrong=finding.fix.reason))

    def show(self) -> None:
        reported = [v for v in self.verdicts if v.reported]
        converted = [v for v in reported if v.converted]
        vain = [v for v in self.verdicts if v.new is not None and not v.compared]
        share = 100 * len(converted) / max(1, len(reported))
        print(f"{len(self.verdicts)} programs: {len(reported)} reported, {len(converted)} converted ({share:.1f}%)")
        left = max(1, len(reported) - self.without.total())
        print(
            f"{self.without.total()} of those that are left have no JAX program; {100 * len(converted) / left:.1f}% of "
            f"the other {left} converted"
        )
        for why, count in self.without.most_common():
            print(f"  {count:5} {why}")
        print(
            f"{self.wrong.total()} wrong before verification, of which it mended {self.mended}; {len(vain)} ran in vain"
        )
        print(f"{len(self.passed)} wrong after verification")
        for sort, count in self.wrong.most_common():
            print(f"  {count:5} {sort}")
        if self.tried:
            print(f"of {self.tried} that are right the verifier refused {sum(self.refused.values())}")
            for reason, count in self.refused.most_common():
                print(f"  {count:5} {reason}")
        reasons = Counter(r.partition(":")[0] for v in reported for r in v.withheld)
        print("withheld:")
        for reason, count in reasons.most_common():
            print(f"  {count:5} {reason}")
        self.forms(reported)

    def forms(self, reported: list[Verdict]) -> None:
        print(f"{'form':24} {'programs':>9} {'reported':>9} {'converted':>9} {'withheld':>9} {'wrong':>6}")
        for form in sorted({f for v in self.verdicts for f in v.program.forms}):
            of = [v for v in self.verdicts if form in v.program.forms]
            said = [v for v in reported if form in v.program.forms]
            done = sum(v.converted for v in said)
            wrong = sum(not sound(v) for v in of)
            print(f"{form:24} {len(of):9} {len(said):9} {done:9} {len(said) - done:9} {wrong:6}")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--of", choices=("loops", "branches", "batches"), default="loops")
    parser.add_argument("--programs", type=int, default=5000)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so long")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--verify", type=int, default=0, metavar="K")
    parser.add_argument("--only", type=int, nargs="*", metavar="NUMBER", help="only these of the programs")
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    parser.add_argument(
        "--show", metavar="REASON", help="print the programs that are withheld for this reason, or `all`"
    )
    options = parser.parse_args()
    start, tally = time.perf_counter(), Tally(options.keep)
    numbers = range(options.programs) if options.only is None else options.only
    for number in numbers:
        if time.perf_counter() - start > options.seconds:
            break
        program = numbered(options.seed, number, options.of)
        verdict = judged(program)
        tally.take(verdict, number)
        tally.judge(tally.verdicts[-1])
        if options.show and any(options.show in ("all", r.partition(":")[0]) for r in verdict.withheld):
            print(f"--- {number}: {verdict.withheld}\n{program.text.partition('@')[2]}")
        if verdict.converted and sound(verdict) and tally.tried < options.verify:
            tally.verify(verdict)
        if number % BATCH == BATCH - 1:
            jax.clear_caches()
            gc.collect()
    tally.show()
    print(f"{time.perf_counter() - start:.0f} s, seed {options.seed}")
    return 1 if tally.passed else 0


if __name__ == "__main__":
    sys.exit(main())
