"""What earlier runs found of functions that differ, kept under both texts and all that a verdict rests on.

A verdict that inputs led to rests on the files that both versions import; that there is none, or that they differ,
rests on every file, for a caller anywhere may show what the inputs are.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from scanlint.engine.cache import Cache
from scanlint.history.reach import PartKey
from scanlint.history.version_files import VersionFiles
from scanlint.project.contents import contents
from scanlint.settings import Settings
from scanlint.verify.installed_packages import environment_of
from scanlint.verify.verifier import Task

PLACES = ("root", "file", "path", "old_file", "old_root", "tops")
"""What a task says of where files lie: the old ones lie elsewhere in each run."""


class KeptComparisons:
    """The answers of the verifier under one interpreter and set of settings."""

    def __init__(self, settings: Settings, python: str, files: VersionFiles) -> None:
        self._cache = Cache(settings)
        self._files = files
        environment = environment_of(python)
        passed = {name: os.environ.get(name) for name in settings.verify_environment}
        varying = [settings.measure, settings.verify_timeout, passed]
        self._base = None if environment is None else [self._cache.tool, environment, *varying]

    def get(self, task: Task, new: PartKey, old: PartKey) -> Mapping[str, object] | None:
        """The answer to a task that an earlier run had."""
        for rests in (self._files.imported(new, old), self._files.everything):
            kept = self._cache.verdict(self._key(task, new, old, rests)) if self._base is not None else None
            if kept is not None:
                answer: Mapping[str, object] = json.loads(kept)
                return answer
        return None

    def keep(self, task: Task, new: PartKey, old: PartKey, answer: Mapping[str, object]) -> None:
        """Keep an answer; not one that a limit of time or memory led to, for another run may come further."""
        if self._base is not None and not answer.get("limited") and "failed" not in answer:
            known = answer["verdict"] in ("proved", "tested")
            rests = self._files.imported(new, old) if known else self._files.everything
            self._cache.keep_verdict(self._key(task, new, old, rests), json.dumps(answer).encode())

    def _key(self, task: Task, new: PartKey, old: PartKey, rests: Sequence[str]) -> str:
        asked = {name: value for name, value in asdict(task).items() if name not in PLACES}
        asked |= {"static": sorted(task.static), "recorded": list(map(_digest, task.recorded))}
        words = json.dumps([self._base, asked, new, old, rests], sort_keys=True)
        return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()


def _digest(file: str) -> str:
    try:
        return hashlib.sha256(contents(Path(file))).hexdigest()
    except OSError:  # what is there later has another digest
        return ""
