"""Loops with `continue`: the branch that it stands for, and what a rolled loop inside another one weighs."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

from tests.rewrite.conftest import Sample, run

X = jnp.linspace(-1.0, 2.0, 40)
Q = jnp.arange(36.0).reshape(12, 3) ** 0.5

GUARD = """@jax.jit
def f(x, k):
    total = jnp.zeros(())
    for i in range(40):
        # the one that all are compared with
        if i == 7:
            continue
        gap = jnp.sin(x[i] - x[7]) + 2.0
        total = total + gap / jnp.sqrt(gap)
    return total
"""
TWO = """@jax.jit
def f(x, k):
    total, count = jnp.zeros(()), 0
    for i in range(40):
        if i % 3 == 1:
            total = total + x[i]
            continue
        y = jnp.exp(x[i]) * jnp.cos(x[i])
        if i < k: continue  # warm-up
        total = total - y
        count += 1
    return total, count
"""
WHILE = """@jax.jit
def f(x, k):
    n = 0
    while jnp.sum(x) < 100.0:
        n += 1
        if n % 2 == 0:
            continue
        x = x * 1.5 + 1
    return x, n
"""
SHORT = """@jax.jit
def f(x, k):
    best = jnp.zeros(())
    for i in range(3):
        if not x[i] > k:
            continue
        best = jnp.maximum(best, x[i])
    return best
"""


IDLE = """@jax.jit
def f(x, k):
    total = jnp.zeros(())
    for i in range(k, 40):
        total = 0.5 * total + x[i]
        if total > 0:
            if x[i] < 1:
                continue
    return total
"""


DEEP = """@jax.jit
def f(x, k):
    total = jnp.zeros(())
    for i in range(3):
        if x[i] < x[k]:
            total = total + 1
            if x[i + 1] > 0:
                continue  # no more of it
            total = total * x[i]
        total = total - x[i + 2]
    return total
"""


@pytest.mark.parametrize("code", [GUARD, TWO, WHILE, SHORT], ids=["guard", "two", "while", "a short loop stays"])
def test_continue_becomes_the_branch_that_it_stands_for(rewrite, code: str) -> None:
    sample: Sample = rewrite(code)
    assert "continue" not in sample.body
    assert "lax." in sample.body or "jnp.where(" in sample.body
    sample.agree("f", (X, 5), (X, 0), (-X, 50))


def test_a_continue_deep_inside_becomes_a_flag(rewrite) -> None:
    sample: Sample = rewrite(DEEP)
    assert "continue" not in sample.body
    assert "        # no more of it\n" in sample.body
    with pytest.raises(jax.errors.TracerBoolConversionError):
        run(sample.old, "f", (X, 3))
    sample.agree("f", *[(X[n:], k) for n in (0, 10, 20, 33) for k in (0, 2, 5)])


def test_a_continue_that_skips_nothing_leaves_no_empty_branch(rewrite) -> None:
    sample: Sample = rewrite(IDLE)
    assert "lax.fori_loop" in sample.body and "if" not in sample.body
    sample.agree("f", (X, 5), (-X, 38))


def test_the_opposite_of_a_test_is_written_as_people_do(rewrite) -> None:
    assert "lax.cond(i != 7," in rewrite(GUARD).body
    assert "# the one that all are compared with" in rewrite(GUARD).body
    assert "x[i] > k" in rewrite(SHORT).body and "not" not in rewrite(SHORT).body


def test_nan_is_on_neither_side_of_a_comparison(rewrite) -> None:
    sample: Sample = rewrite(SHORT.replace("not x[i] > k", "x[i] < k"))
    assert "jnp.where(x[i] < k, best, jnp.maximum(best, x[i]))" in sample.body
    sample.agree("f", (X.at[1].set(jnp.nan), 0.5))


def test_a_string_over_several_lines_moves_whole(rewrite) -> None:
    sample: Sample = rewrite(GUARD.replace("+ 2.0\n", '+ len("""two\nlines""")\n'))
    assert '"""two\nlines"""' in sample.new and "continue" not in sample.new
    sample.agree("f", (X, 0.5))


def test_a_continue_before_an_append_is_left_alone(rewrite) -> None:
    code = """@jax.jit
def f(x):
    kept = []
    for i in range(40):
        if i % 2:
            continue
        kept.append(jnp.sin(x[i]) ** 2 + jnp.cos(x[i]))
    return jnp.stack(kept)
"""
    sample: Sample = rewrite(code)
    assert sample.body == code


def test_both_loops_of_a_nest_are_rolled(rewrite) -> None:
    code = """@jax.jit
def f(q):
    force = jnp.zeros_like(q)
    for i in range(12):
        for j in range(12):
            if i == j:
                continue
            r = q[j] - q[i]
            force = force.at[i].add(r / (jnp.sum(r**2) + 1e-3))
    return force
"""
    sample: Sample = rewrite(code)
    assert sample.body.count("lax.fori_loop") == 2
    assert "for " not in sample.body
    sample.agree("f", (Q,))


def test_what_a_branch_gives_is_returned_without_a_name_of_its_own(rewrite) -> None:
    sample = rewrite(
        "@jax.jit\n"
        "def f(xs):\n"
        "    ys = []\n"
        "    for x in xs:\n"
        "        if x[0] > 0.5:\n"
        "            ys.append(jnp.log(x))\n"
        "            continue\n"
        "        ys.append(jnp.sqrt(x))\n"
        "    return jnp.stack(ys)\n"
    )
    assert "return lax.cond(x[0] > 0.5, lambda: jnp.log(x), lambda: jnp.sqrt(x))\n" in sample.body
    sample.agree("f", [jnp.linspace(0.1, 0.9, 24).reshape(12, 2)])


@pytest.mark.parametrize("test", ["i % 3 == 0", "i == 0", "i > 4"])
def test_both_sides_of_a_continue_append(rewrite, test: str) -> None:
    sample = rewrite(
        "@jax.jit\n"
        "def f(xs):\n"
        "    ys = []\n"
        "    for i in range(12):\n"
        "        y = jnp.tanh(xs[i])\n"
        f"        if {test}:\n"
        "            ys.append(y)\n"
        "            continue\n"
        "        ys.append(jnp.sin(y) * 2)\n"
        "    return jnp.stack(ys)\n"
    )
    assert f"return lax.cond({test}, lambda: y, lambda: jnp.sin(y) * 2)\n" in sample.body
    sample.agree("f", [jnp.linspace(0.1, 0.9, 24).reshape(12, 2)])


TWINS = {
    "continue": "        if i % 2:\n            continue\n        h = jnp.tanh(h + xs[i])\n",
    "its twin": "        if not i % 2:\n            h = jnp.tanh(h + xs[i])\n",
}


@pytest.mark.parametrize("body", TWINS.values(), ids=TWINS)
def test_a_skipped_trip_of_a_loop_of_unknown_length_is_found_like_its_twin(rewrite, body: str) -> None:
    sample: Sample = rewrite(f"@jax.jit\ndef f(xs, h):\n    for i in range(xs.shape[0]):\n{body}    return h\n")
    assert sample.codes == ["unrolled-loop"]
    assert "jnp.where(i % 2, h, jnp.tanh(h + xs[i]))" in sample.body
    sample.agree("f", (X, X[3]), (X[:1], X[3]))


APPENDS = (
    "@jax.jit\ndef f(x):\n    ys = []\n\n    def trip(h):\n        h = jnp.tanh(h) * jnp.cos(h)\n        ys.append(h)\n        return h\n\n"
    "    for i in range(100):\n        x = {}\n    return x, jnp.stack(ys)\n"
)


def test_what_a_local_function_appends_stands_in_the_place_that_calls_it(rewrite) -> None:
    sample: Sample = rewrite(APPENDS.format("trip(x)"))
    assert "x, ys = lax.scan(step, x, None, length=100)\n    return x, ys\n" in sample.body
    assert "def trip" not in sample.body
    sample.agree("f", [X[0]])


def test_what_a_local_function_appends_is_its_effect_where_it_is_called_twice(rewrite) -> None:
    sample: Sample = rewrite(APPENDS.format("trip(trip(x))"))
    assert sample.new == sample.old
    assert sample.reports[0].finding.fix.reason == "side-effect: `trip(...)` changes `ys` at line 16"


def test_a_continue_inside_a_with_is_the_reason(rewrite) -> None:
    sample: Sample = rewrite(
        '@jax.jit\ndef f(x):\n    for i in range(100):\n        with jax.named_scope("trip"):\n            x = jnp.sin(x) * jnp.cos(x)\n'
        "            if x > 1:\n                continue\n        x = x + 1\n    return x\n"
    )
    assert [r.finding.fix.reason for r in sample.reports if r.finding.name == "unrolled-loop"] == [
        "continue: `continue` at line 12 stands inside `with` (line 9)"
    ]
