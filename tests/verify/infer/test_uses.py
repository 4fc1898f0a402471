"""What calls and updates say of a parameter."""

from __future__ import annotations

import pytest

from tests.verify.conftest import Judge

UPDATED = """
def f(state, xs):
    grid = state.grid
    for i in range(6):
        grid = grid.at[i].set(xs[i] * 2.0 + state.bias)
    return grid
"""
UPDATED_ROLLED = """
def f(state, xs):
    return lax.fori_loop(0, 6, lambda i, grid: grid.at[i].set(xs[i] * 2.0 + state.bias), state.grid)
"""
SPREAD = """
def f(q, info, steps=30):
    e, args, kw = info
    for _ in range(steps):
        q = q - 0.1 * e(q, *args, **kw)
    return q
"""
SPREAD_ROLLED = """
def f(q, info, steps=30):
    e, args, kw = info
    return lax.fori_loop(0, steps, lambda _, q: q - 0.1 * e(q, *args, **kw), q)
"""
NAMED = """
def f(loss, w, x):
    for _ in range(30):
        w = w - 0.1 * loss(w, inputs=x, scale=2.0)
    return w
"""
NAMED_ROLLED = NAMED.replace(
    """    for _ in range(30):
        w = w - 0.1 * loss(w, inputs=x, scale=2.0)
    return w
""",
    """    return lax.fori_loop(0, 30, lambda _, w: w - 0.1 * loss(w, inputs=x, scale=2.0), w)
""",
)
GRADED = """
def f(loss, w, x):
    for _ in range(30):
        w = w - 0.1 * jax.grad(loss)(w, x)
    return w
"""
GRADED_ROLLED = """
def f(loss, w, x):
    return lax.fori_loop(0, 30, lambda _, w: w - 0.1 * jax.grad(loss)(w, x), w)
"""

SEEDED = """
def f(x, seed):
    key = jax.random.PRNGKey(seed)
    for _ in range(30):
        key, at = jax.random.split(key)
        x = x + jax.random.normal(at, x.shape)
    return x
"""
SEEDED_ROLLED = """
def f(x, seed):
    def trip(_, carry):
        x, key = carry
        key, at = jax.random.split(key)
        return x + jax.random.normal(at, x.shape), key

    return lax.fori_loop(0, 30, trip, (x, jax.random.PRNGKey(seed)))[0]
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(SEEDED, SEEDED_ROLLED, id="what a random key is made of is a whole number"),
        pytest.param(UPDATED, UPDATED_ROLLED, id="a field that is updated at an index is an array"),
        pytest.param(SPREAD, SPREAD_ROLLED, id="the operand of two stars is a mapping"),
        pytest.param(NAMED, NAMED_ROLLED, id="a function that is called by keyword takes these keywords"),
        pytest.param(GRADED, GRADED_ROLLED, id="a function that is differentiated gives a number"),
    ],
)
def test_inputs_follow_from_how_a_parameter_is_used(judge: Judge, old: str, new: str) -> None:
    found = judge(old, new, static=frozenset(["loss"]) if "loss" in old else frozenset())
    assert found.verdict in ("proved", "tested"), found


def test_a_wrong_version_is_refuted_on_such_inputs(judge: Judge) -> None:
    wrong = SPREAD_ROLLED.replace("0.1 *", "0.2 *")
    assert judge(SPREAD, wrong).verdict == "refuted"
