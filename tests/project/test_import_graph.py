"""Which files reach which by their imports, without parsing them."""

from __future__ import annotations

import pytest

from scanlint.project.import_graph import ImportGraph, spelled

MODULES = {
    "pkg/__init__.py": ("pkg", True),
    "pkg/model.py": ("pkg.model", False),
    "pkg/deep/__init__.py": ("pkg.deep", True),
    "pkg/deep/layer.py": ("pkg.deep.layer", False),
    "train.py": ("train", False),
    "alone.py": ("alone", False),
}
WORDS = {
    "pkg/model.py": [".", "make"],
    "pkg/deep/layer.py": ["..", "act"],
    "train.py": ["model", "fit"],
    "alone.py": ["os"],
}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import jax\nx = 1\n", {"jax"}),
        ("import a.b as c, d\n", {"a", "b", "as", "c", "d"}),
        ("    from a.b import c\n", {"a", "b", "c"}),
        ("from a import (\n    b,\n    c as d,\n)\ny = z\n", {"a", "b", "c", "as", "d"}),
        ("from a import b, \\\n    c\ny = z\n", {"a", "b", "c"}),
        ("from . import step\n", {".", "step"}),
        ("from .. import (step)\n", {"..", "step"}),
        ("from .model import step\n", {"model", "step"}),
        ("if x:\r\n\timport a\r\n", {"a"}),
        ("important = 1\nfrom_here = 2\n", set()),
    ],
)
def test_the_words_of_imports(text: str, words: set[str]) -> None:
    assert spelled(text.encode()) == words


def test_a_file_reaches_what_it_names_and_what_that_reaches() -> None:
    graph = ImportGraph(WORDS, MODULES)
    assert graph.imported(["train.py"]) == {"pkg/model.py", "pkg/__init__.py"}
    assert graph.imported(["pkg/deep/layer.py"]) == {"pkg/__init__.py"}
    assert graph.imported(["alone.py"]) == set()


def test_a_file_is_reached_from_all_who_come_to_it() -> None:
    graph = ImportGraph(WORDS, MODULES)
    assert graph.importing(["pkg/__init__.py"]) == {"pkg/model.py", "pkg/deep/layer.py", "train.py"}
    assert graph.importing(["train.py"]) == set()
