"""Programs that mean the same under other names: each is found as its twin is."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from scanlint.engine.session import check_text
from scanlint.finding import Finding
from scanlint.policy import names
from scanlint.policy.names import Guess
from scanlint.settings import Settings

HEADER = "import jax\nimport jax.numpy as jnp\nfrom functools import partial\n\n"
STEP = "x = jnp.sin(x) * 2.0 + jnp.cos(x) - jnp.exp(-x)"

COUNTED = f"""
@partial(jax.jit, static_argnames="NAME")
def run(x, NAME):
    for _ in range(NAME):
        {STEP}
    return x
"""

DEFAULT = f"""
@partial(jax.jit, static_argnames="NAME")
def run(x, NAME=200):
    for _ in range(NAME):
        {STEP}
    return x
"""

MODULE = f"""
NAME = 200

@jax.jit
def run(x):
    for _ in range(NAME):
        {STEP}
    return x
"""

LENGTH = f"""
@jax.jit
def run(x, ys):
    NAME = ys.shape[0]
    for _ in range(NAME):
        {STEP}
    return x
"""

GRID = """
class Image:
    @partial(jax.jit, static_argnums=0)
    def render(self, table):
        rows = []
        for i in range(self.width):
            for j in range(self.NAME):
                rows.append(jnp.sin(table[i]) * jnp.cos(table[j]) + jnp.exp(table[i] - table[j]))
        return jnp.stack(rows)
"""

FUNCTION = f"""
@jax.jit
def NAME(x):
    for _ in range(100):
        {STEP}
    return x
"""

CHOSEN = f"""
@partial(jax.jit, static_argnames="NAME")
def run(x, NAME):
    if NAME:
        for _ in range(100):
            {STEP}
    return x
"""

HANDED_IN = """
@partial(jax.jit, static_argnames="NAME")
def run(x, NAME):
    if NAME(x) > 0:
        return x + 1.0
    return x - 1.0
"""

AROUND = """
def search(NAME):
    @jax.jit
    def run(x):
        if NAME(x) > 0:
            return x + 1.0
        return x - 1.0

    return run
"""

ROWS = """
@jax.jit
def run(x, NAME):
    for i in range(100):
        x = jnp.sin(x) + NAME[i] * 2.0
    return x
"""

TWINS = [
    *(pytest.param(COUNTED, "n_steps", n, id=f"a static argument {n}") for n in ("n_shards", "num_layers", "depth")),
    *(pytest.param(DEFAULT, "n_steps", n, id=f"an argument {n} with a default") for n in ("n_shards", "num_heads")),
    *(pytest.param(MODULE, "STEPS", n, id=f"a constant {n}") for n in ("LAYERS", "UNROLL", "DEGREE")),
    *(pytest.param(LENGTH, "n", n, id=f"a length {n}") for n in ("n_devices", "agents", "ndim")),
    *(pytest.param(GRID, "height", n, id=f"the side {n} of a grid") for n in ("levels", "order")),
    *(pytest.param(FUNCTION, "run", n, id=f"a function {n}") for n in ("unroll_dynamics", "unroll", "render")),
    *(pytest.param(CHOSEN, "fancy", n, id=f"a flag {n}") for n in ("unroll", "static_unroll", "traced")),
    *(pytest.param(HANDED_IN, "f", n, id=f"a handed-in {n}") for n in ("rank_loss", "size", "num_rows", "shape_of")),
    *(pytest.param(AROUND, "f", n, id=f"an enclosed {n}") for n in ("rank_loss", "size", "num_rows", "length")),
    *(pytest.param(ROWS, "rows", n, id=f"rows {n}") for n in ("terms", "weights", "params")),
]


def found(text: str, name: str) -> list[Finding]:
    """The findings in a program with one name put in."""
    program = HEADER + textwrap.dedent(re.sub(r"\bNAME\b", name, text))
    outcome = check_text(program.encode(), Path("program.py"), Settings())
    assert not outcome.problems
    return list(outcome.findings)


def summary(finding: Finding) -> tuple[object, ...]:
    """What a finding says, but for the words."""
    return finding.code, finding.start.line, finding.trips, finding.primitive, finding.fix.status


@pytest.mark.parametrize(("text", "plain", "other"), TWINS)
def test_a_name_decides_nothing(text: str, plain: str, other: str) -> None:
    expected = [summary(f) for f in found(text, plain)]
    assert expected
    assert [summary(f) for f in found(text, other)] == expected


SKIPPED = [
    pytest.param("if i % 2:", "if i % 2 == 1:", id="an odd number, compared"),
    pytest.param("if i % 2:", "if not i % 2 == 0:", id="an odd number, negated"),
]


@pytest.mark.parametrize(("test", "other"), SKIPPED)
@pytest.mark.parametrize("bound", ["n", "30", "ys.shape[0]"])
def test_a_trip_that_is_cut_short_is_a_branch(test: str, other: str, bound: str) -> None:
    def loop(inside: str) -> list[tuple[str, int]]:
        text = f"""
        @partial(jax.jit, static_argnames="n")
        def run(x, ys, n):
            for i in range({bound}):
                {inside}
            return x
        """
        return [(f.code, f.start.line) for f in found(textwrap.dedent(text), "run")]

    gap = "\n        "
    assert loop(f"{test}{gap}    continue{gap}{STEP}") == loop(f"{other}{gap}    continue{gap}{STEP}")
    assert loop(f"{test}{gap}    continue{gap}{STEP}") == loop(f"if not ({test[3:-1]}):{gap}    {STEP}") != []


KNOWN = """
@partial(jax.jit, static_argnames="f")
def run(x, f):
    if f(x) > 0:
        return x + 1.0
    return x - 1.0

CALLS
"""


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        pytest.param("run(jnp.ones(3), len)", [], id="a length, which is a Python number"),
        pytest.param("run(jnp.ones(3), lambda x: x.shape[0])", [], id="a shape in a lambda"),
        pytest.param("run(jnp.ones(3), jnp.sum)", ["SCN201"], id="a sum, which is a tracer"),
        pytest.param("run(jnp.ones(3), f=lambda x: x @ x)", ["SCN201"], id="a product in a lambda"),
        pytest.param("run(jnp.ones(3), len)\nrun(jnp.ones(3), jnp.sum)", [], id="once the one, once the other"),
        pytest.param("", ["SCN201"], id="nothing known"),
    ],
)
def test_the_calls_tell_what_a_handed_in_function_gives(calls: str, expected: list[str]) -> None:
    assert [f.code for f in found(KNOWN.replace("CALLS", calls), "run")] == expected


CAUGHT = """
@jax.jit
def run(x):
    try:
        for _ in range(100):
            {step}
        if x > 0:
            x = x + 1.0
    except {error}:
        pass
    return x
"""


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        pytest.param("ValueError", ["SCN101", "SCN201"], id="another error"),
        pytest.param("TypeError", ["SCN101"], id="the error that a tracer raises"),
        pytest.param("jax.errors.TracerBoolConversionError", ["SCN101"], id="the very error"),
    ],
)
def test_a_caught_error_excuses_a_test_but_no_loop(error: str, expected: list[str]) -> None:
    assert [f.code for f in found(CAUGHT.format(step=STEP, error=error), "run")] == expected


def test_every_guess_was_measured() -> None:
    guesses = [guess for guess in vars(names).values() if isinstance(guess, Guess)]
    assert guesses
    for guess in guesses:
        assert 0 <= guess.right <= guess.read


INTENDED = f"""
def outer(x):
    # the steps are unrolled by a factor of 16 for the sake of fusion
    def steps(x):
        for _ in range(100):
            {STEP}
        return x
    return steps(x)

run = jax.jit(outer)
"""


def test_a_comment_that_says_why_is_believed_and_one_that_speaks_of_unrolling_is_not() -> None:
    assert found(INTENDED, "run") == []
    text = INTENDED.replace("the steps are unrolled by a factor of 16 for the sake of fusion", "over the unroll length")
    assert [f.code for f in found(text, "run")] == ["SCN101"]
