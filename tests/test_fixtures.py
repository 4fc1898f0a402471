"""Programs of realistic size: the tool turns `before.py` into `after.py`, and `calls.py` gives the same from both."""

from __future__ import annotations

import ast
import runpy
import shutil
import types
from collections.abc import Iterator, Mapping
from pathlib import Path

import jax
import numpy as np
import pytest

from scanlint.engine.session import RunOutcome
from scanlint.fix.run import fix
from scanlint.settings import Settings

pytestmark = pytest.mark.long
FIXTURES = Path(__file__).parent.parent / "fixtures"
PROGRAMS = sorted(path.parent.name for path in FIXTURES.glob("*/before.py"))


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> RunOutcome:
    folder = tmp_path_factory.mktemp("fixtures")
    for name in PROGRAMS:
        shutil.copy(FIXTURES / name / "before.py", folder / f"{name}.py")
    return fix([folder], Settings(root=folder, verify_timeout=120.0), lambda line: None)


@pytest.fixture(scope="module")
def written(outcome: RunOutcome) -> Mapping[str, str]:
    return {path.stem: new.decode() for path, (_, new) in outcome.changes.items()}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_rewrite_is_the_one_that_was_agreed(
    name: str, written: Mapping[str, str], request: pytest.FixtureRequest
) -> None:
    after = FIXTURES / name / "after.py"
    if request.config.getoption("--update-pages"):
        after.write_text(written[name], encoding="utf-8")
    assert written[name] == after.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_rewrite_is_proved_or_tested(name: str, outcome: RunOutcome) -> None:
    found = [f for f in outcome.findings if Path(f.path).stem == name]
    applied = [f for f in found if f.fix.status == "applied"]
    assert applied
    assert all(f.verification is not None and f.verification.verdict in ("proved", "tested") for f in applied)
    assert not [f for f in found if f.verification is not None and f.verification.verdict == "refuted"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_calls_give_the_same_before_and_after(name: str) -> None:
    with jax.disable_jit():
        expected = list(results(name, "before"))
    got = list(results(name, "after"))
    assert len(expected) == len(got) > 0
    for old, new in zip(expected, got, strict=True):
        for a, b in zip(jax.tree.leaves(old), jax.tree.leaves(new), strict=True):
            assert np.shape(a) == np.shape(b)
            np.testing.assert_allclose(np.asarray(b), np.asarray(a), rtol=2e-4, atol=1e-5)


@pytest.mark.parametrize("name", PROGRAMS)
def test_rewriting_twice_changes_nothing(name: str, tmp_path: Path) -> None:
    shutil.copy(FIXTURES / name / "after.py", tmp_path / "program.py")
    again = fix([tmp_path], Settings(root=tmp_path), lambda line: None)
    assert not again.changes


@pytest.mark.parametrize("name", PROGRAMS)
def test_comments_are_kept(name: str, written: Mapping[str, str]) -> None:
    before = (FIXTURES / name / "before.py").read_text(encoding="utf-8")
    lost = [c for c in comments(before) if c not in written[name]]
    assert not lost
    ast.parse(written[name])


def comments(text: str) -> Iterator[str]:
    return (line.strip() for line in text.splitlines() if line.strip().startswith("#"))


def results(name: str, version: str) -> Iterator[object]:
    module = types.SimpleNamespace(**runpy.run_path(str(FIXTURES / name / f"{version}.py")))
    yield from runpy.run_path(str(FIXTURES / name / "calls.py"))["calls"](module)
