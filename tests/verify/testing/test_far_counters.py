"""Whole numbers that a loop makes of its counter leave 32 bits at some trip; Python's do not."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.many(5)

STAMPS = "def f(x):\n    for i in range({n}):\n        x = x + jnp.sin(i * 3_600_000 / 1e9)\n    return x\n"
ROLLED = "def f(x):\n    return lax.fori_loop(0, {n}, lambda i, x: x + jnp.sin(i * 3_600_000 / 1e9), x)\n"
CUBES = "def f(x, n):\n    for i in range(n):\n        x = x + x[{}]\n    return x\n"
COUNTED = "def f(x, n):\n    return lax.fori_loop(0, n, lambda i, x: x + x[{}], x)\n"


@pytest.mark.parametrize(
    ("old", "new", "verdicts"),
    [
        pytest.param(STAMPS.format(n=700), ROLLED.format(n=700), {"refuted", "unknown"}, id="a stamp that wraps"),
        pytest.param(
            CUBES.format("i**3 % 3"), COUNTED.format("i**3 % 3"), {"refuted", "unknown"}, id="cubes wrap soon"
        ),
        pytest.param(CUBES.format("3 * i % 3"), COUNTED.format("3 * i % 3"), {"proved", "tested"}, id="a multiple"),
        pytest.param(CUBES.format("i * i % 3"), COUNTED.format("i * i % 3"), {"tested"}, id="squares wrap far out"),
    ],
)
def test_counters_of_32_bits(judge, old: str, new: str, verdicts: set[str]) -> None:  # type: ignore[no-untyped-def]
    verdict = judge(old, new)
    assert verdict.verdict in verdicts, verdict


def test_what_wraps_in_both_versions_is_the_same(judge) -> None:  # type: ignore[no-untyped-def]
    old = "def f(x, n):\n    for i in jnp.arange(n):\n        x = x + x[(i * 7_000_000) % 3]\n    return x\n"
    new = "def f(x, n):\n    return lax.fori_loop(0, n, lambda i, x: x + x[(i * 7_000_000) % 3], x)\n"
    verdict = judge(old, new)
    assert verdict.verdict in ("proved", "tested"), verdict
