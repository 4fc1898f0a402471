"""What earlier runs verified, kept under the texts and everything else that it rests on: verdicts, and whole files.

A verdict that inputs led to rests on what the function reaches in its file, in both versions, and on the files of the
project that it imports. That there is none rests on every file of the project: a caller or a test elsewhere may show
what the inputs are. A text that verified rewrites made of another one computes the same as that, so that what a run has
written makes no such verdict stale; but what was not traced may be traced by then, so that where there is no verdict
the files that are imported count as they stand. All is told apart by content: verdicts hold in other checkouts too.
"""

from __future__ import annotations

import hashlib
import json
import marshal
import os
import platform
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import scanlint.verify
from scanlint.engine.cache import Cache
from scanlint.engine.packing import plain, restored
from scanlint.engine.surveys import Surveys
from scanlint.finding import Finding
from scanlint.fix.answers.placed import Answer, counted, part, placed
from scanlint.fix.answers.reached import reached
from scanlint.project.contents import contents
from scanlint.project.summary import digest_of
from scanlint.record.recordings import CALLS
from scanlint.record.recordings import FOLDER as RECORDINGS
from scanlint.settings import Settings
from scanlint.verify.installed_packages import packages_of
from scanlint.verify.interpreter import VerifierUnavailable, find_interpreter
from scanlint.verify.worker.session.endings import PROCESSOR

if TYPE_CHECKING:
    from scanlint.engine.session import Session
    from scanlint.verify.verifier import Task

_OF_NO_MATTER = frozenset(("jobs", "executor", "cache", "cache_dir"))
"""Settings that change nothing of what becomes of a file."""
Rests = tuple[Sequence[str], Sequence[str]]
"""Digests of the files that a verdict depends on, and of all files, on which an `unknown` depends."""
PLACED = re.compile(r"\blines? \d|:\d")
"""Words of an answer that name a line of a text."""


class FixedFile(NamedTuple):
    """The text of a file after its fixes, and its findings with their verdicts."""

    text: str
    findings: tuple[Finding, ...]


class KeptAnswers:
    """The answers of the verifier under one interpreter and set of settings.

    What a limit ended that depends on the machine is not kept: another run may come to its end. `more` tells a question
    from those of others.
    """

    def __init__(self, cache: Cache, settings: Settings, python: str) -> None:
        self._cache = cache
        self._settings = settings
        self._base = verified_by(settings, python)

    def find(
        self,
        task: Task,
        rests: Rests,
        known: Callable[[str], bytes | None],
        *more: object,
    ) -> Answer | None:
        """The answer to a task that was asked before, as a cache knows it by its key."""
        for files, asked in product(rests, ways_to_ask(task)) if self._base is not None else ():
            kept = known(self._key(asked, files, more))
            answer = placed(json.loads(kept), task.old, task.new, task.function) if kept is not None else None
            if answer is not None:
                return answer
        return None

    def keep_answer(self, task: Task, rests: Rests, answer: Answer, *more: object) -> None:
        """Keep an answer for later runs."""
        if self._base is not None and lasting(answer):
            asked, said = asked_for(task, answer)
            files = rests[answer["verdict"] not in ("proved", "tested")]
            self._cache.keep_verdict(self._key(asked, files, more), json.dumps(said).encode())

    def _key(self, asked: Mapping[str, object], files: Sequence[str], more: Sequence[object]) -> str:
        words = json.dumps([self._base, asked, files, *more], sort_keys=True)
        return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()


class KeptVerdicts(KeptAnswers):
    """The answers for one project, and what became of its files."""

    def __init__(self, cache: Cache, settings: Settings, surveys: Surveys, python: str) -> None:
        super().__init__(cache, settings, python)
        self._surveys = surveys

    @classmethod
    def of(cls, session: Session) -> KeptVerdicts | None:
        """The verdicts of earlier runs of a session's project, where results are kept."""
        if session.cache is None:
            return None
        try:
            python = find_interpreter(session.settings.python, session.settings.root)
        except VerifierUnavailable:
            return None  # said where something is verified
        return cls(session.cache, session.settings, session.surveys, python)

    def get(self, task: Task) -> Answer | None:
        """The answer to a task that was asked before, here or as another cache tells."""
        rests = self._meaning(task), self._texts(task)
        return self.find(task, rests, self._cache.verdict) or self.find(task, rests, self._told_elsewhere)

    def _told_elsewhere(self, key: str) -> bytes | None:
        """An answer of another cache, marked as such; what it calls proved is proved again here."""
        data = self._cache.foreign(key)
        answer = json.loads(data) if data is not None else {"verdict": "proved"}
        return None if answer["verdict"] == "proved" else json.dumps({**answer, "elsewhere": True}).encode()

    def keep(self, task: Task, answer: Answer) -> None:
        """Keep an answer for later runs."""
        self.keep_answer(task, (self._meaning(task), self._texts(task)), answer)

    def keep_rewritten(self, old: bytes, new: bytes) -> None:
        """Verified rewrites made one text of another: both stand for the same from now on."""
        self._cache.keep_verdict(_rewritten(digest_of(new)), self._meant(digest_of(old)).encode())

    def _meant(self, digest: str) -> str:
        """The digest of the text that stood in the place of one before any rewrite."""
        kept = self._cache.verdict(_rewritten(digest))
        return kept.decode() if kept is not None else digest

    # -- whole files

    def fixed(self, path: str, before: Sequence[Finding]) -> FixedFile | None:
        """What became of a file in which these findings stood."""
        kept = self._cache.verdict(self._file_key(path, before)) if self._base is not None else None
        if kept is None:
            return None
        try:
            text, *findings = marshal.loads(kept)
            made = [restored(finding) for finding in findings]
        except (ValueError, EOFError, TypeError):  # the entry is damaged: it is verified anew
            return None
        whole = tuple(finding for finding in made if isinstance(finding, Finding))
        return FixedFile(text, whole) if isinstance(text, str) and len(whole) == len(made) else None

    def keep_fixed(self, path: str, before: Sequence[Finding], text: str, after: Sequence[Finding]) -> None:
        """Keep what became of a file."""
        if self._base is not None:
            made: list[Any] = [text, *map(plain, after)]
            self._cache.keep_verdict(self._file_key(path, before), marshal.dumps(made))

    def _file_key(self, path: str, before: Sequence[Finding]) -> str:
        settings = sorted((name, value) for name, value in vars(self._settings).items() if name not in _OF_NO_MATTER)
        folder = self._settings.root / RECORDINGS / CALLS
        recorded = sorted(f"{file.name} {_digest(file)}" for file in folder.glob("*.npz"))
        around = [f"{display} {self._surveys[display].digest}" for display in sorted(self._surveys.files)]
        words = repr((self._base, path, around, settings, recorded, tuple(map(plain, before))))
        return hashlib.sha256(words.encode()).hexdigest()

    def _meaning(self, task: Task) -> list[str]:
        """The files that a file reaches by its imports, with what stands for what they compute."""
        return [self._computed(display) for display in sorted(self._surveys.imported(task.path) - {task.path})]

    def _texts(self, task: Task) -> list[str]:
        """Every file of the project; of those that are imported the text that they have by now."""
        changed = {os.path.abspath(file): digest_of(text.encode()) for file, text in task.changed.items()}
        imported = self._surveys.imported(task.path) - {task.path}
        now = {display: changed.get(os.path.abspath(display), self._surveys[display].digest) for display in imported}
        files = sorted(self._surveys.files)
        return [f"{display} {now[display]}" if display in now else self._computed(display) for display in files]

    def _computed(self, display: str) -> str:
        return f"{display} {self._meant(self._surveys[display].digest)}"


def verified_by(settings: Settings, python: str) -> list[object] | None:
    """Every verdict rests on this: the verifier's sources, the platform, the interpreter, its packages, settings."""
    environment = packages_of(python)
    if environment is None:
        return None
    passed = {name: os.environ.get(name) for name in settings.verify_environment}
    varying = [settings.measure, settings.verify_timeout, settings.unsafe_fixes, passed]
    return [_verifier(), platform.system(), platform.machine(), environment, *varying]


def lasting(answer: Answer) -> bool:
    """Another run comes to the same answer: no limit ended it, or that of the processor time before there was one."""
    ended = answer.get("limited")
    return ended is None or (ended == PROCESSOR and answer["verdict"] == "unknown")


def asked_for(task: Task, answer: Answer) -> tuple[Mapping[str, object], Answer]:
    """What a question is kept under for the sake of its answer, and the answer as it is kept."""
    if not names_lines(answer):
        return asked_anywhere(task), answer
    said = counted(answer, task.old, task.new, task.function)
    return (asked_as_it_stands(task), answer) if said is None else (_asked_in_part(task, asked_anywhere(task)), said)


def ways_to_ask(task: Task) -> tuple[Mapping[str, object], ...]:
    """All that an answer to a question may be kept under."""
    anywhere = asked_anywhere(task)
    return anywhere, _asked_in_part(task, anywhere), asked_as_it_stands(task)


def names_lines(answer: Answer) -> bool:
    """An answer names a line of a text, and holds only for texts with these lines."""
    return bool(answer.get("carries")) or PLACED.search(json.dumps(answer)) is not None


def asked_anywhere(task: Task) -> Mapping[str, object]:
    """A question by what its function reaches: it has the same answer wherever in the file that stands."""
    return {**_asked(task), "old": reached(task.old, task.function), "new": reached(task.new, task.function)}


def _asked_in_part(task: Task, anywhere: Mapping[str, object]) -> Mapping[str, object]:
    """A question by what its function reaches, and by the function's lines: its answer counts them."""
    parts = [part(text, task.function) for text in (task.old, task.new)]
    return {**anywhere, "lines": parts}


def asked_as_it_stands(task: Task) -> Mapping[str, object]:
    """A question by the whole of both texts: its answer names lines of them."""
    return {**_asked(task), "old": task.old, "new": task.new, "given": task.given}


def _asked(task: Task) -> dict[str, object]:
    file = Path(task.file)
    return {
        "file": file.relative_to(task.root).as_posix() if file.is_relative_to(task.root) else file.name,
        "function": task.function,
        "given": [spec for spec, _ in task.given],
        "static": sorted(task.static),
        "traced": task.traced,
        "differentiated": task.differentiated,
        "recorded": [_digest(Path(recording)) for recording in task.recorded],
    }


def _rewritten(digest: str) -> str:
    return f"rewritten-{digest}"


@cache
def _verifier() -> str:
    """A digest of the sources that reach a verdict."""
    sources = sorted(Path(scanlint.verify.__file__).parent.rglob("*.py"))
    return hashlib.sha256(b"\0".join(source.read_bytes() for source in sources)).hexdigest()


def _digest(file: Path) -> str:
    try:
        return hashlib.sha256(contents(file)).hexdigest()
    except OSError:  # what is there later has another digest
        return ""
