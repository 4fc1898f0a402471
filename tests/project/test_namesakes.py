"""Several projects in one run, with packages of one name: each file means its own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.conftest import Scanlint

PLAIN = "def relu(x):\n    return x\n"
BRANCH = "def relu(x):\n    if x > 0:\n        y = x * 2.0\n    else:\n        y = x * 0.5\n    return y\n"
JIT = "import jax\n{}\n\nfast = jax.jit({})\n"
LOCAL = "import jax\n\n\ndef run(x):\n    import lib.act\n\n    return jax.jit(lib.act.relu)(x)\n"


def write(folder: Path, texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def findings(run: Scanlint, *paths: str) -> list[str]:
    lines = run("--output-format", "concise", "--no-cache", *paths).stdout.splitlines()
    return [line.partition(" ")[0] for line in lines if ": SCN" in line]


IMPORTERS = {
    "from the package": ("src/lib/main.py", JIT.format("from lib.act import relu", "relu")),
    "a relative import": ("src/lib/main.py", JIT.format("from .act import relu", "relu")),
    "the package by itself": ("src/lib/main.py", JIT.format("import lib.act", "lib.act.relu")),
    "an import in a function": ("src/lib/main.py", LOCAL),
    "everything": ("src/lib/main.py", JIT.format("from lib.act import *", "relu")),
    "from a script beside the sources": ("train.py", JIT.format("from lib.act import relu", "relu")),
    "from tests beside the sources": ("tests/test_act.py", JIT.format("from lib.act import relu", "relu")),
    "what the package hands on": ("tests/test_act.py", JIT.format("from lib import relu", "relu")),
}


@pytest.mark.parametrize(("importer", "text"), IMPORTERS.values(), ids=IMPORTERS)
def test_what_a_run_over_one_project_reports_a_run_over_several_does(
    importer: str, text: str, tmp_path: Path, run: Scanlint
) -> None:
    for name in ("two", "one", "three"):
        act = BRANCH if name == "two" else PLAIN
        own = {"pyproject.toml": "", "src/lib/__init__.py": "from .act import relu\n", "src/lib/act.py": act}
        write(tmp_path / name, {**own, importer: text})
    assert findings(run, "two") == ["two/src/lib/act.py:2:5:"] == findings(run, ".")


def test_a_package_in_two_parts_is_one(tmp_path: Path, run: Scanlint) -> None:
    write(tmp_path, {"one/pyproject.toml": "", "two/pyproject.toml": ""})
    write(tmp_path, {"one/src/company/a/act.py": BRANCH, "two/src/company/b/act.py": PLAIN})
    write(tmp_path, {"two/src/company/b/main.py": JIT.format("from company.a.act import relu", "relu")})
    assert findings(run, ".") == ["one/src/company/a/act.py:2:5:"]


def test_a_namesake_that_does_not_parse_takes_no_name(tmp_path: Path, run: Scanlint) -> None:
    write(tmp_path, {"one/pyproject.toml": "", "one/src/lib/__init__.py": "def f(:\n"})
    write(tmp_path / "two", {"pyproject.toml": "", "src/lib/__init__.py": "", "src/lib/act.py": BRANCH})
    write(tmp_path, {"two/src/lib/main.py": JIT.format("from lib.act import relu", "relu")})
    assert "two/src/lib/act.py:2:5:" in findings(run, ".")
