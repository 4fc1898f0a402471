"""Files that spell nothing of JAX and run what others compile: loops in them are looked at like all others."""

from __future__ import annotations

from pathlib import Path

import pytest

from scanlint.engine.session import check
from scanlint.settings import Settings

AGENT = """\
import jax
import jax.numpy as jnp


class Agent:
    def __init__(self):
        self.params = jnp.ones(3)
        self.step = jax.jit(lambda params, batch: (params + batch, jnp.sum(params)))

    def update(self, batch):
        self.params, loss = self.step(self.params, batch)
        return loss
"""
TRAIN = """\
from agent import Agent


def train(batches, steps):
    agent = Agent()
    losses = []
    for batch in batches:
        loss = agent.update(batch)
        losses.append(float(loss))
    return losses
"""
OTHER = TRAIN.replace("agent.update(batch)", "abs(batch)")


@pytest.mark.parametrize(("train", "expected"), [(TRAIN, ["train.py:9"]), (OTHER, [])], ids=["JAX", "no JAX"])
def test_a_loop_that_calls_what_another_file_compiles(train: str, expected: list[str], tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(AGENT)
    (tmp_path / "train.py").write_text(train)
    outcome = check([tmp_path], Settings(root=tmp_path, select=("SCN601",), level="advice"))
    assert [f"{Path(f.path).name}:{f.start.line}" for f in outcome.findings] == expected


APPLIED = """\
import jax
import jax.numpy as jnp


class Agent:
    def __init__(self, model, key):
        self.model = model
        self.params = model.init(key, jnp.ones((1, 4)))

    def act(self, state):
        return int(jnp.argmax(self.model.apply(self.params, state)))
"""
PLAYED = """\
from agent import Agent


def play(env, model, key):
    agent, state = Agent(model, key), env.reset()
    while True:
        state = env.step(agent.act(state))
"""


def test_a_model_that_a_method_applies_which_another_file_calls_in_a_loop(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(APPLIED)
    (tmp_path / "play.py").write_text(PLAYED)
    outcome = check([tmp_path], Settings(root=tmp_path, select=("SCN408",), level="advice"))
    assert [f"{Path(f.path).name}:{f.start.line}" for f in outcome.findings] == ["agent.py:11"]
