"""Verdicts of earlier runs on functions that differ, kept under both texts and all that a verdict rests on.

A verdict that inputs led to rests on the files that both versions import; that there is none, or that they differ,
rests on every file, for a caller anywhere may show what the inputs are.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from itertools import product

from scanlint.engine.cache import Cache
from scanlint.fix.answers.placed import placed
from scanlint.fix.verdicts import asked_for, lasting, verified_by, ways_to_ask
from scanlint.history.reach import PartKey
from scanlint.history.version_files import VersionFiles
from scanlint.settings import Settings
from scanlint.verify.verifier import Task

Words = Mapping[str, object]


class KeptComparisons:
    """The answers of the verifier under one interpreter and set of settings.

    What a limit ended that depends on the machine is not kept: another run may come to its end.
    """

    def __init__(self, settings: Settings, python: str, files: VersionFiles) -> None:
        self._cache = Cache(settings)
        self._files = files
        self._base = verified_by(settings, python)

    def get(self, task: Task, new: PartKey, old: PartKey) -> Mapping[str, object] | None:
        """The answer to a task that an earlier run had."""
        if self._base is None:
            return None
        for rests, asked in product((self._files.imported(new, old), self._files.everything), ways_to_ask(task)):
            kept = self._cache.verdict(self._key(asked, old, rests))
            answer = placed(json.loads(kept), task.old, task.new, task.function) if kept is not None else None
            if answer is not None:
                return answer
        return None

    def keep(self, task: Task, new: PartKey, old: PartKey, answer: Mapping[str, object]) -> None:
        """Keep an answer for later runs."""
        if self._base is None or not lasting(answer) or "failed" in answer:
            return
        rests = self._files.imported(new, old) if answer["verdict"] in ("proved", "tested") else self._files.everything
        asked, said = asked_for(task, answer)
        self._cache.keep_verdict(self._key(asked, old, rests), json.dumps(said).encode())

    def _key(self, asked: Words, old: PartKey, rests: Sequence[str]) -> str:
        words = json.dumps([self._base, "since", asked, old, rests], sort_keys=True)
        return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()
