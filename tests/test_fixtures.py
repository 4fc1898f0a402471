"""Programs of realistic size: the tool turns `before.py` into `after.py`, and `calls.py` gives the same from both."""

from __future__ import annotations

import ast
import runpy
import shutil
import types
from collections.abc import Iterator
from pathlib import Path

import jax
import numpy as np
import pytest

from scanlint.engine.session import RunOutcome
from scanlint.fix.run import fix
from scanlint.settings import Settings
from tests.agreed import Agreed
from tests.rewritten import rewritten

pytestmark = pytest.mark.long
FIXTURES = Path(__file__).parent.parent / "fixtures"
PROGRAMS = sorted(path.parent.name for path in FIXTURES.glob("*/before.py"))


MENDED = {"policy_gradient"}
"""Whose loops are given other initial values when a verification has told the types of what they carry."""
SOON = {"hidden_markov"}
"""What is verified every day; the others only differ in how much is verified."""
VERIFIED = [pytest.param(name, marks=[] if name in SOON else pytest.mark.slow) for name in PROGRAMS]


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> RunOutcome:
    """One run for all programs of which a test of this session asks for the verdicts."""
    items = (i for i in request.session.items if i.path == request.path and "outcome" in i.fixturenames)  # type: ignore[attr-defined]
    folder = tmp_path_factory.mktemp("fixtures")
    for name in {item.callspec.params["name"] for item in items}:  # type: ignore[attr-defined]
        shutil.copy(FIXTURES / name / "before.py", folder / f"{name}.py")
    return fix([folder], Settings(root=folder, verify_timeout=120.0), lambda line: None)


@pytest.mark.parametrize("name", VERIFIED)
def test_the_verified_rewrite_is_the_one_that_was_agreed(
    name: str, outcome: RunOutcome, request: pytest.FixtureRequest
) -> None:
    written = next(new.decode() for path, (_, new) in outcome.changes.items() if path.stem == name)
    after = FIXTURES / name / "after.py"
    if request.config.getoption("--update-pages"):
        after.write_text(written, encoding="utf-8")
    assert written == after.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in MENDED])
def test_the_rewrites_that_are_offered_give_the_agreed_text(name: str, tmp_path: Path) -> None:
    before = (FIXTURES / name / "before.py").read_text(encoding="utf-8")
    new, _ = rewritten(before, tmp_path / "program.py", Settings(root=tmp_path))
    assert new == (FIXTURES / name / "after.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", VERIFIED)
def test_every_rewrite_is_proved_or_tested(name: str, outcome: RunOutcome) -> None:
    found = [f for f in outcome.findings if Path(f.path).stem == name]
    applied = [f for f in found if f.fix.status == "applied"]
    assert applied
    assert all(f.verification is not None and f.verification.verdict in ("proved", "tested") for f in applied)
    assert not [f for f in found if f.verification is not None and f.verification.verdict == "refuted"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_calls_give_the_same_before_and_after(name: str, agreed: Agreed, request: pytest.FixtureRequest) -> None:
    texts = [(FIXTURES / name / f"{part}.py").read_text(encoding="utf-8") for part in ("before", "after", "calls")]
    agreed.once(request.node, tuple(texts), lambda: compare(name))


def compare(name: str) -> None:
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
def test_comments_are_kept(name: str) -> None:
    before, after = ((FIXTURES / name / f"{part}.py").read_text(encoding="utf-8") for part in ("before", "after"))
    lost = [c for c in comments(before) if c not in after]
    assert not lost
    ast.parse(after)


def comments(text: str) -> Iterator[str]:
    return (line.strip() for line in text.splitlines() if line.strip().startswith("#"))


def results(name: str, version: str) -> Iterator[object]:
    module = types.SimpleNamespace(**runpy.run_path(str(FIXTURES / name / f"{version}.py")))
    yield from runpy.run_path(str(FIXTURES / name / "calls.py"))["calls"](module)
