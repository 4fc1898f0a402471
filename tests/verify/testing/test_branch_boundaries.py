"""Differences that show only on a boundary, or in shapes that the new version rejects."""

from __future__ import annotations

import sys

import pytest

from scanlint.verify.verifier import Verifier

pytestmark = pytest.mark.slow

HALVED = "def f(x):\n    n = 0\n    while jnp.abs(x) > {0}:\n        x = 0.5 * x\n        n = n + 1\n    return {1}\n"
LOOPED = "def f(x):\n    x, n = lax.while_loop(lambda c: jnp.abs(c[0]) {2} {0}, lambda c: (0.5 * c[0], c[1] + 1), (x, 0))\n    return {1}\n"


@pytest.mark.parametrize(("limit", "result"), [("0.1", "(x, n)"), ("0.01", "n"), ("0.1", "x")])
def test_a_tie_with_a_limit_is_decided_as_before(judge, limit: str, result: str) -> None:
    old = HALVED.format(limit, result)
    assert judge(old, LOOPED.format(limit, result, ">")).verdict == "proved"
    assert judge(old, LOOPED.format(limit, result, ">=")).verdict == "refuted"


def test_a_tie_that_only_a_fused_multiplication_breaks_does_not_refute(judge) -> None:
    old = "def f(x, y):\n    z = x * y - 0.3\n    if z > 0.0:\n        return x + 1.0\n    return y\n"
    new = "def f(x, y):\n    z = x * y - 0.3\n    return lax.cond(z > 0.0, lambda: x + 1.0, lambda: y)\n"
    call = "\nif __name__ == '__main__':\n    f(jnp.float32(0.1), jnp.float32(3.0))\n"
    assert judge(old + call, new + call).verdict in ("proved", "tested")


EXAMPLE = "def g(x, w):\n    return jnp.tanh(w @ x) * 0.0\n\ndef f(xs, w):\n    return {}\n"


def test_an_axis_that_fits_square_arrays_only_is_refuted(judge) -> None:
    old = EXAMPLE.format("jnp.stack([g(x, w) for x in xs])")
    assert judge(old, EXAMPLE.format("jax.vmap(g, in_axes=(0, None))(xs, w)")).verdict in ("proved", "tested")
    for axis in (1, -1):
        found = judge(old, EXAMPLE.format(f"jax.vmap(g, in_axes=({axis}, None))(xs, w)"))
        assert found.verdict == "refuted", found
        assert "dot_general" in (found.counterexample or "")


RIGHT = {
    "arms of shapes that the guess made differ": (
        "def f(x, y, t):\n    if t > 0:\n        z = jnp.sum(x[0] * x[1])\n    else:\n        z = jnp.sum(x[0] * y)\n    return z\n",
        "def f(x, y, t):\n    return lax.cond(t > 0, lambda: jnp.sum(x[0] * x[1]), lambda: jnp.sum(x[0] * y))\n",
    ),
    "a carry that grows from a guessed number": (
        "def f(x, s):\n    for i in range(12):\n        s = s + x\n    return s * jnp.ones((3,))\n",
        "def f(x, s):\n    s = lax.fori_loop(0, 12, lambda i, s: s + x, s)\n    return s * jnp.ones((3,))\n",
    ),
    "lengths that an index does not tell apart": (
        "def f(xs, ws):\n    total = 0.0\n    for i in range(xs.shape[0]):\n        total = total + jnp.sin(xs[i]) * ws[i]\n    return total\n",
        "def f(xs, ws):\n    return lax.scan(lambda t, v: (t + jnp.sin(v[0]) * v[1], None), 0.0, (xs, ws))[0]\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new"), RIGHT.values(), ids=RIGHT.keys())
def test_a_guess_has_no_authority(judge, old: str, new: str) -> None:
    found = judge(old, new)
    assert found.verdict in ("proved", "tested"), found


def test_a_swapped_key_is_refuted_at_once(judge) -> None:
    step = "        key, k = jax.random.split(key)\n        x = x + jax.random.normal(k, x.shape)\n"
    old = f"def f(x, key):\n    for _ in range(12):\n{step}    return x\n"
    new = (
        "def f(x, key):\n    def body(_, carry):\n        x, key = carry\n"
        f"{step}        return {{}}\n    return lax.fori_loop(0, 12, body, (x, key))[0]\n"
    )
    assert judge(old, new.format("x, key")).verdict == "proved"
    with Verifier(sys.executable, timeout=6.0) as hurried:  # seconds of the worker's processor time
        assert judge(old, new.format("key, x"), using=hurried).verdict == "refuted"


def test_an_axis_among_several_arguments_is_refuted(judge) -> None:
    old = "def g(x, y):\n    return x * y\n\ndef f(xs, ys):\n    return {}\n"
    new = "jax.vmap(g, in_axes=(0, {}))(xs, ys)"
    stacked = old.format("jnp.stack([g(x, y) for x, y in zip(xs, ys)])")
    assert judge(stacked, old.format(new.format(0))).verdict == "tested", "arrays of other lengths raise"
    for axis in (1, -1):
        assert judge(stacked, old.format(new.format(axis))).verdict == "refuted"


MODES = "def f(x, mode):\n    if mode == 0:\n        return jnp.sin(x)\n    if mode == 1:\n        return x * 2.0\n    return -x\n"
SWITCH = "def f(x, mode):\n    which = jnp.where((mode >= 0) & (mode {}), mode, 2)\n    return lax.switch(which, [lambda: jnp.sin(x), lambda: x * 2.0, lambda: {}])\n"


def test_a_switch_with_an_arm_for_the_rest_is_proved(judge) -> None:
    inputs = {"given": (("x: f32[], mode: i32[]", "module.py:1"),)}
    assert judge(MODES, SWITCH.format("< 2", "-x"), **inputs).verdict == "proved"
    assert judge(MODES, SWITCH.format("<= 1", "-x"), **inputs).verdict == "proved"
    assert judge(MODES, SWITCH.format("< 1", "-x"), **inputs).verdict == "refuted"
    assert judge(MODES, SWITCH.format("< 2", "x"), **inputs).verdict == "refuted"


def test_a_choice_below_zero_is_tried(judge) -> None:
    inputs = {"given": (("x: f32[], mode: i32[]", "module.py:1"),)}
    old = "def f(x, mode):\n    if mode == -4:\n        return jnp.sin(x)\n    return x\n"
    new = "def f(x, mode):\n    return lax.cond(mode {} -4, lambda: jnp.sin(x), lambda: x)\n"
    assert judge(old, new.format("=="), **inputs).verdict == "proved"
    assert judge(old, new.format("<="), **inputs).verdict == "refuted"


def test_a_flag_made_static_is_proved(judge) -> None:
    body = "def f(x, how):\n    if how == 'mean':\n        return x - jnp.mean(x)\n    return x\n"
    new = "@partial(jax.jit, static_argnames=('how',))\n" + body
    old = "@jax.jit\n" + body
    head = "from functools import partial\n"
    assert judge(head + old, head + new).verdict == "proved"
    assert judge(head + old, head + new.replace("x - ", "x + ")).verdict == "refuted"


def test_a_boundary_that_only_the_new_version_has_is_tried(judge) -> None:
    old = "def f(x, y):\n    z = x + 0.3\n    if x <= 1.0:\n        z = z + y\n    return z, x\n"
    new = "def f(x, y):\n    z = x + 0.3\n    z = lax.cond(x <= {}, lambda: z + y, lambda: z)\n    return z, x\n"
    assert judge(old, new.format("1.0")).verdict == "proved"
    assert judge(old, new.format("1.011")).verdict == "refuted"


ROWS = "def f(positions, masses):\n    n = positions.shape[{}]\n    def one(p, m):\n        return lax.fori_loop(0, n, lambda j, t: t + m * masses[j] * (positions[j] - p), jnp.zeros(3))\n    return jax.vmap(one)(positions, masses)\n"


def test_a_count_along_another_axis_is_refuted(judge) -> None:
    old = "def f(positions, masses):\n    out = []\n    for i in range(positions.shape[0]):\n        total = jnp.zeros(3)\n        for j in range(positions.shape[0]):\n            total = total + masses[i] * masses[j] * (positions[j] - positions[i])\n        out.append(total)\n    return jnp.stack(out)\n"
    assert judge(old, ROWS.format(0)).verdict in ("proved", "tested")
    assert judge(old, ROWS.format(-1)).verdict == "refuted"


TESTS = {
    "a limit with a name": (
        "LIMIT = 0.37\n\ndef f(x, y):\n    if x > LIMIT:\n        return x * y\n    return y\n",
        "LIMIT = 0.37\n\ndef f(x, y):\n    return lax.cond(x {} LIMIT, lambda: x * y, lambda: y)\n",
        ">=", "- 0.01 >",
    ),
    "two arguments with a third of another sign": (
        "def f(x, y, z):\n    if x * 0.5 > y:\n        return jnp.abs(z)\n    return jnp.where(z > 0.0, z, 3.0)\n",
        "def f(x, y, z):\n    return lax.cond(x * 0.5 {} y, lambda: jnp.abs(z), lambda: jnp.where(z > 0.0, z, 3.0))\n",
        ">=", ">= 0.01 +",
    ),
    "a norm": (
        "def f(w, x):\n    h = w @ x\n    if h @ h > 1.0:\n        h = h / jnp.sqrt(h @ h) * 0.5\n    return h\n",
        "def f(w, x):\n    h = w @ x\n    return lax.cond(h @ h {} 1.0, lambda: h / jnp.sqrt(h @ h) * 0.5, lambda: h)\n",
        "> 0.001 +", "< 0.001 +",
    ),
    "a while with a limit that is no constant": (
        "def f(x, y):\n    while jnp.abs(x) > 0.3 + jnp.abs(y):\n        x = 0.9 * x\n    return x\n",
        "def f(x, y):\n    return lax.while_loop(lambda x: jnp.abs(x) {} 0.3 + jnp.abs(y), lambda x: 0.9 * x, x)\n",
        "> 0.002 +", "+ 0.002 >",
    ),
    "a limit up to which nothing jumps": (
        "def f(x, limit):\n    size = jnp.abs(x)\n    if size > limit:\n        x = x * (limit / size)\n    return x\n",
        "def f(x, limit):\n    size = jnp.abs(x)\n    return lax.cond(size {} limit, lambda: x * (limit / size), lambda: x)\n",
        "> 1.001 *", "> 0.999 *",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", *"ab"), TESTS.values(), ids=TESTS.keys())
def test_the_old_version_is_followed_to_where_it_turns(judge, old: str, new: str, a: str, b: str) -> None:
    assert judge(old, new.format(">")).verdict in ("proved", "tested")
    for wrong in (a, b):
        assert judge(old, new.format(wrong)).verdict == "refuted", wrong
