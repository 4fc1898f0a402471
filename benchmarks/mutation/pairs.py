"""Correct pairs: what scanlint rewrites in the pages, the fixtures and the generated programs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mutation.programs import programs
from scanlint.engine import Run
from scanlint.finding import Verification
from scanlint.fixing import Fixer
from scanlint.project.sources import decode
from scanlint.settings import Settings
from scanlint.verify.verifier import Task, Verifier

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```python (\w+)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Pair:
    """One function before and after, and code that calls it: statements over the names of its module."""

    task: Task
    calls: str
    origin: str


class Recorder(Verifier):
    """Takes down what it is asked to verify, and lets everything pass."""

    def __init__(self) -> None:
        super().__init__("")
        self.tasks: list[Task] = []

    def verify(self, task: Task) -> Verification:
        self.tasks.append(task)
        return Verification("tested")


def rewritten(text: str, root: Path) -> list[Task]:
    """What scanlint makes of each unit of a text."""
    recorder = Recorder()
    with Run(Settings(root=root, cache=False, extend_select=("SCN",))) as run:
        run.load_text(decode(text.encode(), root / "module.py"))
        with Fixer(run, lambda line: None) as fixer:
            fixer.verifier = recorder
            fixer.fix_all()
    return recorder.tasks


def pairs(seed: int, generated: int, root: Path) -> Iterator[Pair]:
    """All correct pairs: of pages, of fixtures, of generated programs."""
    for page in sorted((ROOT / "rules").glob("*.md")):
        before, calls = "", ""
        for role, code in [*FENCE.findall(page.read_text(encoding="utf-8")), ("before", "")]:
            if role == "before":
                yield from _pairs(before, calls, page.stem, root)
                before, calls = code, ""
            elif role == "call":
                calls += code
    for folder in sorted((ROOT / "fixtures").iterdir()):
        if (folder / "before.py").exists():
            text = (folder / "calls.py").read_text(encoding="utf-8")
            calls = f"{text}\nimport types as _types\nlist(calls(_types.SimpleNamespace(**globals())))\n"
            yield from _pairs((folder / "before.py").read_text(encoding="utf-8"), calls, folder.name, root)
    for program in programs(seed, generated):
        yield from _pairs(program.text, f"f(*{program.arguments})\n", f"generated {program.kind}", root)


def _pairs(text: str, calls: str, origin: str, root: Path) -> Iterator[Pair]:
    for task in rewritten(text, root) if text else ():
        yield Pair(task, calls, origin)
