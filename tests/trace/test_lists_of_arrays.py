"""What a loop goes over may be rows of an array or arrays in a list: those who call the function tell which."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Scanlint

MODEL = """\
import jax
import jax.numpy as jnp


def energies(parts, w):
    return jnp.stack([jnp.sum(jnp.tanh(p @ w)) for p in parts])


g = jax.jit(energies)


def host(parts, w):
    return jnp.stack([jnp.sum(jnp.tanh(p @ w)) for p in parts])


class Model:
    def __init__(self, w):
        self.w = w
        self.step = jax.jit(self._step)

    def _step(self, parts):
        out = []
        for p in parts:
            out.append(jnp.sum(jnp.tanh(p @ self.w)))
        return jnp.stack(out)


@jax.jit
def loss(parts, w):
    return inner(parts, w).sum()


def inner(parts, w):
    return jnp.stack([jnp.sum(jnp.tanh(p @ w)) for p in parts])


def pairs(xs, ys):
    return jnp.stack([jnp.dot(x, y) for x, y in zip(xs, ys)])


def total(xs, w):
    s = jnp.zeros(2)
    for x in xs:
        s = s + jnp.sum(jnp.tanh(x @ w))
    return s
"""
CALLER = """\
import jax
import jax.numpy as jnp
from model import Model, g as fast, host, loss, pairs, total


def main():
    w = jnp.ones((3, 2))
    {parts}
    print(fast(parts, w), host(parts, w), Model(w).step(parts), jax.grad(loss, argnums=1)(parts, w))
    print(jax.jit(pairs)(parts, parts), jax.jit(total)(parts, w))
"""
LISTS = {
    "a list that a loop fills": "parts = []\n    for n in (2, 4, 5):\n        parts.append(jnp.ones((n, 3)))",
    "a comprehension": "parts = [jnp.ones((n, 3)) for n in (2, 4, 5)]",
    "a tuple": "parts = jnp.ones((2, 3)), jnp.ones((4, 3))",
}


def found(run: Scanlint, folder: Path, **files: str) -> list[str]:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    shown = json.loads(run("check", "--no-cache", "--output-format", "json", ".").stdout)
    return sorted(f["function"] for f in shown["findings"])


@pytest.mark.parametrize("parts", LISTS.values(), ids=LISTS.keys())
def test_a_list_that_callers_hand_in_has_no_rows(run: Scanlint, tmp_path: Path, parts: str) -> None:
    assert found(run, tmp_path, model=MODEL, caller=CALLER.format(parts=parts)) == []


def test_an_array_that_callers_hand_in_has_rows(run: Scanlint, tmp_path: Path) -> None:
    told = found(run, tmp_path, model=MODEL, caller=CALLER.format(parts="parts = jnp.ones((7, 4, 3))"))
    assert told == ["Model._step", "energies", "host", "inner", "pairs", "total"]


def test_rows_of_which_no_caller_is_known_are_rows(run: Scanlint, tmp_path: Path) -> None:
    assert found(run, tmp_path, model=MODEL) == ["Model._step", "energies", "host", "inner", "pairs", "total"]


@pytest.mark.parametrize("first", [True, False], ids=["the list first", "the array first"])
def test_one_caller_with_a_list_is_enough(run: Scanlint, tmp_path: Path, first: bool) -> None:
    calls = ["print(g([w, w.T], w))", "print(g(jnp.ones((7, 2, 2)), w))"]
    both = "\n".join(calls if first else reversed(calls))
    text = MODEL[: MODEL.index("def host")] + f"w = jnp.ones((2, 2))\n{both}\n"
    assert found(run, tmp_path, model=text) == []


def test_what_has_a_shape_is_an_array_whatever_is_handed_in(run: Scanlint, tmp_path: Path) -> None:
    text = """\
import jax
import jax.numpy as jnp


@jax.jit
def norms(xs):
    return jnp.stack([jnp.sqrt(x @ x) for x in xs]) / xs.shape[0]


print(norms([jnp.ones(3), jnp.ones(3)]))
"""
    assert found(run, tmp_path, model=text) == ["norms"]
