"""Imports go one way, and only the step that needs a package imports it."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import scanlint
from scanlint.rules.registry import Entry, entries, rules

PACKAGE = Path(scanlint.__file__).parent

# Each layer may import itself and what stands before it.
LAYERS = [
    {"__init__", "errors", "finding", "settings", "edits", "comments", "fingerprint", "write"},
    {"analysis", "project", "rewrite", "rules", "suppress", "catalogue", "texts", "config"},
    {"verify"},
    {"engine", "fixing"},
    {"report", "request", "baseline", "commit"},
    {"run", "compare", "options"},
    {"cli"},
    {"__main__"},
]
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}


def modules() -> Iterator[tuple[str, Path]]:
    for file in sorted(PACKAGE.rglob("*.py")):
        relative = file.relative_to(PACKAGE)
        yield relative.parts[0].removesuffix(".py"), file


def imported(file: Path) -> Iterator[str]:
    """The dotted names that a file imports when it runs; what only type checkers read does not count."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    skipped = {n for node in ast.walk(tree) if _type_checking(node) for n in ast.walk(node)}
    for node in ast.walk(tree):
        if node in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from ([f"{node.module}.{a.name}" for a in node.names] if node.module == "scanlint" else [node.module])


def _type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def test_every_module_has_its_layer() -> None:
    assert {name for name, _ in modules()} <= set(RANK)


def test_imports_go_one_way() -> None:
    upward = [
        f"{file.relative_to(PACKAGE)} imports {name}"
        for owner, file in modules()
        for name in imported(file)
        if name.startswith("scanlint.") and (top := name.split(".")[1]) in RANK and RANK[top] > RANK[owner]
    ]
    assert upward == []


def test_the_worker_needs_nothing_of_scanlint() -> None:
    heavy = [
        f"{file.name} imports {name}"
        for _, file in modules()
        if "worker" in file.parts
        for name in imported(file)
        if name.split(".")[0] in ("scanlint", "libcst", "click")
    ]
    assert heavy == []


def test_checking_a_clean_file_imports_nothing_heavy(tmp_path: Path) -> None:
    (tmp_path / "clean.py").write_text("import jax\n\n\n@jax.jit\ndef f(x):\n    return x + 1\n")
    path = os.pathsep.join(filter(None, [str(PACKAGE.parent), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "scanlint", "clean.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    names = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert not names & {"libcst", "jax", "jaxlib", "numpy", "pygls"}


@pytest.mark.parametrize("what", ["code", "name"])
def test_codes_and_names_are_unique(what: str) -> None:
    listed = [getattr(entry, what) for entry in entries()]
    assert len(listed) == len(set(listed))


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.name)
def test_a_rule_has_a_kebab_case_name_a_code_and_a_summary(entry: Entry) -> None:
    assert entry.name.replace("-", "").isalpha()
    assert entry.name.islower()
    assert entry.code.startswith("SCN")
    assert entry.code[3:].isdigit()
    assert entry.summary


def test_a_rule_lives_in_the_module_of_its_name() -> None:
    assert all(rule.__module__.rpartition(".")[2].replace("_", "-") == rule.name for rule in rules())
