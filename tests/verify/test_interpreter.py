"""Which Python runs the verification."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from scanlint.verify.interpreter import VerifierUnavailable, find_interpreter


def environment(folder: Path, *, jax: bool) -> Path:
    """A folder that looks like a virtual environment."""
    python = folder / "bin" / "python"
    packages = folder / "lib" / "python3.12" / "site-packages"
    python.parent.mkdir(parents=True)
    python.touch()
    (packages / "jax" if jax else packages).mkdir(parents=True)
    return python


def test_the_active_environment_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    active = environment(tmp_path / "active", jax=True)
    environment(tmp_path / ".venv", jax=True)
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "active"))
    assert find_interpreter(None, tmp_path) == str(active)


def test_an_active_environment_without_jax_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environment(tmp_path / "hook", jax=False)
    project = environment(tmp_path / ".venv", jax=True)
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "hook"))
    assert find_interpreter(None, tmp_path) == str(project)


@pytest.mark.parametrize("folder", ["venv", "env", ".pixi/envs/default"])
def test_an_environment_of_the_project_is_found(folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environment(tmp_path / ".venv", jax=False)
    project = environment(tmp_path / folder, jax=True)
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    assert find_interpreter(None, tmp_path) == str(project)


def test_the_active_environment_of_conda_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    active = environment(tmp_path / "conda", jax=True)
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    monkeypatch.setenv("CONDA_PREFIX", str(tmp_path / "conda"))
    assert find_interpreter(None, tmp_path) == str(active)


def test_without_environments_this_interpreter_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    assert find_interpreter(None, tmp_path) == sys.executable


def test_a_configured_interpreter_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(VerifierUnavailable, match="no-such-python"):
        find_interpreter("no-such-python", tmp_path)
