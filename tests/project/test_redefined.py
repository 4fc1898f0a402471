"""Functions that a later cell of a notebook defines again: each is checked, and none is written under another name."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from scanlint.project.cells.notebook import parse

Scanlint = Callable[..., subprocess.CompletedProcess[str]]
IMPORTS = "import jax\nimport jax.numpy as jnp"
FIRST = """\
@jax.jit
def rollout(state):
    for t in range(50):
        state = jnp.sin(state) * 2.0 + jnp.cos(state) * t
    return state

rollout(jnp.ones(3))"""
SECOND = "@jax.jit\ndef rollout(state):\n    return jnp.sin(state)\n\nrollout(jnp.ones(3))"


def notebook(*cells: str) -> str:
    made = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": cell} for cell in cells]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def names(*cells: str) -> list[str]:
    """The names that the program gives to what the cells define."""
    lines = parse(notebook(*cells)).text.splitlines()
    return [line.split("(")[0].split()[1] for line in lines if line.startswith("def ")]


def test_the_first_definition_is_checked_and_told_by_its_name(tmp_path: Path, run: Scanlint) -> None:
    (tmp_path / "a.ipynb").write_text(notebook(IMPORTS, FIRST, SECOND))
    done = run(".")
    assert " --> a.ipynb:cell 2:3:5\n" in done.stdout
    assert "tracing `rollout` unrolls this loop 50 times" in done.stdout
    assert "`rollout` <- `@jax.jit` at a.ipynb:cell 2:1\n" in done.stdout
    assert done.stdout.isascii()


def test_evidence_in_another_file_tells_it_by_its_name(tmp_path: Path, run: Scanlint) -> None:
    loop = "def apply(f, state):\n    for t in range(50):\n        state = f(state) * 2.0 + t\n    return state\n"
    (tmp_path / "lib.py").write_text(
        f"import jax\n\n\n{loop}\n\ndef start(kernel):\n    return jax.jit(lambda s: kernel(s))\n"
    )
    first = "def kernel(s):\n    return lib.apply(jnp.sin, s)\n\nlib.start(kernel)(jnp.ones(3))"
    second = "def kernel(s):\n    return s\n\nlib.start(kernel)(jnp.ones(3))"
    (tmp_path / "a.ipynb").write_text(notebook(f"{IMPORTS}\nimport lib", first, second))
    done = run(".")
    assert "`kernel` <- `<lambda>` at lib.py:11\n" in done.stdout
    assert done.stdout.isascii()


def test_a_rewrite_of_it_is_written_under_its_name(tmp_path: Path, run: Scanlint) -> None:
    (tmp_path / "a.ipynb").write_text(notebook(IMPORTS, FIRST, SECOND))
    assert run("--fix", ".").returncode == 0
    cells = [cell["source"] for cell in json.loads((tmp_path / "a.ipynb").read_text())["cells"]]
    assert "fori_loop" in cells[1]
    assert cells[1].startswith("@jax.jit\ndef rollout(state):\n")
    assert cells[1].endswith("\nrollout(jnp.ones(3))")
    assert cells[2] == SECOND


def test_each_definition_but_the_last_has_a_name_of_its_own_of_the_same_length() -> None:
    made = names("def f(x):\n    return x", "y = f(1)", "def f(x):\n    return 2 * x", "def f(x):\n    return 3 * x")
    assert len(set(made)) == 3
    assert [len(name) for name in made] == [1, 1, 1]
    assert made[-1] == "f"


@pytest.mark.parametrize(
    "cells",
    [
        ("def f(x):\n    return x", "def g(x):\n    return f(x)", "def f(x):\n    return 2 * x", "g(1)"),
        ("def f(x):\n    return x", "f = abs(f)", "def f(x):\n    return 2 * x"),
        ("def f(x):\n    return x", "def h(f):\n    return f(1)", "def f(x):\n    return 2 * x"),
        ("def f(x):\n    return x", 'print(f"{f(1)}")', "def f(x):\n    return 2 * x"),
        ("def f(x):\n    return x", "%timeit f(1)", "def g(x):\n    return x"),
    ],
    ids=[
        "a function that is called later finds the later definition",
        "a name that is bound to something made of the definition",
        "a parameter of the same name",
        "a name in a field of a string",
        "a name that is defined once",
    ],
)
def test_names_stay_where_another_one_would_mean_something_else(cells: tuple[str, ...]) -> None:
    assert all(name.isascii() for name in names(*cells))
