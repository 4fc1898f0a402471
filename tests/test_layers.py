"""Imports go one way, and only the step that needs a package imports it."""

from __future__ import annotations

import ast
import inspect
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import scanlint
from scanlint.finding import Rewrite
from scanlint.project.facts import ClassFacts, ModuleFacts, Span
from scanlint.rules.registry import Entry, entries, rules
from scanlint.syntax.walk import Kinds, by_kind
from scanlint.trace.unit import Unit
from scanlint.trace.whole_file import WholeFile

PACKAGE = Path(scanlint.__file__).parent

# The packages of the worker, from what the code under test is run in to the session that answers.
WORKER = [
    "sandbox", "imports", "runtime", "results", "infer", "shapes", "proof", "eager", "search", "harvest", "comparing", "standing", "testing", "session"
]  # fmt: skip
DELETED_MODULES = [
    "dataflow.analyses", "dataflow.carried", "dataflow.heap",
    "loops.accumulators", "loops.row_writes", "loops.sizes.equal_lengths",
    "rewrite.breaks", "rewrite.lower.loops.row_buffers",
    "rewrite.normalize.accumulators.read_back", "rewrite.normalize.accumulators.scalar_replacement", "syntax.order",
    "verify.worker.eager.moved_elements", "verify.worker.eager.read_equation",
    "verify.worker.harvest.project_runs", "verify.worker.infer.divisions", "verify.worker.infer.product_ranks",
    "verify.worker.search.distinct_sizes", "verify.worker.search.higher_ranks", "verify.worker.search.trip_shapes",
]  # fmt: skip
DELETED_CLASSES = {
    "Analyses",
    "Cell",
    "Done",
    "Key",
    "Part",
    "ReadBack",
    "Newest",
    "Thinned",
    "Flat",
    "Slots",
    "Counted",
    "Canonical",
    "Normal",
    "Break",
    "Catcher",
}
DELETED_FIELDS = [
    (Rewrite, "bare"), (Rewrite, "meant"), (Unit, "models"), (Unit, "flows"), (WholeFile, "models"),
    (Span, "control"), (Span, "arrays"), (Span, "qualname"), (ClassFacts, "fields"), (ClassFacts, "decorators"), (ModuleFacts, "transforms"),
]  # fmt: skip
# Each layer may import itself and what stands before it: from the facts at the bottom to the request at the top.
# A module that is named stands apart from its package.
LAYERS = [
    {"__init__", "errors", "finding", "problem", "settings", "cluster", "deep", "effort"},
    {"syntax", "jaxapi", "policy.names"},
    {"project"},
    {"trace"},
    {"dataflow"},
    {"keys"},
    {"loops"},
    {"branches"},
    {"policy"},
    {"host"},
    {"batching"},
    {"rewrite"},
    {"rules", "rewrite.driver"},
    *({f"verify.worker.{room}"} for room in WORKER),
    {"verify"},
    {"engine"},
    {"record"},
    {"fix"},
    {"jitting"},
    {"history"},
    {"report"},
    {"command"},
    {"codemods"},
    {"fixit"},
    {"lsp"},
    {"mcp"},
    {"cli"},
    {"__main__"},
]
MOST_FILES = 16
OWN_ROOM = {"verify": "verify.worker", "record": "record.inside"}
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}


def modules() -> Iterator[tuple[str, Path]]:
    """Every module: its dotted name within the package, and its file."""
    for file in sorted(PACKAGE.rglob("*.py")):
        parts = file.relative_to(PACKAGE).with_suffix("").parts
        yield ".".join(parts[:-1] if len(parts) > 1 and parts[-1] == "__init__" else parts), file


@cache
def kinds(file: Path) -> Kinds:
    """The nodes of a file by their class."""
    return by_kind(ast.parse(file.read_text(encoding="utf-8")))


def imported(owner: str, file: Path) -> Iterator[str]:
    """The dotted names that a file imports: at its top, inside functions, and for type checkers."""
    above = owner.split(".") if file.name == "__init__.py" else owner.split(".")[:-1]
    for node in [*kinds(file).of(ast.Import), *kinds(file).of(ast.ImportFrom)]:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        else:
            base = ["scanlint", *above[: len(above) - node.level + 1]] if node.level else []
            name = ".".join([*base, *filter(None, [node.module])])
            yield from (f"{name}.{alias.name}" for alias in node.names)


def rank(name: str) -> int | None:
    """The layer of a module, by the longest part of its name that has one; None for a name that is no module."""
    while name and name not in RANK:
        name = name.rpartition(".")[0]
    return RANK.get(name)


def classes() -> list[str]:
    """The names of all classes."""
    return [node.name for _, file in modules() for node in kinds(file).of(ast.ClassDef)]


def edges() -> Iterator[tuple[str, str]]:
    """What imports what, within the package."""
    known = {name for name, _ in modules()}
    for owner, file in modules():
        for name in imported(owner, file):
            target = name.removeprefix("scanlint.")
            while target and target not in known:
                target = target.rpartition(".")[0]
            if name.startswith("scanlint.") and target and target != owner:
                yield owner, target


def test_modules_that_were_deleted_stay_so() -> None:
    known = {name for name, _ in modules()}
    assert [name for name in DELETED_MODULES if any(f"{other}.".startswith(f"{name}.") for other in known)] == []


def test_classes_that_were_deleted_stay_so() -> None:
    assert DELETED_CLASSES.isdisjoint(classes())


@pytest.mark.parametrize(("owner", "name"), DELETED_FIELDS, ids=lambda part: getattr(part, "__name__", part))
def test_fields_that_were_deleted_stay_so(owner: type, name: str) -> None:
    assert name not in {*dir(owner), *inspect.get_annotations(owner)}


def test_every_module_has_its_layer() -> None:
    assert [name for name, _ in modules() if rank(name) is None] == []


def test_imports_go_one_way() -> None:
    upward = [f"{owner} imports {name}" for owner, name in edges() if (rank(name) or 0) > (rank(owner) or 0)]
    assert upward == []


def test_no_module_imports_itself_by_way_of_others() -> None:
    graph: dict[str, set[str]] = {}
    for owner, name in edges():
        graph.setdefault(owner, set()).add(name)
    TopologicalSorter(graph).prepare()


def test_no_folder_is_crowded() -> None:
    counts = Counter(file.parent.relative_to(PACKAGE) for _, file in modules() if file.name != "__init__.py")
    assert [
        f"{folder}: {count}" for folder, count in counts.items() if count > MOST_FILES and folder.name != "rules"
    ] == []


def test_no_two_files_have_one_name() -> None:
    names = Counter(file.name for _, file in modules() if file.name not in ("__init__.py", "__main__.py"))
    assert [name for name, count in names.items() if count > 1] == []


def test_no_two_classes_have_one_name() -> None:
    assert [name for name, count in Counter(classes()).items() if count > 1] == []


def test_the_worker_needs_nothing_of_scanlint() -> None:
    heavy = [
        f"{file.name} imports {name}"
        for owner, file in modules()
        if {"worker", "inside", "startup"} & set(file.parts)
        for name in imported(owner, file)
        if not name.startswith(f"scanlint.{OWN_ROOM[owner.split('.')[0]]}.")
        and name.split(".")[0] in ("scanlint", "libcst", "click")
    ]
    assert heavy == []


@pytest.mark.parametrize(
    ("body", "code"),
    [
        pytest.param("return x + 1", 0, id="clean"),
        pytest.param("for _ in range(3):\n        x = x * x\n    return x", 0, id="a short loop"),
        pytest.param("while x > 3:\n        log.append(x)\n    return x", 1, id="a loop that is not rewritten"),
    ],
)
def test_checking_what_needs_no_draft_imports_nothing_heavy(tmp_path: Path, body: str, code: int) -> None:
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
    assert done.returncode == code, done.stderr[-2000:]
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
