"""Compile and run times of both versions, on the backend that the worker uses."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from contextlib import AbstractContextManager

import jax

from ..eager.compile_less import forget
from ..runtime.calling import TookTooLong, Values, limited, split
from ..runtime.jax_functions import finished, rebound
from ..runtime.version_pair import Function, VersionPair
from ..search.case_values import Case

COMPILE_SECONDS = 20.0
ROLLED = ("scan", "fori_loop")
RUNS = 5
SLOWER, GAINS = 1.25, 0.8
FACTORS = (4, 16)
"""Of these a GPU gains most in small bodies: on an H200 a trip of 10 us takes 3.5 us with 4 and 1.5 us with 16."""


def measured(pair: VersionPair, case: Case) -> tuple[tuple[float | None, float | None], list[str]]:
    """Seconds to trace and compile, before and after (None where a version cannot be compiled), and notes."""
    values = case.make()
    before, run_before = _compiled(pair, pair.before, pair.own(values))
    after, run_after = _compiled(pair, pair.after, pair.moved(values))
    notes = []
    if run_before is not None and run_after is not None:
        notes.append(f"one run takes {_shown(run_before)} before and {_shown(run_after)} after")
        if run_after > SLOWER * run_before:
            notes += _several_at_a_time(pair, values, run_after)
    elif run_after is not None:
        notes.append(f"one run takes {_shown(run_after)} after; before it does not compile in {COMPILE_SECONDS:g} s")
    return (before, after), notes


def _several_at_a_time(pair: VersionPair, values: Values, rolled: float) -> list[str]:
    """The note that `unroll=` makes the new version faster, where it runs more slowly than the old one."""
    tried = {}
    for factor in FACTORS:
        with unrolled(factor):
            compiled, run = _compiled(pair, pair.after, pair.moved(values))
        if compiled is not None and run is not None:
            tried[factor] = (run, compiled)
    factor = min(tried, key=tried.__getitem__, default=0)
    if not factor or tried[factor][0] > GAINS * rolled:
        return []
    run, compiled = tried[factor]
    return [f"with `unroll={factor}` one run takes {_shown(run)}, and compiling {_shown(compiled)}"]


def unrolled(factor: int) -> AbstractContextManager[None]:
    """Every `jax.lax.scan` and `fori_loop` that is traced inside, and names no `unroll`, unrolls so many trips.

    What a module imported by name (`from jax.lax import scan`) stays as it is.
    """
    rolled = {name: functools.partial(getattr(jax.lax, name), unroll=factor) for name in ROLLED}
    return rebound(vars(jax.lax), rolled)


def _compiled(pair: VersionPair, function: Function, values: Values) -> tuple[float | None, float | None]:
    """Seconds of tracing with compiling, and of the quickest of some runs."""
    parts = split(values, pair.signature.static, numbers=True)
    forget()
    started = time.perf_counter()
    try:
        with limited(COMPILE_SECONDS):
            program = jax.jit(lambda *ls: pair.arrays(function, parts, ls)).lower(*parts.leaves).compile()
    except (Exception, TookTooLong):  # noqa: BLE001
        return None, None
    compiled = time.perf_counter() - started
    return compiled, min(_timed(program, parts.leaves) for _ in range(RUNS))


def _timed(program: Callable[..., object], leaves: list[object]) -> float:
    started = time.perf_counter()
    finished(program(*leaves))
    return time.perf_counter() - started


def _shown(seconds: float) -> str:
    return (
        f"{seconds:.3g} s"
        if seconds >= 1
        else f"{seconds * 1e3:.3g} ms"
        if seconds >= 1e-3
        else f"{seconds * 1e6:.3g} us"
    )
