"""Small projects, run with and without the recorder by the real command."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

import scanlint

ROOT = Path(scanlint.__file__).parent.parent
LAUNCH = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from scanlint.cli import main; main()"

Completed = subprocess.CompletedProcess[str]
Run = Callable[..., Completed]


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., None]:
    """Put files into the project: names with dots in place of slashes, `model_py` for `model.py`."""

    def put(**files: str) -> None:
        for name, text in files.items():
            path = tmp_path / name.replace("__", "/").replace("_py", ".py")
            path.parent.mkdir(exist_ok=True)
            path.write_text(dedent(text))

    return put


@pytest.fixture
def plain(tmp_path: Path) -> Run:
    """Run a command as it is; `python` is the interpreter of the tests."""

    def call(*words: str, **variables: str) -> Completed:
        environment = {**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONDONTWRITEBYTECODE": "1", **variables}
        environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), environment["PATH"]])
        return subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False, env=environment)

    return call


@pytest.fixture
def scanlint_(plain: Run) -> Run:
    """Run scanlint; the environment of the command that it runs says nothing of where it lies."""

    def call(*words: str, **variables: str) -> Completed:
        return plain(sys.executable, "-P", "-c", LAUNCH, *words, **variables)

    return call
