"""What earlier runs verified, kept under the texts and everything else that it rests on: verdicts, and whole files.

A verdict that inputs led to rests on the file and on those of the project that it imports. That there is none rests on
every file of the project: a caller or a test elsewhere may show what the inputs are.
"""

from __future__ import annotations

import hashlib
import json
import marshal
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scanlint.engine.cache import Cache
from scanlint.engine.packing import plain, restored
from scanlint.engine.surveys import Surveys
from scanlint.finding import Finding
from scanlint.project.contents import contents
from scanlint.record.recordings import CALLS
from scanlint.record.recordings import FOLDER as RECORDINGS
from scanlint.settings import Settings
from scanlint.verify.installed_packages import environment_of
from scanlint.verify.interpreter import VerifierUnavailable, find_interpreter

if TYPE_CHECKING:
    from scanlint.engine.session import Session
    from scanlint.verify.verifier import Task

Answer = Mapping[str, object]
_OF_NO_MATTER = frozenset(("jobs", "executor", "cache", "cache_dir"))
"""Settings that change nothing of what becomes of a file."""


class FixedFile(NamedTuple):
    """The text of a file after its fixes, and its findings with their verdicts."""

    text: str
    findings: tuple[Finding, ...]


class KeptVerdicts:
    """The answers of the verifier for one project, interpreter and set of settings.

    What a limit of time or memory ended is not kept: another run may come to its end.
    """

    def __init__(self, cache: Cache, settings: Settings, surveys: Surveys, python: str) -> None:
        self._cache = cache
        self._settings = settings
        self._surveys = surveys
        self._modules = _by_last_word(surveys)
        environment = environment_of(python)
        passed = {name: os.environ.get(name) for name in settings.verify_environment}
        varying = [settings.measure, settings.verify_timeout, passed]
        self._base = None if environment is None else [cache.tool, environment, *varying]

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
        """The answer to a task that was asked before."""
        for rests in (self._imported(task.path), self._everything()):
            kept = self._cache.verdict(self._key(task, rests)) if self._base is not None else None
            if kept is not None:
                answer: Answer = json.loads(kept)
                return answer
        return None

    def keep(self, task: Task, answer: Answer) -> None:
        """Keep an answer for later runs."""
        if self._base is None or answer.get("limited"):
            return
        known = answer["verdict"] in ("proved", "tested")
        rests = self._imported(task.path) if known else self._everything()
        self._cache.keep_verdict(self._key(task, rests), json.dumps(answer).encode())

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
        words = repr((self._base, path, self._everything(), settings, recorded, tuple(map(plain, before))))
        return hashlib.sha256(words.encode()).hexdigest()

    def _key(self, task: Task, rests: Sequence[str]) -> str:
        recorded = [_digest(Path(file)) for file in task.recorded]
        asked = {**asdict(task), "root": "", "file": "", "recorded": recorded, "static": sorted(task.static)}
        asked["harvested"] = None  # these stand for the files of the project, which a verdict rests on as it is
        words = json.dumps([self._base, asked, rests], sort_keys=True)
        return hashlib.sha256(words.encode()).hexdigest()

    def _everything(self) -> list[str]:
        """Every file of the project with what stands for its content."""
        return [self._token(display) for display in sorted(self._surveys.files)]

    def _imported(self, path: str) -> list[str]:
        """The files that a file reaches by its imports, with what stands for their content."""
        found, stack = set[str](), [path]
        while stack:
            for word in self._surveys[stack.pop()].words:
                new = self._modules.get(word, set()) - found
                found |= new
                stack += new
        return [self._token(display) for display in sorted(found - {path})]

    def _token(self, display: str) -> str:
        return f"{display} {self._surveys[display].digest}"


def _by_last_word(surveys: Surveys) -> dict[str, set[str]]:
    """The files by the last word of their module's name."""
    found: dict[str, set[str]] = {}
    for name, place in surveys.places().items():
        found.setdefault(name.rpartition(".")[2], set()).add(place.display)
    return found


def _digest(file: Path) -> str:
    try:
        return hashlib.sha256(contents(file)).hexdigest()
    except OSError:  # what is there later has another digest
        return ""
