"""That random loop programs compute the same after they were rewritten, judged by running them eagerly.

`python benchmarks/check_programs.py --programs 5000 --seed N` does so for as many as one likes.
"""

from __future__ import annotations

import warnings

import pytest
from generate import Program, programs
from hypothesis import HealthCheck, given, settings
from judge import judged, sort_of, sound, verified

TYPES = ("raises TypeError", "weak")
"""Differences that only types make: JAX refuses the program, or a result is weakly typed on one side alone."""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The recursion limit")  # scanlint raises it for deep code
@settings(max_examples=60, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs())
def test_a_rewritten_program_computes_the_same(program: Program) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        verdict = judged(program)
        if not sound(verdict) and sort_of(verdict.wrong) not in TYPES:
            verdict = verified(program)  # what it does not mend it refuses
    assert sound(verdict) or sort_of(verdict.wrong) in TYPES, f"{program.text}\n{verdict.wrong}\n{verdict.new}"
