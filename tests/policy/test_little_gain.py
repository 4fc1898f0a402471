"""Findings that are true and that nobody would act on: in tests, and where the file says that there is little of it."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from scanlint.engine.session import check, check_text
from scanlint.finding import Finding
from scanlint.settings import Settings

HEADER = """
import jax
import jax.numpy as jnp
from functools import partial

"""

HOST = """
@jax.jit
def step(state):
    return state * 0.9

def test_decay():
    state = jnp.ones(3)
    for _ in range({trips}):
        state = step(state)
    assert state.sum() < 1
"""

UNROLLED = """
@jax.jit
def power(x):
    out = x
    for _ in range({trips}):
        out = out @ x
    return out
"""

REFERENCE = """
@jax.jit
def reference(xs):
    return jnp.stack([jnp.sinc(x) for x in xs])
"""

COUNTED = """
def run(x):
    def body(carry, _):
        return carry * 2, carry
    return jax.lax.scan(body, x, jnp.arange({trips}))
"""

ORDERS = """
def recursion(x, n):
    '''The polynomials at some points.

    Args:
        x: points.
        n: {entry}

    Returns:
        The values.
    '''
    values = jnp.ones((n + 1, x.size))
    for k in range(2, n + 1):{comment}
        values = values.at[k].set(2.0 * x * values[k - 1] - values[k - 2])
    return values

evaluate = jax.jit(recursion, static_argnums=1)
"""


def found(text: str, path: str = "program.py") -> list[Finding]:
    """The findings in a program under some path, by the rules that are off by default too."""
    settings = Settings(extend_select=("SCN106", "SCN107", "SCN108"))
    outcome = check_text((HEADER + textwrap.dedent(text)).encode(), Path(path), settings)
    assert not outcome.problems
    return list(outcome.findings)


@pytest.mark.parametrize(
    ("text", "little", "much"),
    [
        pytest.param(HOST, 100, 5000, id="steps on the host"),
        pytest.param(UNROLLED, 500, 5000, id="a program that is large on purpose"),
        pytest.param(COUNTED, 4, 400, id="an array that is made to be counted"),
    ],
)
@pytest.mark.parametrize("path", ["test_program.py", "program_test.py", "tests/helpers.py"])
def test_in_a_test_only_much_work_is_worth_a_word(text: str, little: int, much: int, path: str) -> None:
    assert len(found(text.format(trips=little))) == 1
    assert found(text.format(trips=little), path) == []
    assert len(found(text.format(trips=much), path)) == 1


def test_a_reference_in_a_test_may_be_a_loop() -> None:
    assert [f.code for f in found(REFERENCE)] == ["SCN302"]
    assert found(REFERENCE, "test_program.py") == []


@pytest.mark.parametrize(
    ("entry", "comment", "expected"),
    [
        pytest.param("degree of the expansion.", "", [], id="a degree"),
        pytest.param("number of points per level.", "", ["SCN101"], id="a qualified number of something else"),
        pytest.param("how often, typically 2 to 4.", "", [], id="a typical number that is small"),
        pytest.param("how often, typically 200.", "", ["SCN101"], id="a typical number that is large"),
        pytest.param("how often, defaults to 2.", "", [], id="a number by default that is small"),
        pytest.param("how often, defaults to 200.", "", ["SCN101"], id="a number by default that is large"),
        pytest.param("how often.", "  # only a few", [], id="a comment beside the loop"),
        pytest.param("how often.", "", ["SCN101"], id="nothing said"),
    ],
)
def test_words_about_a_number_of_trips_are_believed(entry: str, comment: str, expected: list[str]) -> None:
    assert [f.code for f in found(ORDERS.format(entry=entry, comment=comment))] == expected


def test_a_nest_of_short_loops_needs_many_trips_together() -> None:
    nest = """
    @jax.jit
    def deal(hands, deck):
        for i in range(3):
            for j in range({count}):
                hands = hands.at[j].set(jnp.sin(hands[j] + deck[i]) * jnp.cos(hands[j]) - jnp.exp(deck[j]) + deck[i + j])
        return hands
    """
    assert found(nest.format(count=4)) == []
    assert len(found(nest.format(count=9))) == 1


def test_reading_a_list_and_a_slice_with_fixed_bounds_count_for_what_they_add() -> None:
    text = """
    @partial(jax.jit, static_argnames="n")
    def run(x, n):
        for i in range(n):
            x = x + {read}
        return x
    """
    reads = {"x[i]": 5, "x[i : i + 3]": 2}
    labels = {read: found(text.format(read=read))[0].label for read in reads}
    assert labels == {read: f"each trip adds about {number} equations" for read, number in reads.items()}


IMAGE = """
def image(places, size):
    picture = jnp.zeros((size, size))
    for i in range(len(places)):
        row, column, spread = places[i][0], places[i][1], jnp.arange(size) - places[i][2]
        glow = jnp.exp(-(spread**2)) * jnp.cos(spread) + jnp.tanh(spread) * jnp.sin(3.0 * spread)
        glow = glow / jnp.sqrt(1.0 + jnp.sum(glow**2)) - 0.1 * jnp.mean(glow) + 0.01 * jnp.max(glow)
        picture = picture.at[row, column].set(jnp.sum(glow)) + 0.1 * jnp.outer(glow, glow)
    return picture
"""


@pytest.mark.parametrize(
    ("path", "expected"),
    [("mask.py", ["SCN108"]), ("viewer.py", []), ("envs/rendering/mask.py", []), ("overview.py", ["SCN108"])],
)
def test_what_is_drawn_for_people_is_let_be(path: str, expected: list[str]) -> None:
    assert [f.code for f in found(IMAGE, path)] == expected


CONFIG = """
from dataclasses import dataclass

@dataclass
class Base:
    num_blocks: int = {blocks}
"""

MODEL = """
import flax.linen as nn
from dataclasses import dataclass
from {package}.settings import Base

@dataclass
class Config(Base):
    width: int = 4

class Block(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(4)(nn.relu(nn.Dense(4)(x)))

class Mixer(nn.Module):
    config: Config

    @nn.compact
    def __call__(self, x):
        cfg = self.config
        for _ in range(cfg.num_blocks):
            x = Block()(x)
        return x
"""


@pytest.mark.parametrize(("blocks", "expected"), [(2, []), (24, ["SCN106"])])
@pytest.mark.parametrize("root", ["__init__.py", "setup.py"])
def test_a_default_in_another_file_tells_how_many_blocks_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, blocks: int, expected: list[str], root: str
) -> None:
    here = tmp_path / "my-model"
    package = here / "mymodel"
    package.mkdir(parents=True)
    (here / "pyproject.toml").write_text("")
    (here / root).write_text("")
    (package / "__init__.py").write_text("")
    (package / "settings.py").write_text(CONFIG.format(blocks=blocks))
    (package / "model.py").write_text(MODEL.format(package="mymodel"))
    monkeypatch.chdir(here)
    outcome = check([Path()], Settings(root=here, extend_select=("SCN106",), cache=False, jobs=1))
    assert [f.code for f in outcome.findings] == expected


def test_a_python_number_reduced_over_a_tree_stays_one() -> None:
    text = """
    @jax.jit
    def check(params, x):
        same = jax.tree.reduce(lambda a, b: a and b, jax.tree.map(lambda p: p.shape == x.shape, params), True)
        if not same:
            raise ValueError("shapes differ")
        return x
    """
    assert found(text) == []
