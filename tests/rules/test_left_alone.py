"""Loops and tests of which nothing is to be said: lists of functions and of parts, guards, scripts."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from scanlint.engine.session import check_text
from scanlint.settings import Settings

HEAD = "import flax.linen as nn\nimport jax\nimport jax.numpy as jnp\nimport numpy as np\n\n\n"


def findings(text: str, folder: Path, *more: str) -> list[str]:
    """Line and code of each finding; lines are those of the text."""
    outcome = check_text((HEAD + dedent(text)).encode(), folder / "model.py", Settings(root=folder, extend_select=more))
    assert not outcome.problems
    return [f"{f.start.line - HEAD.count(chr(10))} {f.code}" for f in outcome.findings]


ALONE = {
    "a constructor that gathers layers": """
        class Net:
            def __init__(self, key, n):
                self.weights = []
                for _ in range(n):
                    key, sub = jax.random.split(key)
                    self.weights.append(jax.random.normal(sub, (3, 3)))


        make = jax.vmap(lambda key, n: Net(key, n).weights[0], in_axes=(0, None))
        """,
    "functions in a list, by their number": """
        def build(functions, n):
            @jax.jit
            def run(x):
                for k in range(n):
                    layer = functions[k]
                    x = jnp.tanh(layer(x))
                return x

            return run
        """,
    "a guard in a function of its own": """
        def concrete(x):
            return not isinstance(x, jax.core.Tracer)


        @jax.jit
        def run(x):
            if concrete(x):
                assert x > 0
            if not concrete(x):
                return x
            return x if float(x) > 1 else -x
        """,
    "what is run without jit only": """
        @jax.jit
        def run(x):
            if jax.config.jax_disable_jit:
                assert not jnp.any(jnp.isnan(x))
            return x
        """,
    "a branch of Python beside the one of JAX": """
        PLAIN = False


        def plainly():
            global PLAIN
            PLAIN = True


        def cond(test, yes, no, x):
            if PLAIN:
                return yes(x)
            else:
                return jax.lax.cond(test, yes, no, x)


        def choose(test, yes, no, x):
            if PLAIN:
                if test:
                    return yes(x)
                return no(x)
            else:
                return jax.lax.cond(test, yes, no, x)


        @jax.jit
        def run(x):
            return choose(x[0] > 0, jnp.sin, jnp.cos, cond(x[1] > 0, jnp.sin, jnp.cos, x))
        """,
    "how a key is made": """
        @jax.jit
        def same(a, b):
            assert jax.random.key_impl(a) == jax.random.key_impl(b)
            return jax.random.normal(a)
        """,
}


@pytest.mark.parametrize("text", ALONE.values(), ids=ALONE)
def test_nothing_is_said(text: str, tmp_path: Path) -> None:
    assert findings(text, tmp_path) == []


SAID = {
    "a function that asks what an array is": (
        """
        def positive(x):
            if isinstance(x, (int, float)):
                return x > 0
            return jnp.all(x > 0)


        @jax.jit
        def run(x):
            return x if positive(x) else -x
        """,
        ["10 SCN201"],
    ),
    "a function of a script, once, and its loop": (
        """
        if __name__ == "__main__":

            @jax.jit
            def run(x):
                for _ in range(100):
                    x = jnp.sin(x)
                return x

            x = jnp.ones(3)
            for _ in range(1000):
                x = run(x)
        """,
        ["6 SCN101", "11 SCN107"],
    ),
    "the initializer of a parameter": (
        """
        def stacked(key, shape):
            rows = []
            for _ in range(shape[0]):
                key, sub = jax.random.split(key)
                rows.append(nn.initializers.lecun_normal()(sub, (1, shape[1])))
            return jnp.array(rows)


        class Block(nn.Module):
            width: int

            def setup(self):
                self.kernel = self.param("kernel", stacked, (self.width, 3))

            def __call__(self, x):
                return x @ self.kernel[:, 0]
        """,
        ["4 SCN102"],
    ),
}


@pytest.mark.parametrize(("text", "expected"), SAID.values(), ids=SAID)
def test_what_is_said(text: str, expected: list[str], tmp_path: Path) -> None:
    assert findings(text, tmp_path, "SCN107") == expected


SHOWN = """
def test_loops():
    @jax.jit
    def total(n):
        for i in range(n):
            n = n + i
        return n

    {call}
"""
TRIED = {
    "a failure that a test shows": ("try:\n        total(3)\n    except Exception as e:\n        print(e)", []),
    "a failure that nothing catches": ("total(3)", ["5 SCN104"]),
    "a call outside too": ("try:\n        total(3)\n    except Exception:\n        pass\n    total(4)", ["5 SCN104"]),
    "something else is caught": ("try:\n        total(3)\n    except OSError:\n        pass", ["5 SCN104"]),
}


@pytest.mark.parametrize(("call", "expected"), TRIED.values(), ids=TRIED)
def test_a_failure_that_a_test_shows_is_left(call: str, expected: list[str], tmp_path: Path) -> None:
    text = HEAD + SHOWN.format(call=call)
    outcome = check_text(text.encode(), tmp_path / "test_model.py", Settings(root=tmp_path))
    assert [f"{f.start.line - HEAD.count(chr(10))} {f.code}" for f in outcome.findings] == expected
