"""That no text makes the checker crash, fail a rule or hang.

    python benchmarks/check_robust.py [TREES ...] [--mutations N] [--seeds S ...] [--keep FOLDER]

TREES default to the standard library and the packages beside it. Checks, all rules selected and in one process,
each package of the trees as it is; each file by itself with `@jax.jit` above its functions, so that code of every
kind is interpreted as traced; and for each seed N files at random, changed at random (lines dropped, doubled, cut,
moved, indented otherwise; words swapped and replaced), every tenth within its folder.
Prints what fails with the file and the seed, and keeps each text that failed in FOLDER. Exits with 1 if any did.
"""

from __future__ import annotations

import argparse
import gc
import random
import re
import signal
import sys
import sysconfig
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from scanlint.engine.session import RunOutcome, check, check_text
from scanlint.project.discovery.folders import discover
from scanlint.settings import Settings

SETTINGS = Settings(select=("SCN",), level="advice", exclude=("nothing",), cache=False)
LIMIT = 20.0
BESIDE = 40
WORD = re.compile(r"\w+|[-+*/%<>=!&|@.,:()\[\]{}]+")
DEFINITION = re.compile(r"^( *)(?=(?:async )?def \w+\(|@(?!.*(?:overload|property)))", re.MULTILINE)
FIRST = re.compile(r"^(?=(?:import|from) (?!__future__)|def |class |@)", re.MULTILINE)


class Failure(NamedTuple):
    """What went wrong, in one line, and the text that it went wrong with."""

    what: str
    where: str
    text: bytes | None = None


class Hang(BaseException):
    """A check that takes more processor time than the limit."""


def attempt(work: Callable[[], RunOutcome]) -> str | None:
    """What goes wrong in a check: an exception, the problems of rules, or a hang."""
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    try:
        problems = [p for p in work().problems if not unreadable(p)]
    except Hang:
        return f"hangs: {where(sys.exc_info()[1])}"
    except Exception as error:  # noqa: BLE001  every crash is what is looked for
        return f"{type(error).__name__}: {str(error)[:100]} {where(error)}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        gc.collect(0)
    return "; ".join(problems)[:300] or None


def unreadable(problem: str) -> bool:
    """A file that the system does not let one read is no crash."""
    return "cannot read" in problem


def where(error: BaseException | None) -> str:
    """The innermost lines of scanlint at which an exception was raised."""
    frames = traceback.extract_tb(error.__traceback__) if error is not None else []
    ours = [f"{Path(f.filename).name}:{f.lineno}" for f in frames if "scanlint" in f.filename]
    return " < ".join(reversed(ours[-3:]))


def interrupt(number: int, frame: FrameType | None) -> None:
    raise Hang


def traced(text: str) -> str:
    """The same code with every function under `jax.jit`."""
    first = FIRST.search(text)
    if first is None:
        return text
    head, body = text[: first.start()], text[first.start() :]
    return f"{head}import jax\nimport jax.numpy as jnp\n{DEFINITION.sub(jitted, body)}"


def jitted(match: re.Match[str]) -> str:
    return f"{match[1]}@jax.jit\n{match[1]}"


def changed(text: str, chance: random.Random) -> str:
    """The text with one to four changes."""
    lines = text.splitlines(keepends=True) or [""]
    for _ in range(chance.randint(1, 4)):
        chance.choice(CHANGES)(lines, chance.randrange(len(lines)), chance)
        lines = lines or [""]
    return "".join(lines)


def drop(lines: list[str], at: int, chance: random.Random) -> None:
    del lines[at : at + chance.randint(1, 3)]


def double(lines: list[str], at: int, chance: random.Random) -> None:
    lines[at:at] = lines[at : at + chance.randint(1, 3)]


def cut(lines: list[str], at: int, chance: random.Random) -> None:
    lines[at] = lines[at][: chance.randint(0, len(lines[at]))] + chance.choice(["", "\n"])


def move(lines: list[str], at: int, chance: random.Random) -> None:
    lines.insert(chance.randrange(len(lines)), lines.pop(at))


def indent(lines: list[str], at: int, chance: random.Random) -> None:
    lines[at] = (
        chance.choice(["    ", "  ", "\t", "\f"]) + lines[at] if chance.random() < 0.5 else lines[at].lstrip(" ")
    )


def swap(lines: list[str], at: int, chance: random.Random) -> None:
    """Two words of a line change places."""
    words = list(WORD.finditer(lines[at]))
    if len(words) > 1:
        first, second = sorted(chance.sample(words, 2), key=lambda word: word.start())
        line = lines[at]
        between = line[first.end() : second.start()]
        lines[at] = f"{line[: first.start()]}{second[0]}{between}{first[0]}{line[second.end() :]}"


def replace(lines: list[str], at: int, chance: random.Random) -> None:
    """A word becomes another one of the file, or something odd."""
    here, there = list(WORD.finditer(lines[at])), WORD.findall(chance.choice(lines))
    if here:
        word = chance.choice(here)
        other = chance.choice([*there, *ODD])
        lines[at] = lines[at][: word.start()] + other + lines[at][word.end() :]


ODD = (
    "*x",
    "**x",
    "lambda: 0",
    "(y := 1)",
    "...",
    "-1",
    "10**400",
    "1e999",
    "1j",
    "''",
    "b'\\xff'",
    "None",
    "x[0]",
    "yield",
)
CHANGES = (drop, double, cut, move, indent, swap, replace, replace, replace, swap)


def packages(tree: Path) -> Iterator[Path]:
    """The folders of a tree that are checked at once, and its own files."""
    for path in sorted(tree.iterdir()):
        if path.name not in ("__pycache__", "site-packages") and (path.is_dir() or path.suffix == ".py"):
            yield path


class Robust:
    """One run over some trees; collects what fails."""

    def __init__(self, trees: Sequence[Path], keep: Path | None) -> None:
        self.packages = [path for tree in trees for path in packages(tree)]
        self.files = [file for path in self.packages for file in discover([path], SETTINGS).files]
        self.keep = keep
        self.failures: list[Failure] = []

    def note(self, what: str | None, where: str, text: bytes | None = None) -> None:
        if what is None:
            return
        print(f"  {where}: {what}", flush=True)
        self.failures.append(Failure(what, where, text))
        if self.keep is not None and text is not None:
            self.keep.mkdir(parents=True, exist_ok=True)
            (self.keep / f"{len(self.failures):03}.py").write_bytes(text)

    def text(self, data: bytes, where: str, file: Path) -> None:
        self.note(attempt(lambda: check_text(data, Path("changed", file.name), SETTINGS)), where, data)

    def as_they_are(self) -> None:
        for package in self.packages:
            self.note(attempt(partial(check, [package], SETTINGS)), str(package))
            gc.collect()

    def as_traced(self) -> None:
        for number, file in enumerate(self.files):
            self.text(encoded(traced(decoded(file))), f"{file} (traced)", file)
            if number % 200 == 0:
                gc.collect()

    def mutated(self, seed: int, count: int) -> None:
        chance = random.Random(seed)
        for number in range(count):
            file = chance.choice(self.files)
            text = decoded(file)
            if chance.random() < 0.5:
                text = traced(text)
            data = encoded(changed(text, chance))
            self.text(data, f"{file} (seed {seed}, change {number})", file)
            if number % 10 == 0:
                self.note(attempt(partial(beside, file, data)), f"{file} in its folder (seed {seed})", data)
            if number % 200 == 0:
                gc.collect()


def beside(file: Path, data: bytes) -> RunOutcome:
    """Check a changed file together with some that lie beside it."""
    with tempfile.TemporaryDirectory() as scratch:
        for other in sorted(file.parent.glob("*.py"))[:BESIDE]:
            Path(scratch, other.name).write_bytes(other.read_bytes())
        Path(scratch, file.name).write_bytes(data)
        return check([Path(scratch)], SETTINGS)


def decoded(file: Path) -> str:
    return file.read_bytes().decode("utf-8", "surrogateescape")


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def installed() -> list[Path]:
    """The standard library, and the packages beside it."""
    paths = [Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib")]
    return [path for path in paths if path.is_dir()]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("trees", nargs="*", type=Path)
    parser.add_argument("--mutations", type=int, default=1000)
    parser.add_argument("--seeds", type=int, nargs="*", default=[1])
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    parser.add_argument("--only", choices=["plain", "traced", "changed"])
    options = parser.parse_args()
    signal.signal(signal.SIGPROF, interrupt)
    robust = Robust(options.trees or installed(), options.keep)
    stages: list[tuple[str, str, Callable[[], None]]] = [
        ("plain", f"{len(robust.packages)} packages, {len(robust.files)} files as they are", robust.as_they_are),
        ("traced", f"{len(robust.files)} files as traced", robust.as_traced),
    ]
    for seed in options.seeds:
        title = f"{options.mutations} changed files, seed {seed}"
        stages.append(("changed", title, partial(robust.mutated, seed, options.mutations)))
    for name, title, stage in stages:
        if options.only in (None, name):
            start, before = time.perf_counter(), len(robust.failures)
            stage()
            print(f"{title}: {len(robust.failures) - before} failures, {time.perf_counter() - start:.0f} s", flush=True)
    return 1 if robust.failures else 0


if __name__ == "__main__":
    sys.exit(main())
