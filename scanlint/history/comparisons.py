"""Compares each function that differs with what it was, each version beside the modules of its own revision."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from scanlint.engine.cache import Cache
from scanlint.engine.directives import given_inputs
from scanlint.engine.team.executor import available
from scanlint.errors import UsageError
from scanlint.finding import Verification
from scanlint.fix.program_calls import ProgramCalls, answered
from scanlint.fix.verdicts import KeptAnswers
from scanlint.history.differences import FunctionChange
from scanlint.history.reach import PartKey
from scanlint.history.renamed_text import CannotRename, renamed
from scanlint.history.version_files import VersionFiles
from scanlint.project.files import shown
from scanlint.project.patterns import configured_inputs
from scanlint.project.summary import ModuleNames
from scanlint.record.recordings import recorded
from scanlint.settings import Settings
from scanlint.verify.interpreter import VerifierUnavailable, find_interpreter
from scanlint.verify.verifier import Task, Verifier, verification
from scanlint.verify.verifiers import Answer, AnyVerifier, Verifiers

Texts = Callable[[PartKey], str]
"""Gives the text of the file that a function stands in."""


@dataclass(frozen=True, slots=True)
class ComparedFunction:
    """A function that differs with its verdict; None for one that is new or removed, and has nothing to compare."""

    change: FunctionChange
    verdict: Verification | None


@dataclass(frozen=True, slots=True)
class BothVersions:
    """A project twice: the tops of the work tree and of the old version, and the texts of their files."""

    top: Path
    old_top: Path
    text: Texts
    old_text: Texts
    revision: str
    settings: Settings
    files: VersionFiles


class Comparisons(AbstractContextManager["Comparisons"]):
    """Asks the verifiers about all functions that differ, as many at a time as there may be processes."""

    def __init__(self, both: BothVersions) -> None:
        self.both = both
        self._names = ModuleNames()
        self._verifiers: Verifiers | None = None
        self._wanted: list[tuple[Path, set[str]]] = []
        self._calls: ProgramCalls | None = None
        self._calling = threading.Lock()

    def __exit__(self, *raised: object) -> None:
        if self._verifiers is not None:
            self._verifiers.close()
        if self._calls is not None:
            self._calls.close()

    def compared(self, changes: Sequence[FunctionChange]) -> Iterator[ComparedFunction]:
        """The functions with their verdicts, in order, each as soon as it and those before it have one.

        Raises UsageError where nothing can be verified.
        """
        self._wanted = [(self.both.top / c.new.path, {c.new.name}) for c in changes if c.new is not None]
        try:
            asked = [(change, self._asked(change)) for change in changes]
        except VerifierUnavailable as error:
            raise UsageError(str(error)) from None
        for change, answer in asked:
            try:
                found = answer if isinstance(answer, Verification | None) else verification(answer.result())
            except VerifierUnavailable as error:
                raise UsageError(str(error)) from None
            yield ComparedFunction(change, found)

    def _asked(self, change: FunctionChange) -> Future[Answer] | Verification | None:
        """The answer that will come, or the verdict that needs none."""
        if change.new is None or change.old is None:
            return None
        try:
            task = self._task(change, change.new, change.old)
        except CannotRename as error:
            return Verification("unknown", str(error))
        kept = self._kept
        known = kept.get(task, change.new, change.old) if kept is not None else None
        if known is not None:
            return verification(known)
        if self._verifiers is None:
            self._verifiers = Verifiers(self._verifier, self._at_a_time())
        return self._verifiers.ask(lambda verifier: self._answer(verifier, task, change))

    def _answer(self, verifier: AnyVerifier, task: Task, change: FunctionChange) -> Answer:
        """Ask a verifier, and keep its answer for later runs."""
        calls = functools.partial(self._called, verifier)
        answer = self._said(answered(verifier, task, calls, cleared=False))
        if self._kept is not None and change.new is not None and change.old is not None:
            self._kept.keep(task, change.new, change.old, answer)
        return answer

    def _called(self, verifier: AnyVerifier) -> ProgramCalls:
        """The arguments with which one run of the project calls the new versions."""
        with self._calling:
            if self._calls is None:
                self._calls = ProgramCalls.run(verifier, self.both.settings.root, self._wanted)
            return self._calls

    @cached_property
    def _kept(self) -> KeptComparisons | None:
        """The answers of earlier runs; None where results are not kept."""
        settings = self.both.settings
        return KeptComparisons(settings, self._python, self.both.files) if settings.cache else None

    def _at_a_time(self) -> int:
        settings = self.both.settings
        return 1 if settings.measure else settings.jobs or available()

    @cached_property
    def _python(self) -> str:
        return find_interpreter(self.both.settings.python, self.both.settings.root)

    def _verifier(self) -> Verifier:
        settings = self.both.settings
        return Verifier(
            self._python, timeout=settings.verify_timeout, measure=settings.measure, passed=settings.verify_environment
        )

    def _task(self, change: FunctionChange, new: PartKey, old: PartKey) -> Task:
        both, root = self.both, self.both.settings.root.resolve()
        inside = root.is_relative_to(both.top)
        old_text = both.old_text(old)
        return Task(
            path=new.path,
            function=new.name,
            old=old_text if old.name == new.name else renamed(old_text, old.name, new.name),
            new=both.text(new),
            root=str(root),
            file=str(both.top / new.path),
            given=self._given(change, new, old),
            recorded=recorded(root, both.top / new.path, new.name),
            old_file=str(both.old_top / old.path),
            old_root=str(both.old_top / root.relative_to(both.top)) if inside else str(both.old_top),
            tops=(str(both.old_top), str(both.top)),
        )

    def _given(self, change: FunctionChange, new: PartKey, old: PartKey) -> tuple[tuple[str, str], ...]:
        """The inputs that the user gives for a function, and where: above it, above the old one, or configured."""
        both = self.both
        for key, line, text in ((new, change.line, both.text), (old, change.old_line, both.old_text)):
            comments = given_inputs(text(key))
            if line in comments:
                return tuple((given.text, f"{shown(both.top / key.path)}:{given.line}") for given in comments[line])
        path = both.top / new.path
        return configured_inputs(both.settings, path, new.path, self._names.wanted(path)[0], new.name)

    def _said(self, answer: Answer) -> Answer:
        """The answer, in which places of the old version are named as git names them."""
        top, said = f"{self.both.old_top}{os.sep}", f"{self.both.revision}:"

        def told(value: object) -> object:
            if isinstance(value, list):
                return [told(inner) for inner in value]
            return value.replace(top, said) if isinstance(value, str) else value

        return {name: told(value) for name, value in answer.items()}


class KeptComparisons(KeptAnswers):
    """The answers for functions in two revisions."""

    def __init__(self, settings: Settings, python: str, files: VersionFiles) -> None:
        super().__init__(Cache(settings), settings, python)
        self._files = files

    def get(self, task: Task, new: PartKey, old: PartKey) -> Answer | None:
        """The answer to a task that an earlier run had."""
        return self.find(task, self._rests(new, old), self._cache.verdict, "since", old)

    def keep(self, task: Task, new: PartKey, old: PartKey, answer: Answer) -> None:
        """Keep an answer for later runs."""
        if "failed" not in answer:
            self.keep_answer(task, self._rests(new, old), answer, "since", old)

    def _rests(self, new: PartKey, old: PartKey) -> tuple[list[str], list[str]]:
        return self._files.imported(new, old), self._files.everything
