"""Compares both versions under vmap."""

from __future__ import annotations

import jax

from ..runtime.calling import TookTooLong, Values, in_time, limited, mapped, split
from ..runtime.pace.eager_pace import CASE_SECONDS
from ..search.case_values import Case
from .agreement import Difference, compare, describe
from .judge import Judge
from .refutations import Refuted
from .result_trees import floating, pair_of, scaled
from .rounding import spread


def same_in_batches(judge: Judge, case: Case) -> None:
    """Raise Refuted where both versions differ under vmap, if the old one can be batched."""
    pair, values = judge.pair, case.make()
    parts = split(pair.own(values), pair.signature.static, numbers=False)
    stack = [pair_of(x) for x in parts.leaves]
    if not stack or not any(floating(x) for x in parts.leaves):
        return
    mine = split(pair.moved(values), pair.signature.static, numbers=False)
    expected = in_time(lambda: [jax.vmap(lambda *ls: pair.arrays(pair.before, parts, ls))(*stack)], CASE_SECONDS)
    if expected is None:  # the old version does not run under vmap either
        return
    judge.stage("running the new version under vmap")
    try:
        with limited(2 * CASE_SECONDS):
            found = jax.vmap(lambda *ls: pair.arrays(pair.after, mine, ls))(*stack)
    except TookTooLong:
        judge.note("not compared under vmap: the new version takes seconds there")
        return
    except Exception as error:
        raise Refuted(f"under vmap the new version raises {type(error).__name__}: {str(error)[:160]}") from error
    result = compare(expected[0], found, ulps=1024.0)
    if isinstance(result, Difference) and result.relative > 1e-3 and not _rough(judge, values, result):
        raise Refuted(f"under vmap: {describe(values)}: {result.text}")


def _rough(judge: Judge, values: Values, result: Difference) -> bool:
    """Whether rounding explains a difference in a batch of these values and their neighbours."""
    if not (result.values_only or result.discrete):
        return False
    for row in (values, mapped(scaled, values)):
        expected = in_time(lambda row=row: [judge.pair.run_old(row)])  # type: ignore[misc]
        if expected is None:
            continue
        drift = spread(judge.pair, row, expected[0], result.relative, values_only=result.values_only)
        if drift.explains(result.relative, values_only=result.values_only):
            judge.note("not compared under vmap: rounding decides the result there")
            return True
    return False
