"""What the project's own tests, `main`s and scripts call the functions with that are being rewritten."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

from scanlint.project.contents import contents
from scanlint.record.plan import RecordingPlan, Target, targets_in
from scanlint.record.recordings import named, with_inner
from scanlint.record.store import calls_of, chosen, write
from scanlint.verify.interpreter import VerifierUnavailable
from scanlint.verify.temporary import TemporaryFolder
from scanlint.verify.verifier import Task
from scanlint.verify.verifiers import Answer, AnyVerifier

RECORDER = Path(__file__).parent.parent / "record" / "inside"
SHARE = 1.5
"""How much longer the one run of the project may take than a verification, in processor time."""


class ProgramCalls:
    """The calls of one run of the project, kept as recordings are; all functions that are wanted share it."""

    def __init__(self, root: Path, targets: Sequence[Target]) -> None:
        self.root = root.resolve()
        self.targets = targets
        self._home = TemporaryFolder()
        self.folder = Path(self._home.name)

    @classmethod
    def run(cls, verifier: AnyVerifier, root: Path, wanted: Sequence[tuple[Path, Collection[str]]]) -> ProgramCalls:
        """Run the project once for the functions of these files; raises VerifierUnavailable."""
        calls = cls(root, [t for file, names in wanted for t in _targets(file.resolve(), names, root.resolve())])
        if calls.targets:
            parts = TemporaryFolder()
            try:
                calls.made_by(verifier, Path(parts.name))
            except VerifierUnavailable:
                calls.close()
                raise
            finally:
                parts.close()
        return calls

    def made_by(self, verifier: AnyVerifier, parts: Path) -> None:
        """Have the verifier run the project, whose calls are written as parts."""
        plan = parts / "plan.json"
        plan.write_text(RecordingPlan(self.root, tuple(self.targets), {}, {}).text(parts), encoding="utf-8")
        verifier.keep_calls(plan, RECORDER, str(self.root), SHARE * verifier.timeout)
        self.gather(parts)

    def close(self) -> None:
        """Remove what was kept."""
        self._home.close()

    def gather(self, parts: Path) -> None:
        """One file per function from the files of single calls."""
        for index, files in calls_of(parts).items():
            if index < len(self.targets):
                target = self.targets[index]
                write(self.folder / named(target.path, target.qualname), chosen(files))

    def of(self, file: Path, qualname: str) -> tuple[str, ...]:
        """The files with the calls of a function, and of those defined in it."""
        path = file.resolve()
        if not path.is_relative_to(self.root):
            return ()
        return with_inner(self.folder / named(path.relative_to(self.root).as_posix(), qualname))


def answered(verifier: AnyVerifier, task: Task, calls: Callable[[], ProgramCalls], *, cleared: bool) -> Answer:
    """What a verifier says of a task, on the arguments of the project's own calls where others are not enough.

    They are not where there are none, or where guesses alone make the new version fail; `cleared`: or differ.
    """
    answer = verifier.answer(task)
    guessed = answer.get("inputs", "synthesised") in ("synthesised", "harvested")
    if not (answer.get("doubtful") or (cleared and guessed and answer["verdict"] == "refuted")):
        return answer
    harvested = calls().of(Path(task.file), task.function)
    if not harvested:
        return answer
    again = verifier.answer(replace(task, recorded=(), harvested=harvested, asked="called"))
    if again["verdict"] == "unknown" and answer["verdict"] == "refuted":
        return {**answer, "limited": again["limited"]} if "limited" in again else answer
    return again


def answered_alone(verifier: AnyVerifier, task: Task) -> Answer:
    """The same of one function, for which the project is run."""
    wanted = [(Path(task.file), {task.function})]
    with ExitStack() as made:
        run = functools.partial(ProgramCalls.run, verifier, Path(task.root), wanted)
        return answered(verifier, task, lambda: made.enter_context(closing(run())), cleared=False)


def _targets(file: Path, names: Collection[str], root: Path) -> Iterator[Target]:
    """The functions of a file by qualified name, and those defined in them."""
    if not file.is_relative_to(root):
        return
    try:
        tree = ast.parse(contents(file))
    except (OSError, SyntaxError, ValueError):  # the file has changed since: no call of it is found
        return
    for node in tree.body:
        for owner, inner in [("", node), *((f"{node.name}.", m) for m in getattr(node, "body", ()) if _is_class(node))]:  # type: ignore[attr-defined]
            if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef) and f"{owner}{inner.name}" in names:
                yield from targets_in(inner, f"{owner}{inner.name}", file, root)


def _is_class(node: ast.stmt) -> bool:
    return isinstance(node, ast.ClassDef)
