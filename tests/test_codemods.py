"""Rules as codemods of LibCST and as lint rules of Fixit, by their own runners and commands."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from libcst.codemod import CodemodContext, CodemodTest

from scanlint import codemods, fixit
from scanlint.codemods import VerifiedCodemod, class_name
from scanlint.rules.registry import rules

BEFORE = """
import jax
import jax.numpy as jnp


@jax.jit
def total(xs):
    s = jnp.zeros(())
    for x in xs:
        s = jnp.sin(s) + x
    return s
"""
AFTER = """
import jax
import jax.numpy as jnp


@jax.jit
def total(xs):
    s = jnp.zeros(())

    def step(s, x):
        s = jnp.sin(s) + x
        return s, None

    s, _ = jax.lax.scan(step, s, xs)
    return s
"""
LEFT = """
import jax
import jax.numpy as jnp
from nowhere import weight


@jax.jit
def total(xs):
    s = jnp.zeros(())
    for x in xs:
        s = jnp.tanh(s) + jnp.sin(x) * weight
    return s
"""


def written(folder: Path, text: str) -> Path:
    (folder / "pyproject.toml").write_text('[tool.scanlint]\ncache-dir = "kept"\n')
    file = folder / "model.py"
    file.write_text(text.lstrip())
    return file


def run(folder: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )
    return done.stdout + done.stderr


def test_every_rule_is_a_codemod_and_a_lint_rule() -> None:
    names = {class_name(rule.name) for rule in rules()}
    assert names <= vars(codemods).keys()
    assert names <= vars(fixit).keys()


class TestUnrolledIteration(CodemodTest):
    TRANSFORM: type[VerifiedCodemod] = codemods.UnrolledIteration  # type: ignore[attr-defined, assignment]

    def test_rewrites_what_is_proved(self) -> None:
        context = CodemodContext(filename=str(Path("model.py").absolute()))
        self.assertCodemod(BEFORE, AFTER, context_override=context)

    def test_a_file_without_a_name_is_skipped(self) -> None:
        self.assertCodemod(BEFORE, BEFORE, expected_skip=True)


def test_the_command_of_libcst_rewrites_a_file(tmp_path: Path) -> None:
    file = written(tmp_path, BEFORE)
    out = run(
        tmp_path, "libcst.tool", "codemod", "-x", "--no-format", "-j1", "scanlint.codemods.UnrolledIteration", "."
    )
    assert "Transformed 1 files successfully" in out
    assert file.read_text() == AFTER.lstrip()


@pytest.mark.slow
def test_the_command_of_libcst_says_why_nothing_is_written(tmp_path: Path) -> None:
    file = written(tmp_path, LEFT)
    out = run(
        tmp_path, "libcst.tool", "codemod", "-x", "--no-format", "-j1", "scanlint.codemods.UnrolledIteration", "."
    )
    assert "Skipped 1 files" in out
    assert "tracing `total` unrolls this loop once per row of `xs`: unknown: " in out
    assert file.read_text() == LEFT.lstrip()


@pytest.fixture
def linted(tmp_path: Path) -> Path:
    file = written(tmp_path, BEFORE)
    (tmp_path / "pyproject.toml").write_text(
        '[tool.scanlint]\ncache-dir = "kept"\n\n[tool.fixit]\nroot = true\nenable = ["scanlint.fixit"]\n'
    )
    return file


def test_fixit_reports_and_fixes(linted: Path) -> None:
    out = run(linted.parent, "fixit", "lint", "model.py")
    assert "model.py@8:4 UnrolledIteration: SCN105 tracing `total` unrolls this loop once per row of `xs`" in out
    run(linted.parent, "fixit", "fix", "-a", "model.py")
    assert linted.read_text() == AFTER.lstrip()


@pytest.mark.slow
def test_directives_of_fixit_hold(linted: Path) -> None:
    linted.write_text(BEFORE.lstrip().replace("    for x", "    # lint-ignore: UnrolledIteration\n    for x"))
    assert "UnrolledIteration" not in run(linted.parent, "fixit", "lint", "model.py")
