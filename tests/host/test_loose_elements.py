"""Arrays that the host makes of elements which JAX makes one by one: those that are named, and those like them."""

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


def energy(x):
    y = jnp.sin(x) * jnp.cos(x) + jnp.exp(-x) / jnp.sqrt(1 + x**2)
    return jnp.sum(y - jnp.log1p(x) * jnp.tanh(x) + x**3)


"""


def messages(text: str, folder: Path, name: str = "model.py") -> list[str]:
    """What unbatched-comprehension says at the level of advice, none of it of a batch that it would rewrite."""
    settings = Settings(root=folder, select=("unbatched-comprehension",), level="advice")
    outcome = check_text((HEAD + dedent(text)).encode(), folder / name, settings)
    assert not outcome.problems
    return [f.message for f in outcome.findings if f.level == "advice"]


NAMED = {
    "items of a batch": (
        'def collate(batch):\n    return jnp.stack([jnp.array(item["ids"]) for item in batch], axis=0)',
        "hands the device one element of `batch`",
    ),
    "attributes of records": (
        "def positions(records):\n    return jnp.array([jnp.asarray(r.place) for r in records])",
        "hands the device one element of `records`",
    ),
    "numbers of an array": (
        "def halves(xs: jax.Array):\n    return jnp.array([float(x) / 2 for x in xs])",
        "fetches one element of `xs`",
    ),
    "numbers of what a test says to be an array": (
        "def halves(xs):\n    if isinstance(xs, jnp.ndarray):\n        return jnp.array([str(x.item()) for x in xs])\n    return xs",
        "fetches one element of `xs`",
    ),
    "a dozen operations of each": (
        "def scores(samples):\n    return np.array([float(energy(s.place)) for s in samples])",
        "runs `energy` for one element of `samples`",
    ),
    "a derivative of each": (
        "def slopes(samples):\n    return np.array([jax.grad(energy)(s.place) for s in samples])",
        "runs `jax.grad(energy)` for one element of `samples`",
    ),
}
GRID = """
def settle(k):
    v, error = jnp.zeros(4), 1.0
    while error > 1e-4:
        new = jnp.tanh(v + k)
        v, error = new, jnp.max(jnp.abs(new - v))
    return float(v[0])


grid = np.linspace(0, 1, 50)
"""
NAMED |= {
    "points of a grid for a plot": (
        "def plot_energy(ax):\n    xs = jnp.linspace(0, 1, 100)\n    ax.plot(xs, [energy(x) for x in xs])",
        "runs `energy` for one element of `xs`",
    ),
    "points of a grid of NumPy, added up": (
        "def total():\n    xs = np.linspace(0, 1, 100)\n    return sum(energy(x) for x in xs)",
        "runs `energy` for one element of `xs`",
    ),
    "one array for each": (
        "def rows(t: jax.Array, n):\n    return jnp.array([2.0 * jnp.sin(t).copy() for _ in range(n)])",
        "computes the same array for each element of `range(n)`",
    ),
    "pairs of rows": (
        "def total(xs: jax.Array):\n    n = len(xs)\n    return sum(energy(xs[i] - xs[j]) for i in range(n) for j in range(n) if i < j)",
        "runs `energy` for one element of `range(n)` at a time",
    ),
    "pairs of two arrays": (
        "def total(xs: jax.Array, ys: jax.Array):\n    return [energy(x - y) for x in xs for y in ys]",
        "runs `energy` for one element of `xs` and `ys` at a time",
    ),
    "few operations of many": (
        "def tail(data: jax.Array):\n    return [jnp.mean(data > x) for x in jnp.linspace(0, 1, 2000)]",
        "runs `jnp.mean` for one element of `jnp.linspace(0, 1, 2000)`",
    ),
    "numbers of an array in a list": (
        "def count(counter, xs: jax.Array):\n    return counter([x.item() for x in xs])",
        "fetches one element of `xs`",
    ),
    "a loop on the host for each": (
        GRID + "\nout = [settle(k) for k in grid]",
        "runs `settle` for one element of `grid` at a time, on the host",
    ),
}
DRAWN = """
def walls(key):
    found = []
    for i in range(int(jax.random.randint(key, (), 0, 9))):
        k = jax.random.fold_in(key, i)
        if bool(jax.random.bernoulli(k)):
            found.append(float(jax.random.uniform(k)))
    return found


keys = jax.random.split(jax.random.key(0), 50)
"""
LEFT = {
    "lists of what a loop on the host draws": DRAWN + "\nout = [walls(k) for k in keys]",
    "a shape": "def shape(sides: jax.Array):\n    return tuple([int(x) for x in sides])",
    "draws": "def rows(rng, n):\n    return jnp.array([jnp.asarray(rng.normal(size=3)) for _ in range(n)])",
    "a few pairs": "def values(xs: jax.Array):\n    return [energy(xs[i] - xs[j]) for i in range(3) for j in range(2)]",
    "pairs of numbers": "def values(n: int):\n    return [energy(i - j) for i in range(n) for j in range(n)]",
    "those that the device chooses": "def values(xs: jax.Array):\n    return [energy(x) for x in xs if x > 0]",
    "a few points": "def values(ax):\n    return [energy(x) for x in np.linspace(0, 1, 8)]",
    "a few operations": "def values(ax):\n    return [jnp.sin(x) for x in np.linspace(0, 1, 50)]",
    "NumPy on a grid": "def values(ax):\n    return [np.exp(-x) for x in np.linspace(0, 1, 500)]",
    "seeds of runs": "def runs(seeds: list[int]):\n    return [energy(seed) for seed in seeds]",
    "numbers of a line": "def read(line):\n    return jnp.array([float(x) for x in line.split()])",
    "an array of numbers": "def read(records):\n    return jnp.array([r.place for r in records])",
    "arrays of NumPy": "def collate(batch):\n    return jnp.asarray(np.stack([np.array(i) for i in batch]))",
    "few operations": "def read(samples):\n    return jnp.array([jnp.mean(s) for s in samples])",
    "leaves of a tree": "def norms(tree):\n    return jnp.array([energy(x) for x in jax.tree.leaves(tree)])",
    "parameters": "def norms(params):\n    return jnp.array([energy(x) for x in params])",
    "functions": "def values(fs, x):\n    return jnp.stack([f(x) for f in fs])",
    "three by name": "def values(a, b, c):\n    return jnp.stack([jnp.asarray(x) for x in (a, b, c)])",
    "a list that stays one": "def collate(batch):\n    return [jnp.array(i) for i in batch]",
    "some of them": "def collate(batch):\n    return jnp.stack([jnp.array(i) for i in batch if i is not None])",
    "pictures": "def plot_scores(samples):\n    return np.array([float(energy(s.place)) for s in samples])",
    "a trace": "@jax.jit\ndef halves(xs):\n    return jnp.stack([jnp.asarray(x) for x in xs])",
}


@pytest.mark.parametrize(("text", "said"), NAMED.values(), ids=NAMED)
def test_elements_that_jax_makes_one_by_one_are_named(text: str, said: str, tmp_path: Path) -> None:
    found = messages(text, tmp_path)
    assert len(found) == 1
    assert said in found[0]


@pytest.mark.parametrize("text", LEFT.values(), ids=LEFT)
def test_other_lists_are_left(text: str, tmp_path: Path) -> None:
    assert messages(text, tmp_path) == []


def test_tests_are_left(tmp_path: Path) -> None:
    text, _ = NAMED["items of a batch"]
    assert messages(text + "\n\n\ndef test_it():\n    assert True", tmp_path, "test_model.py") == []
