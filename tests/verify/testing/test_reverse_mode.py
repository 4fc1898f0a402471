"""Reverse-mode differentiation that the old version allows, the new one allows as well."""

from __future__ import annotations

import pytest

STATIC = "def f(x):\n    s = x[0]\n    for i in range(6):\n        for j in range(i):\n            s = jnp.sin(s) * x[j]\n    return s\n"
TRACED = "def f(x):\n    def body(i, s):\n        return lax.fori_loop(0, i, lambda j, s: jnp.sin(s) * x[j], s)\n\n    return lax.fori_loop(0, 6, body, x[0])\n"
MASKED = "def f(x):\n    def body(i, s):\n        return lax.fori_loop(0, 5, lambda j, s: jnp.where(j < i, jnp.sin(s) * x[j], s), s)\n\n    return lax.fori_loop(0, 6, body, x[0])\n"
WHILE = "def f(x):\n    while jnp.abs(x) > 0.1:\n        x = x * 0.5\n    return x\n"
WHILE_LOOP = "def f(x):\n    return lax.while_loop(lambda x: jnp.abs(x) > 0.1, lambda x: x * 0.5, x)\n"
WHOLE = "def f(n):\n    s = n * 0\n    for i in range(6):\n        for j in range(i):\n            s = s + j * n\n    return s\n"
WHOLE_TRACED = (
    "def f(n):\n    return lax.fori_loop(0, 6, lambda i, s: lax.fori_loop(0, i, lambda j, s: s + j * n, s), n * 0)\n"
)


def test_a_loop_that_has_no_way_back_any_more_is_refuted(judge) -> None:
    found = judge(STATIC, TRACED)
    assert found.verdict == "refuted", found
    assert "irreversible" in (found.counterexample or ""), found


def test_a_mask_over_the_full_range_keeps_the_way_back(judge) -> None:
    assert judge(STATIC, MASKED).verdict in ("proved", "tested")


def test_a_loop_that_decides_by_data_had_none_under_jit(judge) -> None:
    assert judge(WHILE, WHILE_LOOP).verdict in ("proved", "tested")


def test_whole_numbers_are_not_differentiated(judge) -> None:
    assert judge(WHOLE, WHOLE_TRACED, given=(("n: i32[]", "module.py:1"),)).verdict in ("proved", "tested")


@pytest.mark.slow
def test_the_same_holds_where_long_loops_are_cut_short(judge) -> None:
    found = judge(STATIC.replace("range(6)", "range(90)"), TRACED.replace("0, 6", "0, 90"))
    assert found.verdict == "refuted", found
