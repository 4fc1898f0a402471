"""Findings that were read in real code and were wrong, reduced; each beside the nearest one that is right."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from scanlint.engine.session import check_text
from scanlint.settings import Settings

HEADER = """
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from somewhere import load_c_library


"""


def codes(text: str) -> list[str]:
    """The codes that are found in a program, those of some advice included; keys are the matter of other tests."""
    program = HEADER + textwrap.dedent(text)
    settings = Settings(extend_select=("SCN106", "SCN107", "SCN108"), ignore=("SCN5",))
    outcome = check_text(program.encode(), Path("program.py"), settings)
    assert not outcome.problems
    return [f.code for f in outcome.findings]


STEPS = """
step = jax.jit(lambda state: state * 0.9)


class Runs:
    def loop(self, count, state):
        for _ in range(count):
            state = step(state)
        return state

    def check(self):
        period = wanted = {period}
        self.loop(period, jnp.ones(3))
        return self.loop(2 * wanted, jnp.ones(3))
"""

BLOCKS = """
class Block(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(4)(nn.relu(nn.Dense(4)(x)))


class Mixer(nn.Module):
    num_blocks: int

    @nn.compact
    def __call__(self, x):
        for _ in range(self.num_blocks):
            x = Block()(x)
        return x


def config():
    return dict(width=4, num_blocks={blocks})
"""

HELD = """
def check(seed):
    keys = jax.random.split(jax.random.key(seed), 80)
    vals = jax.vmap(lambda k: jax.random.{other}(k, (5,)))(keys)
    expected = jnp.stack([jax.random.uniform(k, (5,)) for k in keys])
    return vals, expected
"""

ROWS = """
def targets(key):
    count, width = {rows}, 3
    xs = jax.random.normal(key, (count, width))
    return jnp.stack([x.dot(jnp.ones(3)) for x in xs])
"""

GRID = """
@jax.jit
def run(x):
    grid = jnp.zeros(({rows}, 3))
    for i in range(grid.shape[0]):
        x = jnp.sin(x) * grid[i] + jnp.cos(x) - jnp.exp(-x)
    return x
"""

EAGER = """
@jax.custom_vjp
def transform(x, spin):
    return {body}


def run(state):
    for n in range(50):
        state = state + jnp.sin(transform(state, n))
    return state
"""

NUMBERS = """
def load(step, index, most, limit):
    if most == limit:
        return step + index
    return step


def make(most, limit):
    def turn(x):
        return load(x, x, most, limit)

    return turn


def back(steps, most, limit):
    def body(x):
        return lax.cond(x > 0, make(most, limit), lambda y: y, x)

    first = load(steps, {index}, most, limit)
    return first + lax.while_loop(lambda x: x < 3, body, steps)
"""


CARRIED = """
@jax.jit
def run(x):
    state, _ = lax.scan(lambda c, row: (({number}, c[1] * row), None), (3, x[0]), x)
    count, x = lax.fori_loop(0, 5, lambda _, c: (c[0], c[1] * c[0]), state)
    if count > 2:
        x = jnp.sin(x)
    return x
"""

BLOCKWISE = """
SIZES = ((0, 3), (3, 2))


def reference(x):
    out = jnp.zeros(5)
    for start, width in SIZES:
        for row in range({bound}):
            near, far = jnp.exp(-((x - x[row]) ** 2)), jnp.tanh(x + x[row]) * jnp.cos(x * x[row])
            out = 0.9 * out + x * jnp.sin(x[row]) + near * far - 0.1 * jnp.sqrt(1.0 + near**2) + 0.1 * jnp.log(1.0 + far**2)
    return out
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(STEPS.format(period=3), [], id="steps that the file's own calls count as few"),
        pytest.param(STEPS.format(period=300), ["SCN107"], id="steps that the file's own calls count as many"),
        pytest.param(BLOCKS.format(blocks=2), [], id="blocks that the file's settings count as few"),
        pytest.param(BLOCKS.format(blocks=24), ["SCN106"], id="blocks that the file's settings count as many"),
        pytest.param(HELD.format(other="uniform"), [], id="a comprehension that a vmap of the same is held against"),
        pytest.param(HELD.format(other="normal"), ["SCN302"], id="a comprehension beside a vmap of something else"),
        pytest.param(ROWS.format(rows=2), [], id="an array drawn with few rows"),
        pytest.param(ROWS.format(rows=200), ["SCN302"], id="an array drawn with many rows"),
        pytest.param(GRID.format(rows=4), [], id="a range over an array made with few rows"),
        pytest.param(GRID.format(rows=40), ["SCN101"], id="a range over an array made with many rows"),
        pytest.param(
            EAGER.format(body="jnp.array(load_c_library().inverse(np.array(x), spin))"),
            [],
            id="a custom_vjp function that leaves JAX",
        ),
        pytest.param(
            EAGER.format(body="jnp.sin(x) * spin + " + " + ".join(f"jnp.cos({k}.0 * x)" for k in range(2, 12))),
            ["SCN108"],
            id="a custom_vjp function of JAX's own",
        ),
        pytest.param(
            NUMBERS.format(index="jnp.minimum(steps, most)"), [], id="a Python number behind an array in jnp.minimum"
        ),
        pytest.param(NUMBERS.format(index="jnp.sum(most)"), ["SCN201"], id="an array that is reduced"),
        pytest.param(CARRIED.format(number="c[0]"), [], id="a Python number that loops carry and leave alone"),
        pytest.param(CARRIED.format(number="c[0] + 1"), ["SCN201"], id="a Python number that a loop counts up"),
        pytest.param(BLOCKWISE.format(bound="start, start + width"), [], id="a range over numbers out of a list"),
        pytest.param(BLOCKWISE.format(bound="x.shape[0]"), ["SCN108"], id="a range over rows inside of such a loop"),
    ],
)
def test_what_the_file_says_of_sizes_and_of_its_own_code_is_believed(text: str, expected: list[str]) -> None:
    assert codes(text) == expected


def test_flags_and_counts_of_one_file_are_looked_up_side_by_side() -> None:
    text = """
    @jax.jit
    def run(x, negate, count=40):
        if negate:
            x = -x
        for _ in range(count):
            x = jnp.sin(x) * 2.0 + jnp.cos(x) - jnp.exp(-x)
        return x


    run(jnp.ones(3), True)
    """
    assert "SCN204" in codes(text)
