"""Of which arguments a proof for all sizes speaks, and of which it does not."""

from __future__ import annotations

import numpy as np
import pytest

from scanlint.verify.worker.proof.all_sizes import AllSizes
from scanlint.verify.worker.proof.symbolic.prove_for_all import ForAllSizes

EXAMPLE = {"x": np.zeros((5, 3)), "n": 5, "kept": 4}
PROVED = AllSizes(ForAllSizes("", least=2, most=504, sizes=frozenset({5, 3})), EXAMPLE)


@pytest.mark.parametrize(
    ("name", "value", "spoken"),
    [("n", 300, True), ("n", 504, True), ("n", 505, False), ("n", 1, False), ("n", -7, False), ("kept", 300, False)],
)
def test_whole_numbers(name: str, value: int, *, spoken: bool) -> None:
    assert PROVED.speaks_of(name, value) is spoken


@pytest.mark.parametrize(
    ("rows", "columns", "n", "kept", "covered"),
    [
        (9, 4, 9, 4, True),
        (9, 4, 8, 4, False),  # the example has as many rows as `n`
        (2, 4, 2, 4, False),  # what is small is compared by itself
        (9, 4, 9, 5, False),
    ],
)
def test_arguments(rows: int, columns: int, n: int, kept: int, *, covered: bool) -> None:
    assert PROVED.covers({"x": np.zeros((rows, columns)), "n": n, "kept": kept}) is covered


def test_without_a_proof_nothing_is_spoken_of() -> None:
    unproved = AllSizes(ForAllSizes("what one trip computes differs", sizes=frozenset({5})), EXAMPLE)
    assert not unproved.speaks_of("n", 300) and not unproved.covers(EXAMPLE)


def test_the_limits_name_the_sizes_that_stay() -> None:
    assert PROVED.limits == " (from 2 on, up to 504, where 4 stays as in the example)"
    assert AllSizes(ForAllSizes(sizes=frozenset({5, 3, 4})), EXAMPLE).limits == ""
