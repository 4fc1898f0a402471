"""Does the verifier accept what is right and refute what is wrong?

    python benchmarks/check_mutants.py [--seed N | --fresh] [--generated N] [--mutants N] [--workers N] [--output F]

Correct pairs are what scanlint itself makes of the pages, the fixtures and seeded generated programs. Of each new
version wrong ones are made: one small change of the rewritten function. What is not refuted is judged by an oracle of
its own (many inputs, both widths, gradients; see mutation/oracle.py): where nothing tells it from the right version it
is equivalent and does not count. Exits with 1 if a limit is passed.
With --output each verdict is written down as it comes, and a run that was cut short goes on where it was: verdicts of
the same scanlint, to a byte, are taken from the file.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

os.environ.setdefault("JAX_PLATFORMS", "cpu")

from mutation.mutate import Mutant, chosen, mutants
from mutation.oracle import Oracle
from mutation.pairs import Pair, pairs
from mutation.pool import judged

import scanlint
from scanlint.finding import Verification

REFUTED, PROVED, ACCEPTED = 0.995, 0.70, 0.97


def share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({part / whole:.1%})" if whole else "none"


def correct(found: list[Pair], verdicts: list[Verification]) -> bool:
    """Print how the correct pairs fared; whether within the limits."""
    counts = Counter(v.verdict for v in verdicts)
    good = counts["proved"] + counts["tested"]
    proved, accepted = share(counts["proved"], len(found)), share(good, len(found))
    print(f"correct pairs: {proved} proved, {accepted} proved or tested, {counts['refuted']} refuted")
    for pair, verdict in zip(found, verdicts, strict=True):
        if verdict.verdict in ("refuted", "unknown"):
            print(
                f"  {verdict.verdict}: {pair.origin} {pair.task.function}: {verdict.counterexample or verdict.reason}"
            )
    return counts["proved"] >= PROVED * len(found) and good >= ACCEPTED * len(found) and not counts["refuted"]


def tool() -> str:
    """What stands for the scanlint that judges."""
    found = blake2b(digest_size=8)
    for file in sorted(Path(scanlint.__file__).parent.rglob("*.py")):
        found.update(file.read_bytes())
    return found.hexdigest()


Known = dict[tuple[str, str, str], Verification]


def known(output: Path | None) -> Known:
    """The verdicts that an earlier run of the same scanlint wrote down, by function, old and new text."""
    found: Known = {}
    if output is not None and output.exists():
        stamp = tool()
        for row in map(json.loads, output.read_text(encoding="utf-8").splitlines()):
            if row.get("tool") == stamp:
                verdict = Verification(row["verdict"], row["reason"], notes=tuple(row["notes"]))
                found[row["function"], row["old"], row["text"] or row["right"]] = verdict
    return found


def log(wanted: list[tuple[Pair, list[Mutant]]], output: Path | None) -> Callable[[int, list[Verification]], None]:
    """Writes down the verdicts on each pair as they come."""
    count, stamp = 0, tool()

    def done(at: int, verdicts: list[Verification]) -> None:
        nonlocal count
        count += 1
        print(f"{count} of {len(wanted)}", end="\r", file=sys.stderr, flush=True)
        if output is None:
            return
        pair, picked = wanted[at]
        rows = [("right", "", pair.task.new), *(("wrong", m.operator, m.text) for m in picked)]
        with output.open("a", encoding="utf-8") as stream:
            for (kind, operator, text), verdict in zip(rows, verdicts, strict=True):
                row = {
                    "tool": stamp,
                    "kind": kind,
                    "operator": operator,
                    "verdict": verdict.verdict,
                    "reason": verdict.reason or verdict.counterexample,
                }
                more = {
                    "origin": pair.origin,
                    "function": pair.task.function,
                    "old": pair.task.old,
                    "right": pair.task.new,
                    "text": text,
                    "calls": pair.calls,
                }
                stream.write(json.dumps(row | more | {"notes": verdict.notes}) + "\n")

    return done


def wrong(made: list[tuple[Pair, Mutant]], verdicts: list[Verification]) -> bool:
    """Print how the mutants fared; whether within the limits."""
    oracle, rows, equivalent = Oracle(), [], 0
    for (pair, mutant), verdict in zip(made, verdicts, strict=True):
        if verdict.verdict == "refuted":
            continue
        difference = oracle.ask(pair.task.new, mutant.text, pair.task.function, pair.calls)
        equivalent += not difference
        if difference:
            rows.append((verdict, pair, mutant, difference))
    refuted = sum(v.verdict == "refuted" for v in verdicts)
    whole = refuted + len(rows)
    accepted = Counter(v.verdict for v, *_ in rows)
    others = share(refuted, whole)
    print(f"mutants: {len(made)} made, {equivalent} equivalent; {others} of the others refuted, {dict(accepted)}")
    for operator, count in Counter(m.operator for _, m in made).most_common():
        missed = sum(m.operator == operator for _, _, m, _ in rows)
        print(f"  {operator}: {count}, {missed} missed")
    for verdict, pair, mutant, difference in rows:
        where = f"{pair.origin} {pair.task.function}, {mutant.operator} at line {mutant.line}"
        print(f"  {verdict.verdict}: {where}: {difference} | {verdict.reason}")
    return refuted >= REFUTED * whole and not accepted["proved"]


def topped_up(
    wanted: list[tuple[Pair, list[Mutant], list[Mutant]]], count: int, rng: random.Random
) -> list[tuple[Pair, list[Mutant]]]:
    """More from the functions that have more, until there are as many mutants as asked for."""
    rest = [(at, m) for at, (_, picked, possible) in enumerate(wanted) for m in possible if m not in picked]
    rng.shuffle(rest)
    missing = count - sum(len(picked) for _, picked, _ in wanted)
    for at, mutant in rest[: max(0, missing)]:
        wanted[at][1].append(mutant)
    return [(pair, picked) for pair, picked, _ in wanted]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--fresh", action="store_true", help="a seed from the clock, which is printed")
    parser.add_argument("--generated", type=int, default=150)
    parser.add_argument("--mutants", type=int, default=2200)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--timeout", type=float, default=30.0)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    seed = time.time_ns() % 1_000_000 if options.fresh else options.seed
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        found = pairs(seed, options.generated, Path(folder), options.workers, options.timeout)
        print(f"seed {seed}: {len(found)} correct pairs", flush=True)
        each = -(-options.mutants // len(found))
        found.sort(key=lambda pair: (len(pair.task.old) > 2000, rng.random()))  # the large ones last
        drawn = []
        for pair in found:
            possible = list(mutants(pair.task.new, pair.task.function))
            drawn.append((pair, chosen(possible, each, rng), possible))
        wanted = topped_up(drawn, options.mutants, rng)
        found = [pair for pair, _ in wanted]
        groups = [[pair.task, *(replace(pair.task, new=m.text) for m in picked)] for pair, picked in wanted]
        earlier = known(options.output)
        told = [[earlier.get((task.function, task.old, task.new)) for task in group] for group in groups]
        left = [at for at, verdicts in enumerate(told) if None in verdicts]
        started = time.monotonic()
        done = log([wanted[at] for at in left], options.output)
        new = dict(zip(left, judged([groups[at] for at in left], options.workers, options.timeout, done), strict=True))
        verdicts = [new[at] if at in new else [v for v in told[at] if v is not None] for at in range(len(groups))]
        if left:
            seconds = (time.monotonic() - started) / sum(len(groups[at]) for at in left)
            print(f"{seconds:.2f} s a verdict with {options.workers} processes", flush=True)
        right = correct(found, [v[0] for v in verdicts])
        made = [(pair, m) for pair, picked in wanted for m in picked]
        refuted = wrong(made, [v for group in verdicts for v in group[1:]])
    return 0 if right and refuted else 1


if __name__ == "__main__":
    sys.exit(main())
