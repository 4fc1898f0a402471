"""Most tests fork their commands from a process that has imported scanlint: what such a command says is what one says that a shell starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands import needs_start
from tests.conftest import CLEAN, Scanlint

FIX = ("--fix", "--diff", "--no-cache", ".")
WORDS = {
    "findings": (".",),
    "nothing to say": ("-q", "clean.py"),
    "a form for programs": ("--output-format", "json-lines", "--no-cache", "."),
    "an option that there is not": ("--no-such-option",),
    "a file that there is not": ("no-such-file.py",),
    "the help of a command": ("verify", "--help"),
    "two jobs": ("--jobs", "2", "--no-cache", "."),
    "a verified rewrite": FIX,
}


@pytest.mark.parametrize("words", WORDS.values(), ids=WORDS)
def test_a_forked_command_says_what_a_started_one_says(
    words: tuple[str, ...], project: Path, run: Scanlint, start: Scanlint
) -> None:
    forked, started = (command(*words, COLUMNS="100", NO_COLOR="1") for command in (run, start))
    assert (forked.returncode, forked.stdout) == (started.returncode, started.stdout)
    assert forked.stderr == started.stderr


def test_a_forked_command_reads_standard_input_and_its_variables(
    tmp_path: Path, run: Scanlint, start: Scanlint
) -> None:
    for variables in ({}, {"FORCE_COLOR": "1"}):
        forked, started = (
            command("-", stdin=CLEAN.replace("2 * x", "-x if x > 0 else x"), **variables) for command in (run, start)
        )
        assert ("\033[" in forked.stdout) == bool(variables)
        assert (forked.returncode, forked.stdout, forked.stderr) == (1, started.stdout, started.stderr)


@pytest.mark.parametrize(
    ("name", "variables", "started"),
    [
        pytest.param("loop.py", {"NO_COLOR": "1"}, False, id="a file and a variable of ours"),
        pytest.param("loop.py", {"PYTHONUTF8": "0"}, True, id="a variable that Python reads as it starts"),
        pytest.param("token.py", {}, True, id="a file with the name of a module"),
        pytest.param("click", {}, True, id="a folder with the name of a package"),
    ],
)
def test_what_is_decided_as_python_starts_is_left_to_a_start(
    name: str, variables: dict[str, str], started: bool, tmp_path: Path
) -> None:
    (tmp_path / name).mkdir()
    assert needs_start(tmp_path, variables) is started
