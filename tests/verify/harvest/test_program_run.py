"""One run of the project's own callers keeps what all wanted functions are called with."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

MODEL = """
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp

class State(NamedTuple):
    position: jax.Array
    speed: jax.Array

PULL = {"earth": 9.8, "moon": 1.6}

class World:
    def __init__(self, place):
        self.gravity = PULL[place]

    def step(self, state, push):
        if push > 0:
            speed = state.speed + push
        else:
            speed = state.speed - self.gravity
        return State(state.position + speed, speed)

@partial(jax.jit, static_argnames=("world",))
def rollout(world, state, pushes):
    seen = []
    for push in pushes:
        state = world.step(state, push)
        seen.append(state.position)
    return jnp.stack(seen)

@partial(jax.jit, static_argnames=("loss",))
def fit(loss, weights, rate):
    for _ in range(30):
        weights = weights - rate * jax.grad(loss)(weights, "train")
    return weights
"""
TRAIN = """
import sys
import jax
import jax.numpy as jnp
from model import State, World, fit, rollout

def make_loss(target):
    def loss(weights, mode):
        return jnp.sum((weights - target) ** 2)
    return loss

def main():
    world = World("earth")
    keys = jax.random.split(jax.random.key(0), 6)
    for update in range(10**9):
        starts = State(jnp.zeros((6, 2)), jnp.ones((6, 2)))
        pushes = jax.vmap(lambda k: jax.random.normal(k, (25,)))(keys)
        paths = jax.vmap(lambda s, p: rollout(world, s, p))(starts, pushes)
    if len(sys.argv) > 1:
        raise SystemExit("no arguments are expected")
    print(fit(make_loss(paths.mean(axis=(0, 1))), jnp.zeros(2), 0.1))

if __name__ == "__main__":
    main()
"""


def fixed(folder: Path, *options: str) -> dict[str, dict[str, object]]:
    """The findings after `--fix`, by function."""
    command = [sys.executable, "-m", "scanlint", "--fix", "--no-cache", "--exit-zero", "--output-format", "json"]
    done = subprocess.run([*command, *options, "."], cwd=folder, capture_output=True, text=True, check=True)
    return {f["function"]: f for f in json.loads(done.stdout)["findings"]}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    (folder / "pyproject.toml").write_text("[project]\nname = 'project'\n", encoding="utf-8")
    (folder / "model.py").write_text(dedent(MODEL), encoding="utf-8")
    (folder / "train.py").write_text(dedent(TRAIN), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def findings(project: Path) -> dict[str, dict[str, object]]:
    return fixed(project)


@pytest.mark.parametrize("function", ["World.step", "fit"])
def test_what_main_builds_is_what_a_function_is_verified_with(
    findings: dict[str, dict[str, object]], function: str
) -> None:
    found = findings[function]
    assert found["fix"]["status"] == "applied", found["fix"]  # type: ignore[index]
    assert found["verification"]["inputs"] == "harvested", "no guess names a place, or makes a loss that takes a mode"  # type: ignore[index]


def test_an_endless_training_loop_and_a_traced_if_do_not_keep_main_from_going_on(
    findings: dict[str, dict[str, object]],
) -> None:
    """`fit` is called after the loop, and `rollout` calls what cannot be traced."""
    assert findings["fit"]["verification"]["cases"]  # type: ignore[index]


def test_a_loop_over_a_branch_that_is_rewritten_too_is_rewritten(findings: dict[str, dict[str, object]]) -> None:
    assert findings["rollout"]["fix"]["status"] == "applied", findings["rollout"]["fix"]  # type: ignore[index]
