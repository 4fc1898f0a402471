"""The static answer on small programs is that of JAX's own checker, wherever that can run them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest
from jax.errors import KeyReuseError

from scanlint.engine.session import check
from scanlint.settings import Settings
from tests.keys.key_programs import BEYOND, CHECKED

MARK = re.compile(r"# ! ([\w-]+)")
RULES = ("SCN501", "SCN502", "SCN503", "SCN504")
HEAD = "import jax\nimport jax.numpy as jnp\n"


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, list[tuple[int, str]]]:
    """What is found in each program, by line and rule."""
    folder = tmp_path_factory.mktemp("programs")
    for name, text in {**CHECKED, **BEYOND}.items():
        (folder / f"{name}.py").write_text(HEAD + text, encoding="utf-8")
    outcome = check([folder], Settings(root=folder, select=RULES, level="advice", cache=False))
    assert not outcome.problems
    found: dict[str, list[tuple[int, str]]] = {name: [] for name in {**CHECKED, **BEYOND}}
    for finding in outcome.findings:
        found[Path(finding.path).stem].append((finding.start.line, finding.name))
    return found


def marked(text: str) -> list[tuple[int, str]]:
    lines = enumerate((HEAD + text).splitlines(), 1)
    return [(number, rule) for number, line in lines for rule in MARK.findall(line)]


@pytest.mark.parametrize("name", [*CHECKED, *BEYOND])
def test_each_mistake_is_named_where_it_is(name: str, answers: Mapping[str, list[tuple[int, str]]]) -> None:
    assert answers[name] == marked({**CHECKED, **BEYOND}[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKED)
def test_jax_says_the_same_when_it_runs(name: str) -> None:
    made: dict[str, object] = {"jax": jax, "jnp": jnp}
    exec(compile(CHECKED[name], f"{name}.py", "exec"), made)
    function = made["f"]
    assert callable(function)
    try:
        with jax.debug_key_reuse(True):
            jax.block_until_ready(function(jax.random.key(0)))
        refused = False
    except KeyReuseError:
        refused = True
    assert refused == bool(marked(CHECKED[name]))
