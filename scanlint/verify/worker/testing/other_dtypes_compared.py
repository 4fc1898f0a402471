"""Compares both versions on arguments of other dtypes.

Python promotes dtypes anew on every trip, a carry has one dtype, and an element set into an array takes that of the
array.
"""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from ..comparing.agreement import (
    ACCEPTED_RELATIVE,
    BASE_ULPS,
    Agreement,
    Difference,
    compare,
    describe,
    kinds,
    structure,
)
from ..comparing.judge import Judge
from ..comparing.refutations import Unfit, Weaker
from ..comparing.rounding import AMPLIFIED, FINER, FINEST, apart, in_double
from ..comparing.weak_types import Weakness
from ..proof.traced_pair import one_proof
from ..runtime.calling import TookTooLong, Values
from ..runtime.jax_errors import first_line
from ..runtime.jax_functions import attribute, eps, is_key, placed
from ..search.other_dtypes import Retyping

WORSE = 1.5
DRAWN = 4.0
SCALES = (0.0, -1.0, 8.0)
DRAWS = 4
HALVES = 4.0  # roundings of half precision


def same_in_other_types(
    judge: Judge, values: Values, kind: Retyping, *, along: bool = False, weakly: bool = True
) -> str:
    """A remark on these arguments, or ""; raises Weaker if the results differ, Unfit if a number is too large for them.

    The new version may not round more than the old one does. If one argument has another dtype, the new version may
    return the wider dtype, since the dtype of a Python result may depend on the path; if other values give the old
    version the dtypes of the new one, no program has the same dtypes on all paths. For whole numbers the new version
    may return whole numbers where the old one returns floats: `0.0 + xs` is rewritten to start with the dtype of `xs`.
    It need not truncate fractions as the old one does. If it was compared `along` paths that data decide, a result may
    be weakly typed if it is on any path. Whether results are `weakly` typed counts, unless values alone are meant.
    """
    try:
        usual = judge.pair.run_old(values)
    except (Exception, TookTooLong):  # noqa: BLE001 - the old version takes none of these types either
        return ""
    judge.stage("running the new version with other types")
    for how in judge.runs(values):
        name = how.name
        expected = judge.alike(how, values, usual) if judge.pair.asking else usual
        try:
            found = judge.untraced(lambda how=how: how.run(values), values)  # type: ignore[misc]
        except Exception as error:  # noqa: BLE001
            text = first_line(error, 120)
            if kind is not Retyping.ALL:  # JAX itself says so
                return ""
            return f"the new version raises for {kinds(values)}: {type(error).__name__}: {text}"
        match kind:
            case Retyping.ALL if _dtypes(expected) != _dtypes(found) and _decided(judge, values, found):
                wide = _as(expected, found, _numbers)
            case Retyping.ALL:
                wide = expected
            case Retyping.ONE | Retyping.FEW:
                wide = _as(expected, found, _wider)
            case Retyping.WHOLE if _cut(expected, found):
                return f"fractions are cut off by the old version only, as it fills an array, for {kinds(values)}"
            case Retyping.WHOLE:
                wide = expected if judge.pair.old_traces(values) else _as(expected, found, _wider)
                found = _as(found, wide, _wider)
        result = compare(wide, found)
        if isinstance(result, Difference) and result.unfit is not None:
            raise Unfit(f"{describe(values)}: {result.text}", result.unfit)
        if (
            isinstance(result, Difference)
            and not _as_exact(judge, values, wide, found, result)
            and not (kind is Retyping.WHOLE and _rounded(judge, values, result))
            and not _fused(judge, values, wide, result)
        ):
            if _half(judge, values, result):
                return f"Python's numbers have more digits than those of half precision, for {kinds(values)}"
            raise Weaker(f"{describe(values)}: {result.text}{name}")
        if not weakly:
            continue
        seen = Weakness()
        seen.compared(expected, found, values)
        if not (along and seen.lost() and not one_proof(judge.pair, values).weaker):
            judge.weakness.compared(expected, found, values)
    return ""


def _half(judge: Judge, values: Values, result: Difference) -> bool:
    """Whether rounding in half precision tells versions apart of which the old one computes with Python numbers too."""
    halves = any(attribute(leaf, "dtype", None) == jnp.float16 for leaf in jax.tree_util.tree_leaves(dict(values)))
    near = result.values_only and result.relative <= HALVES * eps("float16")
    return halves and near and not judge.pair.old_traces(values)


def _rounded(judge: Judge, values: Values, result: Difference) -> bool:
    """Whether nothing but rounding in single precision tells the versions apart."""
    if not result.values_only or result.relative > AMPLIFIED:
        return False
    return judge.left_in_double(values, result) <= (FINER if result.relative <= ACCEPTED_RELATIVE[4] else FINEST)


def _fused(judge: Judge, values: Values, expected: object, result: Difference) -> bool:
    """Whether only what XLA fuses tells the versions apart: both give the same op by op, and in double precision."""
    alone = result.values_only and judge.same_by_operations(values, expected)
    return alone and judge.left_in_double(values, result) <= FINEST


def _as(before: object, after: object, which: Callable[[object, object], bool]) -> object:
    """The first results cast to the dtypes of the others, for the pairs that `which` accepts."""
    if structure(before) != structure(after):
        return before
    leaves, tree = jax.tree_util.tree_flatten(before)
    pairs = zip(leaves, jax.tree_util.tree_leaves(after), strict=True)
    return jax.tree_util.tree_unflatten(tree, [a.astype(b.dtype) if which(a, b) else a for a, b in pairs])


def _cut(before: object, after: object) -> bool:
    """Whether the first results are the others with fractions truncated.

    JAX warns about code that sets floats into arrays of whole numbers, so such code is not meant for them.
    """

    def whole(a: object, b: object) -> bool:
        return _numbers(a, b) and jnp.issubdtype(a.dtype, jnp.floating) and jnp.issubdtype(b.dtype, jnp.integer)  # type: ignore[attr-defined]

    if structure(before) != structure(after):
        return False
    cut = _as(after, before, whole)
    same = isinstance(compare(before, cut), Agreement)
    return same and not isinstance(compare(after, _as(cut, after, _numbers)), Agreement)


def _numbers(a: object, b: object) -> bool:
    both = isinstance(a, jax.Array) and isinstance(b, jax.Array)
    return both and not is_key(a.dtype) and not is_key(b.dtype)  # type: ignore[attr-defined]


def _wider(a: object, b: object) -> bool:
    if not _numbers(a, b):
        return False
    assert isinstance(a, jax.Array) and isinstance(b, jax.Array)
    return bool(a.dtype != b.dtype and jnp.promote_types(a.dtype, b.dtype) == b.dtype)


def _dtypes(result: object) -> list[str]:
    return [str(attribute(leaf, "dtype", type(leaf))) for leaf in jax.tree_util.tree_leaves(result)]


def _decided(judge: Judge, values: Values, found: object) -> bool:
    """Whether the old version returns these dtypes on other paths."""
    others = [lambda x, by=factor: _scaled(x, by) for factor in SCALES]
    others += [lambda x, seed=seed: _drawn(x, seed) for seed in range(DRAWS)]
    for change in others:
        other = jax.tree_util.tree_map(change, dict(values))
        try:
            if _dtypes(judge.pair.run_old(other)) == _dtypes(found):
                return True
        except (Exception, TookTooLong):  # noqa: BLE001 - the next change is tried
            continue
    return False


def _scaled(value: object, factor: float) -> object:
    if not isinstance(value, jax.Array) or not jnp.issubdtype(value.dtype, jnp.floating):
        return value
    return value * jnp.asarray(factor, value.dtype)


def _drawn(value: object, seed: int) -> object:
    """Other values of either sign."""
    if not isinstance(value, jax.Array) or not jnp.issubdtype(value.dtype, jnp.floating):
        return value
    return placed(np.random.default_rng(seed).standard_normal(value.shape), value.dtype)


def _as_exact(judge: Judge, values: Values, expected: object, found: object, result: Difference) -> bool:
    """Whether the new version is as near to what double precision gives as the old one is."""
    if not (result.values_only or result.discrete):
        return False
    if judge.pair.draws:
        return result.discrete or result.relative <= DRAWN * eps("float16")
    exact = in_double(judge.pair, values)
    if exact is None:
        return False
    before, after = apart(expected, exact), apart(found, exact)
    return before.flips or (not after.flips and after.relative <= WORSE * before.relative + BASE_ULPS * eps("float32"))
