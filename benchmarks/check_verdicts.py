"""Does the verifier tell right rewrites of ordinary functions from the mistakes that people make in them?

    python benchmarks/check_verdicts.py [--set verdicts|edges|rare|fields] [--half seen|unseen|all] [--only NAME...]
                                        [--wrong N] [--workers N]

Each table of a file in the folder of a set is one function: `old` and `new` are equivalent, and each row of `wrong`
is a kind of mistake with the text of `new` that it replaces, and by what. `calls` shows how the function is used; the
verifier does not see it, and --data checks with it, without the verifier, that the right version is right and the
wrong ones are wrong. In edges, rare and fields, whose mistakes show on few inputs only and in how a
function is called, the versions are compared as two files of a user, and the fourth item of a row is an expression that
tells this mistake. The halves are told apart by a hash of the function's name. Exits with 1 if a limit is passed.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
import sys
import tempfile
import threading
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from queue import Empty, SimpleQueue

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
from mutation.oracle import Oracle
from mutation.pool import Judge

from scanlint.finding import Verification
from scanlint.verify.verifier import Task

REFUTED, ACCEPTED = 0.995, 0.97
EDGES_ACCEPTED = 0.15  # of the wrong versions in benchmarks/edges, benchmarks/rare and benchmarks/fields
RIGHT = "right"
IMPORTS = "from functools import partial\n\nimport jax\nimport jax.numpy as jnp\nfrom jax import lax\n\n"
NORMAL = "n = lambda seed, *shape: jax.random.normal(jax.random.PRNGKey(seed), shape)\n"
VERDICTS = ("proved", "tested", "refuted", "unknown")


@dataclass(frozen=True)
class Function:
    """One function as it was, as it should become, and as it should not.

    With the kind of each mistake, and the expression that shows it, if any.
    """

    name: str
    old: str
    new: str
    calls: str
    wrong: tuple[tuple[str, str, str], ...]

    @property
    def unseen(self) -> bool:
        return blake2b(self.name.encode(), digest_size=1).digest()[0] % 2 == 1


@dataclass(frozen=True)
class Row:
    """One verdict, and the processor's seconds from question to answer."""

    function: str
    kind: str
    text: str
    verdict: Verification
    seconds: float

    @property
    def told(self) -> str:
        return self.verdict.counterexample or self.verdict.reason or "; ".join(self.verdict.notes)


def functions(folder: Path) -> Iterator[Function]:
    """All functions of the files. Raises ValueError where a mistake does not replace one place."""
    for file in sorted(folder.glob("*.toml")):
        for name, table in tomllib.loads(file.read_text(encoding="utf-8")).items():
            wrong = []
            for kind, before, after, *shows in table["wrong"]:
                if table["new"].count(before) != 1:
                    raise ValueError(f"{file.name}: {name}: not one place: {before!r}")
                wrong.append((kind, IMPORTS + table["new"].replace(before, after), "".join(shows)))
            calls = NORMAL + table["calls"] if "calls" in table else ""
            yield Function(name, IMPORTS + table["old"], IMPORTS + table["new"], calls, tuple(wrong))


def processor_seconds(judge: Judge) -> float:
    """What the judge's process has used so far, which other processes do not change; else the time of day."""
    with contextlib.suppress(OSError):
        if judge.process is not None:
            fields = Path(f"/proc/{judge.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0 if Path("/proc/self/stat").exists() else time.monotonic()


def judged(function: Function, judge: Judge, folder: Path | None) -> list[Row]:
    """The verdicts on all versions of a function, from one process; as files of a user, where there is a folder."""
    rows = []
    for kind, text, _ in ((RIGHT, function.new, ""), *function.wrong):
        task = Task(function.name, function.name, function.old, text, "", f"{function.name}.py")
        if folder is not None:
            files = [folder / f"{function.name}_{side}.py" for side in ("before", "after")]
            for file, written in zip(files, (function.old, text), strict=True):
                file.write_text(written, encoding="utf-8")
            before, after = map(str, files)
            task = replace(task, root=str(folder), file=after, old_root=str(folder), old_file=before)
        started = processor_seconds(judge)
        verdict = judge.ask(task)
        rows.append(Row(function.name, kind, text, verdict, processor_seconds(judge) - started))
    return rows


def ask(wanted: list[Function], workers: int, seconds: float, output: Path | None, folder: Path | None) -> list[Row]:
    """The verdicts on all functions, several side by side."""
    waiting, rows = SimpleQueue[Function](), dict[str, list[Row]]()
    for function in wanted:
        waiting.put(function)

    def work() -> None:
        judge = Judge(seconds)
        while True:
            try:
                function = waiting.get_nowait()
            except Empty:
                return judge.close()
            rows[function.name] = judged(function, judge, folder)
            if output is not None:
                write(rows[function.name], output)
            print(f"{len(rows)} of {len(wanted)}", end="\r", file=sys.stderr, flush=True)

    threads = [threading.Thread(target=work) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [row for function in wanted for row in rows[function.name]]


def _drawn(wrong: tuple[str, str, str]) -> bytes:
    return blake2b(wrong[1].encode(), digest_size=8).digest()


def share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({part / whole:.1%})" if whole else "none"


def report(title: str, rows: list[Row], edges: bool) -> bool:
    """Print how one half fared; whether it is within the limits."""
    right = [row for row in rows if row.kind == RIGHT]
    wrong = [row for row in rows if row.kind != RIGHT]
    good, bad = (Counter(row.verdict.verdict for row in part) for part in (right, wrong))
    accepted = good["proved"] + good["tested"]
    print(f"{title}: {len(right)} functions, {statistics.median(row.seconds for row in rows):.2f} s a verdict (median)")
    print(f"  right: {', '.join(f'{good[v]} {v}' for v in VERDICTS)}; {share(accepted, len(right))} accepted")
    print(f"  wrong: {', '.join(f'{bad[v]} {v}' for v in VERDICTS)}; {share(bad['refuted'], len(wrong))} refuted")
    for kind, count in Counter(row.kind for row in wrong).most_common():
        missed = Counter(row.verdict.verdict for row in wrong if row.kind == kind and row.verdict.verdict != "refuted")
        if missed:
            print(f"    {kind}: {count}, of these {', '.join(f'{missed[v]} {v}' for v in VERDICTS if missed[v])}")
    for row in right:
        if row.verdict.verdict in ("refuted", "unknown"):
            print(f"  right, and {row.verdict.verdict}: {row.function}: {row.told}")
    for row in wrong:
        if row.verdict.verdict != "refuted":
            print(f"  wrong, and {row.verdict.verdict}: {row.function}, {row.kind}: {row.told}")
    if edges:
        missed = bad["proved"] + bad["tested"]
        print(f"  wrong, and accepted: {share(missed, len(wrong))}")
        return missed <= EDGES_ACCEPTED * len(wrong) and not good["refuted"]
    kept = accepted >= ACCEPTED * len(right) and not good["refuted"]
    return kept and bad["refuted"] >= REFUTED * len(wrong) and not bad["proved"]


def sound(wanted: list[Function]) -> bool:
    """Whether the right versions are right and the wrong ones wrong, by running them."""
    oracle, fine = Oracle(), True
    for function in wanted:
        for kind, text, shown in ((RIGHT, function.new, ""), *function.wrong):
            if shown:
                fine = told(function, kind, text, shown) and fine
                continue
            if not function.calls:
                continue  # what shows the mistakes says of the right version that it is right
            difference = oracle.ask(function.old, text, function.name, function.calls)
            if bool(difference) == (kind == RIGHT):
                fine = False
                print(f"{function.name}, {kind}: {difference or 'nothing tells it from the right version'}")
    return fine


def told(function: Function, kind: str, text: str, expression: str) -> bool:
    """Whether an expression tells this mistake, and the right version not."""
    before, right, wrong = (shows(version, expression) for version in (function.old, function.new, text))
    if alike(before, right) and not alike(before, wrong):
        return True
    print(f"{function.name}, {kind}: {expression}: before {before}, right {right}, wrong {wrong}")
    return False


def shows(text: str, expression: str) -> object:
    """The value of an expression with the function of a text; what it raises by name."""
    names: dict[str, object] = {}
    exec(compile(text, "version.py", "exec"), names)
    try:
        return eval(expression, names)
    except Exception as error:  # noqa: BLE001 - whatever it raises
        return type(error).__name__


def alike(a: object, b: object) -> bool:
    first, second = jax.tree_util.tree_leaves(a), jax.tree_util.tree_leaves(b)
    if len(first) != len(second) or any(isinstance(x, str) for x in (*first, *second)):
        return first == second
    return all(
        jnp.result_type(x) == jnp.result_type(y)
        and jnp.shape(x) == jnp.shape(y)
        and bool(jnp.allclose(jnp.asarray(x), jnp.asarray(y), rtol=1e-3, atol=1e-5, equal_nan=True))
        for x, y in zip(first, second, strict=True)
    )


def write(rows: list[Row], file: Path) -> None:
    lines = (
        {"function": r.function, "kind": r.kind, "verdict": r.verdict.verdict, "told": r.told, "seconds": r.seconds}
        | {"notes": r.verdict.notes, "text": r.text}
        for r in rows
    )
    with file.open("a", encoding="utf-8") as stream:
        stream.write("".join(f"{json.dumps(line)}\n" for line in lines))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--set", choices=("verdicts", "edges", "rare", "fields"), default="verdicts")
    parser.add_argument("--half", choices=("seen", "unseen", "all"), default="all")
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument(
        "--wrong", type=int, help="at most so many wrong versions of a function, by a hash of their text"
    )
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--timeout", type=float, default=30.0)
    parser.add_argument("--data", action="store_true", help="check the data, without the verifier")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    halves = {"seen": (False,), "unseen": (True,), "all": (False, True)}[options.half]
    wanted = [f for f in functions(Path(__file__).parent / options.set) if f.unseen in halves]
    wanted = [f for f in wanted if not options.only or f.name in options.only]
    wanted = [replace(f, wrong=tuple(sorted(f.wrong, key=_drawn)[: options.wrong])) for f in wanted]
    if options.data:
        return 0 if sound(wanted) else 1
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) if options.set != "verdicts" else None
        rows = ask(wanted, options.workers, options.timeout, options.output, folder)
    unseen = {f.name for f in wanted if f.unseen}
    parts = {"seen": [r for r in rows if r.function not in unseen], "unseen": [r for r in rows if r.function in unseen]}
    kept = [report(title, part, options.set != "verdicts") for title, part in parts.items() if part]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
