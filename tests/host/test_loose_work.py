"""Loops on the host whose trips work outside of jit, with no state to hand on: models that are applied op by op."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent, indent

import pytest

from scanlint.engine.session import check_text
from scanlint.settings import Settings

HEAD = """\
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np


class Model(eqx.Module):
    first: eqx.nn.Linear
    second: eqx.nn.Linear

    def __init__(self, key):
        a, b = jax.random.split(key)
        self.first = eqx.nn.Linear(4, 8, key=a)
        self.second = eqx.nn.Linear(8, 2, key=b)

    def __call__(self, x):
        return jax.nn.softmax(self.second(jnp.tanh(self.first(x))))


def features(frame):
    scaled = (frame - jnp.mean(frame)) / (jnp.std(frame) + 1e-6)
    low, high = jnp.min(scaled), jnp.max(scaled)
    return jnp.stack([low, high, jnp.sum(jnp.abs(scaled)), jnp.sum(scaled**2), jnp.median(scaled)])


def forward(params, x):
    for layer in params:
        x = jnp.tanh(x @ layer["w"] + layer["b"]) * jax.nn.sigmoid(x)
    return jax.nn.softmax(x)


@jax.jit
def quick(frame):
    return features(frame)


@jax.jit
def long(frame):
    return jax.lax.fori_loop(0, 1000, lambda i, x: jnp.sin(x), frame)


"""
MODEL = "model = eqx.tree_deserialise_leaves(path, Model(jax.random.key(0)))\n"
LOOSE = {
    "a function that is jitted elsewhere, with a loop over layers": (
        "params = path['layers']\njax.jit(lambda x: forward(params, x))(frames[0])\n"
        "for frame in frames:\n    print(int(jnp.argmax(forward(params, frame))))",
        1,
    ),
    "a function that maps a model, beside a bar": (
        "def validate(x):\n    return jnp.mean(jax.vmap(path)(x))\n\n"
        "total = 0.0\nfor x in env.batches:\n    total += validate(x)\n    env.bar.update(1)",
        1,
    ),
    "what a setting asks for": ("for frame in frames:\n    if steps == 3:\n        print(features(frame))", 1),
    "a model that is loaded": (
        MODEL + "for _ in range(steps):\n    out = model(env.look())\n    env.act(out.item())",
        1,
    ),
    "operations of a function": ("for frame in frames:\n    print(features(frame))", 1),
}
LEFT = {
    "a jitted function": "for frame in frames:\n    print(quick(frame))",
    "a long program beside it": "for frame in frames:\n    print(features(frame), long(frame))",
    "what somebody may jit": "total = []\nfor frame in frames:\n    total.append(features(frame))",
    "few trips": "for _ in range(3):\n    print(features(frames[0]))",
    "a file for each trip": "for path in paths:\n    print(features(jnp.asarray(np.load(path))))",
    "what few trips do": "for i, frame in enumerate(frames):\n    if i % 10 == 0:\n        print(features(frame))",
    "little": "for frame in frames:\n    print(jnp.mean(frame))",
    "inner loops that dispatch": "for _ in range(steps):\n    print(features(frames))\n    for f in frames:\n        quick(f)",
}


def found(body: str, folder: Path) -> list[str]:
    text = f"{HEAD}def run(path, paths, env, frames, steps):\n{indent(dedent(body), '    ')}\n"
    outcome = check_text(text.encode(), folder / "run.py", Settings(root=folder, select=("SCN108",), level="advice"))
    assert not outcome.problems
    return [finding.message for finding in outcome.findings]


@pytest.mark.parametrize(("body", "number"), LOOSE.values(), ids=LOOSE)
def test_trips_that_work_outside_of_jit_are_named(body: str, number: int, tmp_path: Path) -> None:
    assert len(found(body, tmp_path)) == number


@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT)
def test_trips_that_gain_little_are_left(body: str, tmp_path: Path) -> None:
    assert found(body, tmp_path) == []


def test_a_model_is_named(tmp_path: Path) -> None:
    [message] = found(LOOSE["a model that is loaded"][0], tmp_path)
    assert message.startswith("each trip of this loop applies `model` outside of jit")
