"""That loops are judged by what they do: equal loops, spelled in twenty ways, get equal answers.

    python benchmarks/check_spellings.py [--spellings N] [--loops NAME ...] [--verify] [--show]

Writes each of twelve loops in N ways. That they are equal is judged by running them, and so is what they become. Two
spellings are answered alike where the same is said of both: converted to the same primitive, or left for the same
reason. Prints a table, and the share that is answered as most spellings of its loop are that were converted. Exits with
1 if a rewrite is wrong.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from pathlib import Path

os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")
os.environ.setdefault("JAX_PLATFORMS", "cpu")
sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "programs"))

from generate import Program
from judge import CASES, Verdict, difference, inputs, judged, loaded, quietly, sound, verified
from spellings.loops import LOOPS, Loop
from spellings.spell import spellings

OF_ROWS = {"SCN105": "SCN101"}
"""A loop over rows has a rule of its own, which says the same of it."""


def answer(verdict: Verdict) -> str:
    """What is said of a program, in few words."""
    if not verdict.findings:
        return "no finding"
    if not sound(verdict):
        return "WRONG"
    said = sorted(
        {_said(f.fix.status, f.primitive, OF_ROWS.get(f.code, f.code), f.fix.reason) for f in verdict.findings}
    )
    return " and ".join(said)


def _said(status: str, primitive: str, code: str, reason: str | None) -> str:
    return f"{code} {primitive}" if status == "applied" else f"{code} left: {(reason or status).partition(':')[0]}"


def alike(program: Program, plain: Program) -> bool:
    """Whether two programs give the same, run eagerly."""
    given = inputs(program, CASES[0])
    one, two = (loaded(p.text).__wrapped__ for p in (program, plain))  # type: ignore[attr-defined]
    got, want = quietly(lambda: one(**given)), quietly(lambda: two(**given))
    return not isinstance(want, Exception) and difference(want, got, settled=True) is None


def answered(loop: Loop, count: int, verify: bool, show: bool) -> dict[str, str]:
    """The answers to the spellings of a loop, by their names."""
    found: dict[str, str] = {}
    plain: Program | None = None
    for name, text in spellings(loop, count):
        program = Program(text, loop.arguments, ("collect",) if loop.collect else ())
        plain = plain or program
        if not alike(program, plain):
            raise SystemExit(f"{loop.name}, {name}: not the same loop\n{text}")
        verdict = (verified if verify else judged)(program)
        found[name] = answer(verdict)
        if show and (not verdict.converted or found[name] == "WRONG"):
            reasons = "; ".join(verdict.withheld)
            print(f"--- {loop.name}, {name}: {found[name]} ({reasons}) {verdict.wrong or ''}\n{text.partition('@')[2]}")
            if found[name] == "WRONG":
                print(verdict.new)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--spellings", type=int, default=20)
    parser.add_argument("--loops", nargs="*", help="only these")
    parser.add_argument("--verify", action="store_true", help="as a user gets it: each rewrite is verified")
    parser.add_argument("--show", action="store_true", help="print the spellings that are left as they are")
    options = parser.parse_args()
    start, total, equal, converted, wrong = time.process_time(), 0, 0, 0, 0
    for loop in (one for one in LOOPS if not options.loops or one.name in options.loops):
        found = answered(loop, options.spellings, options.verify, options.show)
        done = Counter(a for a in found.values() if "left" not in a and a not in ("no finding", "WRONG"))
        common = done.most_common(1)[0][0] if done else Counter(found.values()).most_common(1)[0][0]
        same = sum(a == common for a in found.values())
        print(f"{loop.name:12} {same:3} of {len(found)} answered alike: {common}", flush=True)
        for name, said in found.items():
            if said != common:
                print(f"             {name:32} {said}", flush=True)
        total, equal, converted = total + len(found), equal + same, converted + done.total()
        wrong += sum(a == "WRONG" for a in found.values())
    share = 100 * equal / max(1, total)
    print(f"{equal} of {total} spellings answered alike ({share:.1f}%), {converted} converted, {wrong} wrong")
    print(f"{time.process_time() - start:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
