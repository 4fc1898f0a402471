"""Correct rewrites are proved or tested; wrong ones are refuted; what was not tried is unknown."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.many(4)

CUMULATE = "def f(xs):\n    total = 0.0\n    out = []\n    for i in range(xs.shape[0]):\n        total = total + xs[i]\n        out.append(total)\n    return jnp.stack(out)\n"
KEYS = "def f(x, key):\n    for _ in range(12):\n        key, k = jax.random.split(key)\n        x = x + jax.random.normal(k, x.shape)\n    return x\n"
FILL = "def f(x):\n    y = jnp.zeros(10)\n    for i in range(1, 10):\n        y = y.at[i].set(x[i] + y[i - 1])\n    return y\n"
WHILE = "def f(x, tol=1e-3):\n    n = 0\n    while jnp.abs(x) > tol:\n        x = x / 2\n        n = n + 1\n    return x, n\n"
IF = "def f(x):\n    if x > 0:\n        return x * 2\n    return x - 1\n"
CHAIN = "def f(x, mode):\n    if mode == 0:\n        return x\n    elif mode == 1:\n        return jnp.sin(x)\n    else:\n        return jnp.cos(x)\n"
BATCH = "def g(x, w):\n    return jnp.tanh(w @ x)\ndef f(xs, w):\n    return jnp.stack([g(x, w) for x in xs])\n"
FLAG = "@jax.jit\ndef f(x, double):\n    if double:\n        return x * 2\n    return x\n"
METHOD = "class Model:\n    def __init__(self, w, steps=15):\n        self.w = w\n        self.steps = steps\n    def f(self, x):\n        for _ in range(self.steps):\n            x = jnp.tanh(self.w * x)\n        return x\n"
RECORD = "from typing import NamedTuple\nclass State(NamedTuple):\n    x: jax.Array\n    n: jax.Array\ndef f(state: State):\n    for _ in range(11):\n        state = State(jnp.sin(state.x), state.n + 1)\n    return state\n"
COUNTS = "def f(tokens, size=8):\n    counts = jnp.zeros(size, dtype=jnp.int32)\n    for t in range(tokens.shape[0]):\n        counts = counts.at[tokens[t]].add(1)\n    return counts\n"
NOISE = "def f(key, x, step_size, steps=20):\n    for i in range(steps):\n        x = x - step_size * x + jnp.sqrt(2 * step_size) * jax.random.normal(jax.random.fold_in(key, i), x.shape)\n    return x\n"
DISCOUNT = "def f(rewards, discount):\n    total = 0.0\n    for t in range(rewards.shape[0]):\n        total = rewards[t] + discount * total * 0.5\n    return total\n"
WALL = "def f(x, v, dt):\n    xs = []\n    for _ in range(12):\n        v = v - dt * x\n        x = x + dt * v\n        if x > 10:\n            x = 10.0\n        xs.append(x)\n    return jnp.array(xs), v\n"
CROWD = "@jax.jit\ndef f(key, ys, n=100):\n    xs = jax.random.normal(key, (n,))\n    means = []\n    for y in ys:\n        xs = 0.9 * xs + y\n        means.append(xs.mean())\n    return jnp.array(means)\n"
SWAP = "def f(a, b):\n    for _ in range(15):\n        a, b = b, a + jnp.sin(b)\n    return a, b\n"

RIGHT = {
    "a loop that collects becomes a scan": (CUMULATE, "def f(xs):\n    def step(t, x):\n        t = t + x\n        return t, t\n    return lax.scan(step, 0.0, xs)[1]\n", "f", "proved"),
    "a loop that splits keys carries the key": (KEYS, "def f(x, key):\n    def body(_, c):\n        x, key = c\n        key, k = jax.random.split(key)\n        return x + jax.random.normal(k, x.shape), key\n    return lax.fori_loop(0, 12, body, (x, key))[0]\n", "f", "proved"),
    "a loop that fills a buffer": (FILL, "def f(x):\n    return lax.fori_loop(1, 10, lambda i, y: y.at[i].set(x[i] + y[i - 1]), jnp.zeros(10))\n", "f", "proved"),
    "a while on a traced value": (WHILE, "def f(x, tol=1e-3):\n    return lax.while_loop(lambda c: jnp.abs(c[0]) > tol, lambda c: (c[0] / 2, c[1] + 1), (x, 0))\n", "f", "proved"),
    "an if becomes cond": (IF, "def f(x):\n    return lax.cond(x > 0, lambda: x * 2, lambda: x - 1)\n", "f", "proved"),
    "an if becomes where": (IF, "def f(x):\n    return jnp.where(x > 0, x * 2, x - 1)\n", "f", "proved"),
    "a chain becomes a switch with its else kept": (CHAIN, "def f(x, mode):\n    return lax.switch(jnp.where((mode == 0) | (mode == 1), mode, 2), [lambda: x, lambda: jnp.sin(x), lambda: jnp.cos(x)])\n", "f", "proved"),
    "a loop over examples becomes vmap": (BATCH, "def g(x, w):\n    return jnp.tanh(w @ x)\ndef f(xs, w):\n    return jax.vmap(lambda x: g(x, w))(xs)\n", "f", "proved"),
    "a flag becomes static": (FLAG, FLAG.replace("@jax.jit", "from functools import partial\n@partial(jax.jit, static_argnames=('double',))"), "f", "proved"),
    "a method of a class with an __init__": (METHOD, METHOD.replace("        for _ in range(self.steps):\n            x = jnp.tanh(self.w * x)\n        return x\n", "        return lax.fori_loop(0, self.steps, lambda _, x: jnp.tanh(self.w * x), x)\n"), "Model.f", "proved"),
    "a NamedTuple of the module": (RECORD, RECORD.replace("    for _ in range(11):\n        state = State(jnp.sin(state.x), state.n + 1)\n    return state\n", "    return lax.fori_loop(0, 11, lambda _, s: State(jnp.sin(s.x), s.n + 1), state)\n"), "f", "proved"),
    "two carried values swapped in step": (SWAP, "def f(a, b):\n    return lax.fori_loop(0, 15, lambda _, c: (c[1], c[0] + jnp.sin(c[1])), (a, b))\n", "f", "proved"),
    "a wall, where a number beyond single precision is set to it": (WALL, "def f(x, v, dt):\n    def step(carry, _):\n        x, v = carry\n        v = v - dt * x\n        x = x + dt * v\n        x = jnp.where(x > 10, 10.0, x)\n        return (x, v), x\n    (_, v), xs = lax.scan(step, (x, v), None, length=12)\n    return xs, v\n", "f", "proved"),
    "a size that is always the default under jit": (CROWD, CROWD.replace("    means = []\n    for y in ys:\n        xs = 0.9 * xs + y\n        means.append(xs.mean())\n    return jnp.array(means)\n", "    def step(xs, y):\n        xs = 0.9 * xs + y\n        return xs, xs.mean()\n    return lax.scan(step, xs, ys)[1]\n"), "f", "proved"),
    "another rounding by XLA where one argument alone has half precision": (DISCOUNT, "def f(rewards, discount):\n    return lax.scan(lambda total, r: (r + discount * total * 0.5, None), 0.0, rewards)[0]\n", "f", "proved"),
}  # fmt: skip

WRONG = {
    "a count that wraps in few bits": (COUNTS, COUNTS.replace("int32", "uint8").replace("return counts", "return counts.astype(jnp.int32)"), "f"),
    "an index that wraps, where many trips leave numbers": (NOISE, "def f(key, x, step_size, steps=20):\n    def body(i, x):\n        return x - step_size * x + jnp.sqrt(2 * step_size) * jax.random.normal(jax.random.fold_in(key, i.astype(jnp.int8)), x.shape)\n    return lax.fori_loop(0, steps, body, x)\n", "f"),
    "one trip too few": (CUMULATE, "def f(xs):\n    def step(t, x):\n        t = t + x\n        return t, t\n    return lax.scan(step, 0.0, xs[1:])[1]\n", "f"),
    "the output of the trip before": (CUMULATE, "def f(xs):\n    return lax.scan(lambda t, x: (t + x, t), 0.0, xs)[1]\n", "f"),
    "the same key on every trip": (KEYS, "def f(x, key):\n    key, k = jax.random.split(key)\n    return lax.fori_loop(0, 12, lambda _, x: x + jax.random.normal(k, x.shape), x)\n", "f"),
    "an index off by one": (FILL, "def f(x):\n    return lax.fori_loop(1, 10, lambda i, y: y.at[i].set(x[i] + y[i - 2]), jnp.zeros(10))\n", "f"),
    "a test that is not strict": (WHILE.replace("tol=1e-3", "tol=1.0"), "def f(x, tol=1.0):\n    return lax.while_loop(lambda c: jnp.abs(c[0]) >= tol, lambda c: (c[0] / 2, c[1] + 1), (x, 0))\n", "f"),
    "a tie that goes the other way": (IF, "def f(x):\n    return jnp.where(x >= 0, x * 2, x - 1)\n", "f"),
    "arms exchanged": (IF, "def f(x):\n    return lax.cond(x > 0, lambda: x - 1, lambda: x * 2)\n", "f"),
    "a switch that clamps where the chain had an else": (CHAIN, "def f(x, mode):\n    return lax.switch(mode, [lambda: x, lambda: jnp.sin(x), lambda: jnp.cos(x)])\n", "f"),
    "swapped carries": (SWAP, "def f(a, b):\n    return lax.fori_loop(0, 15, lambda _, c: (c[0], c[1] + jnp.sin(c[0])), (a, b))\n", "f"),
    "a swap in sequence": (SWAP, "def f(a, b):\n    def body(_, c):\n        a, b = c\n        a = b\n        b = a + jnp.sin(b)\n        return a, b\n    return lax.fori_loop(0, 15, body, (a, b))\n", "f"),
    "an else value lost": ("def f(x):\n    y = x\n    if x > 0:\n        y = x * 2\n    else:\n        y = x - 3\n    return y\n", "def f(x):\n    return lax.cond(x > 0, lambda: x * 2, lambda: x)\n", "f"),
    "a guard whose gradient is NaN": ("def f(x):\n    if x > 0:\n        return jnp.sqrt(x)\n    return jnp.zeros_like(x)\n", "def f(x):\n    return jnp.where(x > 0, jnp.sqrt(x), jnp.zeros_like(x))\n", "f"),
    "an axis exchanged": (BATCH, "def g(x, w):\n    return jnp.tanh(w @ x)\ndef f(xs, w):\n    return jax.vmap(lambda x: g(x, w), out_axes=1)(xs)\n", "f"),
    "a dtype narrowed": ("def f(x):\n    for _ in range(12):\n        x = jnp.sin(x)\n    return x\n", "def f(x):\n    return lax.fori_loop(0, 12, lambda _, x: jnp.sin(x), x.astype(jnp.float16)).astype(jnp.float32)\n", "f"),
    "an and turned into an or": ("def f(x, y):\n    if x > 0 and y > 0:\n        return x\n    return y\n", "def f(x, y):\n    return jnp.where((x > 0) | (y > 0), x, y)\n", "f"),
    "a gradient stopped": ("def f(x):\n    for _ in range(12):\n        x = jnp.sin(x)\n    return x\n", "def f(x):\n    return lax.fori_loop(0, 12, lambda _, x: jnp.sin(lax.stop_gradient(x)), x)\n", "f"),
    "a gradient stopped beside one that fades": ("def f(a, w):\n    for _ in range(27):\n        a = 0.5 * a + jnp.tanh(w)\n    return a\n", "def f(a, w):\n    return lax.stop_gradient(lax.fori_loop(0, 27, lambda _, a: 0.5 * a + jnp.tanh(w), a))\n", "f"),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "function", "verdict"), RIGHT.values(), ids=RIGHT.keys())
def test_right_rewrites_are_accepted(judge, old: str, new: str, function: str, verdict: str) -> None:
    found = judge(old, new, function)
    assert found.verdict == verdict, found
    assert found.cases > 0
    assert found.equations_after


@pytest.mark.parametrize(("old", "new", "function"), WRONG.values(), ids=WRONG.keys())
def test_wrong_rewrites_are_refuted_with_a_counterexample(judge, old: str, new: str, function: str) -> None:
    found = judge(old, new, function)
    assert found.verdict == "refuted", found
    assert found.counterexample


def test_a_branch_that_is_never_taken_is_unknown(judge) -> None:
    old = "def f(x):\n    while x > 1:\n        x = x / 2\n    if x > 123456.0 - x * 0:\n        if jnp.sum(x) == -98765.4321:\n            return x * 7\n    return x\n"
    new = "def f(x):\n    x = lax.while_loop(lambda x: x > 1, lambda x: x / 2, x)\n    return jnp.where(x > 123456.0, x * 5, x)\n"
    found = judge(old, new)
    assert found.verdict == "unknown", found
    assert "never taken" in (found.reason or "")


def test_functions_that_are_given_back_are_not_compared(judge) -> None:
    old = "def f(x):\n    for _ in range(12):\n        x = jnp.sin(x)\n    return lambda y: x * y\n"
    new = "def f(x):\n    x = lax.fori_loop(0, 12, lambda _, x: jnp.sin(x), x)\n    return lambda y: x * y\n"
    found = judge(old, new)
    assert found.verdict == "unknown", found
    assert "gives functions" in (found.reason or "")


def test_no_input_names_the_remedy(judge) -> None:
    text = "def f(thing):\n    thing.open_the_door()\n    for _ in range(20):\n        thing.step()\n    return thing\n"
    found = judge(text, text)
    assert found.verdict == "unknown"
    assert "scanlint: inputs" in (found.reason or "")


def test_given_inputs_are_used(judge) -> None:
    old = "def f(params, x, n):\n    for _ in range(n):\n        x = jnp.tanh(params['w'] @ x)\n    return x\n"
    new = "def f(params, x, n):\n    return lax.fori_loop(0, n, lambda _, x: jnp.tanh(params['w'] @ x), x)\n"
    found = judge(
        old, new, given=(("params: {w: f32[3,3]}, x: f32[3], n: static 15", "module.py:1"),), static=frozenset({"n"})
    )
    assert found.verdict == "proved", found
    assert found.inputs == "given"


def test_a_bad_specification_is_said(judge) -> None:
    found = judge("def f(x):\n    return x\n", "def f(x):\n    return x + 0\n", given=(("x: f32[", "module.py:1"),))
    assert found.verdict == "unknown"
    assert "specification" in (found.reason or "")


def test_call_sites_are_harvested(judge) -> None:
    body = "\nif __name__ == '__main__':\n    table = jnp.ones((4, 2))\n    f(table, {'odd': (1, 'x')})\n"
    old = "def f(x, options):\n    for _ in range(20):\n        x = x * options['odd'][0]\n    return x\n" + body
    new = "def f(x, options):\n    return lax.fori_loop(0, 20, lambda _, x: x * options['odd'][0], x)\n" + body
    found = judge(old, new, static=frozenset({"options"}))
    assert found.verdict in ("proved", "tested"), found
    assert found.inputs == "harvested"


def test_a_while_loop_in_differentiated_code_is_refuted(judge) -> None:
    new = "def f(x, tol=1e-3):\n    return lax.while_loop(lambda c: jnp.abs(c[0]) > tol, lambda c: (c[0] / 2, c[1] + 1), (x, 0))\n"
    assert judge(WHILE, new, differentiated=True).verdict == "refuted"


def test_a_failing_new_version_is_refuted(judge) -> None:
    found = judge("def f(x):\n    return x + 1\n", "def f(x):\n    return x + undefined\n")
    assert found.verdict == "refuted"
    assert "NameError" in (found.counterexample or "")


STORES = """
class Counter:
    def __init__(self, total):
        self.total = total
        self.state = {"n": jnp.zeros(())}

    def add(self, x):
        if x > 0:
            self.total = self.total + x
            self.state["n"] = self.state["n"] + 1
        return x
"""
STORED = """
class Counter:
    def __init__(self, total):
        self.total = total
        self.state = {"n": jnp.zeros(())}

    def add(self, x):
        self.total = jnp.where(x > 0, self.total + x, self.total)
        self.state["n"] = jnp.where(x > 0, self.state["n"] + 1, self.state["n"])
        return x
"""


@pytest.mark.parametrize("part", ["self.total + x", 'self.state["n"] + 1'])
def test_what_a_function_sets_in_its_arguments_counts(judge, part: str) -> None:
    assert judge(STORES, STORED, "Counter.add").verdict in ("proved", "tested")
    wrong = judge(STORES, STORED.replace(part, part + " + 1"), "Counter.add")
    assert wrong.verdict == "refuted"
