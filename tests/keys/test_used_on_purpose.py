"""Keys that are used twice on purpose: warm-ups before a clock, templates that are filled, a value and its derivative."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from scanlint.engine.session import check_text
from scanlint.settings import Settings

HEAD = """\
import time
from time import time as now

import equinox as eqx
import jax
from flax import nnx


class Net(eqx.Module):
    layer: eqx.nn.Linear

    def __init__(self, key):
        a, b = jax.random.split(key)
        self.layer = eqx.nn.Linear(2, 2, key=a)


@jax.jit
def chain(key, n):
    return jax.random.normal(jax.random.split(key)[0], (3,)) * n


"""
SILENT = {
    "a warm-up and the call that is timed": """
        def run(key):
            jax.block_until_ready(chain(key, 2))
            start = now()
            out = jax.block_until_ready(chain(key, 10))
            return out, now() - start
        """,
    "two functions that are timed": """
        def other(key):
            return jax.random.uniform(jax.random.split(key)[0], (3,))


        def run(key):
            start = now()
            jax.block_until_ready(chain(key, 2))
            first = now() - start
            start = now()
            jax.block_until_ready(other(key))
            return first, now() - start
        """,
    "two states that go on under the same draws": """
        def run(key, a, b, n):
            for i in range(n):
                key, now = jax.random.split(key)
                a = chain(now, a)
                b = chain(now, b)
            return a, b
        """,
    "a function that times what it is handed": """
        def run(seed):
            def timed(fn, *given):
                jax.block_until_ready(fn(*given))
                start = time.perf_counter()
                jax.block_until_ready(fn(*given))
                return time.perf_counter() - start

            return timed(chain, jax.random.key(seed), 2.0)
        """,
    "a start that another one takes the place of": """
        def run(key, image):
            start = jax.random.normal(key, (3,))
            if image is not None:
                start = chain(key, 2)
            return start
        """,
    "models whose leaves are loaded": """
        def run(path, other):
            key = jax.random.key(0)
            first = Net(key)
            first = eqx.tree_deserialise_leaves(path, first)
            second = eqx.tree_deserialise_leaves(other, Net(key))
            return first, second
        """,
    "seeds that are named": """
        def run():
            first = jax.random.key(0)
            a = jax.random.normal(first)
            again = jax.random.key(0)
            return a, jax.random.normal(again)
        """,
    "one of two draws of a seed": """
        def run(wide):
            if wide:
                return jax.random.normal(jax.random.key(0), (9,))
            return jax.random.normal(jax.random.key(0), (3,))
        """,
    "two functions, each with a seed": """
        def noise():
            return jax.random.normal(jax.random.key(0))


        def run():
            return noise() + jax.random.normal(jax.random.key(0), (3,))
        """,
    "parts of a script that begin anew": """
        a = jax.random.normal(jax.random.key(0))
        b = jax.random.normal(jax.random.key(0))
        """,
    "two seeds": """
        def run():
            return jax.random.normal(jax.random.key(0)), jax.random.normal(jax.random.key(1))
        """,
    "two streams of one number": """
        class Config:
            seed = 3


        def run(config):
            return nnx.Rngs(config.seed), nnx.Rngs(config.seed)
        """,
}
SAID = {
    "two calls that nothing times": (
        "warning",
        "def run(key):\n    return jax.random.normal(key), jax.random.normal(key)\n",
    ),
    "two draws beside a clock": (
        "warning",
        "def run(key):\n    a = jax.random.normal(key)\n    b = jax.random.uniform(key)\n    return a, b, time.time()\n",
    ),
    "a start that is read before another one takes its place": (
        "warning",
        "def run(key):\n    start = jax.random.normal(key)\n    print(start)\n    start = jax.random.uniform(key)\n"
        "    return start\n",
    ),
    "a draw that is added to": (
        "warning",
        "def run(key):\n    x = jax.random.normal(key)\n    x = x + jax.random.uniform(key)\n    return x\n",
    ),
    "one state that goes on twice": (
        "advice",
        "def run(key, a):\n    a = chain(key, a)\n    a = chain(key, a)\n    return a\n",
    ),
    "two draws of a seed that is written twice": (
        "advice",
        "def run():\n    return jax.random.normal(jax.random.key(0)), jax.random.uniform(jax.random.key(0))\n",
    ),
    "two draws of what is split off from such a seed": (
        "warning",
        "def run():\n    k = jax.random.split(jax.random.key(0))[0]\n    return jax.random.normal(k), jax.random.uniform(k)\n",
    ),
    "models of which one is loaded": (
        "advice",
        "def run(path, key):\n    first = Net(key)\n    return first, eqx.tree_deserialise_leaves(path, Net(key)), Net(key)\n",
    ),
    "a value and its derivative": (
        "advice",
        """\
@jax.jit
def run(params, key):
    def loss(p, k):
        return (p * jax.random.normal(k)) ** 2

    slope = jax.grad(loss)
    return slope(params, key), loss(params + 1.0, key)
""",
    ),
}


def found(text: str, folder: Path) -> list[str]:
    settings = Settings(root=folder, select=("SCN501", "SCN502"), level="advice")
    outcome = check_text((HEAD + text).encode(), folder / "program.py", settings)
    assert not outcome.problems
    return [finding.level for finding in outcome.findings]


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT)
def test_nothing_is_said_of_what_is_meant(text: str, tmp_path: Path) -> None:
    assert found(dedent(text), tmp_path) == []


@pytest.mark.parametrize(("level", "text"), SAID.values(), ids=SAID)
def test_the_rest_is_said(level: str, text: str, tmp_path: Path) -> None:
    assert found(text, tmp_path) == [level]


@pytest.mark.parametrize(
    ("split", "reported"),
    [
        ("key, *subkeys = jax.random.split(key, 5)", 1),
        ("key, *_ = jax.random.split(key, 5)", 0),
        ("key, *subkeys = jax.random.split(key, 5)\n    key = subkeys[0]", 0),
        ("key, spare = jax.random.split(key)\n    return jax.random.normal(key)", 0),
        ("key, spare = jax.random.split(key)\n    return jax.random.normal(key) + jax.random.uniform(key)", 1),
    ],
)
def test_keys_that_are_split_off_as_a_list(split: str, reported: int, tmp_path: Path) -> None:
    text = f"import jax\n\n\ndef init(key):\n    {split}\n    return jax.random.normal(key), key\n"
    settings = Settings(root=tmp_path, select=("unused-split",), level="advice")
    assert len(check_text(text.encode(), tmp_path / "model.py", settings).findings) == reported
