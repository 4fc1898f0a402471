"""What is taken for an array without axes is tried as a number of Python, where versions are compared as they stand."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Scanlint = Callable[..., subprocess.CompletedProcess[str]]

HEAD = "import jax\nimport jax.numpy as jnp\nfrom jax import lax\n\n\n"
LOOP = "def f(x, g, n):\n    for i in range(n):\n        x = {}\n    return x\n"
ROLLED = "def f(x, g, n):\n    return lax.fori_loop(0, n, lambda i, x: {}, x)\n"
WRAPS = "{}def f(v, n):\n    return v * (n * n % 7)\n\n\nf(jnp.arange(12.0), 700)\n"
PAIRS = {
    "a product that wraps under the jit of the old version": (
        WRAPS.format("@jax.jit\n"),
        WRAPS.format(""),
        "refuted",
    ),
    "one that wraps under a jit of what is called": (
        WRAPS.format("@jax.jit\n")
        .replace("def f", "def g")
        .replace("\n\n\n", "\ndef f(v, n):\n    return g(v, n)\n\n\n"),
        WRAPS.format("").replace("def f", "def g").replace("\n\n\n", "\ndef f(v, n):\n    return g(v, n)\n\n\n"),
        "refuted",
    ),
    "a number under a jit that stays as small": (
        WRAPS.format("@jax.jit\n").replace("n * n", "n"),
        WRAPS.format("").replace("n * n", "n"),
        "proved",
    ),
    "a number that is asked for": (
        LOOP.format("x + (g if isinstance(g, float) else 2.0)"),
        ROLLED.format("x + 2.0"),
        "refuted",
    ),
    "a root of a negative number": (
        LOOP.format("x + abs(g**0.5)"),
        "def f(x, g, n):\n"
        "    step = lambda i, c: (c[0] + abs(c[1] ** 0.5), c[1])\n"
        "    return lax.fori_loop(0, n, step, (x, g))[0]\n",
        "refuted",
    ),
    "a number that is multiplied by": (LOOP.format("x * g + 1.0"), ROLLED.format("x * g + 1.0"), "proved"),
}


@pytest.mark.parametrize("name", PAIRS)
def test_numbers_of_python_are_tried(name: str, tmp_path: Path, run: Scanlint) -> None:
    old, new, verdict = PAIRS[name]
    (tmp_path / "old.py").write_text(HEAD + old)
    (tmp_path / "new.py").write_text(HEAD + new)
    found = json.loads(run("verify", "old.py", "new.py", "-f", "f", "--output-format", "json").stdout)
    assert found["verdict"] == verdict, found
