"""Places as public programs leave them: what is said of them, and what is not said of those like them."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from scanlint.engine.session import check_text
from scanlint.settings import Settings

HEAD = """\
import time
from functools import partial

import haiku as hk
import jax
import jax.numpy as jnp
from jax import jit, random
from tqdm import tqdm

jax.config.update("jax_enable_x64", True)


"""
AGENT = """
class Agent:
    def __init__(self, key, model):
        self.params = model.init(key, jnp.ones((1, 3)))
        self.q = {}

    def act(self, s):
        return int(jnp.argmax(self.q(self.params, s)))

    def run(self, env, s):
        while True:
            s = env.step(self.act(s))
"""
FILTER = """
class Filter:
    def __init__(self, n, key=None):
        if key is None:
            key = random.PRNGKey(42)
        self.key{} = {}
        self.x = random.normal({}, (n,))

    def step(self):
        self.key, sub = random.split(self.key)
        return self.x + random.normal(sub)
"""
SAID = {
    "a progress bar in traced code": (
        "@jit\ndef f(x):\n    for i in tqdm(range(50)):\n        x = jnp.sin(x) * i\n    return x\n",
        ["unrolled-loop"],
    ),
    "an operation alone between two looks at the clock, at the top of a file": (
        "x = jnp.arange(1e7)\nstart = time.time()\ny = x**2\nend = time.time()\nprint(end - start)\n",
        ["clock-without-wait"],
    ),
    "a copy with another field": (
        "@jit\ndef f(state, key):\n    state.replace(key=key)\n    return state\n",
        ["dropped-result"],
    ),
    "an inner loop of one trip": (
        """
        @jit
        def step(p, x):
            return p + x, jnp.sum(x)


        def train(p, sampler, log):
            for i in tqdm(range(10_000)):
                p, loss = step(p, sampler.sample())
                log.write("loss", float(loss))
                for _ in range(1):
                    p, _ = step(p, sampler.sample())
            return p
        """,
        ["wait-in-loop"],
    ),
    "an element that is tested beside other work": (
        "def f(xs: jax.Array, g):\n    for i in range(10_000):\n        if xs[i] > 0:\n            g(i)\n",
        ["wait-in-loop"],
    ),
    "batches that each trip draws": (
        """
        @jit
        def evaluate(p, x):
            return jnp.mean((x - p) ** 2)


        def validate(p, data, n, key):
            total = 0.0
            for _ in range(n):
                key, sub = random.split(key)
                total += float(evaluate(p, get_batch(data, sub)))
            return total
        """,
        ["wait-in-loop"],
    ),
    "a model that an agent applies": (AGENT.format("model.apply"), ["eager-transform"]),
    "a key that is drawn from and stays in an object": (FILTER.format("", "key", "key"), ["key-after-split"]),
}
SILENT = {
    "keys that are the rest of a split, in a list": """
        @jit
        def sample(key, means):
            key, other, *keys = random.split(key, means.shape[0] + 2)
            drawn = jnp.array([random.normal(keys[i], (3,)) * means[i] for i in range(means.shape[0])])
            return key, drawn[random.randint(other, (8,), 0, 3)]
        """,
    "what is compared in a benchmark": """
        def benchmark_eager(x, n, key):
            def slow(x, key):
                x = jnp.sin(x) * jnp.cos(x) + jnp.exp(-(x**2)) - jnp.tanh(x) / jnp.sqrt(1 + x**2)
                return x + random.normal(key, x.shape) * jnp.mean(x) - jnp.max(x)

            start = time.time()
            for _ in range(n):
                key, sub = random.split(key)
                x = slow(x, sub)
            x.block_until_ready()
            return time.time() - start
        """,
    "the form of what is loaded": """
        import equinox as eqx


        def make(key):
            a, b = random.split(key)
            return eqx.nn.Linear(3, 3, key=a), eqx.nn.Linear(3, 3, key=b)


        def load(paths):
            found = []
            for path in paths:
                like = make(random.key(0))
                found.append(eqx.tree_deserialise_leaves(path, like))
            return found
        """,
    "a clock around what prints its results": """
        @jit
        def step(p):
            return p * 0.9, jnp.sum(p)


        def train(p, n):
            for _ in range(n):
                total = 0.0
                for _ in range(n):
                    p, loss = step(p)
                    total += loss
                print(f"{total:.3f}")
            return p


        def main():
            start = time.time()
            p = train(jnp.ones(3), 8)
            print(time.time() - start)
            return p
        """,
    "layers by their number": """
        @partial(jit, static_argnames="n")
        def apply(params, x, n):
            for i in range(n):
                block = params["blocks"][i]
                x = x + jnp.tanh(x @ block["w"] + block["b"]) * jnp.sin(x) + jnp.cos(x) - jnp.exp(x)
            return x
        """,
    "a method by the name of one of an import": """
        class Model:
            @partial(jit, static_argnums=0)
            def update(self, x, y):
                return x + y
        """,
    "chunks on the host": """
        step = jit(lambda p, xs: jnp.tanh(xs @ p))


        def f(p, xs: jax.Array, size):
            out = []
            for start in range(0, xs.shape[0], size):
                out.append(step(p, xs[start : start + size]))
            return jnp.concatenate(out)
        """,
    "what a notebook shows of a key": "key = random.key(0)\nrandom.normal(key)\nrandom.normal(key), random.normal(key)\n",
    "a model that is jitted": AGENT.format("jit(model.apply)"),
    "the other half of a split stays": FILTER.format(", sub", "random.split(key)", "sub"),
    "a clock around work that is waited for": (
        "x = jnp.arange(1e7)\nstart = time.time()\ny = (x**2).block_until_ready()\nprint(time.time() - start)\n"
    ),
    "a text in which something is replaced": 'def f(table):\n    table.replace(to_replace="a", inplace=True)\n',
}


def names(text: str, folder: Path) -> list[str]:
    settings = Settings(root=folder, level="advice")
    outcome = check_text((HEAD + dedent(text)).encode(), folder / "program.py", settings)
    assert not outcome.problems
    return [finding.name for finding in outcome.findings]


@pytest.mark.parametrize(("text", "expected"), SAID.values(), ids=SAID)
def test_what_is_said(text: str, expected: list[str], tmp_path: Path) -> None:
    assert names(text, tmp_path) == expected


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT)
def test_what_is_not(text: str, tmp_path: Path) -> None:
    assert names(text, tmp_path) == []
