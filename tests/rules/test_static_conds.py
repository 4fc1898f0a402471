"""Conds on values of Python, which tracing knows, and conds on tracers."""

from __future__ import annotations

from pathlib import Path

import pytest

from scanlint.engine.session import check_text
from scanlint.settings import Settings

HEAD = """\
import functools

import jax
import jax.numpy as jnp

FAST = True


@functools.partial(jax.jit, static_argnames="train")
def f(x, flag, train: bool):
    i = 0
"""
KNOWN = {
    "a static argument": "train",
    "a setting of the module": "FAST",
    "a question about a shape": "x.ndim > 1",
    "a number of Python": "i == 0",
    "a switch": "",
}
TRACED = {"an argument": "flag", "a comparison of arrays": "x.sum() > 0", "a reduction": "jnp.all(x > 0)"}


def count(condition: str, folder: Path) -> int:
    call = f"cond({condition}, jnp.sin, jnp.cos, x)" if condition else "switch(i, [jnp.sin, jnp.cos], x)"
    text = f"{HEAD}    return jax.lax.{call}\n"
    settings = Settings(root=folder, select=("SCN409",), level="advice")
    return len(check_text(text.encode(), folder / "model.py", settings).findings)


@pytest.mark.parametrize("condition", KNOWN.values(), ids=KNOWN)
def test_a_cond_on_a_value_of_python_is_reported(condition: str, tmp_path: Path) -> None:
    assert count(condition, tmp_path) == 1


@pytest.mark.parametrize("condition", TRACED.values(), ids=TRACED)
def test_a_cond_on_a_tracer_is_left(condition: str, tmp_path: Path) -> None:
    assert count(condition, tmp_path) == 0


@pytest.mark.parametrize(("condition", "expected"), [("train", 1), ("x.ndim > 1", 1), ("x > 0", 0), ("flag", 0)])
def test_a_where_on_a_value_of_python_is_reported(condition: str, expected: int, tmp_path: Path) -> None:
    text = f"{HEAD}    return jnp.where({condition}, jnp.sin(x), x)\n"
    settings = Settings(root=tmp_path, select=("SCN409",), level="advice")
    found = check_text(text.encode(), tmp_path / "model.py", settings).findings
    assert len(found) == expected
    if condition == "train":
        assert found[0].help == "`jnp.sin(x) if train else x` computes the one that counts"


def test_a_where_on_the_number_of_a_trip_is_left(tmp_path: Path) -> None:
    text = f"{HEAD}    for k in range(20):\n        x = jnp.where(k == 0, jnp.sin(x), x)\n    return x\n"
    settings = Settings(root=tmp_path, select=("SCN409",), level="advice")
    assert check_text(text.encode(), tmp_path / "model.py", settings).findings == ()


@pytest.mark.parametrize(
    "returned",
    [
        pytest.param("jax.lax.cond(double, jnp.sin, jnp.cos, x)", id="at once"),
        pytest.param("(lambda v, d: jax.lax.cond(d, jnp.sin, jnp.cos, v))(x, double)", id="in an inner function"),
    ],
)
def test_a_default_that_a_caller_may_pass_is_no_value_of_python(returned: str, tmp_path: Path) -> None:
    text = f"import jax\nimport jax.numpy as jnp\n\n\n@jax.jit\ndef f(x, double: bool = True):\n    return {returned}\n"
    settings = Settings(root=tmp_path, select=("SCN409",), cache=False)
    assert check_text(text.encode(), tmp_path / "model.py", settings).findings == ()


def test_a_shape_of_what_may_be_passed_is_one_of_python(tmp_path: Path) -> None:
    arms = "jax.lax.cond(y.shape[0] > 2, jnp.sin, jnp.cos, x)"
    text = f"import jax\nimport jax.numpy as jnp\n\n\n@jax.jit\ndef f(x, y=jnp.zeros(3)):\n    return {arms}\n"
    settings = Settings(root=tmp_path, select=("SCN409",), level="advice")
    assert len(check_text(text.encode(), tmp_path / "model.py", settings).findings) == 1
