"""Imports go one way, and only the step that needs a package imports it."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import scanlint
from scanlint.rules.registry import Entry, entries, rules

PACKAGE = Path(scanlint.__file__).parent

# Each layer may import itself and what stands before it. A module that is named stands apart from its package.
LAYERS = [
    {"__init__", "errors", "finding", "settings", "syntax", "jaxapi"},
    {"project", "trace", "dataflow", "loops", "branches", "batching", "host", "policy"},
    {"rewrite"},
    {"rules", "rewrite.driver"},
    {"verify"},
    {"engine"},
    {"fix", "record", "report", "command.request", "command.config"},
    {"command"},
    {"cli"},
    {"__main__"},
]
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}


def modules() -> Iterator[tuple[str, Path]]:
    """Every module: its dotted name within the package, and its file."""
    for file in sorted(PACKAGE.rglob("*.py")):
        parts = file.relative_to(PACKAGE).with_suffix("").parts
        yield ".".join(parts[:-1] if len(parts) > 1 and parts[-1] == "__init__" else parts), file


def imported(file: Path, late: bool = True) -> Iterator[str]:
    """The dotted names that a file imports when it is imported or (`late`) used; for type checkers does not count."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    hidden = [n for n in ast.walk(tree) if _type_checking(n) or (not late and isinstance(n, ast.FunctionDef))]
    skipped = {n for node in hidden for n in ast.walk(node)}
    for node in ast.walk(tree):
        if node in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def rank(name: str) -> int | None:
    """The layer of a module, by the longest part of its name that has one; None for a name that is no module."""
    while name and name not in RANK:
        name = name.rpartition(".")[0]
    return RANK.get(name)


def edges(late: bool = True) -> Iterator[tuple[str, str]]:
    """What imports what, within the package."""
    known = {name for name, _ in modules()}
    for owner, file in modules():
        for name in imported(file, late):
            target = name.removeprefix("scanlint.")
            if target != name:
                yield owner, target if target in known else target.rpartition(".")[0]


def test_every_module_has_its_layer() -> None:
    assert [name for name, _ in modules() if rank(name) is None] == []


def test_imports_go_one_way() -> None:
    upward = [f"{owner} imports {name}" for owner, name in edges() if (rank(name) or 0) > (rank(owner) or 0)]
    assert upward == []


def test_no_module_needs_itself_to_be_imported() -> None:
    graph: dict[str, set[str]] = {}
    for owner, name in edges(late=False):
        graph.setdefault(owner, set()).add(name)
    TopologicalSorter(graph).prepare()


def test_the_worker_needs_nothing_of_scanlint() -> None:
    heavy = [
        f"{file.name} imports {name}"
        for _, file in modules()
        if {"worker", "inside", "startup"} & set(file.parts)
        for name in imported(file)
        if name.split(".")[0] in ("scanlint", "libcst", "click")
    ]
    assert heavy == []


@pytest.mark.parametrize("body", ["return x + 1", "for _ in range(3):\n        x = x * x\n    return x"])
def test_checking_a_clean_file_imports_nothing_heavy(tmp_path: Path, body: str) -> None:
    (tmp_path / "clean.py").write_text(f"import jax\n\n\n@jax.jit\ndef f(x):\n    {body}\n")
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
    assert entry.summary == entry.summary.strip(" ,:")
    assert entry.summary


def test_a_rule_lives_in_the_module_of_its_name() -> None:
    assert all(rule.__module__.rpartition(".")[2].replace("_", "-") == rule.name for rule in rules())
