"""nan-gradient: what is NaN at one point, in value or gradient; what is safe; and that JAX says so too."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from scanlint.engine.session import check_text
from scanlint.finding import Finding
from scanlint.settings import Settings

HEAD = "import jax\nimport jax.numpy as jnp\n\n"


def found(text: str, folder: Path, name: str = "model.py") -> list[Finding]:
    """The findings of nan-gradient in a text."""
    settings = Settings(root=folder, select=("SCN413",), level="advice")
    outcome = check_text((HEAD + dedent(text)).encode(), folder / name, settings)
    assert not outcome.problems
    return list(outcome.findings)


EXPANDED = "jnp.sum(x**2, 1)[:, None] + jnp.sum(y**2, 1) - 2 * x @ y.T"
WARNED = {
    "a logarithm behind its mask": "def g(x):\n    return jax.grad(lambda x: jnp.where(x > 0, jnp.log(x), 0.0))(x)\ny = g(0.0)",
    "a root behind its mask": "@jax.grad\ndef f(x):\n    return jnp.where(x > 0, jnp.sqrt(x), 0.0)\ny = f(0.0)",
    "a quotient behind its mask": "@jax.grad\ndef f(x):\n    return jnp.where(x != 0, 1 / x, 0.0)\ny = f(0.0)",
    "the other arm": "@jax.grad\ndef f(x):\n    return jnp.where(x <= 1.0, 0.0, jnp.log(x - 1.0))\ny = f(1.0)",
    "a mask that is written the other way round": (
        "@jax.grad\ndef f(x):\n    return jnp.where(0 < x, jnp.log(2 * x), 0.0)\ny = f(0.0)"
    ),
    "a mask that leaves more out than the point": (
        "@jax.grad\ndef f(t):\n    return jnp.where(t >= -0.5, t, jnp.log(-2 * t))\ny = f(0.0)"
    ),
    "all pairs of the same points": """
        @jax.grad
        def f(x):
            return jnp.sum(jnp.linalg.norm(x[:, None] - x[None], axis=-1))

        y = f(jnp.ones((2, 3)))
        """,
    "a root of the summed squares of all pairs": """
        @jax.grad
        def f(x):
            d = x[:, None, :] - x[None, :, :]
            return jnp.sum(jnp.sqrt(jnp.sum(d**2, axis=-1)))

        y = f(jnp.ones((2, 3)))
        """,
    "an expanded distance that is clamped": f"""
        @jax.grad
        def f(x):
            y = x
            d = jnp.maximum({EXPANDED}, 0.0)
            return jnp.sum(jnp.sqrt(d))

        y = f(jnp.ones((2, 3)))
        """,
    "an expanded distance that a function returns": f"""
        def squares(x, y):
            d = {EXPANDED}
            return d

        def f(x, y):
            return jnp.sqrt(squares(x, y))

        x = jax.random.normal(jax.random.key(0), (50, 3))
        y = f(x, x)
        """,
}
ADVISED = {
    "a number times its logarithm": "def f(p):\n    return jnp.sum(p * jnp.log(p))\ny = f(jnp.zeros(2))",
    "a number times its logarithm behind a test of something else": (
        "def f(p):\n    if p < 1:\n        return p * jnp.log(p)\n    return 0.0\ny = f(0.0)"
    ),
    "its logarithm times a number": "def f(p):\n    return -(jnp.log(p) * p).sum()\ny = f(jnp.zeros(2))",
}
LEFT = {
    "two masks": """
        @jax.grad
        def f(x):
            safe = jnp.where(x > 0, x, 1.0)
            return jnp.where(x > 0, jnp.log(safe), 0.0)

        y = f(0.0)
        """,
    "a mask that keeps the point": "@jax.grad\ndef f(x):\n    return jnp.where(x < 5.0, 1 / x, 0.0)\ny = f(6.0)",
    "a mask beside the point": "@jax.grad\ndef f(x):\n    return jnp.where(x > 0, jnp.log(x + 1.0), 0.0)\ny = f(0.0)",
    "a mask of another array": "@jax.grad\ndef f(x):\n    return jnp.where(2.0 > 0, jnp.log(x), 0.0)\ny = f(1.0)",
    "a mask where nothing is differentiated": "def f(x):\n    return jnp.where(x > 0, jnp.log(x), 0.0)\ny = f(0.0)",
    "pairs with an addend": """
        @jax.grad
        def f(x):
            d = x[:, None] - x[None]
            return jnp.sum(jnp.sqrt(jnp.sum(d**2, axis=-1) + 1e-9))

        y = f(jnp.ones((2, 3)))
        """,
    "pairs of two sets of points": """
        @jax.grad
        def f(x):
            c = 2.0 * jnp.ones((4, 3))
            return jnp.sum(jnp.linalg.norm(x[:, None] - c[None], axis=-1))

        y = f(jnp.ones((2, 3)))
        """,
    "neighbours": """
        @jax.grad
        def f(x):
            return jnp.sum(jnp.linalg.norm(x[1:] - x[:-1], axis=-1))

        y = f(jnp.arange(6.0).reshape(2, 3))
        """,
    "an expanded distance with a lower bound above 0": f"""
        def f(x, y):
            return jnp.sqrt(jnp.maximum({EXPANDED}, 1e-9))

        y = f(jnp.ones((2, 3)), jnp.ones((2, 3)))
        """,
    "what is positive times its logarithm": """
        def f(x):
            p = jnp.clip(x, 1e-9)
            return jnp.sum(p * jnp.log(p))

        y = f(jnp.zeros(2))
        """,
    "a size times its logarithm": "def f(x):\n    (n,) = x.shape\n    return n * jnp.log(n)\ny = f(jnp.ones(2))",
    "a number that is tested times its logarithm": "def f(p):\n    if p > 0:\n        return p * jnp.log(p)\n    return 0.0\ny = f(0.0)",
    "the same where the test turns it away": "def f(p):\n    return 0.0 if p <= 0 else jnp.log(p) * p\ny = f(0.0)",
    "the same in a branch of JAX": (
        "def f(p):\n    return jax.lax.cond(p > 0, lambda: p * jnp.log(p), lambda: 0.0)\ny = jax.grad(f)(0.0)"
    ),
    "a number times the logarithm of a sum": "def f(p):\n    return p * jnp.log(p + 1e-9)\ny = f(0.0)",
}


def holds_nan(text: str) -> bool:
    """What a program leaves as `y` is NaN somewhere."""
    import jax.numpy as jnp

    names: dict[str, object] = {}
    exec(HEAD + dedent(text), names)
    return bool(jnp.isnan(jnp.asarray(names["y"])).any())


@pytest.mark.parametrize("text", WARNED.values(), ids=WARNED)
def test_a_nan_at_one_point_is_a_warning(text: str, tmp_path: Path) -> None:
    [finding] = found(text, tmp_path)
    assert finding.level == "warning" and holds_nan(text)


@pytest.mark.parametrize("text", ADVISED.values(), ids=ADVISED)
def test_a_number_times_its_logarithm_is_advice(text: str, tmp_path: Path) -> None:
    [finding] = found(text, tmp_path)
    assert finding.level == "advice" and holds_nan(text)


@pytest.mark.parametrize("text", LEFT.values(), ids=LEFT)
def test_what_is_safe_is_left(text: str, tmp_path: Path) -> None:
    assert found(text, tmp_path) == [] and not holds_nan(text)


def test_a_clamped_distance_that_nothing_differentiates_is_advice(tmp_path: Path) -> None:
    [finding] = found(f"def f(x, y):\n    return jnp.sqrt(jnp.maximum({EXPANDED}, 0.0))\n", tmp_path)
    assert finding.level == "advice"


def test_tests_are_left(tmp_path: Path) -> None:
    assert found(WARNED["an expanded distance that a function returns"], tmp_path, "test_model.py") == []
