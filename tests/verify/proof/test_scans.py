"""Rewrites to `scan` and `fori_loop` are proved under every JAX that is supported, and wrong ones are not."""

from __future__ import annotations

import pytest

INPUTS = (("xs: f32[7], w: f32[]", "module.py:1"),)

COLLECTED = (
    """
    def f(xs, w):
        state, out = 0.0, []
        for x in xs:
            state = w * state + x
            out.append(jnp.tanh(state))
        return state, jnp.stack(out)
    """,
    """
    def f(xs, w):
        def step(state, x):
            state = w * state + x
            return state, jnp.tanh({})
        return lax.scan(step, 0.0, xs)
    """,
    ("state", "x"),
)
BACKWARDS = (
    """
    def f(xs, w):
        state, out = jnp.zeros(()), [None] * 7
        for i in reversed(range(7)):
            state = w * state + xs[i]
            out[i] = state
        return jnp.stack(out)
    """,
    """
    def f(xs, w):
        def step(state, x):
            state = w * state + x
            return state, state
        return lax.scan(step, jnp.zeros(()), xs, reverse={})[1]
    """,
    ("True", "False"),
)
INNER = (
    """
    def f(xs, w):
        total, last = jnp.zeros(()), jnp.zeros((3,))
        for x in xs:
            for k in range(3):
                total = total * w + x
                last = last.at[k].set(total)
        return {"total": total, "last": last}
    """,
    """
    def f(xs, w):
        def step(carry, x):
            def inner(k, carry):
                total, last = carry
                total = total * w + x
                return total, last.at[k].set({})
            return lax.fori_loop(0, 3, inner, carry), None
        total, last = lax.scan(step, (jnp.zeros(()), jnp.zeros((3,))), xs)[0]
        return {{"total": total, "last": last}}
    """,
    ("total", "x"),
)
COUNTED = (
    """
    def f(xs, w):
        for i in range(200):
            w = jnp.sin(w) + xs[i % 7]
        return w
    """,
    """
    def f(xs, w):
        return lax.fori_loop(0, {}, lambda i, w: jnp.sin(w) + xs[i % 7], w)
    """,
    ("200", "199"),
)
SCANS = {
    "an output of each trip": COLLECTED,
    "the last row first": BACKWARDS,
    "a loop in a loop that carries a structure": INNER,
    "trips that are counted": COUNTED,
}


@pytest.mark.parametrize(("old", "new", "ways"), SCANS.values(), ids=SCANS.keys())
def test_a_loop_that_is_staged_is_proved(judge, old: str, new: str, ways: tuple[str, str]) -> None:
    right, other = (judge(old, new.format(way), given=INPUTS) for way in ways)
    assert right.verdict == "proved", right
    assert other.verdict == "refuted", other
