"""Names that a script binds several times: a statement at its top sees the last binding above it."""

from __future__ import annotations

from pathlib import Path

import pytest

from scanlint.engine.session import check_text
from scanlint.settings import Settings

HEAD = """\
import jax
import jax.numpy as jnp


def f(x):
    return x if x < 0 else x**2


"""
SCRIPTS = {
    "another function under the same name": (
        "g = jax.grad(f)\nprint(g(1.0))\ng = jax.grad(jnp.sin)\nh = jax.vmap(g)\nprint(h(jnp.ones(3)))\n",
        0,
    ),
    "the function that is traced": (
        "g = jax.grad(jnp.sin)\nprint(g(1.0))\ng = jax.grad(f)\nh = jax.vmap(g)\nprint(h(jnp.ones(3)))\n",
        1,
    ),
    "one that is bound later": (
        "g = jax.grad(jnp.sin)\nh = jax.vmap(g)\ng = jax.grad(f)\nprint(h(jnp.ones(3)), g(1.0))\n",
        0,
    ),
    "one that a branch may bind": (
        "g = jax.grad(jnp.sin)\nif jax.device_count() > 1:\n    g = jax.grad(f)\nh = jax.vmap(g)\nprint(h(jnp.ones(3)))\n",
        1,
    ),
    "one that is read later": (
        "g = jnp.sin\nh = jax.vmap(lambda x: g(x))\ng = f\nprint(h(jnp.ones(3)))\n",
        1,
    ),
}


@pytest.mark.parametrize(("script", "count"), SCRIPTS.values(), ids=SCRIPTS)
def test_a_statement_at_the_top_sees_what_was_bound_before_it(script: str, count: int, tmp_path: Path) -> None:
    outcome = check_text((HEAD + script).encode(), tmp_path / "script.py", Settings(root=tmp_path))
    assert not outcome.problems
    assert [f.name for f in outcome.findings] == ["traced-if"] * count


STEPS = """\
import jax
import jax.numpy as jnp


class Model:
    def __init__(self, debug=False):
        if not debug:
            self.step = jax.jit(self.step)

    def step(self, x):
        return jnp.sin(x) * 2 if {test} else x

    def run(self, x, n):
        for _ in range(n):
            x = self.step(x)
        return x


def advance(x, key):
    return x + 0.1 * jnp.sin(x) * jax.random.normal(key, x.shape) - jnp.cos(x) * jnp.exp(-x) / (1 + x**2)


def chain(x, key, n, kernel=advance):
    for _ in range(n):
        key, sub = jax.random.split(key)
        x = kernel(x, sub)
    return x
"""


def told(test: str, folder: Path) -> list[str]:
    settings = Settings(root=folder, level="advice")
    return sorted(f.name for f in check_text(STEPS.format(test=test).encode(), folder / "model.py", settings).findings)


def test_methods_under_a_jit_of_their_object_and_functions_by_default_are_known(tmp_path: Path) -> None:
    assert told("True", tmp_path) == ["eager-step-loop", "host-step-loop"]


def test_a_method_that_its_object_jits_is_traced(tmp_path: Path) -> None:
    assert "traced-if" in told("x.sum() > 0", tmp_path)
