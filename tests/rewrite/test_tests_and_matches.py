"""Tests of which a part is known when tracing, and `match` on a traced value."""

from __future__ import annotations

import jax.numpy as jnp
import pytest

MIXED = {
    "first, with an else": ("if n > 2 and t > 0:\n        y = x * 2\n    else:\n        y = -x", "jnp.where(n > 2 and t > 0, x * 2, -x)"),
    "last": ("y = x\n    if t > 0 and n > 2:\n        y = x * t", "if n > 2:\n        y = jnp.where(t > 0, x * t, y)"),
    "beside an or": ("if n == 0 or t > 0.5:\n        y = x\n    else:\n        y = -x", "jnp.where(n == 0 or t > 0.5, x, -x)"),
    "in a ternary": ("y = x * 2 if t > 0 and n == 3 else x", "jnp.where(n == 3 and t > 0, x * 2, x)"),
    "the length of an array": ("y = jnp.asarray(x)\n    if len(y) > 3 and t > 0:\n        y = y * 2\n    else:\n        y = -y", "jnp.where(len(y) > 3 and t > 0, y * 2, -y)"),
    "a size, and a flag of an array": ("if x.shape[0] > 3 and (t > 0 or x[0] is True):\n        y = x * 2\n    else:\n        y = -x", "x[0] is True or t > 0"),
    "sums of numbers": ("y = x * 2 if n - 1 > 1 and t > 0 else x", "jnp.where(n - 1 > 1 and t > 0, x * 2, x)"),
    "a number": ("y = x * 2 if n and t > 0 and x[0] > 0 else x", "bool(n) and (t > 0) & (x[0] > 0)"),
}  # fmt: skip
X = jnp.array([0.5, -1.0, 2.0, 0.0])


@pytest.mark.parametrize(("code", "line"), MIXED.values(), ids=MIXED)
def test_python_decides_what_is_known_when_tracing(rewrite, code: str, line: str) -> None:
    jit = "from functools import partial\n\n\n@partial(jax.jit, static_argnames='n')\n"
    sample = rewrite(f"{jit}def f(x, t, n):\n    {code}\n    return y\n")
    assert line in sample.new, sample.new
    sample.agree("f", *([lambda: X, lambda t=t: jnp.float32(t), n] for t in (-1.0, 0.75) for n in (0, 3)))


CHAINS = {
    "a function of JAX": ("y = x * 2 if t < jnp.mean(x) < 1 else x", "(t < jnp.mean(x)) & (jnp.mean(x) < 1)"),
    "a method": ("y = x * 2 if t < x.sum() <= 1 else x", "(t < x.sum()) & (x.sum() <= 1)"),
}


@pytest.mark.parametrize(("code", "line"), CHAINS.values(), ids=CHAINS)
def test_what_only_computes_may_stand_in_both_links_of_a_chain(rewrite, code: str, line: str) -> None:
    sample = rewrite(f"@jax.jit\ndef f(x, t):\n    {code}\n    return y\n")
    assert line in sample.new, sample.new
    sample.agree("f", *([lambda: X, lambda t=t: jnp.float32(t)] for t in (-1.0, 0.2, 2.0)))


def test_what_a_function_that_was_handed_in_does_is_done_once(rewrite) -> None:
    sample = rewrite("@jax.jit\ndef f(x, t):\n    y = x * 2 if t < next(draws)(x) < 1 else x\n    return y\n")
    assert sample.new == sample.old and sample.reasons == ["chained-call"]


@pytest.mark.parametrize(
    ("test", "reason"),
    [
        ("t < jax.random.normal(hk.next_rng_key()) < 1", "chained-call"),
        ("t > 0 and n % k == 0", "static-condition"),
        ("t > 0 and x.shape[1] > 2", "static-condition"),
    ],
)
def test_what_counts_its_calls_or_may_fail_is_asked_where_it_was(rewrite, test: str, reason: str) -> None:
    code = f"    if {test}:\n        y = x * 2\n    else:\n        y = -x\n    return y\n"
    head = "from functools import partial\nimport haiku as hk\n\n\n@partial(jax.jit, static_argnames=('n', 'k'))\n"
    sample = rewrite(f"{head}def f(x, t, n, k):\n    x = jnp.asarray(x)\n{code}")
    assert sample.new == sample.old and sample.reasons == [reason]


def test_a_length_of_what_may_be_a_list_may_be_what_makes_an_arm_possible(rewrite) -> None:
    code = "    ds = [*ds, x]\n    if len(ds) > 1 and t > 0:\n        y = x * ds[1]\n    else:\n        y = -x\n    return y\n"
    sample = rewrite(f"@jax.jit\ndef f(x, t, ds):\n{code}")
    assert sample.new == sample.old and sample.reasons == ["static-condition"]


MATCHES = {
    "values of a name": (
        "match k:\n        case 0:\n            y = x * 2\n        case 1 | 2:\n            y = x + t\n        case _:\n            y = -x\n    return y",
        "(k == 1) | (k == 2)",
    ),
    "one for each number": (
        "match k:\n        case 0:\n            return jnp.sin(x)\n        case 1:\n            return jnp.cos(x)\n        case 2:\n            return x\n    return -x",
        "lax.switch(",
    ),
    "an expression, with a guard": (
        "match k % 3:\n        case 0:\n            y = x\n        case 1 if t > 0 or t < -2:\n            y = x * 0.5\n        case other:\n            y = x + other\n    return y",
        "(choice == 1) & ((t > 0) | (t < -2))",
    ),
    "numbers below zero, in a loop": (
        "y = x\n    for i in range(30):\n        match k - 2:\n            case -1:\n                y = jnp.sin(y)\n            case _:\n                y = jnp.cos(y)\n    return y",
        "choice == -1",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("code", "line"), MATCHES.values(), ids=MATCHES)
def test_a_match_is_the_chain_of_its_tests(rewrite, code: str, line: str) -> None:
    sample = rewrite(f"@jax.jit\ndef f(k, x, t):\n    {code}\n")
    assert line in sample.new and "match" not in sample.new, sample.new
    assert sample.codes, sample.reasons
    sample.agree("f", *([lambda k=k: jnp.int32(k), lambda: X, lambda: jnp.float32(0.5)] for k in range(4)))


LEFT = {
    "of a text": "match kind:\n        case 'a':\n            return x\n        case _:\n            return -x",
    "of a shape": "match x.shape:\n        case [n]:\n            return x * n\n        case _:\n            return -x",
    "of the sort of an argument": "match x:\n        case {'a': y}:\n            return y\n        case _:\n            return x",
}


@pytest.mark.parametrize("code", LEFT.values(), ids=LEFT)
def test_other_matches_are_python(rewrite, code: str) -> None:
    sample = rewrite(f"@jax.jit\ndef f(x, kind='a'):\n    {code}\n")
    assert sample.new == sample.old


def test_a_pattern_that_asks_for_the_number_of_the_trip_stays_in_python(rewrite) -> None:
    match = '        match (n, i % 3):\n            case ("all", k) if k == 2:\n                x = x - 1\n            case _:\n                x = x * 2\n'
    sample = rewrite(f"@jax.jit\ndef f(x, n='all'):\n    for i in range(300):\n{match}    return x\n")
    assert sample.new == sample.old and "index-needs-int" in sample.reasons
