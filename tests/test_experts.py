"""Programs that an expert rewrote by hand: the tool leaves nothing of them unrolled, and gives the same results."""

from __future__ import annotations

import runpy
import shutil
import types
from pathlib import Path

import jax
import numpy as np
import pytest

from scanlint.engine.session import RunOutcome
from scanlint.fix.run import fix
from scanlint.settings import Settings

pytestmark = [pytest.mark.long, pytest.mark.slow]
EXPERTS = Path(__file__).parent.parent / "fixtures" / "experts"
PROGRAMS = sorted(path.parent.name for path in EXPERTS.glob("*/before.py"))
TRIPS = 6


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> RunOutcome:
    folder = tmp_path_factory.mktemp("experts")
    for name in PROGRAMS:
        shutil.copy(EXPERTS / name / "before.py", folder / f"{name}.py")
    return fix([folder], Settings(root=folder, verify_timeout=120.0), lambda line: None)


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_function_is_rewritten(name: str, outcome: RunOutcome) -> None:
    found = [f for f in outcome.findings if Path(f.path).stem == name]
    assert found
    assert {f"line {f.start.line}: {f.fix.reason}" for f in found if f.fix.status != "applied"} == set()


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_results_are_those_of_the_expert_and_of_the_loop(name: str, outcome: RunOutcome, tmp_path: Path) -> None:
    rewritten = tmp_path / "rewritten.py"
    rewritten.write_bytes(next(new for path, (_, new) in outcome.changes.items() if path.stem == name))
    old, new, expert = (
        types.SimpleNamespace(**runpy.run_path(str(path)))
        for path in (EXPERTS / name / "before.py", rewritten, EXPERTS / name / "expert.py")
    )
    calls = runpy.run_path(str(EXPERTS / name / "calls.py"))["calls"](expert, TRIPS)
    assert calls
    for function, arguments in calls.items():
        with jax.disable_jit():
            first = jax.tree.leaves(vars(old)[function](*arguments))
        for version in (new, expert):
            found = jax.tree.leaves(vars(version)[function](*arguments))
            for a, b in zip(first, found, strict=True):
                assert np.shape(a) == np.shape(b)
                np.testing.assert_allclose(np.asarray(b), np.asarray(a), rtol=1e-3, atol=1e-4)
