"""Arrays that a host loop makes longer on each trip, and what looks like it."""

from __future__ import annotations

from pathlib import Path

import pytest

from scanlint.engine.session import check_text
from scanlint.settings import Settings

HEAD = "import jax\nimport jax.numpy as jnp\nimport numpy as np\n\n\ndef collect(xs, n, step):\n"
GROWING = {
    "append": "    out = jnp.array([])\n    for x in xs:\n        out = jnp.append(out, step(x))\n    return out\n",
    "concatenate": "    out = jnp.zeros((0, 2))\n    for i in range(n):\n        out = jnp.concatenate([out, step(i)[None]], axis=0)\n    return out\n",
    "rows in front": "    out = jnp.zeros((0, 2))\n    while step(out):\n        out = jnp.vstack((step(1), out))\n    return out\n",
    "an attribute": "    for x in xs:\n        step.history = jnp.append(step.history, x)\n",
}
LEFT = {
    "NumPy": "    out = np.array([])\n    for x in xs:\n        out = np.append(out, step(x))\n    return out\n",
    "what is cut again": "    out = jnp.zeros(3)\n    for x in xs:\n        out = jnp.concatenate([out, step(x)])\n        out = out[-3:]\n    return out\n",
    "a list": "    out = []\n    for x in xs:\n        out.append(step(x))\n    return jnp.stack(out)\n",
    "another array each time": "    for x in xs:\n        row = jnp.append(x, 1.0)\n        step(row)\n",
    "few trips": "    out = jnp.array([])\n    for i in range(3):\n        out = jnp.append(out, step(i))\n    return out\n",
    "two parts beside each other": "    for x in xs:\n        pair = jnp.concatenate([x, x])\n        step(pair)\n",
}  # fmt: skip


def count(body: str, folder: Path) -> int:
    settings = Settings(root=folder, select=("SCN410",), level="advice")
    return len(check_text((HEAD + body).encode(), folder / "model.py", settings).findings)


@pytest.mark.parametrize("body", GROWING.values(), ids=GROWING)
def test_an_array_that_grows_on_each_trip_is_reported(body: str, tmp_path: Path) -> None:
    assert count(body, tmp_path) == 1


@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT)
def test_what_has_one_shape_is_left(body: str, tmp_path: Path) -> None:
    assert count(body, tmp_path) == 0


def test_a_traced_loop_is_the_matter_of_other_rules(tmp_path: Path) -> None:
    text = "import jax\nimport jax.numpy as jnp\n\n\n@jax.jit\ndef f(xs):\n    out = jnp.array([])\n    for x in xs:\n        out = jnp.append(out, x)\n    return out\n"
    settings = Settings(root=tmp_path, select=("SCN410",), level="advice")
    assert check_text(text.encode(), tmp_path / "model.py", settings).findings == ()


STEP = """\
import jax
import jax.numpy as jnp


class System:
    def __init__(self, plant):
        self.plant = plant
        self.step = jax.jit(self.step)

    def step(self, state, history, noise):
        state = jnp.tanh(state) + noise
        return state, {kept}

    def run(self, noises, n):
        state, history = jnp.zeros(3), jnp.zeros(1)
        for i in range(n):
            state, history = self.step(state, history, noises[i])
        return history
"""


def test_what_a_jitted_step_makes_longer_is_named_with_what_is_compiled(tmp_path: Path) -> None:
    settings = Settings(root=tmp_path, select=("SCN410",), level="advice")
    grown = STEP.format(kept="jnp.append(history, jnp.sum(state))")
    [finding] = check_text(grown.encode(), tmp_path / "model.py", settings).findings
    assert "`history` is longer on each trip" in finding.message
    assert "the jitted `self.step` is traced and compiled again" in finding.message


def test_a_step_that_keeps_the_shape_is_left(tmp_path: Path) -> None:
    settings = Settings(root=tmp_path, select=("SCN410",), level="advice")
    same = STEP.format(kept="jnp.roll(history, 1).at[0].set(jnp.sum(state))")
    assert check_text(same.encode(), tmp_path / "model.py", settings).findings == ()


def test_a_traced_loop_that_cannot_be_rolled_for_what_grows_is_told(tmp_path: Path) -> None:
    text = """\
from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames="steps")
def simulate(params, state, steps):
    history = jnp.array([0.0, 0.0])
    for t in range(steps):
        state = jnp.sin(state) * params
        history = jnp.append(history, jnp.sum(state) + history[-1])
    return jnp.mean(history)
"""
    settings = Settings(root=tmp_path, select=("SCN410",), level="advice")
    [finding] = check_text(text.encode(), tmp_path / "model.py", settings).findings
    assert "tracing `simulate` unrolls it" in finding.message
