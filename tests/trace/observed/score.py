"""Score scanlint against JAX on programs: `python tests/tracing/score.py [-v] FILE...`."""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path

from believed import compare
from observe import programs, run


def main() -> None:
    verbose = "-v" in sys.argv
    agreed: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for name in sys.argv[1:]:
        if name == "-v":
            continue
        for program in programs(Path(name).read_text()):
            observed = run(program)
            if observed["error"]:
                sys.stdout.write(f"FAILED {program.title}\n{observed['error']}\n")
            with tempfile.TemporaryDirectory() as folder:
                score = compare(Path(folder), program, observed)
            agreed += score.agreed
            wrong += Counter(d.sort for d in score.disagreements)
            for d in score.disagreements:
                if verbose or d.sort not in ("missed value",):
                    sys.stdout.write(f"{d}\n")
    sys.stdout.write(f"{dict(agreed)}\n{dict(wrong)}\n")


if __name__ == "__main__":
    main()
