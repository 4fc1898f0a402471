"""Questions about rewrites: what the verifier is told, and whether an earlier run has told already."""

from __future__ import annotations

import ast
import hashlib
import json
import threading
import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from scanlint.engine.directives import given_inputs
from scanlint.engine.session import Session
from scanlint.engine.team.executor import available
from scanlint.finding import Verification
from scanlint.fix.answers.placed import Answer, counted, placed
from scanlint.fix.program_calls import ProgramCalls, answered
from scanlint.fix.verdicts import KeptVerdicts, asked_anywhere, names_lines
from scanlint.problem import Problem
from scanlint.project.patterns import configured_inputs
from scanlint.project.summary import ModuleNames
from scanlint.record.recordings import recorded
from scanlint.trace.unit import Unit
from scanlint.verify.interpreter import VerifierUnavailable, find_interpreter
from scanlint.verify.time_left import VerifyingLine
from scanlint.verify.verifier import Task, Verifier, verification
from scanlint.verify.verifiers import Verifiers

if TYPE_CHECKING:
    from scanlint.verify.verifiers import AnyVerifier

NOWHERE = "nothing can be verified here, as the error below says"
HOPED = Verification("proved", None)
"""What is taken to be the answer of a question that is asked before its turn."""


class Questions:
    """Asks the verifiers of a run, which have the project run once for inputs.

    Each question is asked once, if it can be foreseen before its turn: what is answered does not depend on when.
    `changed` are the files with texts that will be written; `limited`: an answer may be another one the next time.
    """

    def __init__(self, session: Session, progress: Callable[[str], None]) -> None:
        self.session = session
        self.progress = progress
        self.jobs = self._at_a_time()
        self.unavailable: str | None = None
        self.line = VerifyingLine()
        self.limited = False
        self.changed: dict[str, str] = {}
        self.wanted = [
            (session.files[path], {found.unit[1] for found in listed if found.finding.fix.status == "available"})
            for path, listed in sorted(session.found.items())
        ]
        self._refuted: dict[tuple[str, str, str], Verification] = {}
        self._foreseen = Foreseen()
        self._verifiers: Verifiers | None = None
        self._calls: ProgramCalls | None = None
        self._calling = threading.Lock()
        self._run = uuid.uuid4().hex

    @property
    def protections(self) -> tuple[str, ...]:
        """What kept the code under test from doing harm; nothing where none was run."""
        return self._verifiers.protections if self._verifiers is not None else ()

    def close(self) -> None:
        """End the verifiers, and remove what was kept for them."""
        if self._verifiers is not None:
            self._verifiers.close()
        if self._calls is not None:
            self._calls.close()

    def verdict(self, unit: Unit, old: str, new: str) -> Verification:
        """The verdict on one unit's rewrite; what was refuted is not tried again: it might pass for lack of time."""
        key = f"{unit.source.path}:{unit.qualname}", old, new
        if key not in self._refuted:
            verdict = self._ask(unit, old, new)
            if verdict.verdict != "refuted":
                return verdict
            self._refuted[key] = verdict
        return self._refuted[key]

    def foresee(self, unit: Unit, old: str, new: str, changed: Mapping[str, str]) -> Verification:
        """Have a question that will come answered before its turn; for now the answer is what is hoped for."""
        task = self.task(unit, old, new, changed)
        with suppress(VerifierUnavailable):  # said when its turn comes
            if self.unavailable is None and (self.kept is None or self.kept.get(task) is None):
                self._foreseen.ask(task, self._begun)
        return HOPED

    def forget_foreseen(self) -> None:
        """Let go of the questions that may not come, unless they are being answered."""
        self._foreseen.drop()

    def _ask(self, unit: Unit, old: str, new: str) -> Verification:
        self.progress(self.line.at(f"{unit.source.path}:{unit.qualname}", unit.qualname))
        if self.unavailable is not None:
            self.limited = True
            return Verification("unknown", NOWHERE)
        try:
            return verification(self._answer(self.task(unit, old, new, self.changed)))
        except VerifierUnavailable as error:
            self.unavailable, self.limited = str(error), True
            self.session.problems.append(Problem("", 0, self.unavailable, "undone"))
            return Verification("unknown", NOWHERE)

    def _answer(self, task: Task) -> Answer:
        """What is said of a task: by an earlier run, before its turn, or now."""
        kept = self.kept
        known = kept.get(task) if kept is not None else None
        if known is not None:
            self.limited = self.limited or "elsewhere" in known  # an answer from here may come to take its place
            return known
        answer = self._foreseen.taken(task)
        if answer is None:  # other questions may not come: they rest on what comes of this
            self.forget_foreseen()
            answer = self._begun(task).result()
        self.limited = self.limited or "limited" in answer
        if kept is not None:
            kept.keep(task, answer)
        return answer

    def _begun(self, task: Task) -> Future[Answer]:
        if self._verifiers is None:
            self._verifiers = Verifiers(self._verifier, self.jobs)
        return self._verifiers.ask(lambda verifier: self._asked_of(verifier, task))

    def _asked_of(self, verifier: AnyVerifier, task: Task) -> Answer:
        """What a verifier says of a task, on the arguments of the project's own calls where others are not enough."""
        if task.given:
            return verifier.answer(task)
        return answered(verifier, task, lambda: self._program(verifier), cleared=True)

    @cached_property
    def _python(self) -> str:
        """The interpreter that verifies."""
        return find_interpreter(self.session.settings.python, self.session.settings.root)

    def _at_a_time(self) -> int:
        """How many questions are asked at a time: times are measured one by one."""
        cluster = self.session.team.cluster
        most = cluster.threads if cluster is not None else available()
        return 1 if self.session.settings.measure else self.session.settings.jobs or most

    def _verifier(self) -> AnyVerifier:
        """One more verifier, which starts when it is asked."""
        settings = self.session.settings
        cluster = self.session.team.cluster
        if cluster is not None:
            from scanlint.verify.installed_packages import packages_of
            from scanlint.verify.remote_verifier import RemoteVerifier, Terms

            passed, root = settings.verify_environment, settings.root
            packages = packages_of(self._python)
            terms = Terms(self._run, settings.python, root, settings.verify_timeout, settings.measure, passed, packages)
            return RemoteVerifier(cluster, terms)
        return Verifier(
            self._python, timeout=settings.verify_timeout, measure=settings.measure, passed=settings.verify_environment
        )

    @cached_property
    def kept(self) -> KeptVerdicts | None:
        """The verdicts of earlier runs, where results are kept."""
        return KeptVerdicts.of(self.session)

    def task(self, unit: Unit, old: str, new: str, changed: Mapping[str, str]) -> Task:
        """A question as the verifiers are asked it; `changed` are files with texts that will be written.

        It rests on those alone that its file imports: others are computed at the same time.
        """
        file = self.session.files[unit.source.path]
        imported = self.session.surveys.imported(unit.source.path) if changed else set()
        context = unit.context(unit.node)
        return Task(
            path=unit.source.path,
            function=unit.qualname,
            old=old,
            new=new,
            root=str(self.session.settings.root),
            file=str(file.absolute()),
            given=self._given(unit, old),
            static=context.static,
            traced=context.traced,
            differentiated=any(c.differentiated and _changes(unit, c.node, new) for c in unit.contexts.values()),
            recorded=recorded(self.session.settings.root, file, unit.qualname),
            changed={
                str(self.session.files[path].absolute()): text
                for path, text in changed.items()
                if path != unit.source.path and path in imported
            },
        )

    def _program(self, verifier: AnyVerifier) -> ProgramCalls:
        """What one run of the project calls the functions with that may be rewritten; raises VerifierUnavailable."""
        with self._calling:
            if self._calls is None:
                self.progress("running the project's own tests and scripts for the arguments that they pass")
                self._calls = ProgramCalls.run(verifier, self.session.settings.root, self.wanted)
            return self._calls

    def _given(self, unit: Unit, text: str) -> tuple[tuple[str, str], ...]:
        """What the user says about the inputs, and where: in comments above the function, or in the configuration."""
        comments = given_inputs(text)
        line = getattr(unit.node, "lineno", 0)
        if line in comments:
            return tuple((g.text, f"{unit.source.path}:{g.line}") for g in comments[line])
        path = self.session.files[unit.source.path]
        module = ModuleNames().wanted(path)[0]
        return configured_inputs(self.session.settings, path, unit.source.path, module, unit.qualname)


def _changes(unit: Unit, function: ast.AST, new: str) -> bool:
    """Whether a function of the unit does not stand in the new text as it was."""
    first, last = getattr(function, "lineno", 1), getattr(function, "end_lineno", None)
    return "".join(unit.source.lines[first - 1 : last]) not in new


class AskedAhead(NamedTuple):
    """A question, what stands for its meaning, and the answer that is to come."""

    task: Task
    meaning: str
    answer: Future[Answer]


class Foreseen:
    """What was asked before its turn: a question that means the same has the same answer, whatever its file holds."""

    def __init__(self) -> None:
        self._asked: list[AskedAhead] = []

    def ask(self, task: Task, begin: Callable[[Task], Future[Answer]]) -> None:
        """Begin with a question, unless one that means the same was begun."""
        meaning = _meaning(task)
        if all(asked.meaning != meaning for asked in self._asked):
            self._asked.append(AskedAhead(task, meaning, begin(task)))

    def taken(self, task: Task) -> Answer | None:
        """The answer to a question whose turn has come, as soon as it is there; None where it was not foreseen."""
        meaning = _meaning(task)
        asked = next((asked for asked in self._asked if asked.meaning == meaning), None)
        if asked is None:
            return None
        self._asked.remove(asked)
        answer = asked.answer.result()
        if asked.task == task or not names_lines(answer):
            return answer
        said = counted(answer, asked.task.old, asked.task.new, asked.task.function)
        return placed(said, task.old, task.new, task.function) if said is not None else None

    def drop(self) -> None:
        """Let go of the questions that nobody has begun to answer: those that come may be others."""
        self._asked = [asked for asked in self._asked if not asked.answer.cancel()]


def _meaning(task: Task) -> str:
    changed = sorted(task.changed.items())
    return hashlib.sha256(json.dumps([asked_anywhere(task), changed], sort_keys=True).encode()).hexdigest()
