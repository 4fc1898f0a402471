"""Situations in which a checker is tempted to say less than it knows; each is a script that says what it expects."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.skipif(shutil.which("bash") is None, reason="the situations are scripts")]
ROOT = Path(__file__).parents[2]
SITUATIONS = sorted((Path(__file__).parent / "situations").glob("*.sh"))


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command of this checkout, for scripts that know it by its path."""
    file = tmp_path_factory.mktemp("bin") / "scanlint"
    file.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m scanlint "$@"\n')
    file.chmod(0o755)
    return file


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda path: path.stem)
def test_it_says_what_it_knows(situation: Path, command: Path) -> None:
    environment = {**os.environ, "SCANLINT": str(command)}
    done = subprocess.run(
        ["bash", situation], env=environment, capture_output=True, text=True, timeout=180, check=False
    )
    answer = (done.stdout.splitlines() or ["no answer"])[-1]
    if answer.startswith("skip:"):
        pytest.skip(answer)
    assert done.returncode == 0 and answer.startswith("ok:"), f"{answer}\n{done.stderr}"
