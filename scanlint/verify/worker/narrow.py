"""Arguments in half precision beside others: Python promotes them anew on every trip, a carry has one type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeGuard

import jax
import jax.numpy as jnp

from .call import TookTooLong
from .compare import BASE_ULPS, Difference, compare, describe, kinds, structure
from .jaxes import eps, is_key
from .judge import Judge, Weaker
from .rounding import apart, in_double
from .specs import Array, Choice, Scalar, Spec, leaves, replace
from .values import Specs, Values

MOST = 6
WORSE = 1.5
DRAWN = 4.0
OTHERS = {"float32": "float16", "int32": "int8"}


def narrowed(specs: Specs) -> Iterator[tuple[Specs, bool]]:
    """The specs with all numbers of a kind in fewer bits, then those of one argument; and whether it is all."""
    for wide, short in OTHERS.items():
        names = [name for name, spec in specs.items() if _holds(spec, wide)]
        if names:
            yield {n: retyped(s, wide, short) for n, s in specs.items()}, True
        for chosen in names[:MOST] if len(names) > 1 else []:
            yield {n: retyped(s, wide, short) if n == chosen else s for n, s in specs.items()}, False


def _holds(spec: Spec, dtype: str) -> bool:
    return any(isinstance(leaf, Array) and leaf.dtype == dtype for _, leaf in leaves(spec))


def retyped(spec: Spec, dtype: str, other: str) -> Spec:
    """The spec with arrays of another dtype."""

    def change(leaf: Array | Scalar | Choice, path: str) -> Spec:
        return Array(leaf.shape, other) if isinstance(leaf, Array) and leaf.dtype == dtype else leaf

    return replace(spec, change)


def same_in_few_bits(judge: Judge, values: Values, *, mixed: bool) -> str:
    """What is to be said of these arguments; raises Weaker where the results differ.

    Rounding to few bits explains nothing by itself: the new version may round no more than the old one does. Where
    types are `mixed` it may give the wider one: what Python gives may depend on the way that is taken.
    """
    try:
        expected = judge.run_old(values)
    except (Exception, TookTooLong):  # noqa: BLE001
        return ""
    judge.stage("running the new version in half precision")
    for name, run in judge.runs(values):
        try:
            found = judge.untraced(run, values)
        except Exception as error:  # noqa: BLE001
            text = str(error).splitlines()[0][:120] if str(error) else ""
            return f"the new version raises for {kinds(values)}: {type(error).__name__}: {text}"
        wide = _as_wide(expected, found) if mixed else expected
        result = compare(wide, found)
        if isinstance(result, Difference) and not _as_exact(judge, values, wide, found, result):
            raise Weaker(f"{describe(values)}: {result.text}{name}")
        judge.weakness.compared(expected, found, values)
    return ""


def _as_wide(before: object, after: object) -> object:
    """The first results with the dtypes of the others where these are wider."""
    if structure(before) != structure(after):
        return before
    leaves, tree = jax.tree_util.tree_flatten(before)
    pairs = zip(leaves, jax.tree_util.tree_leaves(after), strict=True)
    return jax.tree_util.tree_unflatten(tree, [a.astype(b.dtype) if _wider(a, b) else a for a, b in pairs])


def _wider(a: object, b: object) -> TypeGuard[jax.Array]:
    if not (isinstance(a, jax.Array) and isinstance(b, jax.Array)) or is_key(a.dtype) or is_key(b.dtype):
        return False
    return bool(a.dtype != b.dtype and jnp.promote_types(a.dtype, b.dtype) == b.dtype)


def _as_exact(judge: Judge, values: Values, expected: object, found: object, result: Difference) -> bool:
    """Whether the new version is as near to what double precision gives as the old one is."""
    if not (result.values_only or result.discrete):
        return False
    if judge.draws:
        return result.discrete or result.relative <= DRAWN * eps("float16")
    exact = in_double(judge, values)
    if exact is None:
        return False
    before, after = apart(expected, exact), apart(found, exact)
    return before.flips or (not after.flips and after.relative <= WORSE * before.relative + BASE_ULPS * eps("float32"))
