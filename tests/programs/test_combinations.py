"""That loops and branches in combination are converted, judged by running them eagerly.

`python benchmarks/check_combinations.py` does so for all of them.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from combinations import programs
from judge import judged

CASES = [(kind, name) for kind in ("exits", "nested") for name, _ in list(programs(kind))[::5]]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The recursion limit")  # scanlint raises it for deep code
@pytest.mark.parametrize(("kind", "name"), CASES, ids=[f"{kind}-{name}" for kind, name in CASES])
def test_a_loop_with_branches_is_converted(kind: str, name: str) -> None:
    verdict = judged(dict(programs(kind))[name])
    assert verdict.converted, verdict.withheld
    assert verdict.wrong is None, verdict.new
