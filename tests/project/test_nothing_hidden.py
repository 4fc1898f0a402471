"""One entry of a folder hides no other, and what could not be looked at is said."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.conftest import CLEAN, LOOP, Completed, Scanlint

posix = pytest.mark.skipif(os.name != "posix", reason="links, pipes and permissions")
STEPS = "def halve(x):\n    if x > 0:\n        return x / 2\n    return x\n"
CALLER = "import jax\nfrom pkg.steps import halve\n\nfast = jax.jit(halve)\n"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """`pkg/steps.py` has a finding only because `pkg/caller.py` jits it."""
    (tmp_path / "pkg").mkdir()
    texts = {"pyproject.toml": "", "pkg/__init__.py": "", "pkg/steps.py": STEPS, "pkg/caller.py": CALLER}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def found(done: Completed) -> list[str]:
    return [line.partition(" ")[0] for line in done.stdout.splitlines() if ": SCN" in line]


def concise(run: Scanlint, *words: str, **more: object) -> Completed:
    return run("--output-format", "concise", "--no-cache", *words, **more)


@posix
@pytest.mark.parametrize(
    ("name", "target", "said"),
    [
        pytest.param("ring.py", "ring.py", "ring.py: cannot read: Too many levels", id="a link to itself"),
        pytest.param(
            "nowhere.py", "gone/x.py", "nowhere.py: cannot read: No such file", id="a link that leads nowhere"
        ),
        pytest.param("ring", "ring", "", id="a link to itself that is no Python file"),
        pytest.param("again", ".", "", id="a link to the folder that it stands in"),
    ],
)
def test_a_link_hides_no_sibling(name: str, target: str, said: str, project: Path, run: Scanlint) -> None:
    (project / name).symlink_to(target)
    done = concise(run, ".")
    assert found(done) == ["loop.py:7:5:"]
    assert said in done.stderr and (done.returncode == 2) == bool(said)


@posix
def test_two_links_that_lead_to_each_other_are_both_said(project: Path, run: Scanlint) -> None:
    (project / "a.py").symlink_to("b.py")
    (project / "b.py").symlink_to("a.py")
    done = concise(run, ".")
    assert found(done) == ["loop.py:7:5:"]
    assert "a.py: cannot read" in done.stderr and "b.py: cannot read" in done.stderr


@posix
@pytest.mark.parametrize("mode", [0o000, 0o111, 0o444], ids=["no right at all", "may be entered", "may be listed"])
def test_a_folder_that_cannot_be_read_is_said(mode: int, project: Path, run: Scanlint, bound: tuple[str, ...]) -> None:
    (project / "sub").mkdir()
    (project / "sub" / "more.py").write_text(LOOP)
    (project / "sub").chmod(mode)
    try:
        done = concise(run, ".", "--exit-zero", under=bound)
    finally:
        (project / "sub").chmod(0o755)
    assert found(done) == ["loop.py:7:5:"]
    assert "sub" in done.stderr and "cannot read: Permission denied" in done.stderr
    assert done.returncode == 2


@posix
def test_listing_the_files_says_what_could_not_be_listed(project: Path, run: Scanlint, bound: tuple[str, ...]) -> None:
    (project / "sub").mkdir(mode=0)
    done = run("--show-files", ".", under=bound)
    (project / "sub").chmod(0o755)
    assert done.stdout.splitlines() == ["clean.py", "loop.py"]
    assert "sub: cannot read" in done.stderr and done.returncode == 2


@posix
def test_an_excluded_folder_need_not_be_readable(project: Path, run: Scanlint, bound: tuple[str, ...]) -> None:
    (project / "build").mkdir(mode=0)
    done = concise(run, ".", under=bound)
    (project / "build").chmod(0o755)
    assert done.returncode == 1 and "build" not in done.stderr


@posix
def test_a_pipe_and_a_socket_hide_no_sibling(project: Path, run: Scanlint) -> None:
    os.mkfifo(project / "a.py")
    done = concise(run, ".")
    assert found(done) == ["loop.py:7:5:"] and done.returncode == 1


@posix
def test_names_of_any_bytes_are_checked_and_shown(project: Path, run: Scanlint) -> None:
    odd = os.fsencode(project) + b"/caf\xe9.py"
    try:
        Path(os.fsdecode(odd)).write_text(LOOP)
    except OSError:
        pytest.skip("this file system has names in Unicode alone")
    (project / f"{'n' * 240}.py").write_text(LOOP)
    done = concise(run, ".")
    assert len(found(done)) == 3 and done.returncode == 1


# -- files around those that are checked


IMPORT = "from pkg.steps import walk\n"
BROKEN = {
    f"{IMPORT}def f(:\n": "line 2",
    f"{IMPORT}name = '\xe9'\n": "cannot decode",
    f"{IMPORT}x = t'{{1}}'\n": "newer Python",
}


@pytest.mark.parametrize("text", BROKEN, ids=["a syntax error", "another encoding", "a newer Python"])
def test_a_caller_that_cannot_be_read_is_named(text: str, package: Path, run: Scanlint) -> None:
    assert found(concise(run, "pkg/steps.py")) == ["pkg/steps.py:2:5:"]
    (package / "pkg" / "caller.py").write_bytes(text.encode("latin-1"))
    done = concise(run, "pkg/steps.py")
    if "newer" in BROKEN[text] and "note" not in done.stderr:
        pytest.skip("this Python is new enough")
    assert done.returncode == 0
    assert "1 file of the project could not be read; findings that rest on it may be missing" in done.stderr
    assert "pkg/caller.py" in done.stderr and BROKEN[text] in done.stderr


def test_several_of_them_are_said_once(package: Path, run: Scanlint) -> None:
    for number in range(8):
        (package / f"broken{number}.py").write_text(f"{IMPORT}def f(:\n")
    (package / "unrelated.py").write_text("import os\ndef f(:\n")
    done = concise(run, "pkg/steps.py")
    assert done.returncode == 1
    assert done.stderr.count("could not be read") == 1
    assert "8 files of the project" in done.stderr and "and 3 more" in done.stderr


def test_a_file_that_rests_on_no_caller_is_told_of_none(package: Path, run: Scanlint) -> None:
    (package / "broken.py").write_text("def f(:\n")
    (package / "plain.py").write_text("x = 1\n")
    assert not concise(run, "plain.py").stderr


@posix
def test_a_folder_of_callers_that_cannot_be_read_is_named(package: Path, run: Scanlint, bound: tuple[str, ...]) -> None:
    (package / "closed").mkdir(mode=0)
    done = concise(run, "pkg/steps.py", under=bound)
    (package / "closed").chmod(0o755)
    assert found(done) == ["pkg/steps.py:2:5:"] and done.returncode == 1
    assert "closed (cannot read: Permission denied)" in done.stderr


# -- standard input


def test_standard_input_is_checked_as_the_file_that_it_is_named_after(package: Path, run: Scanlint) -> None:
    named = concise(run, "-", "--stdin-filename", "pkg/steps.py", stdin=f"\n{STEPS}")
    assert found(named) == ["pkg/steps.py:3:5:"]
    assert found(concise(run, "-", "--stdin-filename", "pkg/other.py", stdin=STEPS)) == []


def test_a_text_without_a_name_stands_alone(package: Path, run: Scanlint) -> None:
    assert found(concise(run, "-", stdin=LOOP)) == ["-:7:5:"]
    done = concise(run, "-", stdin=STEPS)
    assert done.returncode == 0 and not done.stderr


def test_standard_input_is_told_of_callers_that_do_not_parse(package: Path, run: Scanlint) -> None:
    (package / "pkg" / "caller.py").write_text(f"{IMPORT}def f(:\n")
    done = concise(run, "-", "--stdin-filename", "pkg/steps.py", stdin=STEPS)
    assert "pkg/caller.py" in done.stderr


def test_what_is_kept_of_a_project_comes_from_its_files_and_not_from_standard_input(
    package: Path, run: Scanlint
) -> None:
    words = ("--output-format", "concise")
    assert found(run(*words, "-", "--stdin-filename", "pkg/steps.py", stdin=CLEAN)) == []
    assert found(run(*words, "pkg/steps.py")) == ["pkg/steps.py:2:5:"]
    assert found(run(*words, "-", "--stdin-filename", "pkg/steps.py", stdin=CLEAN)) == []
    assert found(run(*words, "-", "--stdin-filename", "pkg/steps.py", stdin=f"# more\n{STEPS}")) == [
        "pkg/steps.py:3:5:"
    ]
