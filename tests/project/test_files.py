"""Which files are found, and how they are decoded."""

from __future__ import annotations

import codecs
import os
from pathlib import Path

import pytest

from scanlint.project.discovery.folders import discover
from scanlint.project.files import SourceFile, Unreadable, decode, read
from scanlint.settings import Settings


def tree(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x = 1\n")


def found(folder: Path, settings: Settings, *paths: Path) -> list[str]:
    return [p.relative_to(folder).as_posix() for p in discover(paths or [folder], settings).files]


def test_a_folder_gives_its_python_files_once_and_in_order(tmp_path: Path) -> None:
    tree(tmp_path, "b.py", "a/c.py", "a/notes.txt", "stub.pyi")
    assert found(tmp_path, Settings(root=tmp_path), tmp_path, tmp_path / "b.py") == ["b.py", "a/c.py"]


def test_folders_of_tools_and_environments_are_left_out(tmp_path: Path) -> None:
    tree(tmp_path, ".git/a.py", ".venv/b.py", "build/c.py", "node_modules/d.py", "x/__pycache__/e.py", "kept.py")
    assert found(tmp_path, Settings(root=tmp_path)) == ["kept.py"]


@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param("old", id="the name of a folder"),
        pytest.param("src/old", id="a path below the root"),
        pytest.param("src/old/*.py", id="a glob of files"),
        pytest.param("src/old/**", id="everything below a folder"),
        pytest.param("o*d", id="a glob of a folder"),
    ],
)
def test_an_excluded_pattern_is_left_out(tmp_path: Path, pattern: str) -> None:
    tree(tmp_path, "src/old/a.py", "src/new.py")
    assert found(tmp_path, Settings(root=tmp_path, extend_exclude=(pattern,))) == ["src/new.py"]


def test_a_file_that_is_named_is_checked_unless_exclusion_is_forced(tmp_path: Path) -> None:
    tree(tmp_path, "old/a.py")
    file = tmp_path / "old" / "a.py"
    assert found(tmp_path, Settings(root=tmp_path, extend_exclude=("old",)), file) == ["old/a.py"]
    assert found(tmp_path, Settings(root=tmp_path, extend_exclude=("old",), force_exclude=True), file) == []


def test_a_path_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="absent"):
        list(discover([tmp_path / "absent"], Settings(root=tmp_path)))


def test_the_coding_line_is_honoured(tmp_path: Path) -> None:
    text = "# -*- coding: latin-1 -*-\nname = 'café'\r\n"
    source = decode(text.encode("latin-1"), tmp_path / "a.py")
    assert isinstance(source, SourceFile)
    assert (source.text, source.encoding) == (text, "iso-8859-1")
    assert source.encode(source.text) == source.data


def test_a_byte_order_mark_and_newlines_are_kept(tmp_path: Path) -> None:
    data = codecs.BOM_UTF8 + b"x = 1\r\ny = 2\r\n"
    source = decode(data, tmp_path / "a.py")
    assert isinstance(source, SourceFile)
    assert source.bom and source.text == "x = 1\r\ny = 2\r\n"
    assert source.encode(source.text) == data


def test_bytes_that_cannot_be_decoded_are_an_error_with_a_line(tmp_path: Path) -> None:
    error = decode(b"x = 1\ny = '\xff'\n", tmp_path / "a.py")
    assert isinstance(error, Unreadable)
    assert error.syntax and "cannot decode" in error.message


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("x = 1\n")
    file.chmod(0)
    error = read(file)
    assert isinstance(error, Unreadable) and "Permission denied" in error.message


def test_a_folder_in_place_of_a_file_is_an_error(tmp_path: Path) -> None:
    error = read(tmp_path)
    assert isinstance(error, Unreadable) and error.message.startswith("cannot read")
