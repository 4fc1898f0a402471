"""Questions that were asked before their turn, and their answers when that has come."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from concurrent.futures import Future
from typing import NamedTuple

from scanlint.fix.answers.placed import Answer, counted, placed
from scanlint.fix.verdicts import asked_anywhere, names_lines
from scanlint.verify.verifier import Task


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
