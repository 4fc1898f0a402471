"""How the cost of a check grows: with the lines of a file, and with the depth of what stands in it.

    python benchmarks/check_cost.py [--lines 1000,4000,16000,64000] [--depths 5,20,50,100,300] [--seconds N]

Files of jitted functions of six lines, every tenth of which is a finding, and files of functions and classes with a
finding each are checked in a process each; what a file with one finding takes is subtracted. Time and memory for a line
may be 1.3 times those of the best smaller file. Loops, ifs, elif chains and expressions are nested as deep as --depths
says: each of them has to be done within the limit of seconds, and what stands beside it in the same run is found.
Exits with 1 if a limit is passed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

RATIO_LIMIT = 1.3
NEST_LIMIT = 10.0
"""Seconds of processor time for the deepest nest."""
HEAD = "import jax\nimport jax.numpy as jnp\n"
DEFINED = "\n\n@jax.jit\ndef f{}(x):\n    y = x * 2.0\n"
PLAIN = DEFINED + "    y = jnp.sin(y) + {}.0\n    z = y * x\n    return z\n"
FOUND = DEFINED + "    for _ in range(100):\n        y = jnp.sin(y) * {}.0\n    return y\n"
BESIDE = HEAD + FOUND.format("_beside", 2)


class Cost(NamedTuple):
    """Processor seconds, peak memory in megabytes, and how many findings were told; `ended` is False if it was cut."""

    seconds: float
    megabytes: float
    findings: int
    ended: bool


def functions(lines: int) -> str:
    """A file of so many lines: functions of six lines with two empty ones between, every tenth with a finding."""
    made = [(PLAIN if at % 10 else FOUND).format(at, at + 2) for at in range(max(lines // 8, 1))]
    return "".join([HEAD, *made])


MIXED = (
    """

@jax.jit
def f{0}(x, verbose, n=50):
    if verbose:
        x = x + {0}
    for _ in range(n):
        x = jnp.sin(x)
    return x


def g{0}(x):
    return f{0}(x, verbose=True)
""",
    """

@jax.jit
def f{0}(x):
    def step(c, _):
        return c * {0}, None
    return jax.lax.scan(step, x, jnp.zeros(100))[0]
""",
    """

class Model{0}:
    def __init__(self, n):
        self.n = n

    @jax.jit
    def run(self, x):
        for j in range(self.n):
            x = x * jnp.cos(x)
        return x
""",
    """

@jax.jit
def f{0}(x):
    ys = []
    for t in range(200):
        x = jnp.tanh(x) * {0}
        ys.append(x)
    if x > 0:
        x = -x
    return x, jnp.stack(ys)
""",
    """

def helper{0}(x): return x + {0}
def f{0}(x):
    while x > 1.0:
        x = helper{0}(x) * 0.5
    return x
f{0} = jax.jit(f{0})
""",
)
"""Functions and classes with findings of several rules; on average ten lines."""


def various(lines: int) -> str:
    """A file of about so many lines, with a finding or two in each function."""
    return "".join([HEAD, *(MIXED[at % len(MIXED)].format(at) for at in range(max(lines // 10, 1)))])


def loops(depth: int) -> str:
    """Loops in loops."""
    rows = [f"{'    ' * (at + 1)}for i{at} in range(100):" for at in range(depth)]
    return _jitted([*rows, f"{'    ' * (depth + 1)}x = jnp.sin(x) + 1.0"])


def ifs(depth: int) -> str:
    """Tests of tracers in each other."""
    rows = [f"{'    ' * (at + 1)}if x > {at}.0:" for at in range(depth)]
    return _jitted([*rows, f"{'    ' * (depth + 1)}x = jnp.sin(x)"])


def chain(depth: int) -> str:
    """`elif` after `elif` on one number."""
    rows = [f"    {'elif' if at else 'if'} n == {at}:\n        x = x * {at + 2}.0" for at in range(depth)]
    return _jitted([*rows, "    else:\n        x = -x"], "x, n")


def tests(depth: int) -> str:
    """`elif` after `elif` on an array."""
    rows = [f"    {'elif' if at else 'if'} x > {at}.0:\n        x = x * {at + 2}.0" for at in range(depth)]
    return _jitted([*rows, "    else:\n        x = -x"])


def mixed(depth: int) -> str:
    """Loops and tests in turns."""
    rows = [f"{'    ' * (at + 1)}{f'if x > {at}.0:' if at % 2 else f'for i{at} in range(100):'}" for at in range(depth)]
    return _jitted([*rows, f"{'    ' * (depth + 1)}x = jnp.sin(x) + 1.0"])


def parentheses(depth: int) -> str:
    """Parentheses in parentheses."""
    return _jitted([f"    x = {'(' * depth}x{' + 1.0)' * depth}", "    if x > 0.0:", "        x = -x"])


def _jitted(rows: Sequence[str], parameters: str = "x") -> str:
    return "\n".join([HEAD, "", "@jax.jit", f"def f({parameters}):", *rows, "    return x", ""])


NESTS: tuple[Callable[[int], str], ...] = (loops, ifs, chain, tests, mixed, parentheses)
PYTHON_INDENTS = 99
"""Python itself reads no deeper indentation."""


def checked(texts: Sequence[str], seconds: float) -> Cost:
    """What the check of some files takes in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        for at, text in enumerate(texts):
            Path(folder, f"file_{at}.py").write_text(text)
        words = [sys.executable, "-m", "scanlint", "--no-cache", "--jobs", "1", "--output-format", "concise", folder]
        before = time.monotonic()
        with tempfile.TemporaryFile("w+") as said:
            child = subprocess.Popen(words, stdout=said, stderr=subprocess.DEVNULL)
            ended, usage = _waited(child, before + seconds)
            said.seek(0)
            findings = sum(": SCN" in line for line in said)
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / unit, findings, ended)


def _waited(child: subprocess.Popen[bytes], until: float) -> tuple[bool, os.struct_rusage]:  # type: ignore[name-defined]
    """Wait for a process, or end it."""
    ended = True
    while True:
        done, status, usage = os.wait4(child.pid, os.WNOHANG)
        if done:
            child.returncode = os.waitstatus_to_exitcode(status)
            return ended and child.returncode in (0, 1), usage
        if ended and time.monotonic() > until:
            ended = False
            child.kill()
        time.sleep(0.01)


def measure_lines(made: Callable[[int], str], sizes: Sequence[int], seconds: float, nothing: Cost) -> bool:
    """The cost of a line in files of several sizes."""
    print(made.__name__)
    print("lines      seconds    MB   findings   us/line   ratio   KB/line   ratio")
    good, least, lightest = True, float("inf"), float("inf")
    for size in sizes:
        text = made(size)
        cost, lines = checked([text], seconds), text.count("\n")
        time_per_line = (cost.seconds - nothing.seconds) / lines * 1e6
        memory_per_line = max(cost.megabytes - nothing.megabytes, 0) / lines * 1e3
        slower, heavier = time_per_line / min(least, time_per_line), memory_per_line / min(lightest, memory_per_line)
        fine = cost.ended and cost.findings > size // 100 and slower <= RATIO_LIMIT and heavier <= RATIO_LIMIT
        row = f"{lines:6} {cost.seconds:10.2f} {cost.megabytes:6.0f} {cost.findings:8} {time_per_line:10.0f}"
        said = "" if fine else "   over the limit" if cost.ended else "   cut"
        print(f"{row} {slower:7.2f} {memory_per_line:9.1f} {heavier:7.2f}{said}", flush=True)
        least, lightest = min(least, time_per_line), min(lightest, memory_per_line)
        good = good and fine
        if not cost.ended:
            break
    return good


def measure_nests(depths: Sequence[int], seconds: float, nothing: Cost) -> bool:
    """The cost of deep nests, with a finding in a file beside each."""
    print("nest          depth    seconds    MB   findings")
    good = True
    for nest in NESTS:
        for depth in depths:
            if nest in (loops, ifs, mixed) and PYTHON_INDENTS - 1 <= depth < 2 * PYTHON_INDENTS:
                depth = PYTHON_INDENTS - 2
            cost = checked([nest(depth), BESIDE], seconds)
            taken = cost.seconds - nothing.seconds
            fine = cost.ended and cost.findings > 1 and taken <= NEST_LIMIT
            said = "" if fine else "   over the limit" if cost.ended else "   cut or failed"
            row = f"{nest.__name__:12} {depth:6} {taken:10.2f} {cost.megabytes:5.0f} {cost.findings:10}{said}"
            print(row, flush=True)
            good = good and fine
            if not cost.ended:
                break
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--lines", default="1000,4000,16000,64000")
    parser.add_argument("--depths", default="5,20,50,100,300")
    parser.add_argument("--seconds", type=float, default=60.0, help="after which a run is cut")
    options = parser.parse_args()
    checked([HEAD], options.seconds)  # compiles scanlint
    empty, nothing = (min(checked([text], options.seconds) for _ in range(3)) for text in (HEAD, BESIDE))
    print(f"an empty file takes {empty.seconds:.2f} s and {empty.megabytes:.0f} MB")
    print(f"one finding   takes {nothing.seconds:.2f} s and {nothing.megabytes:.0f} MB")
    sizes = [int(size) for size in options.lines.split(",") if size]
    depths = [int(depth) for depth in options.depths.split(",") if depth]
    passed = [measure_lines(made, sizes, options.seconds, nothing) for made in (functions, various)]
    passed.append(measure_nests(depths, options.seconds, nothing))
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
