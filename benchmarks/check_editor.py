"""How long an editor waits for diagnostics, and whether the server survives what editors do.

    python benchmarks/check_editor.py [--edits N] [--memory TREE] [--fuzz N] [--seed N]

Makes a project of 1,000 files, opens one of 1,000 lines in a real client, and types with pauses: letters of a comment
in a function, now and then a branch above its loop, and a line at the top. Prints the milliseconds from a keystroke
to the diagnostics, the server's pause of 100 ms taken off, over one `ast.parse` of the file, which is measured in
between; and those until everything else that rests on the edit is looked at too.
--memory opens a file of a tree (say, the installed jax) and prints what all processes of the server hold in the end.
--fuzz makes N random edits, deletes, renames and closes. Exits with 1 if a limit is passed.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))

from scanlint.lsp.live_project import PAUSE
from tests.lsp.editor import Editor, editing
from tests.lsp.fuzzing import Fuzz, write_project

RATIO_LIMIT = 5.0
MEMORY_LIMIT = 300.0
"""Megabytes."""
HEAD = "import jax\nimport jax.numpy as jnp\n"
LAYER = """

def layer{n}(params, x):
    w, b = params["w"], params["b"]
    return jnp.tanh(x @ w + b)


def init{n}(key, n_in, n_out):
    k1, k2 = jax.random.split(key)
    return {{"w": jax.random.normal(k1, (n_in, n_out)), "b": jnp.zeros(n_out)}}


@jax.jit
def apply{n}(params, x):
    return layer{n}(params, x) + {call}(params, x)


class Config{n}:
    def sizes(self):
        out = []
        for i in range(self.n):
            out.append(i * 2)
        return out
"""
UNIT = '''

def step{n}(x, w):
    """One step of the integrator: positions and velocities are updated together."""
    position, velocity = x
    force = -jnp.sin(position) * w["k"]
    velocity = velocity + 0.01 * force
    position = position + 0.01 * velocity
    return position, velocity


def dense{n}(params, x):
    h = layer1(params, x)
    h = jax.nn.relu(h)
    if x.ndim == 3:
        h = h.reshape(h.shape[0], -1)
    return h @ params["out"]


@jax.jit
def loss{n}(params, batch):
    inputs, targets = batch
    outputs = dense{n}(params, inputs)
    return jnp.mean((outputs - targets) ** 2)


def train{n}(params, batches, rate=0.1):
    history = []
    for batch in batches:
        grads = jax.grad(loss{n})(params, batch)
        params = jax.tree.map(lambda p, g: p - rate * g, params, grads)
        history.append(float(loss{n}(params, batch)))
    return params, history
'''
LOOP = """

@jax.jit
def rollout{n}(x, w):
    for t in range(100):
        x = step{n}(x, w)
    return x
"""
BRANCH = "    if x > 0:\n        x = -x\n"


def write_large_project(root: Path, files: int, lines: int) -> Path:
    """A package of modules that call their neighbours, and one long module that a few others import."""
    package = root / "big"
    package.mkdir()
    (root / "pyproject.toml").write_text("[project]\nname = 'big'\n")
    (package / "__init__.py").write_text("")
    for n in range(files - 2):
        call = f"layer{(n + 1) % (files - 2)}" if n % 3 == 0 else f"layer{n}"
        imports = f"from big.module{call[5:]} import {call}\n" if n % 3 == 0 else ""
        imports += "from big.edited import step1\n" if n % 200 == 7 else ""
        (package / f"module{n}.py").write_text(HEAD + imports + LAYER.format(n=n, call=call))
    text, n = HEAD + "from big.module1 import layer1\n", 0
    while text.count("\n") < lines - 20:
        text += UNIT.format(n=n) + (LOOP.format(n=n) if n % 6 == 0 else "")
        n += 1
    (package / "edited.py").write_text(text + "x = 1\n" * (lines - text.count("\n")))
    return package / "edited.py"


class Waits(NamedTuple):
    """Seconds, edit by edit: until there are diagnostics, until all is known, of one parse."""

    first: list[float]
    whole: list[float]
    parse: list[float]


async def typed(editor: Editor, uri: str, edits: int) -> Waits:
    """Type, and wait."""
    waits = Waits([], [], [])
    for change in _changes(editor.texts[uri], edits):
        editor.change(uri, *change)
        start = time.perf_counter()
        await editor.diagnostics(uri)
        waits.first.append(time.perf_counter() - start - PAUSE)
        await editor.pulled(uri)
        waits.whole.append(time.perf_counter() - start - PAUSE)
        start = time.perf_counter()
        ast.parse(editor.texts[uri])
        waits.parse.append(time.perf_counter() - start)
    return waits


def _changes(text: str, edits: int) -> Iterator[tuple[int, int, str]]:
    """Letters of a comment in a function; a loop comes above it and goes again; now and then a line at the end."""
    at = text.index("    for t in range", len(text) // 2)
    yield at, at, "    # \n"
    for number in range(edits):
        match number % 10:
            case 3 | 7:
                yield at, at, BRANCH
            case 4 | 8:
                yield at, at + len(BRANCH), ""
            case 9:
                yield 0, 0, "\n"
                at += 1
            case _:
                yield at + 6, at + 6, "k"


async def measure_latency(edits: int) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        file = write_large_project(Path(folder).resolve(), 1000, 1000)
        async with editing(Path(folder).resolve()) as editor:
            start = time.perf_counter()
            uri = editor.open(file)
            async with asyncio.timeout(600):
                await editor.until(lambda: uri in editor.published, 600)
            first, found = time.perf_counter() - start, len(editor.published[uri].diagnostics)
            await editor.until(lambda: any(value["kind"] == "end" for value in editor.progress), 600)
            read = time.perf_counter() - start
            waits = await typed(editor, uri, edits)
            held = memory(editor)
    times, parse = waits.first[2:], median(waits.parse)
    ratio, late = median(times) / parse, quantiles(times, n=20)[-1] / parse
    whole = median(waits.whole[2:])
    print(f"a file of 1,000 lines with {found} findings in a project of 1,000 files, {len(times)} edits")
    print(f"  first diagnostics       {first * 1e3:7.0f} ms")
    print(f"  the project read        {read * 1e3:7.0f} ms")
    print(f"  ast.parse of the file   {parse * 1e3:7.1f} ms")
    print(f"  median wait             {median(times) * 1e3:7.1f} ms, {ratio:.1f} parses    (limit {RATIO_LIMIT})")
    print(f"  95th percentile         {late * parse * 1e3:7.1f} ms, {late:.1f} parses")
    print(f"  median until all known  {whole * 1e3:7.1f} ms, {whole / parse:.1f} parses")
    print(f"  memory of the server    {held:7.0f} MB    (limit {MEMORY_LIMIT:.0f} MB)")
    return ratio <= RATIO_LIMIT and held <= MEMORY_LIMIT


def memory(editor: Editor) -> float:
    """Megabytes that the server and its processes hold; on Linux."""
    server = editor._server
    assert server is not None
    pids = [server.pid]
    for pid in pids:
        for children in Path(f"/proc/{pid}/task").glob("*/children"):
            pids += map(int, children.read_text().split())
    return sum(map(_resident, pids))


def _resident(pid: int) -> float:
    rows = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next((int(row.split()[1]) / 1e3 for row in rows if row.startswith("VmRSS")), 0.0)


async def measure_memory(tree: Path) -> bool:
    """Open the longest file of a tree, edit it, and see what is held."""
    files = sorted(tree.rglob("*.py"), key=lambda file: -file.stat().st_size)
    async with editing(tree.resolve()) as editor:
        uri = editor.open(files[10].resolve())
        await editor.until(lambda: uri in editor.published, 600)
        for _ in range(30):
            editor.change(uri, 0, 0, "\n")
            await editor.until(lambda: editor.published[uri].version == editor.versions[uri], 600)
        held = memory(editor)
    print(f"{tree}: {len(files)} files, {held:.0f} MB    (limit {MEMORY_LIMIT:.0f} MB)")
    return held <= MEMORY_LIMIT


async def measure_fuzz(steps: int, seed: int) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        write_project(root)
        async with editing(root) as editor:
            fuzz = Fuzz(editor, root, seed)
            await fuzz.run(steps)
            held = memory(editor)
    print(f"fuzz: {steps} random edits, seed {seed}: {fuzz.compared} comparisons with a fresh check")
    print(f"  findings compared       {fuzz.found:7d}, all equal")
    print(f"  memory of the server    {held:7.0f} MB")
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--edits", type=int, default=100)
    parser.add_argument("--memory", type=Path, metavar="TREE")
    parser.add_argument("--fuzz", type=int, default=0, metavar="N")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    passed = [asyncio.run(measure_latency(options.edits))] if options.edits else []
    if options.memory:
        passed.append(asyncio.run(measure_memory(options.memory)))
    if options.fuzz:
        passed.append(asyncio.run(measure_fuzz(options.fuzz, options.seed)))
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
