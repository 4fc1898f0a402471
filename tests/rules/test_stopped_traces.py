"""What stops a trace: each program is run under JAX, and there is a finding if and only if it fails."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from scanlint.engine.session import check_text
from scanlint.settings import Settings
from tests.agreed import Agreed
from tests.rules.stopped_programs import HEADER, PROGRAMS, SIZE, STOPS, Program
from tests.rules.tempting_programs import RIGHT


def found(text: str) -> list[str]:
    """The codes of this kind that are found in a program."""
    outcome = check_text((HEADER + text).encode(), Path("program.py"), Settings())
    assert not outcome.problems
    return sorted({f.code for f in outcome.findings} & STOPS)


@pytest.mark.parametrize("shown", [*PROGRAMS, *RIGHT])
def test_what_stops_a_trace_is_found_and_nothing_else(shown: Program) -> None:
    assert found(shown.text) == ([shown.code] if shown.code is not None else [])


def test_an_int_that_is_a_size_is_no_matter_of_casts() -> None:
    text = HEADER + "@jax.jit\ndef f(x, n):\n    count = int(n)\n    return jnp.zeros(count) + x[: int(n)]\n"
    outcome = check_text(text.encode(), Path("program.py"), Settings())
    assert [(f.code, f.start.line, f.fix.status) for f in outcome.findings] == [(SIZE, 13, "available")]


def test_a_test_of_what_is_a_size_is_no_matter_of_branches() -> None:
    text = HEADER + "@jax.jit\ndef f(x, n):\n    if n > 2:\n        return jnp.pad(x, n)\n    return x\n"
    outcome = check_text(text.encode(), Path("program.py"), Settings())
    assert [(f.code, f.start.line, f.fix.status) for f in outcome.findings] == [(SIZE, 13, "available")]


@pytest.mark.parametrize("shown", [*PROGRAMS, *RIGHT])
def test_jax_fails_where_there_is_a_finding_and_nowhere_else(
    shown: Program, monkeypatch: pytest.MonkeyPatch, agreed: Agreed, request: pytest.FixtureRequest
) -> None:
    def compare() -> None:
        module = ModuleType("program")
        monkeypatch.setitem(sys.modules, "program", module)
        names = vars(module)
        exec(compile(HEADER + shown.text, "program.py", "exec", dont_inherit=True), names)
        if shown.code is None:
            eval(shown.call, names)
            return
        with pytest.raises((TypeError, IndexError, ValueError)):  # the errors of JAX for tracers are among these
            eval(shown.call, names)

    agreed.once(request.node, (HEADER + shown.text, shown.call, str(shown.code)), compare)
