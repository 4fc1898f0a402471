"""The diff is one that git applies, byte for byte, whatever the file's encoding and newlines."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from scanlint.report.diff import colored, unified
from scanlint.report.paint import Paint

CASES = [
    pytest.param(b"a\nb\nc\n", b"a\nB\nc\n", id="a line in the middle"),
    pytest.param(b"a\nb", b"a\nB", id="no newline at the end of both"),
    pytest.param(b"a\nb", b"a\nb\n", id="a newline added at the end"),
    pytest.param(b"a\nb\n", b"a\nb", id="the newline at the end removed"),
    pytest.param(b"a\r\nb\r\n", b"a\r\nB\r\n", id="carriage returns kept"),
    pytest.param(
        "# coding: latin-1\nx = 'é'\ny = 1\n".encode("latin-1"),
        "# coding: latin-1\nx = 'é'\ny = 2\n".encode("latin-1"),
        id="Latin-1",
    ),
    pytest.param(b"\xef\xbb\xbfa\nb\n", b"\xef\xbb\xbfa\nB\n", id="a byte order mark"),
    pytest.param(b"a\x0cb\nc\n", b"a\x0cB\nc\n", id="a form feed is no line end"),
]


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@pytest.mark.parametrize(("old", "new"), CASES)
def test_git_applies_the_diff(old: bytes, new: bytes, tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(old)
    subprocess.run(
        ["git", "apply", "--whitespace=nowarn", "-"], cwd=tmp_path, input=unified("a.py", old, new), check=True
    )
    assert file.read_bytes() == new


def test_a_file_that_stays_has_no_diff() -> None:
    assert unified("a.py", b"x\n", b"x\n") == b""


def test_a_missing_newline_is_said() -> None:
    assert unified("a.py", b"x", b"y").endswith(b"-x\n\\ No newline at end of file\n+y\n\\ No newline at end of file\n")


def test_colours_leave_the_text_as_it_is() -> None:
    diff = unified("a.py", b"x\n\xff\n", b"y\n\xff\n")
    assert colored(diff, Paint(False)) == diff
    assert b"\033[32m+y\033[0m\n" in colored(diff, Paint(True))
