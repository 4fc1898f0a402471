"""bounded-while: loops that nothing but a counter ends, and those that something else may end."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import jax
import jax.numpy as jnp
import pytest

from scanlint.engine.session import check_text
from scanlint.settings import Settings

HEAD = """\
from functools import partial

import jax
import jax.numpy as jnp
from jax import lax


"""
LOOP = """\
def f(x, n, m):
    def test(carry):
        x, i = carry
        return {test}

    def body(carry):
        x, i = carry
        return jnp.sin(x), {step}

    return lax.while_loop(test, body, (x, {start}))[0]
"""


def found(text: str, folder: Path, name: str = "model.py") -> list[str]:
    settings = Settings(root=folder, select=("SCN414",), level="advice")
    outcome = check_text((HEAD + dedent(text)).encode(), folder / name, settings)
    assert not outcome.problems
    return [finding.help or "" for finding in outcome.findings]


COUNTING = {
    "less": ("i < n", "i + 1", "0", "fori_loop(0, n"),
    "greater": ("n > i", "i + 1", "0", "fori_loop(0, n"),
    "from another number": ("i < n - 1", "i + 1", "3", "fori_loop(3, n - 1"),
}
NOT_COUNTING = {
    "something else ends it": ("(i < n) & (x > m)", "i + 1", "0"),
    "it asks for the state": ("x < n", "i + 1", "0"),
    "the bound is part of the state": ("i < x", "i + 1", "0"),
    "other steps": ("i < n", "i + 2", "0"),
    "the state counts": ("i < n", "x + 1", "0"),
    "it begins with an array": ("i < n", "i + 1", "m"),
    "it stops at another number": ("i != n", "i + 1", "0"),
}


@pytest.mark.parametrize(("test", "step", "start", "help"), COUNTING.values(), ids=COUNTING)
def test_a_loop_that_only_counts_is_told(test: str, step: str, start: str, help: str, tmp_path: Path) -> None:
    text = LOOP.format(test=test, step=step, start=start)
    [said] = found(text, tmp_path)
    assert help in said
    assert found(text, tmp_path, "test_model.py") == []


@pytest.mark.parametrize(("test", "step", "start"), NOT_COUNTING.values(), ids=NOT_COUNTING)
def test_any_other_loop_is_left(test: str, step: str, start: str, tmp_path: Path) -> None:
    assert found(LOOP.format(test=test, step=step, start=start), tmp_path) == []


def test_functions_without_names_and_parts_by_number_are_read(tmp_path: Path) -> None:
    lambdas = "lambda c: c[1] < 9, lambda c: (jnp.sin(c[0]), c[1] + 1), (x, 0)"
    assert len(found(f"def f(x):\n    return lax.while_loop({lambdas})\n", tmp_path)) == 1


@pytest.mark.parametrize(("static", "reported"), [("n", 1), ("m", 0)])
def test_a_bound_that_is_traced_makes_a_while_loop_of_both(static: str, reported: int, tmp_path: Path) -> None:
    text = LOOP.format(test="i < n", step="i + 1", start="0")
    jitted = f"@partial(jax.jit, static_argnames=[{static!r}])\n{text}\n\ndef run(x):\n    return f(x, n=3, m=4)\n"
    assert len(found(jitted, tmp_path)) == reported


def test_jax_goes_back_through_the_cure_alone() -> None:
    def counted(x: jax.Array) -> jax.Array:
        return jax.lax.while_loop(lambda c: c[1] < 3, lambda c: (jnp.sin(c[0]), c[1] + 1), (x, 0))[0]

    def cured(x: jax.Array) -> jax.Array:
        return jax.lax.fori_loop(0, 3, lambda i, x: jnp.sin(x), x)

    with pytest.raises(ValueError, match="Reverse-mode"):
        jax.grad(counted)(1.0)
    assert jnp.isfinite(jax.grad(cured)(1.0)) and counted(1.0) == cured(1.0)
