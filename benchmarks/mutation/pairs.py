"""Correct pairs: what scanlint makes of the pages, the fixtures and the generated programs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from mutation.pool import Judge
from mutation.programs import programs
from scanlint.engine.session import Session
from scanlint.finding import Verification
from scanlint.fix.entries import PendingFix
from scanlint.fix.fixer import FileDraft, Fixer
from scanlint.fix.unit_fixer import Steps, UnitFixer
from scanlint.project.files import decode
from scanlint.settings import Settings
from scanlint.trace.unit import Unit
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
    """Takes down what it is asked to verify, and says of it what is true.

    `plainer`: a task takes the place of the last one, a form that was refuted, as it does when files are written.
    """

    def __init__(self, judge: Judge) -> None:
        super().__init__("")
        self.judge = judge
        self.plainer = False
        self.tasks: list[Task] = []

    def verify(self, task: Task) -> Verification:
        verdict = self.judge.ask(task)
        if not verdict.carries:
            self.tasks = [*(self.tasks[:-1] if self.plainer else self.tasks), task]
        return verdict if verdict.verdict == "refuted" else Verification("tested")


class RecordingUnitFixer(UnitFixer):
    """Tells its recorder which rewrites are plainer forms of those that were refuted."""

    recorder: Recorder

    def _rewrite(self, unit: Unit, entries: Sequence[PendingFix], *, plainer: int = 0) -> Steps:
        self.recorder.plainer = plainer > 0
        return super()._rewrite(unit, entries, plainer=plainer)


class RecordingFixer(Fixer):
    """Has its recorder say what is to be verified."""

    def __init__(self, run: Session, recorder: Recorder) -> None:
        super().__init__(run, lambda line: None)
        self.recorder = recorder

    def _unit_fixer(self, draft: FileDraft) -> UnitFixer:
        def ask(unit: Unit, old: str, new: str) -> Verification:
            return self.recorder.verify(self.questions.task(unit, old, new, self.questions.changed))

        made = RecordingUnitFixer(draft.begun.file, self.session.settings, ask, alone=self.alone)
        made.recorder = self.recorder
        return made


def rewritten(text: str, root: Path, judge: Judge) -> list[Task]:
    """What scanlint makes of each unit of a text."""
    recorder = Recorder(judge)
    with Session(Settings(root=root, cache=False, extend_select=("SCN",), level="advice", jobs=1)) as run:
        run.load_text(decode(text.encode(), root / "module.py"))
        with RecordingFixer(run, recorder) as fixer:
            fixer.fix_all()
    return recorder.tasks


def pairs(seed: int, generated: int, root: Path, workers: int, timeout: float) -> list[Pair]:
    """All correct pairs: of pages, of fixtures, of generated programs."""

    def made(item: tuple[str, str, str]) -> list[Pair]:
        origin, text, calls = item
        judge = Judge(timeout)
        try:
            return [Pair(task, calls, origin) for task in rewritten(text, root, judge)]
        finally:
            judge.close()

    with ThreadPoolExecutor(workers) as pool:
        return [pair for found in pool.map(made, _texts(seed, generated)) for pair in found]


def _texts(seed: int, generated: int) -> Iterator[tuple[str, str, str]]:
    """Each text that has something to rewrite, where it is from, and what calls it."""
    for page in sorted((ROOT / "rules").glob("*.md")):
        before, calls = "", ""
        for role, code in [*FENCE.findall(page.read_text(encoding="utf-8")), ("before", "")]:
            if role == "before":
                if before:
                    yield page.stem, before, calls
                before, calls = code, ""
            elif role == "call":
                calls += code
    for folder in sorted((ROOT / "fixtures").iterdir()):
        if (folder / "before.py").exists():
            text = (folder / "calls.py").read_text(encoding="utf-8")
            calls = f"{text}\nimport types as _types\nlist(calls(_types.SimpleNamespace(**globals())))\n"
            yield folder.name, (folder / "before.py").read_text(encoding="utf-8"), calls
    for program in programs(seed, generated):
        yield f"generated {program.kind}", program.text, f"f(*{program.arguments})\n"
