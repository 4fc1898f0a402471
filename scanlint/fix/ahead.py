"""Asks about the units that come later, as they will be if every rewrite before them is verified.

What is foreseen rightly is answered when its turn comes, and what is not is asked then: the answers are the same.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import dropwhile, islice
from typing import NamedTuple

from scanlint.engine.session import Session
from scanlint.engine.tasks import UnitKey
from scanlint.finding import Verification
from scanlint.fix.begun import FileToFix
from scanlint.fix.questions import Questions
from scanlint.fix.unit_fixer import UnitFixer
from scanlint.fix.units import Units
from scanlint.trace.unit import Unit

UNITS = 2
"""How many units ahead each verifier has something to do."""


class Stand(NamedTuple):
    """How things stand when a unit's turn comes: the text of its file by then, and those of the files before it."""

    key: UnitKey
    text: str
    changed: Mapping[str, str]


class Ahead:
    """Drafts the rewrites of units on copies of their findings; nothing of the run is changed by it."""

    def __init__(self, session: Session, questions: Questions, files: Sequence[FileToFix]) -> None:
        self.session = session
        self.questions = questions
        self.files = files
        self.units = Units(session, [])
        self._drafts: Iterator[Stand] = iter(())
        self._foreseen: deque[Stand] = deque()

    def reach(self, key: UnitKey, text: str) -> None:
        """The turn of a unit has come: drafting goes on, or begins anew where this was not foreseen."""
        now = Stand(key, text, dict(self.questions.changed))
        if not self._foreseen or self._foreseen.popleft() != now:
            self.questions.forget_foreseen()
            self._foreseen.clear()
            self._drafts = self._drafted(now)
        wanted = UNITS * self.questions.jobs - len(self._foreseen)
        self._foreseen.extend(islice(self._drafts, wanted))

    def _drafted(self, now: Stand) -> Iterator[Stand]:
        """Ask about a unit and those after it, one by one; how things stand is told before each but the first."""
        changed = dict(now.changed)
        begun = False
        for file in dropwhile(lambda file: now.key not in dict(self.units.of(file.path)), self.files):
            text = file.text if begun else now.text
            for key, listed in self.units.of(file.path) if file.known is None else ():
                if begun:
                    yield Stand(key, text, dict(changed))
                elif key != now.key:
                    continue
                begun = True
                found = [replace(entry) for entry in listed]
                text = self._fixer(file, changed).fix_all(self.units.entries(key, found), text)
            text = file.known.text if file.known is not None else text
            if text != file.file.text:
                changed[file.path] = text

    def _fixer(self, file: FileToFix, changed: Mapping[str, str]) -> UnitFixer:
        def ask(unit: Unit, old: str, new: str) -> Verification:
            return self.questions.foresee(unit, old, new, changed)

        return UnitFixer(file.file, self.session.settings, ask, alone=False)
