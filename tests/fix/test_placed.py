"""Answers that name lines hold wherever their function stands, as long as its lines are the same."""

from __future__ import annotations

import pytest

from scanlint.fix.answers.placed import counted, placed

OLD = "import jax\n\n\ndef f(x):\n    for _ in range(9):\n        x = x + 1\n    return x\n"
NEW = "import jax\n\n\ndef f(x):\n    return jax.lax.fori_loop(0, 9, lambda _, x: x + 1, x)\n"
ABOVE = "# a line\nTWO = 2\n"


def test_a_line_of_the_function_moves_with_it() -> None:
    kept = counted({"verdict": "unknown", "reason": "it fails at line 6 with TypeError"}, OLD, NEW, "f")
    assert kept is not None
    moved = placed(kept, ABOVE + OLD, ABOVE + NEW, "f")
    assert moved == {"verdict": "unknown", "reason": "it fails at line 8 with TypeError"}


def test_a_carry_moves_with_the_new_version() -> None:
    answer = {"verdict": "refuted", "carries": [{"line": 5, "name": "x"}]}
    kept = counted(answer, OLD, NEW, "f")
    assert kept is not None
    moved = placed(kept, OLD, ABOVE + NEW, "f")
    assert moved is not None
    assert moved["carries"] == [{"line": 7, "name": "x"}]


@pytest.mark.parametrize(
    "said",
    ["line 1 raises", "lines 5 and 6 are never run", "helper.py:5 raises", "line 5 of helper.py raises"],
    ids=["a line outside of the function", "several lines", "a place in a file", "a line of another file"],
)
def test_no_other_line_is_counted(said: str) -> None:
    assert counted({"verdict": "unknown", "reason": said, "notes": []}, OLD, NEW, "f") is None


def test_lines_that_the_two_texts_count_otherwise_are_not_told() -> None:
    answer = {"verdict": "unknown", "reason": "it fails at line 6"}
    assert counted(answer, OLD, ABOVE + NEW, "f") is None
    kept = counted(answer, OLD, NEW, "f")
    assert kept is not None
    assert placed(kept, OLD, ABOVE + NEW, "f") is None


def test_an_answer_without_lines_is_as_it_was() -> None:
    assert placed({"verdict": "proved"}, OLD, NEW, "f") == {"verdict": "proved"}
