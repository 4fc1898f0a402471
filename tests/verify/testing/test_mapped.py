"""A function that is mapped and tests a traced value never ran: its old version is run for one row after the other."""

from __future__ import annotations

import pytest

from tests.verify.conftest import Judge

OLD = """
def f(xs, scale):
    def one(x, s):
        if x.sum() > 0:
            return {"y": x * s}
        else:
            return {"y": x - s}
    return jax.vmap(one, in_axes=(0, None))(xs, scale)["y"].sum()
"""
NEW = """
def f(xs, scale):
    def one(x, s):
        return lax.cond(x.sum() > 0, lambda: {"y": x * s}, lambda: {"y": x - s})
    return jax.vmap(one, in_axes=(0, None))(xs, scale)["y"].sum()
"""
GIVEN = (("xs: f32[5, 3], scale: f32", "module.py:1"),)


def test_a_branch_in_what_is_mapped_is_compared_row_by_row(judge: Judge) -> None:
    found = judge(OLD, NEW, given=GIVEN)
    assert found.verdict in ("proved", "tested"), found


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("x - s", "x + s"), ("> 0", "< 0"), ("(0, None))(xs, scale)", "(0, None))(xs, 2 * scale)")],
    ids=["another result", "the other arm", "another argument"],
)
def test_a_wrong_branch_in_what_is_mapped_is_refuted(judge: Judge, right: str, wrong: str) -> None:
    assert judge(OLD, NEW.replace(right, wrong), given=GIVEN).verdict == "refuted"
