"""Findings and results to report."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from scanlint.finding import Edit, Finding, Fix, Link, Position, Verification
from scanlint.report.result import Action, Result

SOURCE = "import jax\n\n\n@jax.jit\ndef rollout(state):\n    for t in range(1000):\n        state = state * t\n    return state\n"

Make = Callable[..., Result]


@pytest.fixture
def loop() -> Finding:
    return Finding(
        code="SCN101",
        name="unrolled-loop",
        path="src/model.py",
        start=Position(6, 5),
        end=Position(6, 26),
        function="rollout",
        message="tracing `rollout` unrolls this loop 1000 times",
        help="carry `state` through `lax.fori_loop`",
        chain=(Link("`rollout` <- `jax.jit`", "src/train.py", 18, 8),),
        label="each trip adds about 12 equations",
        trips=1000,
        primitive="fori_loop",
        fix=Fix("available", edits=(Edit(Position(6, 5), Position(7, 26), "state = new"),)),
        verification=Verification(
            "proved", cases=12, max_abs_error=0.0, equations_before=12003, equations_after=14, counterexample=None
        ),
    )


@pytest.fixture
def result() -> Make:
    def make(*findings: Finding, action: Action = "check", source: str = SOURCE) -> Result:
        lines = source.splitlines(keepends=True)
        return Result(findings, 3, 0.8123, action, lambda _: lines)

    return make
