"""Inputs are made for code without call sites, and a verdict rests only on what they decide."""

from __future__ import annotations

import ast
import contextlib
import os
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest

from scanlint.verify.verifier import Task, Verifier
from scanlint.verify.worker.comparing.rounding import Apart, Spread
from scanlint.verify.worker.infer.inference import infer
from scanlint.verify.worker.infer.specs import Array, leaves
from scanlint.verify.worker.runtime.calling import Signature, TookTooLong
from scanlint.verify.worker.runtime.loading import load
from scanlint.verify.worker.runtime.pace.compiled_callees import Compiled
from scanlint.verify.worker.runtime.pace.eager_pace import Pace
from scanlint.verify.worker.search.input_sources import Inputs
from scanlint.verify.worker.session.case_families import GUESSED_ANEW
from scanlint.verify.worker.session.endings import OTHERWISE
from scanlint.verify.worker.session.watch import Watch

pytestmark = [pytest.mark.long, pytest.mark.slow]
GRADIENT = """
def f(a, b, tol):
    x = jnp.zeros_like(b)
    r = b - a @ x
    p = r
    rs = r @ r
    k = 0
    while rs > tol and k < 50:
        ap = a @ p
        alpha = rs / (p @ ap)
        x = x + alpha * p
        r = r - alpha * ap
        new = r @ r
        p = r + (new / rs) * p
        rs = new
        k += 1
    return x, k
"""
ROLLED_GRADIENT = """
def f(a, b, tol):
    x = jnp.zeros_like(b)
    r = b - a @ x
    def condition(state):
        return (state[3] > tol) & (state[4] < 50)
    def body(state):
        x, r, p, rs, k = state
        ap = a @ p
        alpha = rs / (p @ ap)
        x = x + alpha * p
        r = r - alpha * ap
        new = r @ r
        p = r + (new / rs) * p
        return x, r, p, new, k + 1
    x, _, _, _, k = lax.while_loop(condition, body, (x, r, r, r @ r, 0))
    return x, k
"""
KALMAN = """
from typing import NamedTuple
class Model(NamedTuple):
    a: jax.Array
    h: jax.Array
    q: jax.Array
    r: jax.Array
def predict(model, mean, p):
    return model.a @ mean, model.a @ p @ model.a.T + model.q
def update(model, mean, p, y):
    s = model.h @ p @ model.h.T + model.r
    gain = jnp.linalg.solve(s, model.h @ p).T
    return mean + gain @ (y - model.h @ mean), p - gain @ s @ gain.T
def f(model, mean, p, ys):
    means = []
    for y in ys:
        mean, p = predict(model, mean, p)
        mean, p = update(model, mean, p, y)
        means.append(mean)
    return jnp.stack(means)
"""
ROLLED_KALMAN = (
    KALMAN.split("    means = []")[0]
    + """
    def step(carry, y):
        mean, p = update(model, *predict(model, *carry), y)
        return (mean, p), mean
    return lax.scan(step, (mean, p), ys)[1]
"""
)
VITERBI = """
def f(initial, transition, emission, observations):
    score = jnp.log(initial) + emission[:, observations[0]]
    out = [score]
    for i in range(1, observations.shape[0]):
        score = jnp.max(score[:, None] + transition, axis=0) + emission[:, observations[i]]
        out.append(score)
    return jnp.stack(out)
"""
ROLLED_VITERBI = """
def f(initial, transition, emission, observations):
    score = jnp.log(initial) + emission[:, observations[0]]
    def step(score, o):
        score = jnp.max(score[:, None] + transition, axis=0) + emission[:, o]
        return score, score
    return jnp.concatenate([score[None], lax.scan(step, score, observations[1:])[1]])
"""
ROLLOUT = """
def f(params, state, key):
    out = []
    for _ in range(12):
        key, subkey = jax.random.split(key)
        action = jnp.tanh(params["w"] @ state + params["b"]) + 0.1 * jax.random.normal(subkey)
        angle, speed = state
        speed = speed + 0.05 * (jnp.sin(angle) + action)
        out.append(speed)
        state = jnp.array([angle + 0.05 * speed, speed])
    return jnp.stack(out)
"""
ROLLED_ROLLOUT = """
def f(params, state, key):
    def step(carry, _):
        state, key = carry
        key, subkey = jax.random.split(key)
        action = jnp.tanh(params["w"] @ state + params["b"]) + 0.1 * jax.random.normal(subkey)
        angle, speed = state
        speed = speed + 0.05 * (jnp.sin(angle) + action)
        return (jnp.array([angle + 0.05 * speed, speed]), key), speed
    return lax.scan(step, (state, key), None, length=12)[1]
"""
KINDS = """
import enum
class Kind(enum.Enum):
    CALL = 1
    PUT = 2
def f(x, strike, kind):
    for _ in range(12):
        x = jnp.sin(x)
    if kind == Kind.CALL:
        return x - strike
    return strike - x
"""
ROLLED_KINDS = KINDS.replace(
    "    for _ in range(12):\n        x = jnp.sin(x)\n", "    x = lax.fori_loop(0, 12, lambda _, x: jnp.sin(x), x)\n"
)
MANY = "def f(x, steps=5000):\n    for _ in range(steps):\n        x = x + jnp.sin(x) / steps\n    return x\n"
ROLLED_MANY = "def f(x, steps=5000):\n    return lax.fori_loop(0, steps, lambda _, x: x + jnp.sin(x) / steps, x)\n"
SIGMAS = (
    "def f(m, p, n):\n    d = jnp.sqrt(n + 1.0) * jnp.exp(p)\n    return jnp.array([m + d[:, i] for i in range(n)])\n"
)
ROLLED_SIGMAS = "def f(m, p, n):\n    d = jnp.sqrt(n + 1.0) * jnp.exp(p)\n    return jax.vmap(lambda c: m + c, in_axes=1)(d[:, :n])\n"
EMPTY = "def f(x):\n    total = 0.0\n    for i in range(x.shape[0]):\n        total = total + jnp.sum(x[i] * x)\n    return total\n"
ROLLED_EMPTY = "def f(x):\n    return lax.fori_loop(0, x.shape[0], lambda i, t: t + jnp.sum(x[i] * x), 0.0)\n"
MODES = """
def f(x, mode: str = "low"):
    if mode.lower() not in ["low", "high"]:
        raise ValueError(mode)
    mode = "low" if mode == "LOW" else mode
    for i in range(12):
        x = jnp.sin(x) + i
        if mode.lower() == "high":
            x = x * 2.0
    return x
"""
ROLLED_MODES = """
def f(x, mode: str = "low"):
    if mode.lower() not in ["low", "high"]:
        raise ValueError(mode)
    mode = "low" if mode == "LOW" else mode
    def body(i, x):
        x = jnp.sin(x) + i
        if mode.lower() == "high":
            x = x * 2.0
        return x
    return lax.fori_loop(0, 12, body, x)
"""
DRAWS = """
def f(x, rho, steps, key):
    first, second = jax.random.split(key)
    a = jax.random.normal(first, (steps, 3))
    b = jax.random.normal(second, (steps, 3))
    mixed = rho * a + jnp.sqrt(1.0 + rho**2) * b
    state = x * jnp.ones(3)
    for i in range(steps):
        state = jnp.sin(state) + mixed[i] * 0.1
    return state
"""
ROLLED_DRAWS = DRAWS.replace(
    "    for i in range(steps):\n        state = jnp.sin(state) + mixed[i] * 0.1\n    return state\n",
    "    return lax.fori_loop(0, steps, lambda i, s: jnp.sin(s) + mixed[i] * 0.1, state)\n",
)
OPTION = """
from dataclasses import dataclass
@dataclass
class Option:
    spots: jax.Array
    count: int
    mode: str = "sum"
def f(option):
    if option.mode not in ("sum", "mean"):
        raise ValueError(option.mode)
    x = jnp.zeros(len(option.spots))
    for i in range(option.count):
        x = x + jnp.sin(jnp.asarray(option.spots) + i)
    return x
"""
ROLLED_OPTION = OPTION.replace(
    "    for i in range(option.count):\n        x = x + jnp.sin(jnp.asarray(option.spots) + i)\n    return x\n",
    "    return lax.fori_loop(0, option.count, lambda i, x: x + jnp.sin(jnp.asarray(option.spots) + i), x)\n",
)
LAYOUT = """
from typing import NamedTuple
class Scale(NamedTuple):
    factor: jax.Array
class Model:
    def __init__(self, rows: tuple = (2, 3, 4), columns=4):
        self.table = jnp.ones((rows[1], columns))
    def f(self, states: tuple[dict, dict], scale: Scale, layout: int = "R0"):
        near, far = states
        x = near["x"] + far["shift"]
        if layout not in ("R1", "R4"):
            raise ValueError('layout should be one of "R1", "R4"')
        assert scale._fields
        for i in range(12):
            x = jnp.sin(x + scale.factor) + jnp.sum(self.table) * i
        return x
"""
ROLLED_LAYOUT = LAYOUT.replace(
    "        for i in range(12):\n            x = jnp.sin(x + scale.factor) + jnp.sum(self.table) * i\n        return x\n",
    "        return lax.fori_loop(0, 12, lambda i, x: jnp.sin(x + scale.factor) + jnp.sum(self.table) * i, x)\n",
)
ADAM = """
def f(w, g):
    m = jnp.zeros_like(w)
    v = jnp.zeros_like(w)
    for t in range(1, 41):
        m = 0.9 * m + 0.1 * g * w
        v = 0.999 * v + 0.001 * (g * w) ** 2
        w = w - 0.01 * (m / (1 - 0.9**t)) / (jnp.sqrt(v / (1 - 0.999**t)) + 1e-8)
    return w
"""
ROLLED_ADAM = """
def f(w, g):
    def body(t, carry):
        w, m, v = carry
        m = 0.9 * m + 0.1 * g * w
        v = 0.999 * v + 0.001 * (g * w) ** 2
        return w - 0.01 * (m / (1 - 0.9**t)) / (jnp.sqrt(v / (1 - 0.999**t)) + 1e-8), m, v
    return lax.fori_loop(1, 41, body, (w, jnp.zeros_like(w), jnp.zeros_like(w)))[0]
"""
VERLET = """
from typing import NamedTuple

class State(NamedTuple):
    position: jax.Array
    speed: jax.Array

def f(state: State, box):
    for _ in range(12):
        position = (state.position + 0.1 * state.speed) % box
        force = -jnp.sum(position[:, None] - position[None], axis=0)
        state = State(position, state.speed + 0.1 * force)
    return state
"""
ROLLED_VERLET = (
    VERLET.split("def f")[0]
    + """
def f(state: State, box):
    def body(_, state):
        position = (state.position + 0.1 * state.speed) % box
        force = -jnp.sum(position[:, None] - position[None], axis=0)
        return State(position, state.speed + 0.1 * force)
    return lax.fori_loop(0, 12, body, state)
"""
)
ORDERED = """
def f(x, cost):
    x = x[jnp.argsort(cost)]
    mean = jnp.zeros(x.shape[1])
    for i in range(x.shape[0] - 1):
        mean = mean + x[i]
    return mean
"""
ROLLED_ORDERED = """
def f(x, cost):
    x = x[jnp.argsort(cost)]
    return lax.fori_loop(0, x.shape[0] - 1, lambda i, mean: mean + x[i], jnp.zeros(x.shape[1]))
"""
PIECES = """
def f(pieces, x):
    y = jnp.zeros_like(x)
    for i in range(5):
        a, b, c = pieces[i]
        y = y + a * x**2 + b * x + c
    return y
"""
ROLLED_PIECES = """
def f(pieces, x):
    def body(i, y):
        a, b, c = pieces[i]
        return y + a * x**2 + b * x + c
    return lax.fori_loop(0, 5, body, jnp.zeros_like(x))
"""
DIVISOR = "def f(a, b):\n    while b:\n        a, b = b, a % b\n    return a\n"
ROLLED_DIVISOR = (
    "def f(a, b):\n    return lax.while_loop(lambda s: s[1] != 0, lambda s: (s[1], s[0] % s[1]), (a, b))[0]\n"
)
APPLIED = """
@jax.jit
def f(model, xs):
    return jnp.stack([model(xs[i]) for i in range(xs.shape[0])])
"""
ROLLED_APPLIED = "@jax.jit\ndef f(model, xs):\n    return jax.vmap(model)(xs)\n"
WINDOW = """
def f(x, w):
    h = jnp.zeros(x.shape[0])
    for t in range(x.shape[1] - 4):
        h = jnp.tanh(h + x[:, t : t + 5].sum(1) * w)
    return h
"""
ROLLED_WINDOW = """
def f(x, w):
    def body(t, h):
        return jnp.tanh(h + lax.dynamic_slice_in_dim(x, t, 5, axis=1).sum(1) * w)
    return lax.fori_loop(0, x.shape[1] - 4, body, jnp.zeros(x.shape[0]))
"""

BELLMAN = """
def f(P, R):
    def bellman(V):
        return jnp.max(R + 0.9 * jnp.einsum("ast,t->as", P, V), axis=0)
    V = jnp.zeros(R.shape[1])
    for _ in range(12):
        V = bellman(V)
    return V
"""
ROLLED_BELLMAN = """
def f(P, R):
    def body(_, V):
        return jnp.max(R + 0.9 * jnp.einsum("ast,t->as", P, V), axis=0)
    return lax.fori_loop(0, 12, body, jnp.zeros(R.shape[1]))
"""
SETTLES = """
def f(P, R, gamma):
    V = jnp.zeros(P.shape[0])
    while True:
        Q = R + gamma * jnp.einsum("sat,t->sa", P, V)
        delta = jnp.abs(Q.max(axis=1) - V).max()
        V = Q.max(axis=1)
        if delta < 1e-4:
            break
    return V
"""
ROLLED_SETTLES = """
def f(P, R, gamma):
    def go_on(state):
        return jnp.logical_not(state[1] < LIMIT)
    def body(state):
        Q = R + gamma * jnp.einsum("sat,t->sa", P, state[0])
        return Q.max(axis=1), jnp.abs(Q.max(axis=1) - state[0]).max()
    return lax.while_loop(go_on, body, (jnp.zeros(P.shape[0]), jnp.inf))[0]
"""
COUNTED = {"static": frozenset({"steps"})}

ACCEPTED = {
    "conjugate gradients on matrices of any condition": (GRADIENT, ROLLED_GRADIENT, {}),
    "a record known by its attributes, in callees too": (KALMAN, ROLLED_KALMAN, {}),
    "elements that index an array are whole numbers": (VITERBI, ROLLED_VITERBI, {}),
    "time that goes on by a step which has to be positive": (
        "def f(x, dt):\n    t = 0.0\n    while t < 1.0:\n        x = x - dt * x\n        t += dt\n    return x, t\n",
        "def f(x, dt):\n    return lax.while_loop(lambda c: c[1] < 1.0, lambda c: (c[0] - dt * c[0], c[1] + dt), (x, 0.0))\n",
        {},
    ),
    "a state that is unpacked and put together again as an array": (
        "def f(state, dt):\n    for _ in range(30):\n        a, b = state\n        b = b - dt * jnp.sin(a)\n        state = jnp.stack([a + dt * b, b])\n    return state\n",
        "def f(state, dt):\n    def body(_, state):\n        a, b = state\n        b = b - dt * jnp.sin(a)\n        return jnp.stack([a + dt * b, b])\n    return lax.fori_loop(0, 30, body, state)\n",
        {},
    ),
    "a state that is unpacked has so many elements": (ROLLOUT, ROLLED_ROLLOUT, {}),
    "what is compared with an enumeration is one of its members": (
        KINDS,
        ROLLED_KINDS,
        {"static": frozenset({"kind"})},
    ),
    "a large default that drives a loop is tried small": (MANY, ROLLED_MANY, {"static": frozenset({"steps"})}),
    "a number that counts along an axis is its size": (SIGMAS, ROLLED_SIGMAS, {"static": frozenset({"n"})}),
    "an index into no elements, where the loop never runs": (EMPTY, ROLLED_EMPTY, {}),
    "a mode that is compared in lower case takes every mode": (MODES, ROLLED_MODES, {"static": frozenset({"mode"})}),
    "a number beside arrays of their own shape, and no trips over their rows": (DRAWS, ROLLED_DRAWS, COUNTED),
    "a class of the file that no annotation names": (OPTION, ROLLED_OPTION, {}),
    "powers of Python numbers, which an array holds less exactly": (ADAM, ROLLED_ADAM, {}),
    "a record whose fields a first guess lets grow": (VERLET, ROLLED_VERLET, {}),
    "rows in another order": (ORDERED, ROLLED_ORDERED, {}),
    "rows of numbers that are unpacked": (PIECES, ROLLED_PIECES, {}),
    "a number that a loop counts down": (DIVISOR, ROLLED_DIVISOR, {}),
    "axes that a sum names by letters, in a function inside": (BELLMAN, ROLLED_BELLMAN, {}),
    "an iteration that settles on small values only": (SETTLES, ROLLED_SETTLES.replace("LIMIT", "1e-4"), {}),
    "a function handed to a compiled one": (APPLIED, ROLLED_APPLIED, {}),
    "rows too short for a window, where the loop never runs": (WINDOW, ROLLED_WINDOW, {}),
    "a text that an error lists, an object by the defaults of its class, and dicts that are unpacked": (
        LAYOUT,
        ROLLED_LAYOUT,
        {"static": frozenset({"layout", "self"}), "function": "Model.f"},
    ),
}

WRONG = {
    "a wrong step of conjugate gradients": (GRADIENT, ROLLED_GRADIENT.replace("new / rs", "rs / new"), {}),
    "one trip too few of conjugate gradients": (GRADIENT, ROLLED_GRADIENT.replace("< 50", "< 2"), {}),
    "gains of the step before": (KALMAN, ROLLED_KALMAN.replace("(mean, p), mean", "(mean, p), carry[0]"), {}),
    "symbols one late": (VITERBI, ROLLED_VITERBI.replace("observations[1:]", "observations[:-1]"), {}),
    "the same key for every action": (ROLLOUT, ROLLED_ROLLOUT.replace("speed]), key)", "speed]), carry[1])"), {}),
    "a rate of decay that rounding does not explain": (ADAM, ROLLED_ADAM.replace("0.999**t", "0.99905**t"), {}),
    "a step of a record too late": (VERLET, ROLLED_VERLET.replace("State(position,", "State(state.position,"), {}),
    "a looser end of an iteration that settles on small values": (
        SETTLES, ROLLED_SETTLES.replace("LIMIT", "1e-2"), {},
    ),
    "a window one late": (WINDOW, ROLLED_WINDOW.replace("(x, t, 5", "(x, t + 1, 5"), {}),
    "another mode exchanged": (MODES, ROLLED_MODES.replace("x * 2.0", "x * 3.0"), {"static": frozenset({"mode"})}),
    "rows of draws one late": (DRAWS, ROLLED_DRAWS.replace("mixed[i]", "mixed[i - 1]"), COUNTED),
    "a member of an enumeration exchanged": (
        KINDS, ROLLED_KINDS.replace("== Kind.CALL", "== Kind.PUT"), {"static": frozenset({"kind"})},
    ),
    "the small difference of a well-conditioned sum": (
        "def f(x):\n    for _ in range(12):\n        x = x * 0.5 + 1.0\n    return x\n",
        "def f(x):\n    return lax.fori_loop(0, 12, lambda _, x: x * 0.5 + 1.0001, x)\n", {},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "options"), ACCEPTED.values(), ids=ACCEPTED.keys())
def test_right_rewrites_without_call_sites_are_accepted(judge, old: str, new: str, options: dict[str, object]) -> None:
    found = judge(old, new, **options)
    assert found.verdict in ("proved", "tested"), found
    assert found.inputs == "synthesised"


@pytest.mark.parametrize(("old", "new", "options"), WRONG.values(), ids=WRONG.keys())
def test_wrong_rewrites_without_call_sites_are_refuted(judge, old: str, new: str, options: dict[str, object]) -> None:
    found = judge(old, new, **options)
    assert found.verdict == "refuted", found


def test_where_rounding_decides_every_result_the_verdict_is_unknown(judge) -> None:
    old = "def f(x):\n    x = jnp.abs(jnp.sin(x)) * 0.9 + 0.05\n    for _ in range(200):\n        x = 3.99 * x * (1.0 - x)\n    return x\n"
    new = "def f(x):\n    x = jnp.abs(jnp.sin(x)) * 0.9 + 0.05\n    return lax.fori_loop(0, 200, lambda _, x: 3.99 * x - 3.99 * x * x, x)\n"
    found = judge(old, new)
    assert found.verdict == "unknown", found
    assert "rounding" in (found.reason or "")


def test_a_new_version_that_does_not_end_where_the_old_one_takes_a_moment_is_refuted(judge) -> None:
    old = "def f(x):\n    for _ in range(20):\n        x = jnp.sin(x)\n    return x\n"
    new = "def f(x):\n    return lax.while_loop(lambda x: jnp.all(x < 2), lambda x: jnp.sin(x), x)\n"
    with Verifier(sys.executable, timeout=16.0) as verifier:
        found = judge(old, new, using=verifier)
    assert found.verdict == "refuted", found
    assert "the new version did not end within" in (found.counterexample or "")


def test_a_tie_that_only_its_last_bit_breaks_still_tells() -> None:
    tie = Spread(nudged=Apart(0.5, flips=True), doubled=Apart(0.0))
    assert not tie.explains(0.1, values_only=True)
    assert not tie.undecided


def test_a_result_that_double_precision_changes_decides_nothing() -> None:
    rough = Spread(nudged=Apart(0.3, flips=True), doubled=Apart(0.4, flips=True))
    assert rough.undecided


def test_what_is_nan_by_chance_decides_nothing() -> None:
    chance = Spread(nudged=Apart(flips=True, overflows=True), doubled=Apart())
    assert chance.undecided


def test_other_random_draws_in_double_precision_hide_nothing() -> None:
    drawn = Spread(nudged=Apart(1e-7), doubled=Apart(1.0, flips=True), draws=True)
    assert not drawn.undecided
    assert not drawn.explains(1e-2, values_only=True)


def test_a_function_that_only_runs_with_real_numbers_gets_some(judge) -> None:
    old = "def f(k: float, n: int = 64):\n    grid = jnp.linspace(0.1, 1.0, n)\n    return float(jnp.sum(jnp.array([jnp.sin(k * u) for u in grid])))\n"
    new = "def f(k: float, n: int = 64):\n    grid = jnp.linspace(0.1, 1.0, n)\n    return float(jnp.sum(jax.vmap(lambda u: jnp.sin(k * u))(grid)))\n"
    found = judge(old, new, traced=False)
    assert found.verdict == "tested", found


BROADCAST = """
def points(n):
    return jnp.linspace(0.0, 1.0, 2 * n)
@partial(jax.jit, static_argnums=(1,))
def f(theta: float, n: int):
    w = 0.0
    for k in range(n):
        w += jnp.sin((2 * k + 1) * theta) / (2 * k + 1)
    return w
@partial(jax.jit, static_argnums=(0,))
def weights(n: int):
    return f(points(n), n) * 2.0
"""


def test_what_a_caller_hands_in_counts_for_more_than_an_annotation(judge) -> None:
    old = "from functools import partial\n" + BROADCAST
    rolled = "    return lax.fori_loop(0, n, lambda k, w: w + jnp.sin((2 * k + 1) * theta) / (2 * k + 1), {start})\n"
    head, tail = old.split("    w = 0.0\n")[0], "@partial(jax.jit, static_argnums=(0,))" + old.split("(0,))")[1]
    static = frozenset({"n"})
    grows = judge(old, head + rolled.format(start="0.0") + tail, static=static)
    assert (grows.verdict, grows.inputs) == ("refuted", "harvested"), grows
    start = "jnp.zeros_like(theta)"
    right = judge(old.replace("w = 0.0", f"w = {start}"), head + rolled.format(start=start) + tail, static=static)
    assert right.verdict in ("proved", "tested"), right
    assert right.inputs == "harvested"


@pytest.mark.parametrize(
    "call",
    [
        "jax.jit(scale.f)(jnp.ones((3, 2)))",
        "fast = jax.jit(scale.f)\nfast(jnp.ones((3, 2)))",
        "scale.f(jnp.ones((3, 2)))",
    ],
)
def test_a_call_of_what_jit_makes_of_a_method_is_a_call_of_the_method(call: str, judge) -> None:
    old = "class Scale:\n    def __init__(self, w):\n        self.w = w\n    def f(self, xs):\n        s = jnp.zeros(3)\n        for x in xs:\n            s = s + self.w @ x\n        return s\n"
    rolled = "        s, _ = lax.scan(lambda s, x: (s + self.w @ x, None), s, xs)\n"
    new = old.replace("        for x in xs:\n            s = s + self.w @ x\n", rolled)
    ends = f"scale = Scale(jnp.ones((3, 2)))\n{call}\n"
    found = judge(old + ends, new + ends, function="Scale.f")
    assert (found.verdict, found.inputs) == ("proved", "harvested"), found


def test_a_gradient_through_no_trips_of_no_length_refutes_nothing(judge) -> None:
    old = "def f(x, time, steps):\n    dt = time / jnp.asarray(steps)\n    for i in range(steps):\n        x = x + jnp.sin(x) * dt\n    return x\n"
    body = "    return lax.fori_loop(0, steps, lambda i, x: x + jnp.sin(x) * dt, x)\n"
    new = old.split("    for")[0] + body
    found = judge(old, new, static=frozenset({"steps"}))
    assert found.verdict in ("proved", "tested"), found
    wrong = judge(old, new.replace("jnp.sin(x)", "lax.stop_gradient(jnp.sin(x))"), static=frozenset({"steps"}))
    assert wrong.verdict == "refuted", wrong


def test_a_function_of_the_module_can_be_mapped_and_staged_while_it_is_compiled() -> None:
    compiled = Compiled(lambda x: jnp.sin(x) * 2.0)
    x = jnp.arange(3.0)
    assert jnp.array_equal(jax.vmap(compiled)(x), jnp.sin(x) * 2.0)
    assert jnp.array_equal(jax.lax.cond(True, compiled, jnp.cos, x), jnp.sin(x) * 2.0)


def test_an_answer_is_kept_when_the_time_for_other_inputs_is_over() -> None:
    watch = Watch(os.getpid(), "token", 30.0, ".")
    first = watch.clock
    watch.feed(b'token {"kept": {"verdict": "refuted", "notes": []}}\n')
    assert watch.clock is not first
    watch.over = "timed out"
    notes = ["other inputs: timed out while starting"]
    assert watch.verdict("") == {"verdict": "refuted", "notes": notes, "limited": OTHERWISE}


SHAPES = {
    "what_is_joined_before_a_product": (
        """
def f(w, b, xs, h, c):
    for x in xs:
        z = jnp.concatenate([x, h]) @ w + b
        i, f, g, o = jnp.split(z, 4)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
    return h, c
""",
        lambda w, b, xs, h, c: w == (xs[1] + h[0], 4 * h[0]) and b == w[1:] and h[0] > 0 and c in ((), h),
    ),
    "what_a_break_skips_has_shapes_too": (
        """
def f(x, y, weights):
    for _ in range(9):
        p = jax.nn.sigmoid(x @ weights)
        gradient = x.T @ (p - y) + 0.1 * weights
        if jnp.max(jnp.abs(gradient)) < 1e-4:
            break
        hessian = (x * (p * (1 - p))[:, None]).T @ x + 0.1 * jnp.eye(x.shape[1])
        weights = weights - jnp.linalg.solve(hessian, gradient)
    return weights
""",
        lambda x, y, weights: 1 not in x and x[1] == weights[0],
    ),
    "the_parameters_of_a_differentiated_function": (
        """
def loss(params, x):
    return jnp.mean(jnp.tanh(x @ params["w"] + params["b"]) ** 2)

def f(params, x):
    gradient = jax.grad(loss)(params, x)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradient)
""",
        lambda b, w, x: x[-1] == w[0] and len(w) == 2,
    ),
    "products_that_leave_a_number": (
        """
def f(x, direction, matrix):
    def value(x):
        return 0.5 * x @ matrix @ x
    step = 1.0
    while value(x + step * direction) > value(x) + step * (direction @ (matrix @ x)):
        step = 0.5 * step
    return step
""",
        lambda x, direction, matrix: x == direction and matrix == (*x, *x),
    ),
    "gates_that_are_split_evenly": (
        """
def cell(params, h, x):
    z = jnp.concatenate([x, h]) @ params["W"] + params["b"]
    i, f, o, g = jnp.split(z, 4)
    return jax.nn.sigmoid(o) * jnp.tanh(i * g + f * h)
def f(params, xs):
    h = jnp.zeros(params["b"].shape[0] // 4)
    for x in xs:
        h = cell(params, h, x)
    return h
""",
        lambda b, w, xs: b[0] % 4 == 0 < b[0] and w == (xs[1] + b[0] // 4, *b),
    ),
    "gates_cut_out_one_after_the_other": (
        """
def f(Wx, Wh, b, xs):
    n = Wh.shape[1]
    h = jnp.zeros(n)
    for x in xs:
        z = Wx @ x + Wh @ h + b
        h = z[:n] * h + z[n : 2 * n] * jnp.tanh(z[2 * n :])
    return h
""",
        lambda wx, wh, b, xs: wh == (3 * wh[1], wh[1]) and wh[1] and b == wh[:1] and wx == (*b, *xs[1:]),
    ),
}


@pytest.mark.parametrize(("source", "fit"), SHAPES.values(), ids=SHAPES)
def test_shapes_are_found_that_hold_on_every_way(source: str, fit: Callable[..., bool], tmp_path: Path) -> None:
    text = f"import jax\nimport jax.numpy as jnp\n{source}"
    loaded = load(text, str(tmp_path / "module.py"), str(tmp_path), "f", "shapes")
    assert loaded.function is not None
    inputs = Inputs(loaded, loaded.resolve("f"), loaded.function, Signature.of(loaded.function, frozenset()))
    found = {path: leaf for name, spec in inputs.synthesised().items() for path, leaf in leaves(spec, name)}
    assert fit(*(leaf.shape for leaf in found.values() if isinstance(leaf, Array)))


def test_whole_numbers_are_as_wide_as_floats_are(judge) -> None:
    old = """
    def f(token, table):
        tokens = []
        for _ in range(20):
            token = jnp.argmax(table[token])
            tokens.append(token)
        return jnp.stack(tokens)
    """
    new = """
    def f(token, table):
        def step(token, _):
            token = jnp.argmax(table[token])
            return token, token
        return lax.scan(step, token, None, length=20)[1]
    """
    assert judge(old, new).verdict in ("proved", "tested")


def test_what_a_name_is_bound_to_anew_says_nothing_twice() -> None:
    node = ast.parse("def f(x, rows):\n    x = x[rows]\n    return x.shape[0]\n").body[0]
    assert isinstance(node, ast.FunctionDef)
    assert infer(node, {})["x"].least_rank() == 2
    node = ast.parse("def f(x, rows):\n    n = x.shape[0]\n    x = x[rows]\n    return n * x\n").body[0]
    assert isinstance(node, ast.FunctionDef)
    assert infer(node, {})["x"].least_rank() == 1


def test_a_refutation_by_time_alone_is_tried_once_more(judge) -> None:
    class HangsOnce(Verifier):
        asked = 0

        def _answer(self, task: Task) -> dict[str, object]:
            self.asked += 1
            late: dict[str, object] = {"verdict": "refuted", "counterexample": "did not end", "endless": True}
            return late if self.asked == 1 else super()._answer(task)

    with HangsOnce(sys.executable) as verifier:
        found = judge(GRADIENT, ROLLED_GRADIENT, using=verifier)
    assert verifier.asked == 2
    assert found.verdict == "proved", found


DRAWS = """\
def f(key, x, steps=1000, burn=100):
    draws = []
    for step in range(steps):
        key, sub = jax.random.split(key)
        x = 0.9 * x + jax.random.normal(sub)
        if step >= burn:
            draws.append(x)
    return jnp.stack(draws)
"""
DRAWS_SCAN = """\
def f(key, x, steps=1000, burn=100):
    def step(carry, _):
        key, x = carry
        key, sub = jax.random.split(key)
        x = 0.9 * x + jax.random.normal(sub)
        return (key, x), x

    _, draws = lax.scan(step, (key, x), None, length=steps)
    return draws[max(burn, 0):]
"""


@pytest.mark.parametrize(
    "numbers", ["steps=1000, burn=100", "steps, burn", None], ids=["defaults", "bare", "constants"]
)
def test_limits_that_loops_wait_for_are_shortened_in_their_order(judge, numbers: str | None) -> None:
    def version(text: str) -> str:
        if numbers is not None:
            return text.replace("steps=1000, burn=100", numbers)
        return re.sub(r"\bsteps\b", "1000", re.sub(r"\bburn\b", "100", text.replace(", steps=1000, burn=100", "")))

    static = {} if numbers is None else {"static": frozenset({"steps", "burn"})}
    found = judge(version(DRAWS), version(DRAWS_SCAN), **static)
    assert found.verdict in ("proved", "tested"), found
    assert not [n for n in found.notes if "each run takes seconds" in n or "each takes seconds" in n]
    late = version(DRAWS_SCAN).replace(", 0):]", ", 0) + 1:]")
    assert judge(version(DRAWS), late, **static).verdict == "refuted"


CELL = """
def make(seed):
    return jax.random.split(jax.random.PRNGKey(seed), 5)

def cell(params, carry, x):
    h, c = carry
    z = jnp.concatenate([x, h]) @ params["W"] + params["b"]
    i, f, g, o = jnp.split(z, 4)
    c = jax.nn.sigmoid(f + 1.0) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    return jax.nn.sigmoid(o) * jnp.tanh(c), c

def f(params, xs):
    size = params["b"].shape[0] // 4
    carry = (jnp.zeros(size), jnp.zeros(size))
"""
UNROLLED_CELL = f"""{CELL}
    outputs = []
    for x in xs:
        carry = cell(params, carry, x)
        outputs.append(carry[0])
    return jnp.stack(outputs), carry
"""
ROLLED_CELL = f"""{CELL}
    def step(carry, x):
        carry = cell(params, carry, x)
        return carry, carry[0]
    carry, outputs = lax.scan(step, carry, xs)
    return outputs, carry
"""


def test_gates_are_as_wide_as_they_divide_and_their_gradients_may_round(judge) -> None:
    found = judge(UNROLLED_CELL, ROLLED_CELL, differentiated=True)
    assert found.verdict == "proved", found
    lost = ROLLED_CELL.replace("sigmoid(i) * jnp.tanh(g)", "sigmoid(lax.stop_gradient(i)) * jnp.tanh(g)")
    assert judge(UNROLLED_CELL, lost, differentiated=True).verdict == "refuted"


CLUSTER = """
def f(points, centers):
    moved = jnp.inf
    rounds = 0
    while moved > 1e-4 and rounds < 50:
        far = jnp.sum((points[:, None] - centers[None]) ** 2, axis=-1)
        member = jax.nn.one_hot(jnp.argmin(far, axis=1), centers.shape[0])
        means = (member.T @ points) / jnp.maximum(member.sum(axis=0), 1.0)[:, None]
        moved = jnp.abs(means - centers).max()
        centers = means
        rounds += 1
    return centers, rounds
"""
ROLLED_CLUSTER = """
def f(points, centers):
    def condition(state):
        _, moved, rounds = state
        return (moved > 1e-4) & (rounds < 50)
    def body(state):
        centers, moved, rounds = state
        far = jnp.sum((points[:, None] - centers[None]) ** 2, axis=-1)
        member = jax.nn.one_hot(jnp.argmin(far, axis=1), centers.shape[0])
        means = (member.T @ points) / jnp.maximum(member.sum(axis=0), 1.0)[:, None]
        return means, jnp.abs(means - centers).max(), rounds + 1
    centers, _, rounds = lax.while_loop(condition, body, (centers, jnp.inf, 0))
    return centers, rounds
"""


def test_a_rewrite_that_wants_a_square_where_the_old_version_does_not_is_refuted(judge) -> None:
    assert judge(CLUSTER, ROLLED_CLUSTER).verdict in ("proved", "tested")
    found = judge(CLUSTER, ROLLED_CLUSTER.replace("centers.shape[0])", "centers.shape[1])"))
    assert found.verdict == "refuted", found


AGENTS = """
import dataclasses
import functools

@functools.partial(jax.tree_util.register_dataclass, data_fields=["x", "speed"], meta_fields=[])
@dataclasses.dataclass
class Agent:
    x: jnp.float32
    speed: jnp.float32

@functools.partial(jax.vmap, in_axes=(0, None))
def f(agent: Agent, walls):
    near = agent.x
    for i in range(12):
        near = jnp.minimum(near, agent.speed * i + walls[:, 0].sum())
    return near
"""


def test_a_carry_that_gets_shorter_is_not_hidden_by_shapes_that_fit(judge) -> None:
    text = "import jax\nimport jax.numpy as jnp\n\n@jax.jit\ndef f(points, t):\n    pts = points\n    {}\n    return pts[0]\n"
    trip = "(1 - t) * pts[:-1] + t * pts[1:]"
    old = text.format(f"for _ in range(points.shape[0] - 1):\n        pts = {trip}")
    new = text.format(f"pts = jax.lax.fori_loop(0, points.shape[0] - 1, lambda _, pts: {trip}, pts)")
    verdict = judge(old, new)
    assert verdict.verdict == "refuted" and "TypeError" in (verdict.counterexample or ""), verdict


def test_a_number_beside_which_a_carry_keeps_one_element_refutes_nothing(judge) -> None:
    text = "import jax\nimport jax.numpy as jnp\n\n@jax.jit\ndef f(start, moves, rows):\n    score = start + rows[0]\n    {}\n    return score\n"
    old = text.format("for row in rows[1:]:\n        score = jnp.max(score[:, None] + moves, axis=0) + row")
    trip = "lambda score, row: (jnp.max(score[:, None] + moves, axis=0) + row, None)"
    verdict = judge(old, text.format(f"score, _ = jax.lax.scan({trip}, score, rows[1:])"))
    assert verdict.verdict == "proved", verdict


@pytest.mark.parametrize("trip", ["jnp.tanh(x @ ws[i])", "jnp.tanh(ws[i] @ x)", "jnp.dot(x, ws[i]) + b[i]"])
def test_weights_of_layers_are_matrices_whatever_so_many_trips_take(judge, trip: str) -> None:
    text = "import jax\nimport jax.numpy as jnp\n\n@jax.jit\ndef f(x, ws, b):\n    {}\n    return x\n"
    old = text.format(f"for i in range(ws.shape[0]):\n        x = {trip}")
    verdict = judge(old, text.format(f"x = jax.lax.fori_loop(0, ws.shape[0], lambda i, x: {trip}, x)"))
    assert verdict.verdict == "proved", verdict
    assert re.search(r"ws: f32\[\d, (\d), \1\]", str(verdict.notes)), verdict


@pytest.mark.parametrize(
    ("product", "expected"),
    [('h @ params["wh"]', "proved"), ('params["wh"] @ h', "refuted")],
    ids=["the same product", "the matrix transposed"],
)
def test_an_array_keeps_the_axes_that_need_not_go(judge, product: str, expected: str) -> None:
    text = 'import jax\nimport jax.numpy as jnp\n\n@jax.jit\ndef f(params, xs):\n    h = jnp.zeros(params["wh"].shape[0])\n    {}\n'
    trip = 'jnp.tanh({} @ params["wx"] + {} + params["b"])'
    plain = trip.format("xs[t]", 'h @ params["wh"]')
    old = text.format(
        f"hs = []\n    for t in range(xs.shape[0]):\n        h = {plain}\n        hs.append(h)\n    return jnp.stack(hs)"
    )
    step = f"def step(h, x):\n        h = {trip.format('x', product)}\n        return h, h\n    return jax.lax.scan(step, h, xs)[1]"
    verdict = judge(old, text.format(step))
    assert verdict.verdict == expected, verdict


def test_the_shapes_that_a_rewrite_needs_are_told(judge) -> None:
    old = "@jax.jit\ndef f(v, t):\n    if jnp.max(v) > 0:\n        return t\n    return v @ v[:, None] * v\n"
    new = "@jax.jit\ndef f(v, t):\n    return jax.lax.cond(jnp.max(v) > 0, lambda: t, lambda: v @ v[:, None] * v)\n"
    verdict = judge("import jax\nimport jax.numpy as jnp\n\n" + old, "import jax\nimport jax.numpy as jnp\n\n" + new)
    assert verdict.verdict == "proved", verdict
    told = [n for n in verdict.notes if n.endswith(GUESSED_ANEW)]
    assert len(told) == 1 and re.match(r"compared with t: float32\[\d\] \(not float32\[\]\): ", told[0]), verdict


def test_each_leaf_of_what_is_mapped_has_a_row_for_each_example(judge) -> None:
    new = AGENTS.replace(
        "    for i in range(12):\n        near =", "    near = jax.lax.fori_loop(0, 12, lambda i, near:"
    )
    verdict = judge(AGENTS, new.replace(".sum())\n", ".sum()), near)\n"))
    assert verdict.verdict == "proved", verdict
    assert re.search(r"agent: \(f32\[(\d)\], f32\[\1\]\), walls: f32\[\d, \d\]", str(verdict.notes)), verdict


@pytest.mark.parametrize(
    ("staged", "unstaged", "ways"),
    [(0.6, 0.0, [False, False, True, True]), (0.5, 1.2, [False, False, True, False]), (0.0, 0.6, [False] * 4)],
    ids=["quicker without compiled parts", "slower without them", "never slow"],
)
def test_what_runs_slowly_is_run_without_compiled_parts_for_once(
    staged: float, unstaged: float, ways: list[bool], tmp_path: Path
) -> None:
    seen: list[bool] = []

    def old(x: float) -> float:
        seen.append(bool(jax.config.jax_disable_jit))
        busy(unstaged if seen[-1] else staged)
        return x

    pace = Pace(load("def f(x):\n    return x\n", str(tmp_path / "f.py"), "", "f", "before"), old)
    for _ in range(4):
        pace.run(lambda f: f(1.0), 5.0)
    assert seen == ways


@pytest.mark.parametrize(("unstaged", "ways"), [(0.0, [False, True, True]), (2.0, [False, True, False])])
def test_what_takes_too_long_is_run_without_compiled_parts(unstaged: float, ways: list[bool], tmp_path: Path) -> None:
    seen: list[bool] = []

    def old(x: float) -> float:
        seen.append(bool(jax.config.jax_disable_jit))
        busy(unstaged if seen[-1] else 2.0)
        return x

    pace = Pace(load("def f(x):\n    return x\n", str(tmp_path / "f.py"), "", "f", "before"), old)
    for _ in range(2):
        with contextlib.suppress(TookTooLong):
            pace.run(lambda f: f(1.0), 0.3)
    assert seen == ways


def busy(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
