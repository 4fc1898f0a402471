"""What scanlint believes of small programs, held against what JAX did while it ran them.

`python tests/tracing/score.py -v tests/tracing/programs/NAME.txt` lists every disagreement of a file.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from believed import Disagreement, compare
from observe import programs

pytestmark = pytest.mark.long
HERE = Path(__file__).parent
MISSED = {"imports": 0, "functions": 5, "classes": 1, "control": 1, "values": 0, "host": 0, "libraries": 12}
"""Functions that JAX traces in the programs of a file and scanlint does not know of: may only fall."""


@pytest.fixture(scope="module", params=sorted(MISSED))
def scored(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[Disagreement]]:
    """The disagreements in one file of programs, each of which ran under JAX."""
    file = HERE / "programs" / f"{request.param}.txt"
    command = [sys.executable, str(HERE / "observe.py"), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
    found: list[Disagreement] = []
    for program, observed in zip(programs(file.read_text()), json.loads(done.stdout), strict=True):
        assert observed["error"] is None, f"{program.title}: {observed['error']}"
        found += compare(tmp_path_factory.mktemp("program"), program, observed).disagreements
    return str(request.param), found


def test_nothing_is_believed_that_jax_contradicts(scored: tuple[str, list[Disagreement]]) -> None:
    unsound = [str(d) for d in scored[1] if d.sort == "unsound"]
    assert not unsound, "\n".join(unsound)


def test_few_traced_functions_are_missed(scored: tuple[str, list[Disagreement]]) -> None:
    name, found = scored
    missed = [str(d) for d in found if d.sort == "missed"]
    assert len(missed) <= MISSED[name], "\n".join(missed)
