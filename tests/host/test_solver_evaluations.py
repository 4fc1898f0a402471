"""Functions that SciPy evaluates outside of jit again and again, and those that are as they should be."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from scanlint.engine.session import check_text
from scanlint.settings import Settings

HEAD = """\
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import minimize, root


def energy(x, a):
    y = jnp.sin(x) * a + jnp.exp(-x) * jnp.cos(x) - jnp.log1p(x**2)
    return jnp.sum(y * jnp.tanh(y))


"""


def messages(text: str, folder: Path, name: str = "model.py") -> list[str]:
    settings = Settings(root=folder, select=("eager-transform",), level="advice")
    outcome = check_text((HEAD + dedent(text)).encode(), folder / name, settings)
    assert not outcome.problems
    return [f.message for f in outcome.findings]


NAMED = {
    "an objective of many operations": (
        "def fit(x, a):\n    return minimize(lambda x: energy(x, a), x)",
        "each evaluation of the lambda that `minimize` asks for runs about",
    ),
    "a method of an object": (
        """
        class Model:
            def loss(self, x):
                return energy(x, self.a)

            def fit(self, x):
                def objective(x):
                    return -self.loss(x)

                return minimize(objective, x, method="Nelder-Mead")
        """,
        "each evaluation of `objective`",
    ),
    "a derivative of a jitted function, made each time": (
        """
        def fit(x, a):
            loss = partial(energy, a=a)

            def both(x):
                value, gradient = jax.value_and_grad(jax.jit(loss))(x)
                return np.array(value), np.array(gradient)

            return minimize(fun=both, x0=x, jac=True)
        """,
        "traces `jax.value_and_grad` again",
    ),
    "a Jacobian by keyword": (
        "def solve(p, a):\n    step = jax.jit(energy)\n    return root(partial(step, a=a), p, jac=lambda p: jax.jacobian(energy)(p, a))",
        "traces `jax.jacobian` again",
    ),
    "a gradient as it is": (
        "def fit(x, a):\n    return minimize(jax.jit(energy), x, args=(a,), jac=jax.grad(energy))",
        "each evaluation of `jax.grad(energy)`",
    ),
}
LEFT = {
    "jitted functions": "def fit(x, a):\n    loss, slope = jax.jit(energy), jax.jit(jax.grad(energy))\n    return [minimize(loss, x, jac=slope, args=(a,)) for _ in range(9)]",
    "NumPy": "def fit(x):\n    return minimize(lambda x: float(np.sum(np.sin(x) * np.exp(x))), x)",
    "a wrapper around a jitted function": "def fit(x, a):\n    loss = jax.jit(energy)\n    return minimize(lambda x: np.asarray(loss(x, a)), x)",
    "what is not known": "def fit(objective, x):\n    return minimize(objective, x)",
    "JAX's own solver": "def fit(x, a):\n    return jax.scipy.optimize.minimize(lambda x: energy(x, a), x, method='BFGS')",
}


@pytest.mark.parametrize(("text", "said"), NAMED.values(), ids=NAMED)
def test_what_a_solver_evaluates_outside_of_jit_is_named(text: str, said: str, tmp_path: Path) -> None:
    [message] = messages(text, tmp_path)
    assert said in message


@pytest.mark.parametrize("text", LEFT.values(), ids=LEFT)
def test_other_calls_of_solvers_are_left(text: str, tmp_path: Path) -> None:
    assert messages(text, tmp_path) == []


def test_tests_are_left(tmp_path: Path) -> None:
    text, _ = NAMED["a gradient as it is"]
    assert messages(text + "\n\n\ndef test_it():\n    assert True", tmp_path, "test_model.py") == []
