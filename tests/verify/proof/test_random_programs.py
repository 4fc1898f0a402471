"""What is proved of random programs is so: see benchmarks/check_proofs.py, which takes more of them."""

from __future__ import annotations

import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))

from proofs.random_programs import fuzz, text

from scanlint.verify.worker.proof.prove import Function, prove
from scanlint.verify.worker.runtime.jax_functions import in_x64

SEED, CASES = 45, 500


@pytest.mark.filterwarnings("ignore")  # overflow, and what a random program does else
def test_of_random_programs_and_their_mutants_nothing_wrong_is_proved() -> None:
    with in_x64():
        tally = fuzz(CASES, SEED)
    assert [(text(w.before), text(w.after), w.leaves, w.results) for w in tally.wrong] == []
    assert tally.proved > CASES / 20, tally


BITS = jnp.array([6, 3, 7], jnp.int32)
LOWEST = np.iinfo(np.int32).min
APART: dict[str, tuple[Function, Function, jax.Array]] = {
    "one takes all bits but the lowest": (
        lambda x: jnp.bitwise_and.reduce(jnp.stack([*x, jnp.int32(1)])),
        lambda x: jnp.bitwise_and.reduce(x),
        BITS,
    ),
    "one takes all bits but the lowest of a number without sign": (
        lambda x: jnp.bitwise_and.reduce(jnp.stack([*x, jnp.uint8(1)])),
        lambda x: jnp.bitwise_and.reduce(x),
        BITS.astype(jnp.uint8),
    ),
    "floats beyond the whole numbers become the largest of them": (
        lambda x: x + jnp.full(3, 300.0).astype(jnp.int8),
        lambda x: x + jnp.int8(44),
        BITS.astype(jnp.int8),
    ),
    "negative floats become zero": (
        lambda x: x + jnp.full(3, -1.0).astype(jnp.uint8),
        lambda x: x + jnp.uint8(255),
        BITS.astype(jnp.uint8),
    ),
    "the smallest whole number is divided": (
        lambda x: x + lax.div(jnp.int32(LOWEST), jnp.int32(3)),
        lambda x: x + lax.neg(lax.div(jnp.int32(LOWEST), jnp.int32(3))),
        BITS,
    ),
    "functions that are applied to an item": (
        lambda x: x.at[0].apply(jnp.sin),
        lambda x: x.at[0].apply(jnp.cos),
        jnp.array([0.5, 1.5]),
    ),
}


@pytest.mark.parametrize(("old", "new", "leaf"), APART.values(), ids=APART.keys())
def test_what_differs_on_some_value_is_not_proved(old: Function, new: Function, leaf: jax.Array) -> None:
    assert not np.array_equal(old(leaf), new(leaf))
    assert not prove(old, new, [leaf]).same


def bits_of(x: jax.Array, start: int, operation: Function) -> jax.Array:
    """As a primitive of its own, which `jnp.bitwise_and.reduce` is in later versions only."""
    return lax.reduce(x, np.int32(start), operation, (0,))


ALIKE: dict[str, tuple[Function, Function, jax.Array]] = {
    "all bits": (
        lambda x: bits_of(jnp.stack([*x, jnp.int32(-1)]), -1, lax.bitwise_and),
        lambda x: bits_of(x, -1, lax.bitwise_and),
        BITS,
    ),
    "no bits": (
        lambda x: bits_of(jnp.stack([*x, jnp.int32(0)]), 0, lax.bitwise_or),
        lambda x: bits_of(x, 0, lax.bitwise_or),
        BITS,
    ),
    "a quotient that rounds towards zero": (
        lambda x: x + lax.div(jnp.int32(LOWEST), jnp.int32(3)),
        lambda x: x + jnp.int32(-715827882),
        BITS,
    ),
}


@pytest.mark.parametrize(("old", "new", "leaf"), ALIKE.values(), ids=ALIKE.keys())
def test_neutral_elements_are_left_out_and_constants_computed(old: Function, new: Function, leaf: jax.Array) -> None:
    assert np.array_equal(old(leaf), new(leaf))
    assert prove(old, new, [leaf]).same
