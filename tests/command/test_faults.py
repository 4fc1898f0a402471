"""A few of the runs of `python benchmarks/check_faults.py --runs 1000`: a call of the system fails in each."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.conftest import ROOT


def disturbed(runs: int, seed: int) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "benchmarks/check_faults.py", "--runs", str(runs), "--seed", str(seed)]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.skipif(sys.platform != "linux", reason="runs are forked")
@pytest.mark.parametrize(
    "runs", [pytest.param(22, id="two of each kind"), pytest.param(1000, id="a thousand", marks=pytest.mark.slow)]
)
def test_no_run_of_which_a_call_fails_ends_well_with_less(runs: int) -> None:
    done = disturbed(runs, seed=runs)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith(f"{runs} runs, 0 wrong\n")
