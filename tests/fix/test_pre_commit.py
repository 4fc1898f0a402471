"""The hooks under the real pre-commit, from a local repository and without a network."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

import pytest

import scanlint

ROOT = Path(scanlint.__file__).parent.parent
NEEDED = ("scanlint", "rules", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml")
BUILT_BY = ("click", "libcst", "pathspec", "hatchling", "editables")
STUCK = "\n\n@jax.jit\ndef halve(x):\n    while x > 1.0:\n        print(x, end=' ')\n        x = x / 2\n    return x\n"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("pre_commit") is None, reason="pre-commit is not installed"),
    pytest.mark.skipif(sys.platform == "win32", reason="the offline environment is made of links"),
]


def closure(*names: str) -> Iterator[str]:
    """Distributions with all that they require here."""
    stack, seen = list(names), set[str]()
    while stack:
        name = stack.pop()
        try:
            found = distribution(name)
        except PackageNotFoundError:  # for another platform or extra
            continue
        if name not in seen:
            seen.add(name)
            yield name
            stack += [re.split(r"[^\w.-]", spec)[0] for spec in found.requires or () if "extra ==" not in spec]


@pytest.fixture(scope="module")
def offline(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which pip finds what scanlint needs beside it, no index, and no jax."""
    links = tmp_path_factory.mktemp("packages")
    for name in closure(*BUILT_BY):
        found = distribution(name)
        for top in {file.parts[0] for file in found.files or () if file.parts[0] not in ("..", "__pycache__")}:
            source = Path(str(found.locate_file(top)))
            if source.exists() and not (links / top).exists():
                (links / top).symlink_to(source)
    home = tmp_path_factory.mktemp("home")
    keep = {k: v for k, v in os.environ.items() if not k.startswith(("PIP_", "GIT_", "VIRTUAL_ENV"))}
    return keep | {
        "PYTHONPATH": str(links),
        "PRE_COMMIT_HOME": str(home),
        "PIP_NO_INDEX": "1",
        "PIP_NO_DEPS": "1",
        "PIP_NO_BUILD_ISOLATION": "0",
        "PIP_CONFIG_FILE": os.devnull,
    }


def git(folder: Path, *words: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    return subprocess.run(
        ["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """The address and revision of a repository with the hooks as they are here."""
    folder = tmp_path_factory.mktemp("hooks")
    for name in NEEDED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "hooks")
    return folder.as_uri(), git(folder, "rev-parse", "HEAD")


def commit_hooks(project: Path, config: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run all hooks of a configuration on a new repository with the files of the project."""
    (project / ".pre-commit-config.yaml").write_text(config)
    git(project, "init", "-q")
    git(project, "add", "-A")
    words = [sys.executable, "-m", "pre_commit", "run", "--all-files", "--verbose", "--color", "never"]
    # pre-commit itself runs in the environment of the tests; what it starts sees the offline one
    starter = "import os, sys; sys.path = [p for p in sys.path if p != os.environ['PYTHONPATH']]; "
    starter += f"from pre_commit.main import main; sys.exit(main({words[3:]!r}))"
    return subprocess.run(
        [sys.executable, "-c", starter],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
    )


def config(hooks: tuple[str, str], hook: str, *extra: str) -> str:
    address, revision = hooks
    lines = ["repos:", f"- repo: {address}", f"  rev: {revision}", "  hooks:", f"    - id: {hook}", *extra]
    return "\n".join(lines) + "\n"


def test_the_checking_hook_reports_and_changes_nothing(
    project: Path, hooks: tuple[str, str], offline: dict[str, str]
) -> None:
    before = (project / "loop.py").read_text()
    done = commit_hooks(project, config(hooks, "scanlint"), offline)
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.count("warning[unrolled-loop]") == 1
    assert (project / "loop.py").read_text() == before


def test_the_fixing_hook_in_the_projects_interpreter_writes_and_says_each_thing_once(
    project: Path, hooks: tuple[str, str], offline: dict[str, str]
) -> None:
    """As the README has it: one hook, the interpreter of the project."""
    (project / "loop.py").write_text((project / "loop.py").read_text() + STUCK)
    block = re.search(r"```yaml\n(- repo: .*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert block is not None
    address, revision = hooks
    text = re.sub(r"repo: \S+", f"repo: {address}", block[1])
    text = re.sub(r"rev: \S+", f"rev: {revision}", text)
    make_environment(project)
    done = commit_hooks(project, "repos:\n" + text, offline)
    assert done.returncode == 1, done.stdout + done.stderr
    said = done.stdout
    assert said.count("unrolled-loop -> fori_loop: proved") == 1, said
    assert said.count("error[traced-while]") == 1
    assert "fori_loop" in (project / "loop.py").read_text()


def make_environment(project: Path) -> None:
    """An environment of the project that has JAX, and is ignored by git."""
    bin = project / ".venv" / "bin"
    bin.mkdir(parents=True)
    wrapped = bin / "python"
    wrapped.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    wrapped.chmod(0o755)
    (project / ".gitignore").write_text(".venv\n")


def test_the_hook_that_compares_lets_the_first_commit_pass_and_refutes_a_wrong_conversion(
    project: Path, hooks: tuple[str, str], offline: dict[str, str]
) -> None:
    make_environment(project)
    text = config(hooks, "scanlint-verify", "      args: [--python, .venv/bin/python]")
    first = commit_hooks(project, text, offline)
    assert first.returncode == 0, first.stdout + first.stderr
    assert "there is no commit yet" in first.stdout
    git(project, "commit", "-qm", "loops")
    loop = project / "loop.py"
    loop.write_text(loop.read_text().replace("2.0", "2.5"))
    done = commit_hooks(project, text, offline)
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.count("loop.py:6: rollout: refuted") == 1


def test_the_fixing_hook_without_jax_says_once_what_to_do(
    project: Path, hooks: tuple[str, str], offline: dict[str, str]
) -> None:
    (project / "more.py").write_text((project / "loop.py").read_text())
    done = commit_hooks(project, config(hooks, "scanlint-fix"), offline)
    assert done.returncode == 1
    assert sum(line.startswith("error: ") for line in done.stdout.splitlines()) == 1
    assert "args: [--python, .venv/bin/python]" in done.stdout
    assert "additional_dependencies: [jax]" in done.stdout
