"""What was verified once is not verified again while everything that it rests on is the same."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import LOOP, Completed, Scanlint

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform == "win32", reason="the interpreter that counts is a shell script"),
]
USES = """\
import jax
from helper import step


@jax.jit
def run(x):
    for _ in range(50):
        x = step(x)
    return x
"""
HELPER = "import jax.numpy as jnp\n\n\ndef step(x):\n    return jnp.sin(x) * 2.0\n"
UNKNOWN = """\
import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, static_argnums=0)
def apply(code, x):
    if (code * 7919) % 100_003 != 13:
        raise ValueError(code)
    for _ in range(50):
        x = jnp.sin(x) + jnp.cos(x)
    return x
"""


@pytest.fixture
def workers(tmp_path: Path, run: Scanlint) -> Callable[..., tuple[Completed, int]]:
    """Runs `--fix --diff` with an interpreter that counts how many workers it was started as."""
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'sample'\n")
    log, python = tmp_path / "starts.log", tmp_path / "counting-python"
    python.write_text(
        f'#!/bin/sh\ncase "$*" in *worker*) echo started >> "{log}";; esac\nexec "{sys.executable}" "$@"\n'
    )
    python.chmod(0o755)

    def call(*words: str, path: str = ".") -> tuple[Completed, int]:
        log.write_text("")
        done = run("--fix", "--diff", "--python", str(python), *words, path)
        return done, log.read_text().count("started")

    return call


def test_a_second_run_starts_no_worker_and_says_the_same(tmp_path: Path, workers) -> None:
    (tmp_path / "loop.py").write_text(LOOP)
    first, second = workers(), workers()
    assert (first[1], second[1]) == (1, 0)
    assert "fori_loop" in first[0].stdout
    assert first[0].stdout == second[0].stdout
    assert first[0].returncode == second[0].returncode == 1


def test_what_is_written_is_what_would_have_been_written(tmp_path: Path, workers, run: Scanlint) -> None:
    (tmp_path / "loop.py").write_text(LOOP)
    workers()
    assert run("--fix", "--python", str(tmp_path / "counting-python"), ".").returncode == 0
    assert "fori_loop" in (tmp_path / "loop.py").read_text()


def test_without_the_cache_it_is_verified_again(tmp_path: Path, workers) -> None:
    (tmp_path / "loop.py").write_text(LOOP)
    assert workers()[1] == workers("--no-cache")[1] == 1


def test_a_change_in_what_is_imported_asks_again(tmp_path: Path, workers) -> None:
    (tmp_path / "uses.py").write_text(USES)
    (tmp_path / "helper.py").write_text(HELPER)
    assert workers()[1] == 1
    (tmp_path / "helper.py").write_text(HELPER.replace("2.0", "3.0"))
    assert workers()[1] == 1


def test_a_change_elsewhere_asks_nothing_of_what_was_proved(tmp_path: Path, workers) -> None:
    (tmp_path / "loop.py").write_text(LOOP)
    assert workers()[1] == 1
    (tmp_path / "other.py").write_text(HELPER)
    assert workers()[1] == 0


def test_a_change_elsewhere_may_show_inputs_where_there_were_none(tmp_path: Path, workers) -> None:
    (tmp_path / "unknown.py").write_text(UNKNOWN)
    first, _ = workers()
    assert "unknown" in first.stdout + first.stderr
    assert workers()[1] == 0
    (tmp_path / "other.py").write_text(HELPER)
    assert workers()[1] == 1


def test_a_damaged_verdict_is_not_believed(tmp_path: Path, workers) -> None:
    (tmp_path / "loop.py").write_text(LOOP)
    first, _ = workers()
    kept = list((tmp_path / ".scanlint_cache" / "verdicts").iterdir())
    assert kept
    for file in kept:
        file.write_bytes(file.read_bytes()[:-3] + b"}}}")
    again, started = workers()
    assert started == 1
    assert first.stdout == again.stdout


def test_a_second_run_imports_nothing_that_rewrites_or_verifies(tmp_path: Path, workers, run: Scanlint) -> None:
    (tmp_path / "loop.py").write_text(LOOP)
    words = ("--fix", "--diff", "--python", str(tmp_path / "counting-python"), ".")
    first = run(*words)
    second = run(*words, PYTHONPROFILEIMPORTTIME="1")
    imported = {
        line.rpartition("|")[2].strip() for line in second.stderr.splitlines() if line.startswith("import time:")
    }
    assert second.stdout == first.stdout
    assert "scanlint.fix.verdicts" in imported
    assert not imported & {"jax", "libcst", "scanlint.trace.unit", "scanlint.rewrite.driver", "scanlint.fix.fixer"}


NEIGHBOUR = """

def scale(x):
    return x * 3


@jax.jit
def shrink(state):
    for t in range(50):
        state = jnp.cos(state) / 2.0 + scale(state) * t
    return state
"""


def test_what_a_run_has_written_makes_no_verdict_stale(tmp_path: Path, workers, run: Scanlint) -> None:
    (tmp_path / "loop.py").write_text(LOOP)
    (tmp_path / "unknown.py").write_text(UNKNOWN)
    assert run("--fix", "--python", str(tmp_path / "counting-python"), ".").returncode == 1
    assert "fori_loop" in (tmp_path / "loop.py").read_text()
    again, started = workers()
    assert (started, again.returncode) == (0, 0)


def test_a_function_that_moved_is_not_verified_again(tmp_path: Path, workers) -> None:
    file = tmp_path / "loop.py"
    file.write_text(LOOP)
    assert workers()[1] == 1
    file.write_text(LOOP.replace("@jax.jit", "# Fifty steps of the map.\nSTEPS = 50\n\n\n@jax.jit"))
    assert workers()[1] == 1  # a new statement may mean anything
    file.write_text(LOOP.replace("@jax.jit", "# Fifty steps of the map.\n\n\n@jax.jit"))
    assert workers()[1] == 0


def test_only_what_reaches_a_changed_function_is_verified_again(tmp_path: Path, workers) -> None:
    file = tmp_path / "loop.py"
    file.write_text(LOOP + NEIGHBOUR)
    first, started = workers()
    assert started >= 1 and first.stdout.count("fori_loop") == 2
    file.write_text(LOOP + NEIGHBOUR.replace("x * 3", "x * 4"))
    second, started = workers()
    assert started == 1 and second.stdout.count("fori_loop") == 2


def test_verdicts_hold_in_another_folder(tmp_path: Path, workers) -> None:
    (tmp_path / "loop.py").write_text(LOOP)
    workers()
    cache = tmp_path / ".scanlint_cache"
    for index in cache.glob("*.index"):
        index.unlink()  # where the files lay: what was found there is of no use elsewhere
    (tmp_path / "moved").mkdir()
    (tmp_path / "loop.py").rename(tmp_path / "moved" / "loop.py")
    (tmp_path / "pyproject.toml").rename(tmp_path / "moved" / "pyproject.toml")
    again, started = workers("--cache-dir", str(cache), path="moved")
    assert started == 0
    assert "fori_loop" in again.stdout


CALLER = """\
import jax
import jax.numpy as jnp
from z_helper import clip


@jax.jit
def run(x):
    for _ in range(50):
        x = jnp.sin(x) * 2.0 + clip(jnp.cos(x))
    return x
"""
CALLED = "def clip(x):\n    if x > 0:\n        return x * 0.5\n    return -x\n"


def test_what_a_callee_keeps_from_being_traced_is_asked_again_once_that_is_rewritten(tmp_path: Path, workers) -> None:
    (tmp_path / "a_caller.py").write_text(CALLER)
    (tmp_path / "z_helper.py").write_text(CALLED)
    done, _ = workers()
    assert "fori_loop" in done.stdout and "jnp.where(" in done.stdout


def test_it_is_asked_again_in_a_later_run_too(tmp_path: Path, workers, run: Scanlint) -> None:
    python = str(tmp_path / "counting-python")
    (tmp_path / "a_caller.py").write_text(CALLER)
    (tmp_path / "z_helper.py").write_text(CALLED)
    assert "fori_loop" not in run("--fix", "--diff", "--python", python, "a_caller.py").stdout
    assert "jnp.where(" in run("--fix", "--diff", "--python", python, "z_helper.py").stdout
    run("--fix", "--python", python, "z_helper.py")
    assert "fori_loop" in run("--fix", "--diff", "--python", python, "a_caller.py").stdout
