"""Two key terms are equal where they were made alike, however deep that lies."""

from __future__ import annotations

import pytest

from scanlint.keys.terms import Const, ElementOf, FoldedKey, Passed, SplitKeys, Tail, Term


def chain(name: str, index: int, links: int = 60) -> Term:
    """The last key of many splits."""
    term: Term = Passed(name)
    for _ in range(links):
        term = ElementOf(SplitKeys(term, 2), Const(0))
    return ElementOf(term, Const(index))


def test_terms_that_are_made_alike_are_equal() -> None:
    assert chain("key", 1) == chain("key", 1)
    assert len({chain("key", 1), chain("key", 1)}) == 1


OTHERS = {
    "another index": (chain("key", 1), chain("key", 0)),
    "another beginning": (chain("key", 1), chain("rng", 1)),
    "another length": (chain("key", 1), chain("key", 1, 59)),
    "another kind with the same parts": (FoldedKey(Passed("key"), Const(2)), SplitKeys(Passed("key"), 2)),
    "a tail and an element": (Tail(Passed("keys"), 1), ElementOf(Passed("keys"), Const(1))),
    "no term": (Passed("key"), "key"),
}


@pytest.mark.parametrize(("one", "other"), OTHERS.values(), ids=OTHERS)
def test_terms_that_are_made_otherwise_are_not(one: Term, other: object) -> None:
    assert one != other
