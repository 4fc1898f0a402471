"""Writing a file: in one step, as it was but for its text, and never over what someone else wrote."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scanlint.fix.write import SUFFIX, NotWritten, write, write_new

posix = pytest.mark.skipif(os.name != "posix", reason="modes and links of POSIX")


def test_the_new_bytes_are_there_and_nothing_beside_them(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"\xef\xbb\xbfold\r\n")
    write(file, b"\xef\xbb\xbfold\r\n", b"\xef\xbb\xbfnew\r\n")
    assert file.read_bytes() == b"\xef\xbb\xbfnew\r\n"
    assert list(tmp_path.iterdir()) == [file]


@posix
@pytest.mark.parametrize("mode", [0o644, 0o755, 0o600], ids=["readable", "executable", "private"])
def test_the_mode_is_kept(mode: int, tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"old")
    file.chmod(mode)
    write(file, b"old", b"new")
    assert file.stat().st_mode & 0o7777 == mode


@posix
def test_a_link_stays_a_link_and_its_target_is_written(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "a.py", tmp_path / "link.py"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write(link, b"old", b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_a_file_that_changed_meanwhile_is_left(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"saved by an editor")
    with pytest.raises(NotWritten, match="changed while scanlint ran"):
        write(file, b"old", b"new")
    assert file.read_bytes() == b"saved by an editor"


def test_a_file_that_is_gone_is_not_made_again(tmp_path: Path) -> None:
    with pytest.raises(NotWritten, match="cannot write"):
        write(tmp_path / "a.py", b"old", b"new")
    assert list(tmp_path.iterdir()) == []


def test_a_report_replaces_the_one_before(tmp_path: Path) -> None:
    write_new(tmp_path / "a.json", b"1")
    write_new(tmp_path / "a.json", b"2")
    assert (tmp_path / "a.json").read_bytes() == b"2"


def test_a_report_for_a_folder_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(NotWritten, match="cannot write"):
        write_new(tmp_path / "none" / "a.json", b"1")


@posix
def test_a_file_with_two_names_keeps_them(tmp_path: Path) -> None:
    file, other = tmp_path / "a.py", tmp_path / "b.py"
    file.write_bytes(b"old and longer")
    os.link(file, other)
    write(file, b"old and longer", b"new")
    assert other.read_bytes() == b"new"
    assert file.samefile(other)
    assert sorted(tmp_path.iterdir()) == [file, other]


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="extended attributes of Linux")
def test_extended_attributes_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"old")
    try:
        os.setxattr(file, "user.origin", b"here")
    except OSError:
        pytest.skip("the file system has no extended attributes")
    write(file, b"old", b"new")
    assert os.getxattr(file, "user.origin") == b"here"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root gives files away")
def test_the_owner_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"old")
    os.chown(file, 1234, 2345)
    write(file, b"old", b"new")
    assert (file.stat().st_uid, file.stat().st_gid) == (1234, 2345)


def test_an_edit_that_is_saved_while_the_new_file_is_made_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"old")
    usual = os.fsync

    def fsync(handle: int) -> None:
        usual(handle)
        file.write_bytes(b"saved by an editor")

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(NotWritten, match="changed while scanlint ran"):
        write(file, b"old", b"new")
    assert file.read_bytes() == b"saved by an editor"
    assert list(tmp_path.iterdir()) == [file]


@posix
def test_what_a_killed_run_left_beside_the_file_is_removed(tmp_path: Path) -> None:
    file = tmp_path / "a[1].py"
    file.write_bytes(b"old")
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left = tmp_path / f".a[1].py.{ended.pid}.x1y2{SUFFIX}"
    own = tmp_path / f".a[1].py.{os.getpid()}.x1y2{SUFFIX}"
    left.write_bytes(b"half")
    own.write_bytes(b"half")
    write(file, b"old", b"new")
    assert sorted(tmp_path.iterdir()) == sorted([file, own])
