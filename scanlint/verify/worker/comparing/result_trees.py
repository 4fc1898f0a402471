"""The leaves of results: floats and their width, arrays without elements, initial values that were broadcast."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from itertools import starmap

import jax
import jax.numpy as jnp
import numpy as np

from ..runtime.calling import Values, jitted
from ..runtime.jax_functions import is_key, placed, shape, weakly_typed
from ..runtime.version_pair import VersionPair
from .agreement import Agreement, compare, describe, structure
from .refutations import Refuted


def empty(tree: object) -> bool:
    """All results are arrays without elements, as those of a loop of no trips that collects."""
    found = jax.tree_util.tree_leaves(tree)
    return bool(found) and all(isinstance(x, (jax.Array, np.ndarray)) and x.size == 0 for x in found)


def reordered_keys(before: object, after: object) -> tuple[list[object], list[object]] | None:
    """The keys of the first dict of a result that come in another order."""
    if isinstance(before, dict) and isinstance(after, dict):
        if list(before) != list(after):
            return list(before), list(after)
        pairs = zip(before.values(), after.values(), strict=True)
    elif isinstance(before, list | tuple) and isinstance(after, list | tuple):
        pairs = zip(before, after, strict=True)
    else:
        return None
    return next(filter(None, starmap(reordered_keys, pairs)), None)


def displays(tree: ast.AST, keys: Sequence[object]) -> bool:
    """Whether a text makes a dict by writing these keys in this order."""
    made = (node.keys for node in ast.walk(tree) if isinstance(node, ast.Dict))
    return any([k.value if isinstance(k, ast.Constant) else k for k in found] == [*keys] for found in made)


def keys_apart(pair: VersionPair, values: Values, before: object, after: object) -> str:
    """What is said of keys of a result in another order; raises Refuted where the new text writes them in that order.

    JAX sorts the keys of what goes into a `jit` or a carry.
    """
    orders = None if jitted(pair.before) or jitted(pair.after) else reordered_keys(before, after)
    if orders is None:
        return ""
    old, new = (", ".join(map(repr, keys)) for keys in orders)
    text, tree = f"the keys of the result were {old} and are {new}", pair.new.tree
    if not displays(tree, orders[0]) and displays(tree, orders[1]):
        raise Refuted(f"{describe(values)}: {text}")
    return text


def spread_out(before: object, after: object) -> bool:
    """The results differ only in that initial values which no trip changed were broadcast."""
    pairs = list(zip(jax.tree_util.tree_leaves(before), jax.tree_util.tree_leaves(after), strict=False))
    return structure(before) == structure(after) and all(
        isinstance(compare(_spread(a, b), b), Agreement) for a, b in pairs
    )


def _spread(before: object, after: object) -> object:
    """The initial value as a carry: of the result's shape, complex if that is; a Python number takes its dtype."""
    real = isinstance(before, jax.Array) and floating(before)
    if real and isinstance(after, jax.Array) and jnp.iscomplexobj(after) and shape(before) == after.shape:
        return before.astype(after.dtype)  # type: ignore[attr-defined]
    numbers = isinstance(before, (jax.Array, np.generic, int, float)) and isinstance(after, jax.Array)
    if not numbers or shape(before) != () or shape(after) == () or is_key(after.dtype):  # type: ignore[attr-defined]
        return before
    return jnp.full(shape(after), before, after.dtype if weakly_typed(before) else None)  # type: ignore[arg-type,attr-defined]


def floating(x: object) -> bool:
    """The value is an array of real floats."""
    return isinstance(x, (jax.Array, np.ndarray)) and jnp.issubdtype(x.dtype, jnp.floating)


def finite(arrays: Iterable[object]) -> bool:
    """No number in the arrays is infinite or NaN."""
    return all(bool(np.isfinite(np.asarray(x)).all()) for x in arrays)


def scaled(x: object) -> object:
    """Other floats near these."""
    return placed(np.asarray(x) * 0.5 + 0.25, x.dtype) if floating(x) else x  # type: ignore[attr-defined]


def pair_of(x: object) -> jax.Array:
    """A batch of two."""
    return jnp.stack([jnp.asarray(y) for y in (x, scaled(x))])


def width(tree: object) -> int:
    """The bytes of the narrowest floats in a result."""
    found = [np.asarray(x).dtype.itemsize for x in jax.tree_util.tree_leaves(tree) if floating(x)]
    return min(found, default=4)
