"""What means nothing decides nothing: programs are edited so that they do the same, and the answers stay the same.

Of the sources that stand in other tests each pair with an edit is one of three shares; `SHARES=3 pytest -m slow
tests/metamorphic` tries all.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from zlib import crc32

import pytest

from tests.metamorphic.differing import DIFFERING
from tests.metamorphic.layouts import LAYOUTS, same_tree
from tests.metamorphic.programs import Answer, answers, embedded, fixtures, pages
from tests.metamorphic.spellings import MEANINGS, NAMES, SAME_LOOP

EDITS: Mapping[str, Callable[[str], str]] = {**LAYOUTS, **NAMES, **MEANINGS}
READ = {**fixtures(), **pages()}
TESTED = embedded()
SHARES = int(os.environ.get("SHARES", "1"))


@cache
def answered(code: str) -> tuple[Answer, ...]:
    """What is said of a program as it stands in the repository."""
    return tuple(answers(code))


def pairs(programs: Mapping[str, str], shares: int = 3) -> list[object]:
    """Each edit with each program, of `shares` of three; where the answers are known to differ, the reason why."""
    chosen = ((e, n) for e in EDITS for n in programs if crc32(f"{e}: {n}".encode()) % 3 < shares)
    return [pytest.param(edit, name, marks=_marks(edit, name), id=f"{edit}: {name}") for edit, name in chosen]


def _marks(edit: str, name: str) -> list[pytest.MarkDecorator]:
    why = DIFFERING.get((edit, name))
    return [pytest.mark.xfail(reason=why, strict=True)] if why is not None else []


@pytest.mark.many(3)
@pytest.mark.parametrize(("edit", "name"), pairs(READ))
def test_an_edit_that_keeps_the_meaning_keeps_the_answers(edit: str, name: str) -> None:
    compare(edit, READ[name])


@pytest.mark.slow
@pytest.mark.parametrize(("edit", "name"), pairs(TESTED, SHARES))
def test_it_keeps_those_on_the_sources_of_other_tests(edit: str, name: str) -> None:
    compare(edit, TESTED[name])


def compare(edit: str, code: str) -> None:
    new = EDITS[edit](code)
    if new == code:
        return
    if edit in LAYOUTS:
        assert same_tree(code, new) or edit == "strings over several lines"
    want, got = list(answered(code)), answers(new)
    if edit in SAME_LOOP:
        assert _without_rules(want) == _without_rules(got)
    else:
        assert want == got


def _without_rules(said: list[Answer]) -> Counter[tuple[str, ...]]:
    """What is done about a loop that another rule speaks of by then: `for x in xs` has one of its own."""
    return Counter(entry[1:] for answer in said for entry in answer)


def test_the_differing_pairs_name_programs_that_there_are() -> None:
    assert {edit for edit, _ in DIFFERING} <= set(EDITS)
    assert {name for _, name in DIFFERING} <= {*READ, *TESTED}
