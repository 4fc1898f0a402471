"""What git ignores is not checked; git itself says what that is."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

Scanlint = Callable[..., subprocess.CompletedProcess[str]]

FILES = ("a.py", "src/b.py", "src/gen/c.py", "src/gen/keep.py", "src/deep/er/d.py", "tools/gen/e.py", "x/a.py")

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of its own, for git and for scanlint."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for name in ("XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL"):
        monkeypatch.delenv(name, raising=False)
    return folder


def git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True).stdout


@pytest.fixture
def tree(tmp_path: Path, home: Path) -> Path:
    """A repository with a few files in it, the working directory of the commands."""
    git(tmp_path, "init", "-q", ".")
    (tmp_path / ".git" / "info" / "exclude").write_text("/home\n")
    write(tmp_path, dict.fromkeys(FILES, "x = 1\n"))
    return tmp_path


def write(folder: Path, texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def shown(run: Scanlint, *words: str) -> list[str]:
    done = run("--show-files", *words)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def of_git(folder: Path) -> list[str]:
    listed = git(folder, "ls-files", "-o", "--exclude-standard", "*.py").splitlines()
    return sorted(listed, key=Path)


@pytest.mark.parametrize(
    "ignores",
    [
        pytest.param({".gitignore": "gen/\n"}, id="a folder anywhere"),
        pytest.param({".gitignore": "/a.py\n"}, id="only at the top"),
        pytest.param({".gitignore": "src/gen\n"}, id="a path in the middle is anchored"),
        pytest.param({".gitignore": "src/**/d.py\n"}, id="any number of folders"),
        pytest.param({".gitignore": "src/gen/*\n!src/gen/keep.py\n"}, id="a negation takes one back"),
        pytest.param({".gitignore": "src/gen/\n!src/gen/keep.py\n"}, id="a folder that is out stays out"),
        pytest.param({".gitignore": "*.py\n", "src/.gitignore": "!b.py\n"}, id="a deeper file wins"),
        pytest.param({"src/.gitignore": "/gen\n"}, id="a nested file speaks of its folder"),
        pytest.param({".gitignore": "# gen/\n\n  \n!\n\\#x\na.py   \n"}, id="comments, blanks and what is no pattern"),
        pytest.param({".gitignore": "\ufeffa.py\n"}, id="a byte order mark"),
        pytest.param(
            {".git/info/exclude": "/home\nx/\ngen/\n", ".gitignore": "!x/\n"}, id="the repository's own excludes"
        ),
        pytest.param({"home/.config/git/ignore": "gen/\n"}, id="the file that git takes by itself"),
        pytest.param(
            {"home/.gitconfig": "[user]\n\tname = x\n[core]\n\texcludesFile = ~/mine # here\n", "home/mine": "d.py\n"},
            id="the file that the user's configuration names",
        ),
        pytest.param(
            {"home/.gitconfig": "[core]\nexcludesfile = ~/mine\n", "home/mine": "*.py\n", ".gitignore": "!b.py\n"},
            id="the project wins over the user",
        ),
    ],
)
def test_the_files_of_a_folder_are_those_that_git_does_not_ignore(
    ignores: Mapping[str, str], tree: Path, run: Scanlint
) -> None:
    write(tree, ignores)
    assert of_git(tree) != sorted(FILES, key=Path)
    assert shown(run) == of_git(tree)


def test_what_stands_above_the_named_folder_counts(tree: Path, run: Scanlint) -> None:
    write(tree, {".gitignore": "gen/\n"})
    assert shown(run, "src") == ["src/b.py", "src/deep/er/d.py"]


def test_a_folder_or_file_that_is_named_is_checked_though_git_ignores_it(tree: Path, run: Scanlint) -> None:
    write(tree, {".gitignore": "gen/\nb.py\n"})
    assert shown(run, "src/gen") == ["src/gen/c.py", "src/gen/keep.py"]
    assert shown(run, "src/b.py") == ["src/b.py"]
    assert shown(run, "--force-exclude", "src/b.py") == ["src/b.py"]
    assert shown(run, "--force-exclude", "--extend-exclude", "b.py", "src/b.py") == []


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param((), id="the usual index"),
        pytest.param(("index.version=4",), id="names that rest on the ones before"),
        pytest.param(("core.splitIndex=true",), id="an index in two files"),
        pytest.param(("extensions.objectFormat=sha256", "core.repositoryFormatVersion=1"), id="longer hashes"),
    ],
)
def test_what_git_tracks_is_checked_whatever_a_pattern_says(
    settings: tuple[str, ...], tree: Path, run: Scanlint
) -> None:
    if any("sha256" in setting for setting in settings):
        git(tree, "init", "-q", "--object-format=sha256", "home/longer")
        tree = tree / "home" / "longer"
        write(tree, dict.fromkeys(FILES, "x = 1\n"))
    else:
        for setting in settings:
            git(tree, "config", *setting.split("=", 1))
    git(tree, "add", "a.py", "src/gen/keep.py", "x/a.py")
    write(tree, {".gitignore": "a.py\ngen/\n"})
    listed = [Path(line).relative_to(tree) if Path(line).is_absolute() else line for line in shown(run, str(tree))]
    below = [str(name).removeprefix("home/longer/") for name in listed]
    assert below == ["a.py", "src/b.py", "src/deep/er/d.py", "src/gen/keep.py", "x/a.py"]


def test_a_repository_in_another_one_has_patterns_and_files_of_its_own(tree: Path, run: Scanlint) -> None:
    write(tree, {".gitignore": "gen/\n", "part/kept.py": "x = 1\n", "part/gen/d.py": "x = 1\n", "part/own.py": ""})
    git(tree / "part", "init", "-q", ".")
    write(tree, {"part/.gitignore": "own.py\nkept.py\n"})
    git(tree / "part", "add", "-f", "kept.py")
    assert [name for name in shown(run) if name.startswith("part")] == ["part/gen/d.py", "part/kept.py"]


def test_an_index_that_cannot_be_read_is_said_where_something_is_left_out(tree: Path, run: Scanlint) -> None:
    (tree / ".git" / "index").write_bytes(b"DIRC\0\0\0\x02\0\0\0\x05a.py")
    assert run("--show-files").returncode == 0
    write(tree, {".gitignore": "a.py\n"})
    done = run("--show-files")
    assert done.returncode == 2 and "not an index of git: tracked files that git ignores are left out" in done.stderr


@pytest.mark.parametrize("words", [("--no-respect-gitignore",), ()], ids=["by an option", "by the configuration"])
def test_it_can_be_turned_off(words: tuple[str, ...], tree: Path, run: Scanlint) -> None:
    write(tree, {".gitignore": "gen/\n"})
    if not words:
        write(tree, {"pyproject.toml": "[tool.scanlint]\nrespect-gitignore = false\n"})
    assert "src/gen/c.py" in shown(run, *words)


def test_outside_of_git_nothing_is_ignored(tmp_path: Path, home: Path, run: Scanlint) -> None:
    write(tmp_path, {".gitignore": "*.py\n", "a.py": "x = 1\n"})
    assert shown(run) == ["a.py"]


def test_a_further_working_tree_takes_the_excludes_of_its_repository(tree: Path, run: Scanlint) -> None:
    git(tree, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x")
    git(tree, "worktree", "add", "-q", "--detach", "home/other")
    write(tree / "home" / "other", {"x/a.py": "x = 1\n", "b.py": "x = 1\n"})
    write(tree, {".git/info/exclude": "x/\n"})
    assert shown(run, "home/other") == ["home/other/b.py"]


def test_a_file_that_two_links_lead_to_is_reported_once(project: Path, run: Scanlint) -> None:
    os.symlink("loop.py", project / "again.py")
    os.symlink("loop.py", project / "zz.py")
    assert shown(run) == ["clean.py", "loop.py"]
    assert shown(run, "again.py", "zz.py") == ["again.py"]
    assert "Found 1 finding (" in run(".").stdout


def test_a_check_without_ignores_does_not_import_the_library(project: Path, run: Scanlint) -> None:
    done = run("clean.py", PYTHONVERBOSE="1")
    assert "import 'scanlint.project.files'" in done.stderr
    assert "import 'pathspec" not in done.stderr
