"""Python files with lines of IPython: read as notebooks are, changed in the lines concerned and nowhere else."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from scanlint.project.cells.cell_script import cell_script
from scanlint.project.files import SourceFile, decode

Scanlint = Callable[..., subprocess.CompletedProcess[str]]

LOOP = """\
@jax.jit
def rollout(state):
    for t in range(50):
        state = jnp.sin(state) * 2.0 + jnp.cos(state) * t
    return state
"""
COLAB = f"""\
# -*- coding: utf-8 -*-
!pip install jax
import jax
import jax.numpy as jnp

# %% Model
files = !ls
{LOOP}
# %%
%%bash
ls -la | wc
# %%
%%time
if files:
    !nvidia-smi
    rollout(jnp.ones(3))
"""
ROLLED = """\
    def body(t, state):
        return jnp.sin(state) * 2.0 + jnp.cos(state) * t

    state = jax.lax.fori_loop(0, 50, body, state)
"""


def test_a_finding_has_the_line_of_the_file_and_a_rewrite_keeps_the_others(tmp_path: Path, run: Scanlint) -> None:
    path = tmp_path / "colab.py"
    path.write_text(COLAB)
    done = run("colab.py")
    assert done.returncode == 1
    assert "10 |     for t in range(50):" in done.stdout
    assert run("--fix", "colab.py").returncode == 0
    before, after = LOOP.splitlines(keepends=True)[2:4], path.read_text()
    assert after == COLAB.replace("".join(before), ROLLED)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_the_program_has_a_line_for_each_of_the_file(newline: str) -> None:
    text = COLAB.replace("\n", newline)
    made = cell_script(text)
    assert made is not None
    assert [len(line) for line in made.text.split("\n")][2:6] == [len(line) for line in text.split("\n")][2:6]
    assert made.text.count("\n") == text.count("\n")
    assert made.written(made.text) == text
    compile(made.text, "colab.py", "exec")


PLAIN = {
    "a string that speaks of magics": 'TEXT = """\n%matplotlib inline\n!pip install jax\n"""\n',
    "a remainder that goes on below": "x = (7\n%3)\n",
    "no line of IPython": "x = 1\n# %% cell\ny = 2\n",
}


@pytest.mark.parametrize("name", PLAIN)
def test_plain_python_stays_as_it_is(name: str, tmp_path: Path) -> None:
    source = decode(PLAIN[name].encode(), tmp_path / "a.py")
    assert isinstance(source, SourceFile)
    assert source.cells is None
    assert source.text == PLAIN[name]


def test_a_mistake_beside_a_magic_is_told_with_its_own_line(tmp_path: Path, run: Scanlint) -> None:
    (tmp_path / "a.py").write_text("!ls\nx = (\n")
    done = run("--output-format", "concise", "a.py")
    assert done.stdout.startswith("a.py:2:5: SCN900 ")


def test_a_cell_that_may_be_python_is_named(tmp_path: Path, run: Scanlint) -> None:
    (tmp_path / "a.py").write_text("# %%\nx = 1\n# %%\n%%weird\na b c\n")
    said = "note: a.py: the cell at line 3 is left out: whether `%%weird` runs it as Python is not known"
    assert said in run("a.py").stderr


def test_a_rewrite_that_loses_a_line_is_refused(tmp_path: Path) -> None:
    source = decode(b"def f(x):\n    !ls\n    return x\n", tmp_path / "a.py")
    assert isinstance(source, SourceFile)
    kept, lost = (
        source.text.replace("return x", "return -x"),
        source.text.replace(source.text.split("\n")[1] + "\n", ""),
    )
    assert source.refusal(kept) == ""
    assert source.encode(kept) == b"def f(x):\n    !ls\n    return -x\n"
    assert source.refusal(lost) == "cells: a line of IPython would be lost or change its place"
