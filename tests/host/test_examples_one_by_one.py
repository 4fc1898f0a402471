"""Host loops over examples, one at a time: what may be any collection of them, and what is another thing."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from scanlint.engine.session import check_text
from scanlint.settings import Settings

HEAD = """\
import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def predict(params, x):
    return jnp.argmax(x @ params)


def energy(x):
    y = jnp.sin(x) * jnp.cos(x) + jnp.exp(-x) / jnp.sqrt(1 + x**2)
    return jnp.sum(y - jnp.log1p(x) * jnp.tanh(x) + x**3)


"""
NAMED = {
    "pairs of a test set": (
        "def f(params, X_test, Y_test):\n    out = []\n    for x, y in zip(X_test, Y_test):\n        out.append(predict(params, x) == y)\n    return out",
        "this loop calls the jitted `predict` for one example",
    ),
    "examples under a jitted attribute": (
        """
        class Model:
            def __init__(self, params):
                self.params = params
                self.apply = jax.jit(lambda p, x: jnp.tanh(x @ p))

            def run(self, xs):
                out = []
                for x in xs:
                    out.append(self.apply(self.params, x))
                return np.array(out)
        """,
        "this loop calls the jitted `self.apply` for one example",
    ),
    "rows under a function that is not jitted": (
        "def f(xs: jax.Array):\n    out = []\n    for x in xs:\n        out.append(energy(x))\n    return out",
        "this loop runs `energy` for one example at a time, outside of jit",
    ),
    "pairs under a function that is not jitted": (
        "def f(X_test, Y_test):\n    out = []\n    for x, y in zip(X_test, Y_test):\n        out.append(energy(x) - y)\n    return out",
        "this loop runs `energy` for one example at a time, outside of jit",
    ),
    "points of a grid, one axis beside the other": (
        "def f(n):\n    X, Y = jnp.meshgrid(jnp.linspace(0, 1, n), jnp.linspace(0, 1, n))\n    out = []\n    for x, y in zip(X.reshape(-1), Y.reshape(-1)):\n        out.append(energy(x + y))\n    return out",
        "this loop runs `energy` for one example at a time, outside of jit",
    ),
    "pairs of rows that are added up": (
        "def f(xs: jax.Array):\n    total = 0.0\n    for i in range(len(xs)):\n        for j in range(len(xs)):\n            if i < j:\n                total += energy(xs[i] - xs[j])\n    return total",
        "this loop runs `energy` for one example at a time, outside of jit",
    ),
    "gradients that are added in place": (
        "def f(xs: jax.Array):\n    out = jnp.zeros_like(xs)\n    for i in range(len(xs)):\n        for j in range(len(xs)):\n            if i != j:\n                g = jax.grad(energy)(xs[i] - xs[j])\n                out = out.at[i].add(g)\n    return out",
        "this loop runs `jax.grad(energy)` for one example at a time, outside of jit",
    ),
    "an accuracy": (
        "def f(params, X, Y):\n    return sum(int(predict(params, x) == y) for x, y in zip(X, Y)) / len(X)",
        "this comprehension calls the jitted `predict` for one element of `zip(X, Y)`",
    ),
    "numbers of a test set": (
        "def f(params, test):\n    return np.mean([float(predict(params, t)) for t in test])",
        "this comprehension calls the jitted `predict` for one element of `test`",
    ),
}
LEFT = {
    "batches of a loader": "def f(params, loader):\n    out = []\n    for x in loader:\n        out.append(predict(params, x))\n    return out",
    "batches by the name of one": "def f(params, held):\n    out = []\n    for batch in held.out:\n        out.append(predict(params, batch))\n    return out",
    "tensors of another library": "def f(params, held):\n    out = []\n    for x in held.out:\n        x = jnp.array(x.numpy())\n        out.append(predict(params, x))\n    return out",
    "layers": "def f(layers, x):\n    return [predict(layer, x) for layer in layers]",
    "a state that goes on": "def f(params, xs):\n    for x in xs:\n        params = params - predict(params, x)\n    return params",
    "what goes on from the last of a list": "def f(params, xs):\n    out = [xs[0]]\n    for x in xs:\n        out.append(predict(params, out[-1] + x))\n    return out",
    "what stops early": "def f(params, xs):\n    return any(predict(params, x) > 0 for x in xs)",
    "entries by the texts of their keys": "def f(ps, xs: jax.Array, n: int):\n    total = 0.0\n    for i in range(n):\n        total += energy(ps['p_%d' % i])\n    return total",
    "cheap work that is added up": "def f(xs: jax.Array):\n    total = 0.0\n    for i in range(len(xs)):\n        for j in range(i):\n            total += jnp.abs(xs[i] - xs[j])\n    return total",
    "what is added up and read": "def f(x, n: int):\n    for i in range(n):\n        x += energy(x * i)\n    return x",
    "cheap work": "def f(xs: jax.Array):\n    out = []\n    for x in xs:\n        out.append(jnp.sin(x))\n    return out",
    "records under a function that is not jitted": "def f(rows):\n    out = []\n    for row in rows:\n        out.append(energy(row.x))\n    return out",
}


def messages(text: str, folder: Path) -> list[str]:
    settings = Settings(root=folder, select=("unbatched-loop", "unbatched-comprehension"), level="advice")
    outcome = check_text((HEAD + dedent(text)).encode(), folder / "model.py", settings)
    assert not outcome.problems
    return [f.message for f in outcome.findings]


@pytest.mark.parametrize(("text", "said"), NAMED.values(), ids=NAMED)
def test_examples_that_are_treated_one_by_one_are_named(text: str, said: str, tmp_path: Path) -> None:
    [message] = messages(text, tmp_path)
    assert said in message


@pytest.mark.parametrize("text", LEFT.values(), ids=LEFT)
def test_other_loops_are_left(text: str, tmp_path: Path) -> None:
    assert messages(text, tmp_path) == []
