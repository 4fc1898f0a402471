"""Loops of Python over an array of JAX that only fetch it: those that are named, and those like them."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from scanlint.engine.session import check_text
from scanlint.settings import Settings

HEAD = """\
import jax
import jax.numpy as jnp
import numpy as np


"""


def found(text: str, folder: Path, name: str = "model.py") -> list[int]:
    """The lines of the findings of wait-in-loop, those of the text alone."""
    settings = Settings(root=folder, select=("wait-in-loop",), level="advice")
    outcome = check_text((HEAD + dedent(text)).encode(), folder / name, settings)
    assert not outcome.problems
    return [f.start.line - HEAD.count("\n") for f in outcome.findings]


NAMED = {
    "a mask that is asked": """
        def walls(segments: jax.Array, mask: jax.Array, draw):
            for j in range(segments.shape[0]):
                if not mask[j]:
                    continue
                draw(segments[j])
        """,
    "elements by a name that are asked": """
        def hits(angles: jax.Array, distances: jax.Array, draw):
            for i, angle in enumerate(angles):
                d = distances[i]
                if jnp.isfinite(d) and d < 30.0:
                    draw(d * jnp.cos(angle))
        """,
    "places in a list that JAX draws": """
        def sample(buffer, key):
            places = jax.random.randint(key, (32,), 0, len(buffer))
            return [buffer[i] for i in places]
        """,
    "numbers of an array": """
        def numbers(xs: jax.Array):
            return [float(x) for x in xs]
        """,
    "rows of rows that are written": """
        def write(frames: jnp.ndarray, file):
            for frame in frames:
                for i, atom in enumerate(frame):
                    x, y, z = atom
                    file.write(f"{i} {x} {y} {z}")
        """,
    "elements that are gathered": """
        def numbers(xs: jax.Array):
            out = []
            for x in xs:
                out.append(float(x))
            return out
        """,
    "elements that are indexed": """
        def total(xs: jax.Array, n):
            out = 0.0
            for i in range(n):
                out += float(xs[i])
            return out
        """,
    "two arrays side by side": """
        def pairs(xs: jax.Array, ys: jax.Array, file):
            for x, y in zip(xs, ys):
                file.write("{} {}".format(x.item(), y.item()))
        """,
    "what a caller hands in": """
        def numbers(xs):
            out = []
            for x in xs:
                out.append(x.item())
            return out


        print(numbers(jnp.linspace(0.0, 1.0, 1000)))
        """,
}
LEFT = {
    "a list that is asked": """
        def walls(segments: jax.Array, mask: list[bool], draw):
            for j in range(len(mask)):
                if mask[j]:
                    draw(j)
        """,
    "a mask of NumPy that is asked": """
        def walls(segments: jax.Array, mask, draw):
            mask = np.asarray(mask)
            for j in range(segments.shape[0]):
                if mask[j]:
                    draw(j)
        """,
    "places that are fetched before": """
        def sample(buffer, key):
            places = np.asarray(jax.random.randint(key, (32,), 0, len(buffer)))
            return [buffer[i] for i in places]
        """,
    "rows that are handed on": """
        def mapped(f, keys: jax.Array):
            return [f(key) for key in keys]
        """,
    "rows of an array by an array": """
        def rows(xs: jax.Array, places: jax.Array):
            return [xs[i] for i in places]
        """,
    "an array that is fetched before": """
        def write(frames: jnp.ndarray, file):
            for frame in np.asarray(frames):
                file.write(f"{frame[0]}")
        """,
    "an array of NumPy": """
        def write(frames: np.ndarray, file):
            for frame in frames:
                file.write(f"{frame[0]}")
        """,
    "what nobody knows": """
        def write(frames, file):
            for frame in frames:
                file.write(f"{frame[0]}")
        """,
    "lines for people": """
        def show(scores: jax.Array):
            for i, score in enumerate(scores):
                print(f"{i}: {float(score):.3f}")
        """,
    "work on each": """
        def run(xs: jax.Array, solver):
            out = []
            for x in xs:
                out.append(solver.run(float(x)))
            return out
        """,
    "ten of them": """
        def numbers():
            out = []
            for x in jnp.linspace(0.0, 1.0, 10):
                out.append(float(x))
            return out
        """,
    "an array that trips bind": """
        def numbers(n):
            out = []
            for i in range(n):
                xs = jnp.arange(3)
                out.append(float(xs[i % 3]))
            return out
        """,
    "a trace": """
        @jax.jit
        def numbers(xs):
            out = []
            for x in xs:
                out.append(x.astype(float))
            return out
        """,
}


@pytest.mark.parametrize("text", NAMED.values(), ids=NAMED)
def test_an_array_that_is_fetched_piece_by_piece_is_named(text: str, tmp_path: Path) -> None:
    assert len(found(text, tmp_path)) == 1


@pytest.mark.parametrize("text", LEFT.values(), ids=LEFT)
def test_other_loops_over_arrays_are_left(text: str, tmp_path: Path) -> None:
    assert found(text, tmp_path) == []


def test_tests_are_left(tmp_path: Path) -> None:
    text = dedent(NAMED["elements that are gathered"]) + "\n\ndef test_it():\n    assert numbers(jnp.ones(3))"
    assert found(text, tmp_path, "test_model.py") == []
