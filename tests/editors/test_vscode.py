"""The extension for VS Code: its client side under node, where its packages are installed (`npm ci` in editors/vscode)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import scanlint
from scanlint.lsp.client_options import options_from

FOLDER = Path(scanlint.__file__).parent.parent / "editors" / "vscode"
NPM = shutil.which("npm")


@pytest.mark.skipif(
    NPM is None or not (FOLDER / "node_modules").is_dir(), reason="no npm, or `npm ci` was not run in editors/vscode"
)
def test_the_client_side_passes_its_tests_against_the_real_server() -> None:
    assert NPM is not None
    environment = {**os.environ, "SCANLINT_TEST_PYTHON": sys.executable}
    for script in ("types", "build", "test"):
        done = subprocess.run(
            [NPM, "run", script], cwd=FOLDER, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_server_knows_each_setting_that_the_extension_declares() -> None:
    manifest = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))
    examples = {"string": "python3", "array": [], "number": 5}
    for name, property in manifest["contributes"]["configuration"]["properties"].items():
        key = name.removeprefix("scanlint.")
        if key not in ("interpreter", "trace.server"):  # they are the client's own affair
            choice = next(iter(property.get("enum", ())), None)
            options_from({key: property.get("default") or choice or examples[property["type"]]})


def test_the_extension_has_the_version_of_the_server() -> None:
    assert json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))["version"] == scanlint.__version__
