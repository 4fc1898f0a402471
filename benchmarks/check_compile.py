"""How long do rewritten functions take to trace and compile, against an expert's version and the unrolled one?

    python benchmarks/check_compile.py [--trips N] [--rounds N] [--diff]

Each folder of fixtures/experts holds programs as people write them (before.py), the same by hand in the best form we
know (expert.py), and arguments (calls.py). scanlint rewrites before.py; then each function is traced and compiled
anew, the rewritten and the expert's version in turn. Printed are the ratio of the two medians per function, their
geometric mean (limit 1.05), how the rewritten function's time grows from 10 trips to --trips, and how the unrolled
one's grows from 10 to 40. All three have to give the same results. --diff shows where scanlint and the expert differ.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import difflib
import os
import runpy
import statistics
import sys
import tempfile
import time
import types
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import numpy as np

from scanlint.fix.run import fix
from scanlint.settings import Settings

EXPERTS = Path(__file__).parents[1] / "fixtures" / "experts"
FEW, MORE = 10, 40
LIMIT, FLAT = 1.05, 1.5


def rewritten(folder: Path) -> dict[str, str]:
    """What scanlint makes of each program; prints what it leaves as it is."""
    for program in sorted(EXPERTS.iterdir()):
        (folder / f"{program.name}.py").write_text(
            (program / "before.py").read_text(encoding="utf-8"), encoding="utf-8"
        )
    outcome = fix([folder], Settings(root=folder, verify_timeout=120.0), lambda line: None)
    for finding in outcome.findings:
        if finding.fix.status != "applied":
            print(f"left: {finding.path}:{finding.start.line} {finding.name}: {finding.fix.reason}")
    return {path.stem: new.decode() for path, (_, new) in outcome.changes.items()}


def module(text: str, name: str) -> types.SimpleNamespace:
    with tempfile.NamedTemporaryFile("w", suffix=f"_{name}.py", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        return types.SimpleNamespace(**runpy.run_path(file.name))


def source(text: str, name: str) -> str:
    """One function of a program."""
    return next(ast.unparse(s) for s in ast.parse(text).body if isinstance(s, ast.FunctionDef) and s.name == name)


def compile_seconds(function: Callable[..., object], arguments: Sequence[object]) -> float:
    """Seconds to trace, lower and compile, with nothing kept from earlier."""
    jax.clear_caches()
    started = time.perf_counter()
    function.lower(*arguments).compile()  # type: ignore[attr-defined]
    return time.perf_counter() - started


def median(function: Callable[..., object], arguments: Sequence[object], rounds: int) -> float:
    return statistics.median(compile_seconds(function, arguments) for _ in range(rounds))


def pair(
    one: tuple[Callable[..., object], Sequence[object]],
    two: tuple[Callable[..., object], Sequence[object]],
    rounds: int,
) -> tuple[float, float]:
    """The medians of two functions that take turns."""
    times = [(compile_seconds(*one), compile_seconds(*two)) for _ in range(rounds)]
    return statistics.median(a for a, _ in times), statistics.median(b for _, b in times)


def agree(results: Sequence[object]) -> bool:
    """Whether all versions give what the first one gives."""
    first, *others = ([np.asarray(x) for x in jax.tree.leaves(r)] for r in results)
    return all(np.allclose(a, b, rtol=1e-3, atol=1e-4) for other in others for a, b in zip(first, other, strict=True))


class Row(NamedTuple):
    """One function: its time over the expert's, and how times grow with the trips."""

    name: str
    ratio: float
    growth: float
    unrolled: str
    same: bool


def rows(program: Path, ours: str, trips: int, rounds: int) -> Iterator[Row]:
    """The functions of one program that scanlint rewrote."""
    before, by_hand = ((program / f"{name}.py").read_text(encoding="utf-8") for name in ("before", "expert"))
    calls = runpy.run_path(str(program / "calls.py"))["calls"]
    versions = [vars(module(text, program.name)) for text in (before, ours, by_hand)]
    few, more, many = (calls(types.SimpleNamespace(**versions[2]), n) for n in (FEW, MORE, trips))
    for name, arguments in few.items():
        if source(before, name) == source(ours, name):
            continue
        old, new, expert = (version[name] for version in versions)
        mine, theirs = pair((new, arguments), (expert, arguments), rounds)
        unrolled = "does not trace"
        with contextlib.suppress(jax.errors.JAXTypeError):
            unrolled = f"{compile_seconds(old, more[name]) / compile_seconds(old, arguments):.2f}"
        with jax.disable_jit():
            eager = old(*arguments)
        same = agree([eager, new(*arguments), expert(*arguments)])
        yield Row(f"{program.name} {name}", mine / theirs, median(new, many[name], rounds) / mine, unrolled, same)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--trips", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--diff", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        texts = rewritten(Path(folder).resolve())
    found = []
    print(f"{'function':34} {'to expert':>9} {f'{FEW}..{options.trips}':>9} {f'unrolled {FEW}..{MORE}':>15}")
    for program in sorted(EXPERTS.iterdir()):
        ours = texts.get(program.name, (program / "before.py").read_text(encoding="utf-8"))
        for row in rows(program, ours, options.trips, options.rounds):
            found.append(row)
            said = "" if row.same else "  results differ"
            print(f"{row.name:34} {row.ratio:9.2f} {row.growth:9.2f} {row.unrolled:>15}{said}", flush=True)
        if options.diff:
            by_hand = (program / "expert.py").read_text(encoding="utf-8")
            print("".join(difflib.unified_diff(by_hand.splitlines(True), ours.splitlines(True), "expert", "scanlint")))
    mean, growth = (
        statistics.geometric_mean(values) for values in ([r.ratio for r in found], [r.growth for r in found])
    )
    print(f"{len(found)} functions: {mean:.3f} of the expert's time, {growth:.2f} from {FEW} to {options.trips} trips")
    return 0 if mean <= LIMIT and growth <= FLAT and all(r.same for r in found) else 1


if __name__ == "__main__":
    sys.exit(main())
