"""What is built and installed: the wheel is whole, runs with the oldest dependencies it asks for, on any system."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

import scanlint
from scanlint.rules.registry import entries

PACKAGE = Path(scanlint.__file__).parent
ROOT = PACKAGE.parent
ONLY_POSIX = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
SANDBOX = PACKAGE / "verify/worker/sandbox"
BEFORE = "import jax\n\n\n@jax.jit\ndef total(xs):\n    s = 0.0\n    for x in xs:\n        s = s + x\n    return s\n"


def needed_at_the_top(file: Path) -> Iterator[str]:
    """The modules that an import of a file needs: what is tried may be missing."""
    for statement in ast.parse(file.read_bytes()).body:
        match statement:
            case ast.Import(names=names):
                yield from (alias.name.partition(".")[0] for alias in names)
            case ast.ImportFrom(module=str() as module, level=0):
                yield module.partition(".")[0]


def test_only_the_sandbox_needs_what_only_posix_has() -> None:
    files = [file for file in PACKAGE.rglob("*.py") if SANDBOX not in file.parents]
    assert len(files) > 100
    assert [str(file) for file in files if ONLY_POSIX & {*needed_at_the_top(file)}] == []


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    words = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(words, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.mark.slow
@pytest.mark.skipif(find_spec("hatchling") is None, reason="the extra `dev` is not installed")
def test_the_wheel_holds_the_package_its_pages_and_its_types(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {*archive.namelist()}
        (metadata,) = (archive.read(name).decode() for name in names if name.endswith("/METADATA"))
    assert {"scanlint/py.typed", "scanlint/report/html/page.css", "scanlint/report/html/page.js"} <= names
    assert {
        f"scanlint/_catalogue/{entry.name}.md" for entry in entries() if (ROOT / f"rules/{entry.name}.md").exists()
    } <= names
    assert {str(file.relative_to(ROOT)) for file in PACKAGE.rglob("*.py")} <= names
    assert not [name for name in names if name.startswith(("tests", "benchmarks", "fixtures"))]
    assert f"Version: {scanlint.__version__}\n" in metadata and "Requires-Python: >=3.11\n" in metadata


@pytest.mark.slow
@pytest.mark.skipif(find_spec("hatchling") is None, reason="the extra `dev` is not installed")
def test_the_wheel_runs_with_the_oldest_dependencies_that_it_asks_for(wheel: Path, tmp_path: Path) -> None:
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    (tmp_path / "oldest.txt").write_text("".join(f"{re.sub('>=', '==', line)}\n" for line in asked))
    venv.create(tmp_path / "env", with_pip=True)
    python = next(path for path in (tmp_path / "env/bin/python", tmp_path / "env/Scripts/python.exe") if path.exists())
    install = [python, "-m", "pip", "install", "--quiet", "--constraint", tmp_path / "oldest.txt", wheel]
    subprocess.run(install, check=True, capture_output=True)
    (tmp_path / "m.py").write_text(BEFORE)
    done = subprocess.run(
        [python, "-I", "-m", "scanlint", "m.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (1, "")
    assert "m.py:7:5" in done.stdout
