"""Compares the gradients of both versions: versions with equal results have had different adjoints."""

from __future__ import annotations

import ast
import functools
import math
from collections.abc import Sequence

import jax
import numpy as np

from ...runtime.calling import TookTooLong, Values, in_time, limited, mapped
from ...runtime.jax_errors import first_line
from ...runtime.jax_functions import eps, in_x64, placed, shape, x64
from ...runtime.pace.eager_pace import CASE_SECONDS
from ...runtime.version_pair import VersionPair
from ...search.case_values import Case
from ..agreement import Agreement, Difference, compare, describe
from ..judge import Judge
from ..refutations import Refuted
from ..result_trees import finite, floating
from ..rounding import FINER, apart, compilable, doubled, near, nudged
from .differentiated import Derivative, gradient, of_numbers, second, tangent
from .singularities import singular

ULPS = 1024.0
PATTERNS = 3
NEIGHBOURS = 6
NEW_SECONDS = 3 * CASE_SECONDS  # most of which may be compilation
SMALL = 1e-9
SAME = 1e-4  # relative difference of gradients in double precision where one of them is not finite in single
NOISE, LEAST = 1e-5, 1e-7  # of the largest gradient, and absolute
HUGE = 1e30
LOST = "the new version has no reverse-mode gradient; the old one has"
AT_NAN = "where an argument is NaN the gradient is NaN, and that of the old version is finite"
AT_SINGULAR = "the gradient is not finite at a singular point"
HALVED = frozenset(["max", "min", "sorted"])


def same_gradients(judge: Judge, case: Case) -> bool:
    """Whether the gradients could be compared; raises Refuted where they differ."""
    try:
        values = case.make()
    except Exception:  # noqa: BLE001 - a class of the code under test takes no such values
        return False
    return _same(judge, case, values, gradient)


def same_in_other_ways(judge: Judge, case: Case, *, ruled: bool) -> None:
    """Compare what Python floats change; where parts have derivatives of their own, forward mode and second ones."""
    values = case.make()
    judge.stage(f"differentiating both versions otherwise on {case.label}")
    compiled = compilable(judge.pair, values)
    _same(judge, case, values, functools.partial(of_numbers, compiled=compiled))
    if ruled:
        _same(judge, case, values, functools.partial(second, compiled=compiled))
        _same(judge, case, values, tangent)


def still_finite(judge: Judge, case: Case) -> None:
    """Raise Refuted where only the old version has a finite gradient: both arms of a choice count in the new one.

    That it is so where all floats are NaN is said, once.
    """
    try:
        values = case.make()
    except Exception:  # noqa: BLE001 - a class of the code under test takes no such values
        return
    if (expected := _lost(judge, values)) is not None:
        text = f"{describe(values)}: the gradient is not a number, and was {expected}"
        if not singular(judge.pair, values):
            raise Refuted(text)
        judge.note(f"{AT_SINGULAR}: {text}")
    if not judge.at_nan:
        judge.at_nan = True
        if _lost(judge, mapped(_nan, values)) is not None:
            judge.note(AT_NAN)


def _nan(x: object) -> object:
    return placed(np.full(shape(x), np.nan), x.dtype) if floating(x) else x  # type: ignore[attr-defined]


def _lost(judge: Judge, values: Values) -> object:
    """The first gradient of the old version where it is finite and that of the new one is not a number; or None."""
    pair = judge.pair
    try:
        expected = _of_old(pair, values, gradient)
        if not expected or not finite(expected) or _overflowing(expected):
            return None
        found = _of_new(pair, values, gradient)
    except (Exception, TookTooLong):  # noqa: BLE001 - what cannot be differentiated is told where results are
        return None
    return expected[0] if found and any(bool(np.isnan(np.asarray(x)).any()) for x in found) else None


def _overflowing(gradients: Sequence[object]) -> bool:
    """Whether a little more would leave single precision: that one more product does so is no other arm."""
    return any(bool((np.abs(np.asarray(x)) > HUGE).any()) for x in gradients)


def _same(judge: Judge, case: Case, values: Values, derive: Derivative) -> bool:
    """Whether a derivative of both versions could be compared; raises Refuted where they differ.

    A new version without a gradient is compared in forward mode, which a `while_loop` supports.
    """
    pair = judge.pair
    try:
        expected = _of_old(pair, values, derive)
    except (Exception, TookTooLong):  # noqa: BLE001 - there is nothing to compare with
        return False
    if expected is None:
        return False
    if derive is gradient:
        judge.stage(f"differentiating the new version on {case.label}")
    try:
        found = _of_new(pair, values, derive)
    except TookTooLong:
        if derive is gradient:
            judge.note("the gradient of the new version took too long; not compared")
        return False
    except Exception as error:
        raised = f"{type(error).__name__}: {first_line(error, 160)}"
        if derive is gradient and judge.differentiated:
            raise Refuted(f"{describe(values)}: the gradient of the new version raises {raised}") from error
        if derive is gradient:
            judge.note(LOST)
            return _same(judge, case, values, tangent)
        if derive is tangent and _traces(pair, values):
            raise Refuted(f"{describe(values)}: the new version raises in forward mode: {raised}") from error
        return False
    _judge(judge, case, values, expected, found, derive)
    return True


def _of_old(pair: VersionPair, values: Values, derive: Derivative) -> list[object] | None:
    """A derivative of the old version; raises TookTooLong, and what the version raises."""
    with limited(CASE_SECONDS):
        return pair.pace.eagerly(lambda f: derive(pair.signature, f, pair.own(values)))


def _of_new(pair: VersionPair, values: Values, derive: Derivative) -> list[object] | None:
    """A derivative of the new version; raises TookTooLong, and what the version raises."""
    with limited(NEW_SECONDS):
        return derive(pair.signature, pair.after, pair.moved(values))


def _in_double(
    pair: VersionPair, values: Values, derive: Derivative
) -> tuple[list[object] | None, list[object] | None] | None:
    """A derivative of both versions in double precision; None where there is none, or random draws are others."""
    if pair.draws or x64():
        return None
    with in_x64():
        wide = mapped(doubled, values)
        return in_time(lambda: (_of_old(pair, wide, derive), _of_new(pair, wide, derive)))


def _traces(pair: VersionPair, values: Values) -> bool:
    """Whether the new version can be traced with these arrays: else it can be differentiated in no way."""
    try:
        with limited(NEW_SECONDS):
            return pair.new_traces(values)
    except TookTooLong:
        return False


def _judge(
    judge: Judge, case: Case, values: Values, expected: list[object], found: list[object] | None, derive: Derivative
) -> None:
    """Raise Refuted, or note a difference at a singular point or by rounding; each gradient by itself."""
    alike = found is not None and len(found) == len(expected)
    pairs = [([a], [b]) for a, b in zip(expected, found or (), strict=True)] if alike else [(expected, found)]
    for before, after in pairs:
        result = compare(before, after, ulps=ULPS)
        if isinstance(result, Difference) and result.relative > 1e-3 and not _negligible(expected, result):
            _weigh(judge, case, values, expected, found, result, derive)


def _weigh(
    judge: Judge,
    case: Case,
    values: Values,
    expected: list[object],
    found: list[object] | None,
    result: Difference,
    derive: Derivative,
) -> None:
    """Raise Refuted, or note a difference at a singular point or by rounding."""
    text = f"{describe(values)}: gradient {result.text}"
    lost = found is not None and not finite(found) and finite(expected)
    usual = case.ordinary and not any(type(x) is int and x == 0 for x in values.values())  # such as `time / 0`
    if lost and derive is tangent and _by_compiling(judge.pair, values, expected):
        judge.note(f"the gradient is not finite once compiled, and the same as before otherwise: {text}")
        return
    if (lost or judge.differentiated) and case.finite and _by_rounding(judge.pair, values, result, derive):
        found_to_be = "is not finite" if lost else "differs by rounding"
        judge.note(f"the gradient {found_to_be} in single precision, and is the same as before in double: {text}")
        return
    if judge.differentiated or (lost and not _unavoidable(judge, values, usual=usual)):
        raise Refuted(text)
    if lost:
        judge.note(f"{AT_SINGULAR}: {text}")
    elif case.finite and not (
        _excused(judge.pair, case, values, expected, result, derive) or _by_rounding(judge.pair, values, result, derive)
    ):
        raise Refuted(text)
    elif not case.finite or _smoothed(judge.pair) or not _at_tie(judge.pair, values, expected, found, derive):
        judge.note(f"the gradient differs at a boundary: {result.text}")
    else:
        raise Refuted(text)


def _unavoidable(judge: Judge, values: Values, *, usual: bool) -> bool:
    """Whether each version with `cond` or `where` loses it; versions as they stand may where that is found out."""
    found = singular(judge.pair, values) if judge.free or not usual else False
    return found is True or (found is None and not judge.free)


def _smoothed(pair: VersionPair) -> bool:
    """Whether `max` of numbers or its like has become that of arrays, which splits the gradient between equal ones.

    Or that of two arrays after the other has become that of all together, which splits it evenly.
    """
    if any(isinstance(n, ast.Name) and n.id in HALVED for n in ast.walk(pair.old.tree)):
        return True
    before, after = (
        sum(isinstance(n, ast.Attribute) and n.attr in HALVED for n in ast.walk(version.tree))
        for version in (pair.old, pair.new)
    )
    return after > before


def _at_tie(
    pair: VersionPair, values: Values, expected: list[object], found: list[object] | None, derive: Derivative
) -> bool:
    """Whether the gradients differ alike in double precision and op by op: another arm is taken exactly at a tie."""
    wide = _in_double(pair, values, derive)
    if wide is None:
        return False
    before, after = wide
    with jax.disable_jit():
        plainly = in_time(lambda: [_of_new(pair, values, derive)])
    if plainly is None or not near(found, *plainly):  # a difference that compiling makes is no other arm
        return False
    return near(expected, before) and near(found, after) and finite(expected)


def _negligible(gradients: list[object], result: Difference) -> bool:
    """Whether a difference is rounding noise relative to the largest gradient, and to one."""
    largest = max((float(np.max(np.abs(np.asarray(x)), initial=0.0)) for x in gradients), default=0.0)
    return bool(result.values_only and result.error <= NOISE * largest + LEAST)


def _excused(
    pair: VersionPair, case: Case, values: Values, expected: list[object], result: Difference, derive: Derivative
) -> bool:
    """Whether rounding, or a boundary at the values, explains a difference.

    At ordinary values the old version's own gradient must change as much under one ULP. A boundary explains nothing if
    the gradient hardly changes in any direction.
    """
    if case.ordinary:
        others = [{k: nudged(v, pattern) for k, v in values.items()} for pattern in range(PATTERNS)]
        factor = 64.0
    else:
        others = [_neighbour(values, pattern) for pattern in range(NEIGHBOURS)]
        factor = 16.0
    for moved in others:
        other = in_time(lambda moved=moved: [_of_old(pair, moved, derive)])  # type: ignore[misc]
        if other is None:
            return not case.ordinary
        moves = apart(expected, *other)
        if moves.flips or not result.relative > factor * moves.relative:
            return True
    return False


def _by_compiling(pair: VersionPair, values: Values, expected: list[object]) -> bool:
    """Whether the tangents agree if the new version is not compiled.

    Fusion may turn a divisor into 0, such as the number of maxima, which is computed twice. Only forward mode is tried:
    it does not differentiate arms of a `cond` that are not taken.
    """
    with jax.disable_jit():
        found = in_time(lambda: _of_new(pair, values, tangent))
    return found is not None and isinstance(compare(expected, found, ulps=ULPS), Agreement)


def _by_rounding(pair: VersionPair, values: Values, result: Difference, derive: Derivative) -> bool:
    """Whether the gradients agree in double precision: cancellation may be worse in one of the versions."""
    wide = _in_double(pair, values, derive)
    if wide is None or wide[0] is None or not finite(wide[0]):
        return False
    moved = apart(*wide)
    most = FINER * result.relative if math.isfinite(result.relative) else SAME
    return not moved.flips and moved.relative <= most


def _neighbour(values: Values, pattern: int) -> Values:
    """All floats a little further: up, down, in turns by leaf, or at random by element; zeros too."""

    def leaf(at: list[int], x: object) -> object:
        if not floating(x):
            return x
        at[0] += 1
        place = np.asarray(x)
        signs = {0: 1.0, 1: -1.0, 2: (-1.0) ** at[0], 3: -((-1.0) ** at[0])}.get(
            pattern, np.random.default_rng([at[0], pattern]).integers(0, 2, place.shape) * 2.0 - 1.0
        )
        step = 8 * eps(x.dtype) * np.abs(place) + SMALL  # type: ignore[attr-defined]
        return placed(place + signs * step, x.dtype)  # type: ignore[attr-defined]

    at = [0]
    return mapped(lambda x: leaf(at, x), values)
