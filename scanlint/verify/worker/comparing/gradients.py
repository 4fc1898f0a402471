"""Compares the gradients of both versions: versions with equal results have had different adjoints."""

from __future__ import annotations

import ast
import functools
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import jaxpr_as_fun

from ..proof.paths import TooManyDecisions, trace
from ..runtime.calling import Signature, TookTooLong, Values, limited, plain, split
from ..runtime.eager_pace import CASE_SECONDS
from ..runtime.jax_errors import first_line
from ..runtime.jax_functions import eps, in_x64, placed, shape, x64
from ..runtime.version_pair import Function, VersionPair
from ..search.case_values import Case
from .agreement import Agreement, Difference, compare, describe
from .judge import Judge, Refuted
from .result_trees import floating
from .rounding import FINER, apart, compilable, doubled, nudged

if TYPE_CHECKING:
    from ..proof.equations import ClosedJaxpr

ULPS = 1024.0
SINGULAR_SECONDS = 3.0
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
Derivative = Callable[[Signature, Function, Values], "list[object] | None"]


def same_gradients(judge: Judge, case: Case) -> bool:
    """Whether the gradients could be compared; raises Refuted where they differ."""
    pair = judge.pair
    try:
        values = case.make()
        with limited(CASE_SECONDS):
            expected = pair.pace.eagerly(lambda f: gradient(pair.signature, f, pair.own(values)))
    except (Exception, TookTooLong):  # noqa: BLE001
        return False
    if expected is None:
        return False
    judge.stage(f"differentiating the new version on {case.label}")
    try:
        with limited(NEW_SECONDS):
            found = gradient(pair.signature, pair.after, pair.moved(values))
    except TookTooLong:
        judge.note("the gradient of the new version took too long; not compared")
        return False
    except Exception as error:
        text = first_line(error, 160)
        if judge.differentiated:
            raise Refuted(
                f"{describe(values)}: the gradient of the new version raises {type(error).__name__}: {text}"
            ) from error
        judge.note(LOST)
        return _same_tangents(judge, case, values)
    _judge(judge, case, values, expected, found, gradient)
    return True


def same_in_other_ways(judge: Judge, case: Case, *, ruled: bool) -> None:
    """Compare what Python floats change; where parts have derivatives of their own, forward mode and second ones."""
    values = case.make()
    judge.stage(f"differentiating both versions otherwise on {case.label}")
    compiled = compilable(judge.pair, values)
    _same(judge, case, values, functools.partial(of_numbers, compiled=compiled))
    if ruled:
        _same(judge, case, values, functools.partial(second, compiled=compiled))
        _same_tangents(judge, case, values)


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
        if _lost(judge, {k: jax.tree_util.tree_map(_nan, v) for k, v in values.items()}) is not None:
            judge.note(AT_NAN)


def _nan(x: object) -> object:
    return placed(np.full(shape(x), np.nan), x.dtype) if floating(x) else x  # type: ignore[attr-defined]


def _lost(judge: Judge, values: Values) -> object:
    """The first gradient of the old version where it is finite and that of the new one is not a number; or None."""
    pair = judge.pair
    try:
        with limited(CASE_SECONDS):
            expected = pair.pace.eagerly(lambda f: gradient(pair.signature, f, pair.own(values)))
        if not expected or not _finite(expected) or _overflowing(expected):
            return None
        with limited(NEW_SECONDS):
            found = gradient(pair.signature, pair.after, pair.moved(values))
    except (Exception, TookTooLong):  # noqa: BLE001 - what cannot be differentiated is told where results are
        return None
    return expected[0] if found and any(bool(np.isnan(np.asarray(x)).any()) for x in found) else None


def _overflowing(gradients: Sequence[object]) -> bool:
    """Whether a little more would leave single precision: that one more product does so is no other arm."""
    return any(bool((np.abs(np.asarray(x)) > HUGE).any()) for x in gradients)


def _same_tangents(judge: Judge, case: Case, values: Values) -> bool:
    """The same in forward mode, which a `while_loop` supports; raises Refuted where the new version does not."""
    return _same(judge, case, values, tangent)


def _same(judge: Judge, case: Case, values: Values, derive: Derivative) -> bool:
    """Whether a derivative of both versions could be compared; raises Refuted where they differ."""
    pair = judge.pair
    try:
        with limited(CASE_SECONDS):
            expected = pair.pace.eagerly(lambda f: derive(pair.signature, f, pair.own(values)))
        if expected is None:
            return False
    except (Exception, TookTooLong):  # noqa: BLE001
        return False
    try:
        with limited(NEW_SECONDS):
            found = derive(pair.signature, pair.after, pair.moved(values))
    except TookTooLong:
        return False
    except Exception as error:
        if derive is tangent and _traces(pair, values):
            raised = f"{type(error).__name__}: {first_line(error, 160)}"
            raise Refuted(f"{describe(values)}: the new version raises in forward mode: {raised}") from error
        return False
    _judge(judge, case, values, expected, found, derive)
    return True


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
    lost = found is not None and not _finite(found) and _finite(expected)
    usual = case.ordinary and not any(type(x) is int and x == 0 for x in values.values())  # such as `time / 0`
    if lost and derive is tangent and _by_compiling(judge.pair, values, expected):
        judge.note(f"the gradient is not finite once compiled, and the same as before otherwise: {text}")
        return
    if (lost or judge.differentiated) and case.finite and _by_rounding(judge.pair, values, result, derive):
        found_to_be = "is not finite" if lost else "differs by rounding"
        judge.note(f"the gradient {found_to_be} in single precision, and is the same as before in double: {text}")
        return
    if judge.differentiated or (lost and (usual or judge.free or singular(judge.pair, values) is False)):
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
    if x64() or pair.draws:
        return False
    try:
        with in_x64():
            wide = {k: jax.tree_util.tree_map(doubled, v) for k, v in values.items()}
            with limited(CASE_SECONDS):
                before = pair.pace.eagerly(lambda f: derive(pair.signature, f, pair.own(wide)))
            with limited(NEW_SECONDS):
                after = derive(pair.signature, pair.after, pair.moved(wide))
        with jax.disable_jit(), limited(NEW_SECONDS):
            plainly = derive(pair.signature, pair.after, pair.moved(values))
    except (Exception, TookTooLong):  # noqa: BLE001
        return False
    return _near(expected, before) and _near(found, after) and _near(found, plainly) and _finite(expected)


def _near(a: object, b: object) -> bool:
    distance = apart(a, b)
    return distance.relative <= 1e-3 and not distance.flips


def _finite(gradients: Sequence[object]) -> bool:
    return all(bool(np.isfinite(np.asarray(x)).all()) for x in gradients)


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
        near = [{k: nudged(v, pattern) for k, v in pair.own(values).items()} for pattern in range(PATTERNS)]
        factor = 64.0
    else:
        near = [_neighbour(pair.own(values), pattern) for pattern in range(NEIGHBOURS)]
        factor = 16.0
    for moved in near:
        try:
            with limited(CASE_SECONDS):
                other = pair.pace.eagerly(lambda f, moved=moved: derive(pair.signature, f, moved))  # type: ignore[misc]
        except (Exception, TookTooLong):  # noqa: BLE001
            return not case.ordinary
        moves = apart(expected, other)
        if moves.flips or not result.relative > factor * moves.relative:
            return True
    return False


def _by_compiling(pair: VersionPair, values: Values, expected: list[object]) -> bool:
    """Whether the tangents agree if the new version is not compiled.

    Fusion may turn a divisor into 0, such as the number of maxima, which is computed twice. Only forward mode is tried:
    it does not differentiate arms of a `cond` that are not taken.
    """
    try:
        with jax.disable_jit(), limited(NEW_SECONDS):
            found = tangent(pair.signature, pair.after, pair.moved(values))
    except (Exception, TookTooLong):  # noqa: BLE001
        return False
    return found is not None and isinstance(compare(expected, found, ulps=ULPS), Agreement)


def _by_rounding(pair: VersionPair, values: Values, result: Difference, derive: Derivative) -> bool:
    """Whether the gradients agree in double precision: cancellation may be worse in one of the versions."""
    if pair.draws or x64():
        return False  # random draws are others in double precision
    try:
        with in_x64():
            wide = {k: jax.tree_util.tree_map(doubled, v) for k, v in values.items()}
            with limited(CASE_SECONDS):
                expected = pair.pace.eagerly(lambda f: derive(pair.signature, f, pair.own(wide)))
            with limited(NEW_SECONDS):
                moved = apart(expected, derive(pair.signature, pair.after, pair.moved(wide)))
    except (Exception, TookTooLong):  # noqa: BLE001
        return False
    if expected is None or not _finite(expected):
        return False
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
    return {k: jax.tree_util.tree_map(lambda x: leaf(at, x), v) for k, v in values.items()}


def gradient(signature: Signature, function: Function, values: Values) -> list[object] | None:
    """The gradient of a fixed random projection of the float outputs, for each float leaf."""
    objective, place = _objective(signature, function, values, floating)
    if not place:
        return None
    found: list[object] = jax.grad(objective)(place)
    return found


def of_numbers(
    signature: Signature, function: Function, values: Values, *, compiled: bool = False
) -> list[object] | None:
    """The same by the Python floats among the arguments."""
    objective, place = _objective(signature, function, values, lambda x: type(x) is float)
    derivative = jax.grad(objective)
    return list((jax.jit(derivative) if compiled else derivative)(place)) if place else None


def second(signature: Signature, function: Function, values: Values, *, compiled: bool = False) -> list[object] | None:
    """How the outputs move, and their gradient, when the float leaves move in a fixed random direction."""
    objective, place = _objective(signature, function, values, floating)
    if not place:
        return None

    def moved(place: list[object]) -> list[object]:
        _, (tangent, tangents) = jax.jvp(jax.value_and_grad(objective), (place,), (_direction(place),))
        return [tangent, *tangents]

    return list((jax.jit(moved) if compiled else moved)(place))


def _objective(
    signature: Signature, function: Function, values: Values, wanted: Callable[[object], bool]
) -> tuple[Callable[[list[object]], object], list[object]]:
    """The projection of the results as a function of the wanted leaves, and these."""
    parts = split(values, signature.static, numbers=True)
    at = [i for i, x in enumerate(parts.leaves) if wanted(x)]

    def objective(floats: list[object]) -> object:
        leaves = list(parts.leaves)
        for i, x in zip(at, floats, strict=False):
            leaves[i] = x
        return projection(signature.call(function, parts.rebuild(leaves)))

    return objective, [parts.leaves[i] for i in at]


def _direction(place: list[object]) -> list[object]:
    found = [jnp.asarray(x) for x in place]
    return [jnp.asarray(np.random.default_rng(k).standard_normal(x.shape), x.dtype) for k, x in enumerate(found)]


def tangent(signature: Signature, function: Function, values: Values) -> list[object] | None:
    """How the float outputs move when the float leaves move in a fixed random direction."""
    parts = split(values, signature.static, numbers=False)
    at = [i for i, x in enumerate(parts.leaves) if floating(x)]
    if not at:
        return None

    def outputs(floats: list[object]) -> list[object]:
        leaves = list(parts.leaves)
        for i, x in zip(at, floats, strict=False):
            leaves[i] = x
        result = signature.call(function, parts.rebuild(leaves))
        return [_moving(x) for x in jax.tree_util.tree_leaves(result)]

    place = [jnp.asarray(parts.leaves[i]) for i in at]
    moved: list[object] = jax.jvp(outputs, (place,), (_direction(list(place)),))[1]
    return moved


def _moving(x: object) -> jax.Array:
    """An output that has a tangent; that of a Python number, which a loop of no trips may return, is zero."""
    return jnp.asarray(x) if floating(x) else jnp.full(shape(x), 0.0)


def projection(result: object) -> jax.Array:
    """A fixed random projection of the float outputs."""
    total = jnp.zeros(())
    for k, x in enumerate(jax.tree_util.tree_leaves(result)):
        if not (isinstance(x, jax.Array) and floating(x)):
            continue
        weights = np.random.default_rng(k).standard_normal(x.shape)
        total = total + jnp.sum(x * jnp.asarray(weights, x.dtype))
    return total


def singular(pair: VersionPair, values: Values) -> bool | None:
    """Whether the old version computes a value there whose derivative is not finite, used or not; None: not found out.

    Any version that passes such a value to `cond` multiplies it by zero and gets NaN: `sqrt(sum(g**2))` at zero. A
    value that the old version does not compute there, such as a guarded division, must not affect the gradient.
    """
    parts = split(pair.own(values), pair.signature.static, numbers=False)
    at = [i for i, x in enumerate(parts.leaves) if floating(x)]

    def old(*leaves: object) -> object:
        with jax.disable_jit():
            return pair.signature.call(plain(pair.before), parts.rebuild(leaves))

    try:
        with limited(SINGULAR_SECONDS):
            return not _finite(_zero_weighted(_taken(old, parts.leaves), parts.leaves, at))
    except (Exception, TookTooLong, TooManyDecisions):  # noqa: BLE001
        return None


def _taken(function: Function, leaves: Sequence[object]) -> ClosedJaxpr:
    """The program along the path that these values take: each trace decides at least one test more as they do."""
    plan: list[bool] = []
    while True:
        path = trace(function, leaves, plan)
        outputs = jaxpr_as_fun(path.program)(*leaves)
        truths = [bool(x) for x in outputs[len(outputs) - len(path.decisions) :]] if path.decisions else []
        if truths == list(path.decisions):
            return path.program
        plan = truths


def _widened(program: ClosedJaxpr) -> ClosedJaxpr:
    """The same program, which also gives every float that it computes on the way."""
    jaxpr = program.jaxpr
    between = [v for e in jaxpr.eqns for v in e.outvars if type(v).__name__ != "DropVar" and _is_float(v)]
    outputs = [*jaxpr.outvars, *between]
    debug = getattr(jaxpr, "debug_info", None)
    changed: dict[str, object] = {"outvars": outputs}
    if debug is not None and hasattr(debug, "_replace"):
        changed["debug_info"] = debug._replace(result_paths=None)
    return cast("ClosedJaxpr", program.replace(jaxpr=jaxpr.replace(**changed)))  # type: ignore[no-untyped-call]


def _is_float(variable: object) -> bool:
    dtype = getattr(getattr(variable, "aval", None), "dtype", None)
    return isinstance(dtype, np.dtype) and dtype.kind == "f"


def _zero_weighted(program: ClosedJaxpr, leaves: Sequence[object], at: Sequence[int]) -> list[object]:
    """The gradient of zero times all intermediate values: not finite where a derivative is not."""
    run = jaxpr_as_fun(_widened(program))

    def objective(floats: list[object]) -> object:
        changed = list(leaves)
        for i, x in zip(at, floats, strict=True):
            changed[i] = x
        return sum((jnp.sum(x * 0.0) for x in run(*changed) if floating(x)), jnp.zeros(()))

    found: list[object] = jax.grad(objective)([leaves[i] for i in at])
    return found
