"""Bad input: a clear message, the right exit code, and every other file is still checked."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Scanlint = Callable[..., subprocess.CompletedProcess[str]]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param(
            ("--select", "unroled-loop", "."),
            "--select: unknown rule `unroled-loop`; did you mean `unrolled-loop`?",
            id="an unknown rule",
        ),
        pytest.param(("--ignore", "SCN7"), "--ignore: unknown rule `SCN7`", id="a prefix of no rule"),
        pytest.param(("--selec", "SCN1"), "No such option", id="an unknown option"),
        pytest.param(("--output-format", "xml"), "xml", id="an unknown format"),
        pytest.param(("nothing.py",), "nothing.py: no such file or directory", id="a path that is not there"),
        pytest.param(("linter",), "linter: no such file or directory, nor a command", id="a command that is not there"),
        pytest.param(("-", "loop.py"), "cannot be combined", id="standard input with a path"),
        pytest.param(("--write-baseline", "."), "--baseline FILE", id="a baseline without a name"),
        pytest.param(
            ("--baseline", "none.json", "."), "none.json: cannot read the baseline", id="a baseline that is not there"
        ),
        pytest.param(
            ("--add-ignore", "--fix", "."), "--add-ignore cannot be combined with --fix", id="two modes at once"
        ),
        pytest.param(("--config", "none.toml", "."), "none.toml: cannot read", id="a configuration that is not there"),
        pytest.param(("rule", "SCN999"), "unknown rule `SCN999`", id="a rule that is not there"),
        pytest.param(("verify", "a.py", "b.py", "-f", "g"), "a.py: no such file", id="versions that are not there"),
        pytest.param(
            ("verify", "loop.py", "clean.py", "-f", "rollout"),
            "clean.py: no function `rollout`",
            id="a function that is not there",
        ),
    ],
)
def test_the_run_fails_with_code_2_and_says_why(
    words: tuple[str, ...], message: str, project: Path, run: Scanlint
) -> None:
    done = run(*words)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(
            '[tool.scanlint]\nselct = ["SCN1"]\n',
            "unknown key `selct` in [tool.scanlint]; did you mean `select`?",
            id="an unknown key",
        ),
        pytest.param(
            '[tool.scanlint]\nselect = "SCN1"\n', "`select` must be a list of strings, not `'SCN1'`", id="a wrong type"
        ),
        pytest.param('[tool.scanlint]\nselect = ["SCN7"]\n', "`select`: unknown rule `SCN7`", id="an unknown rule"),
        pytest.param(
            "[tool.scanlint]\nverify-timeout = 0\n",
            "`verify-timeout` must be a number of seconds over 0",
            id="a wrong number",
        ),
        pytest.param(
            "[tool.scanlint]\nforce-exclude = 1\n",
            "`force-exclude` must be true or false, not `1`",
            id="a number for a flag",
        ),
        pytest.param(
            '[tool.scanlint.per-file-ignores]\n"a.py" = "SCN101"\n',
            "`per-file-ignores` must be a list of strings",
            id="a string for a list in a table",
        ),
        pytest.param("[tool.scanlint\n", "cannot be read as TOML", id="not TOML"),
    ],
)
def test_a_wrong_configuration_is_named_by_file_and_key(text: str, message: str, project: Path, run: Scanlint) -> None:
    (project / "pyproject.toml").write_text(text)
    done = run("clean.py")
    assert done.returncode == 2
    assert "pyproject.toml: " in done.stderr
    assert message in done.stderr


def test_the_other_files_are_checked_when_a_path_is_missing(project: Path, run: Scanlint) -> None:
    done = run("--output-format", "concise", "nothing.py", "loop.py")
    assert done.returncode == 2
    assert "loop.py:7:5: SCN101" in done.stdout


def test_a_file_that_does_not_parse_is_a_finding(project: Path, run: Scanlint) -> None:
    (project / "broken.py").write_text("def f(:\n    pass\n")
    done = run("--output-format", "concise", ".")
    assert done.returncode == 1
    assert re.search(r"^broken.py:1:\d+: SCN900 ", done.stdout, re.M)
    assert "loop.py:7:5: SCN101 " in done.stdout


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root reads every file")
def test_a_file_that_cannot_be_read_is_a_problem(project: Path, run: Scanlint) -> None:
    (project / "clean.py").chmod(0)
    done = run("--output-format", "concise", ".")
    assert done.returncode == 2
    assert "clean.py: cannot read: Permission denied" in done.stderr
    assert "loop.py:7:5: SCN101 " in done.stdout


def test_a_folder_named_like_a_file_is_no_crash(project: Path, run: Scanlint) -> None:
    (project / "folder.py").mkdir()
    assert run(".").returncode == 1


def test_a_dangling_link_is_a_problem_and_no_crash(project: Path, run: Scanlint) -> None:
    (project / "link.py").symlink_to("nowhere.py")
    done = run("--output-format", "concise", ".")
    assert done.returncode == 2
    assert "link.py: cannot read: No such file or directory" in done.stderr
    assert "loop.py:7:5: SCN101 " in done.stdout


def test_a_folder_without_python_files_is_said(tmp_path: Path, run: Scanlint) -> None:
    done = run(".")
    assert done.returncode == 0
    assert "no Python files found" in done.stderr


@pytest.mark.parametrize(
    "data",
    [
        pytest.param("# coding: latin-1\nx = 'é'\n".encode("latin-1"), id="Latin-1 with a coding line"),
        pytest.param(b"\xef\xbb\xbfx = 1\r\ny = 2\r\n", id="a byte order mark and carriage returns"),
        pytest.param(b"", id="an empty file"),
        pytest.param(b"x = 1\x0c\ny = 2", id="a form feed and no last newline"),
    ],
)
def test_odd_but_valid_files_pass(data: bytes, tmp_path: Path, run: Scanlint) -> None:
    (tmp_path / "odd.py").write_bytes(data)
    done = run("odd.py")
    assert (done.returncode, done.stdout) == (0, "All checks passed\n")


def test_an_interpreter_that_does_not_exist_is_named(project: Path, run: Scanlint) -> None:
    before = (project / "loop.py").read_bytes()
    done = run("--fix", "--python", "no-such-python", ".")
    assert done.returncode == 2
    assert "`no-such-python` does not exist" in done.stderr
    assert "Traceback" not in done.stderr
    assert (project / "loop.py").read_bytes() == before
