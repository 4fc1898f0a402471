"""From which trip on a whole number that is made of counters leaves its type."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import pytest
from jax import lax

from scanlint.verify.worker.proof.counted import first_trip, leaves_its_type

X = jnp.ones(3)
PROGRAMS: dict[str, tuple[Callable[..., object], set[int], bool, int | None]] = {
    "a stamp": (lambda x: lax.fori_loop(0, 700, lambda i, x: x + i * 3_600_000, x), {700}, True, 16),
    "a stamp that stays": (lambda x: lax.fori_loop(0, 500, lambda i, x: x + i * 3_600_000, x), {500}, False, None),
    "a stamp of unknown length": (lambda x: lax.fori_loop(0, 5, lambda i, x: x + i * 3_600_000, x), set(), False, 1024),
    "squares of a range": (lambda x: lax.scan(lambda x, i: (x + i * i, None), x, jnp.arange(7))[0], set(), False, 65536),
    "powers": (lambda x: lax.fori_loop(0, 40, lambda i, c: (c[0] + c[1], 3 * c[1]), (x, 1))[0], {40}, True, 16),
    "an index of two loops": (
        lambda x: lax.fori_loop(0, 8, lambda i, x: lax.fori_loop(0, 8, lambda j, x: x + x[(i * 8 + j) % 3], x), x),
        {8},
        False,
        None,
    ),
    "a remainder comes first": (lambda x: lax.fori_loop(0, 9, lambda i, x: x + (i % 7) ** 3, x), set(), False, None),
    "a counter that goes down": (lambda x: lax.fori_loop(0, 9, lambda i, x: x + (5 - i) * 900_000, x), {9}, False, None),
    "what comes of the data is not followed": (lambda x: lax.fori_loop(0, 9, lambda i, x: x * 100_000, x), set(), False, None),
    "under a condition": (
        lambda x: lax.fori_loop(0, 900, lambda i, x: lax.cond(x[0] > 0, lambda: x + i * 7_000_000, lambda: x), x),
        {900},
        True,
        16,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", PROGRAMS)
def test_where_a_counter_leaves_its_type(case: str) -> None:
    function, exact, written, trips = PROGRAMS[case]
    program = jax.make_jaxpr(function)(X)
    assert bool(leaves_its_type(program, exact, 0)) is written
    assert first_trip(program, exact) == trips
