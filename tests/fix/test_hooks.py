"""Where hooks and pipelines run scanlint: what is said without jax, and that their files fit the command line."""

from __future__ import annotations

import re
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

import scanlint

Scanlint = Callable[..., subprocess.CompletedProcess[str]]
ROOT = Path(scanlint.__file__).parent.parent
HOOK = "(`args: [--python, .venv/bin/python]`), or give the hook its own (`additional_dependencies: [jax]`)"


@pytest.mark.parametrize("hook", [True, False], ids=["in a hook", "by hand"])
def test_without_jax_it_is_said_once_what_to_do(hook: bool, project: Path, run: Scanlint) -> None:
    venv.create(project / "bare", with_pip=False)
    python = project / "bare" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    (project / "more.py").write_text((project / "loop.py").read_text())
    done = run("--fix", "--python", str(python), "loop.py", "more.py", PRE_COMMIT="1" if hook else "")
    assert done.returncode == 2
    said = done.stdout + done.stderr
    assert done.stdout.count("cannot import jax") == done.stderr.count("cannot import jax") == 1
    assert (HOOK in said) is hook
    assert said.count("[not rewritten: unknown: nothing can be verified here, as the error below says]") == 2


@pytest.mark.parametrize(("file", "needs"), [("action.yml", "github"), (".pre-commit-hooks.yaml", "--fix")])
def test_options_in_the_files_of_pipelines_exist(file: str, needs: str, run: Scanlint) -> None:
    text = (ROOT / file).read_text()
    commands = re.findall(r"(?:^ *entry: scanlint|/bin/scanlint\")(.*)$", text, re.MULTILINE)
    assert commands and any(needs in command for command in commands)
    for command in commands:
        named = re.findall(r"^ ([a-z]+)", command)  # `scanlint verify --since HEAD`; without a name it is `check`
        help = run(*named, "--help").stdout
        assert [option for option in re.findall(r"--[\w-]+", command) if option not in help] == []


def test_the_action_uses_every_input_that_it_declares() -> None:
    text = (ROOT / "action.yml").read_text()
    declared = re.findall(r"^  (\w+):$", text.partition("inputs:\n")[2].partition("\nruns:")[0], re.MULTILINE)
    assert declared == ["paths", "args"]
    assert sorted(re.findall(r"inputs\.(\w+)", text)) == sorted(declared)
