"""Functions that make functions: what they make is called, and all that was changed runs."""

from __future__ import annotations

from textwrap import dedent

import pytest

pytestmark = pytest.mark.slow

MAKER = """
def make(grad, dt, n):
    def half(p, q):
        return p - 0.5 * dt * grad(q)

    @jax.jit
    def run(q, p):
        for _ in range(n):
            p = half(p, q)
            q = q + dt * p
            p = half(p, q)
        return q, p

    def energy(q, p):
        total = 0.0
        for row in q:
            total = total + jnp.sum(row * row)
        return total + jnp.sum(p * p)

    return jax.jit(run), energy
"""
LOOP = dedent(
    """
        for _ in range(n):
            p = half(p, q)
            q = q + dt * p
            p = half(p, q)
        return q, p
    """
).strip("\n")
ROLLED = dedent(
    """
        def body(_, carry):
            q, p = carry
            p = half(p, q)
            q = q + dt * p
            p = half(p, q)
            return q, p

        return lax.fori_loop(0, n, body, (q, p))
    """
).strip("\n")
LOOP, ROLLED = ("\n".join(f"        {line}" if line else "" for line in code.split("\n")) for code in (LOOP, ROLLED))
SUM = "return total + jnp.sum(p * p)"


def test_what_is_made_is_called_with_made_arguments(judge) -> None:
    found = judge(MAKER, MAKER.replace(LOOP, ROLLED), "make")
    assert found.verdict == "proved"
    assert found.equations_after < found.equations_before


WRONG = {
    "another_order": ROLLED.replace("(q, p))", "(p, q))"),
    "half_a_step_less": ROLLED.replace("            p = half(p, q)\n            return", "            return"),
    "another_step": ROLLED.replace("q + dt * p", "q + 0.5 * dt * p"),
}


@pytest.mark.parametrize("code", WRONG.values(), ids=WRONG)
def test_a_difference_in_what_is_made_is_found(code: str, judge) -> None:
    assert judge(MAKER, MAKER.replace(LOOP, code), "make").verdict == "refuted"


def test_a_helper_that_it_calls_counts_as_run(judge) -> None:
    other = MAKER.replace("return p - 0.5 * dt * grad(q)", "return p - dt * grad(q) / 2")
    assert judge(MAKER, other, "make").verdict in ("proved", "tested")
    assert judge(MAKER, other.replace("/ 2", "/ 3"), "make").verdict == "refuted"


def test_two_that_were_changed_are_not_judged_by_one(judge) -> None:
    both = MAKER.replace(LOOP, ROLLED).replace(SUM, "return total - jnp.sum(p * p)")
    found = judge(MAKER, both, "make")
    assert found.verdict == "unknown"
    assert "gives functions" in (found.reason or "")


def test_the_one_that_was_changed_is_called(judge) -> None:
    assert judge(MAKER, MAKER.replace(SUM, "return total - jnp.sum(p * p)"), "make").verdict == "refuted"
    assert judge(MAKER, MAKER.replace(SUM, "return jnp.sum(p * p) + total"), "make").verdict in ("proved", "tested")


def test_what_the_maker_itself_does_is_not_judged_by_what_it_makes(judge) -> None:
    old = "def make(n):\n    xs = jnp.arange(n)\n\n    def row(i):\n        return 2 * i\n\n    return row, xs\n"
    assert judge(old, old.replace("arange(n)", "arange(n + 1)"), "make").verdict == "unknown"


def test_a_maker_is_called_as_the_file_calls_it(judge) -> None:
    old = f"{MAKER}\nrun, energy = make(lambda q: 3.0 * q, 0.25, 4)\n"
    assert judge(old, old.replace(LOOP, ROLLED), "make").verdict == "proved"
    found = judge(old, old.replace(LOOP, WRONG["another_step"]), "make")
    assert "dt = 0.25" in (found.counterexample or "")


def test_a_function_that_calls_its_own_functions_makes_none(judge) -> None:
    old = """
    def f(x, us):
        def step(x, u):
            for _ in range(12):
                x = x + 0.1 * (jnp.sin(x) + u)
            return x, x
        return lax.scan(step, x, us)
    """
    loop = "            for _ in range(12):\n                x = x + 0.1 * (jnp.sin(x) + u)\n"
    rolled = "            x = lax.fori_loop(0, 12, lambda _, x: x + 0.1 * (jnp.sin(x) + u), x)\n"
    assert loop in old
    assert judge(old, old.replace(loop, rolled)).verdict == "proved"
    assert judge(old, old.replace(loop, rolled.replace("12", "11"))).verdict == "refuted"


def test_functions_in_a_record_are_made(judge) -> None:
    old = """
    from typing import NamedTuple
    class Optimizer(NamedTuple):
        init: object
        update: object
    def make(rate):
        def init(x):
            return jnp.zeros_like(x)
        def update(x, v):
            for _ in range(12):
                v = 0.9 * v + jnp.sin(x)
                x = x - rate * v
            return x, v
        return Optimizer(init, update=jax.jit(update))
    """
    loop = (
        "            for _ in range(12):\n                v = 0.9 * v + jnp.sin(x)\n                x = x - rate * v\n"
    )
    rolled = """            def body(_, carry):
                x, v = carry
                v = 0.9 * v + jnp.sin(x)
                return x - rate * v, v
            x, v = lax.fori_loop(0, 12, body, (x, v))
"""
    assert loop in old
    found = judge(old, old.replace(loop, rolled), "make")
    assert found.verdict == "proved", found
    assert judge(old, old.replace(loop, rolled.replace("- rate", "+ rate")), "make").verdict == "refuted"
