"""Whether `kill -9` at any time tears a file or leaves something lying about.

    python benchmarks/check_kills.py [--kills N] [--files N]

Half of the kills come at random times while a project is verified, the other half while many files are written whose
verdicts are kept from before. After each, every file must be as it was or as it is to become; after the next run to the
end, all are as they are to become, and neither the project nor the folder for temporary files holds anything else.
Exits with 1 where that fails.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

EXAMPLE = Path(__file__).parents[1] / "fixtures" / "example"
MODULE = """import jax
import jax.numpy as jnp


@jax.jit
def f(x):
    for _ in range(40):
        x = jnp.sin(x) + {number}.0
    return x
"""
PATIENCE = 600.0
IGNORED = frozenset([".scanlint", ".scanlint_cache"])
Tree = Mapping[str, bytes]


class Kills:
    """A project that is fixed again and again; `before` and `after` are its files."""

    def __init__(self, name: str, project: Path, temporary: Path, options: Sequence[str]) -> None:
        self.name, self.project, self.temporary, self.options = name, project, temporary, options
        self.wrong: list[str] = []
        self.during = 0
        self.before = tree(project)

    def start(self, *options: str) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "TMPDIR": str(self.temporary)}
        command = [sys.executable, "-m", "scanlint", "--fix", "--exit-zero", *self.options, *options, "."]
        null = subprocess.DEVNULL
        return subprocess.Popen(command, cwd=self.project, env=environment, stdout=null, stderr=null)

    def whole(self) -> float:
        """Run to the end; the seconds that it took."""
        started = time.monotonic()
        code = self.start().wait(PATIENCE)
        if code != 0:
            self.wrong.append(f"{self.name}: a run to the end exits with {code}")
        return time.monotonic() - started

    def restore(self) -> None:
        for name, data in self.before.items():
            (self.project / name).write_bytes(data)

    def run(self, kills: int, *, draw: random.Random) -> None:
        self.start("--diff").wait(PATIENCE)  # verdicts are kept, where they are
        seconds = self.whole()
        after = tree(self.project)
        for at in range(kills):
            self.restore()
            process = self.start()
            time.sleep(draw.uniform(0.0, seconds))
            self.during += process.poll() is None
            process.send_signal(signal.SIGKILL)
            process.wait(PATIENCE)
            for name, data in tree(self.project).items():
                if name in self.before and data not in (self.before[name], after[name]):
                    self.wrong.append(f"{self.name}, kill {at}: {name} is torn")
            self.whole()
            left = sorted(tree(self.project).keys() - after.keys()) + sorted(p.name for p in self.temporary.iterdir())
            self.wrong += [f"{self.name}, kill {at}: left: {name}" for name in left]
            if {n: tree(self.project).get(n) for n in after} != after:
                self.wrong.append(f"{self.name}, kill {at}: the next run does not give the same files")
        print(f"{self.name}: {kills} kills, {self.during} of them before the end, {len(self.wrong)} wrong", flush=True)


def tree(folder: Path) -> Tree:
    """Every file, those of the cache apart."""
    files = (p for p in sorted(folder.rglob("*")) if p.is_file())
    found = {str(p.relative_to(folder)): p.read_bytes() for p in files}
    return {name: data for name, data in found.items() if not IGNORED & set(Path(name).parts)}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--files", type=int, default=40, help="that are written at once")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    draw, wrong = random.Random(options.seed), []
    with tempfile.TemporaryDirectory() as place:
        for name, flags in (("verifying", ["--no-cache"]), ("writing", [])):
            project, temporary = Path(place, name), Path(place, f"{name}-temporary")
            temporary.mkdir()
            if name == "verifying":
                shutil.copytree(EXAMPLE, project)
            else:
                project.mkdir()
                for number in range(options.files):
                    (project / f"module{number}.py").write_text(MODULE.format(number=number), encoding="utf-8")
            kills = Kills(name, project, temporary, flags)
            kills.run(options.kills // 2, draw=draw)
            wrong += kills.wrong
    print("\n".join(wrong[:20]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
