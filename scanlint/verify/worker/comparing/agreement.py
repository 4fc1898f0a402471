"""Compares the results of the versions: structure, shapes, dtypes, values in ULPs, positions of NaNs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import jax
import jax.numpy as jnp
import numpy as np

from ..results.inner_values import kind_of, parts_of, same_whole
from ..runtime.jax_functions import attribute, eps, is_key, largest, numeric, of_array, shape, tiny, weakly_typed

BASE_ULPS = 64.0
MOST_LEAVES = 4
LONG = re.compile(r"^(float|complex|int|uint)(\d+)$")
ASKED = 1e-3
"""A relative difference between two ways to run one version that rounding rarely makes."""
ACCEPTED_RELATIVE = {2: 2e-2, 4: 1e-4, 8: 1e-9}


@dataclass(frozen=True, slots=True)
class Difference:
    """How two results differ; `error` is the largest absolute difference if only values differ.

    `discrete`: whole numbers, or the positions of NaNs and infinities, differ; `lost`: the latter. `unfit`: a Python
    number of the first that does not fit the type of the second.
    """

    text: str
    error: float = float("inf")
    relative: float = float("inf")
    values_only: bool = False
    discrete: bool = False
    lost: bool = False
    unfit: float | None = None


@dataclass(frozen=True, slots=True)
class Agreement:
    """Equal within tolerance.

    `weak` describes dtypes that differ only because one side is a Python number; `empty`: only arrays without elements
    differ, since `jnp.array([])` has not the shape and dtype that elements would have given it.
    """

    error: float = 0.0
    weak: str = ""
    empty: bool = False


def structure(tree: object) -> object:
    """A tree's structure by class names, equal for the two versions of a class."""
    definition = jax.tree_util.tree_structure(tree)
    return _named(definition)


def _named(definition: object) -> object:
    data = definition.node_data()  # type: ignore[attr-defined]
    children = tuple(_named(c) for c in definition.children())  # type: ignore[attr-defined]
    if data is None:
        return children if children else "*"
    kind, extra = data
    return (kind.__qualname__, repr(extra).replace("__before", "").replace("__after", ""), children)


def compare(
    before: object, after: object, *, ulps: float = BASE_ULPS, met: set[tuple[int, int]] | None = None
) -> Difference | Agreement:
    """How two results differ. `met`: pairs of objects that are being compared around these, or were."""
    met = set() if met is None else met
    if structure(before) != structure(after):
        return Difference(f"the structure was {_short(structure(before))} and is {_short(structure(after))}")
    error, weak, empty = 0.0, "", False
    pairs = zip(jax.tree_util.tree_leaves(before), jax.tree_util.tree_leaves(after), strict=False)
    for at, (a, b) in enumerate(pairs):
        result = _leaf(a, b, ulps, met)
        if isinstance(result, Difference):
            place = f"output {at}: " if at or len(jax.tree_util.tree_leaves(before)) > 1 else ""
            return replace(result, text=place + result.text)
        place = f"output {at}: " if result.weak and len(jax.tree_util.tree_leaves(before)) > 1 else ""
        error, weak, empty = max(error, result.error), weak or place + result.weak, empty or result.empty
    return Agreement(error, weak, empty)


def of_other_kind(before: object, after: object) -> str:
    """How results differ in who holds them: NumPy's arrays are of doubles and can be set in place, JAX's are not.

    The numbers of a list are those of Python or arrays.
    """
    listed = isinstance(before, list)
    for a, b in zip(jax.tree_util.tree_leaves(before), jax.tree_util.tree_leaves(after), strict=False):
        host = [isinstance(x, (np.ndarray, np.generic)) for x in (a, b)]
        device = [isinstance(x, jax.Array) for x in (a, b)]
        if (host[0] and device[1]) or (device[0] and host[1]):
            first, second = ("an array of NumPy" if on else "an array of JAX" for on in host)
            return f"the result was {first} and is {second}"
        if listed and isinstance(a, int | float) and not isinstance(b, int | float):
            return "the result was a list of numbers of Python and is one of arrays"
    return ""


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) < 80 else text[:77] + "..."


def _plain(value: object) -> tuple[np.ndarray, bool]:
    """As a NumPy array, and whether its dtype is weak (a Python number or a weakly typed array)."""
    if isinstance(value, jax.Array) and is_key(value.dtype):
        return np.asarray(jax.random.key_data(value)), False
    if isinstance(value, (bool, int, float, complex)) and not isinstance(value, np.generic):
        return np.asarray(value if _unbounded(value) else jnp.asarray(value)), True
    return np.asarray(value), weakly_typed(value)


def _leaf(before: object, after: object, ulps: float, met: set[tuple[int, int]]) -> Difference | Agreement:
    if not numeric(before) or not numeric(after):
        return _objects(before, after, ulps, met)
    (a, weak_a), (b, weak_b) = _plain(before), _plain(after)
    if a.size == 0 and b.size == 0:
        return Agreement(empty=a.shape != b.shape or a.dtype != b.dtype)
    if a.shape != b.shape:
        return Difference(f"the shape was {a.shape} and is {b.shape}")
    weak = "" if weak_a == weak_b else f"the dtype was {_kind(a, weak_a)} and is {_kind(b, weak_b)}"
    if a.dtype != b.dtype:
        text = f"the dtype was {_kind(a, weak_a)} and is {_kind(b, weak_b)}"
        if not (weak_a and _promotes(a, b)) or (a.ndim and a.dtype.kind != b.dtype.kind):
            return Difference(text)
        if (beyond := _beyond(a, b.dtype)) is not None:
            return Difference(f"{beyond:g} does not fit {b.dtype}", unfit=beyond)
        weak, a = text, a.astype(b.dtype)
    if a.dtype.kind in "biuO" or a.size == 0:
        if np.array_equal(a, b):
            return Agreement(0.0, weak)
        if a.dtype.kind == "O":  # whole numbers beyond all types
            return Difference(_first(a, b, a != b))
        error = float(np.max(np.abs(a.astype(float) - b.astype(float))))
        return Difference(_first(a, b, a != b), error, discrete=True)
    return _floats(a, b, ulps, weak)


def _beyond(numbers: np.ndarray, dtype: np.dtype) -> float | None:
    """The first of these numbers that a narrower type has not: it would wrap or become infinite there."""
    if numbers.dtype.kind not in "iuf" or numbers.dtype.itemsize <= dtype.itemsize or dtype.kind not in "iufV":
        return None
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        lost = (numbers < limits.min) | (numbers > limits.max)
    else:
        lost = np.isfinite(numbers) & (np.abs(numbers.astype(float)) > largest(dtype))
    return numbers[lost].flat[0].item() if lost.any() else None


def _unbounded(value: complex) -> bool:
    """The Python number fits no type that JAX has by default."""
    return isinstance(value, int) and not -(2**31) <= value < 2**31


def _objects(before: object, after: object, ulps: float, met: set[tuple[int, int]]) -> Difference | Agreement:
    """Values that are no numbers: by their contents where they have such, else by equality."""
    if before is after or (id(before), id(after)) in met:
        return Agreement()
    met.add((id(before), id(after)))
    first, second = parts_of(before), parts_of(after)
    if first is None and second is None:
        same = same_whole(before, after)
        return Agreement() if same else Difference(f"was {_shown(before)} and is {_shown(after)}")
    if kind_of(before) != kind_of(after) or first is None or second is None or first.keys() != second.keys():
        return Difference(f"was {_shown(before)} and is {_shown(after)}")
    for name, part in first.items():
        result = compare(part, second[name], ulps=ulps, met=met)
        if isinstance(result, Difference):
            return replace(result, text=f"in `{kind_of(before)}`, {name}: {result.text}")
    return Agreement()


def _kind(array: np.ndarray, weak: bool) -> str:
    return f"{array.dtype} (weak, as that of a Python number)" if weak else str(array.dtype)


def _promotes(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether a Python number promotes to this dtype, as in arithmetic with it."""
    order = "biufc"
    kinds = {"V": "f"}
    first, second = kinds.get(a.dtype.kind, a.dtype.kind), kinds.get(b.dtype.kind, b.dtype.kind)
    return order.index(first) <= order.index(second)


def _floats(a: np.ndarray, b: np.ndarray, ulps: float, weak: str) -> Difference | Agreement:
    unit = eps(a.dtype)
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    x, y = a.astype(wide), b.astype(wide)
    if not np.array_equal(np.isnan(x), np.isnan(y)):
        return Difference(_first(a, b, np.isnan(x) != np.isnan(y)), discrete=True, lost=True)
    infinite = np.isinf(x) | np.isinf(y)
    if infinite.any() and not np.array_equal(x[infinite], y[infinite], equal_nan=True):
        return Difference(_first(a, b, infinite & ~(x == y)), discrete=True, lost=True)
    usual = np.isfinite(x) & np.isfinite(y)
    if not usual.any():
        return Agreement(0.0, weak)
    error = np.where(usual, np.abs(np.where(usual, x, 0) - np.where(usual, y, 0)), 0.0)
    scale = float(np.max(np.abs(x[usual])))
    own = np.where(usual, np.maximum(np.abs(np.where(usual, x, 0)), np.abs(np.where(usual, y, 0))), 0.0)
    # A small element beside large ones may have lost to cancellation what is small against the largest.
    allowed = ulps * unit * np.maximum(own, 0.01 * scale) + tiny(a.dtype)
    worst = float(error.max())
    if (error <= allowed).all():
        return Agreement(worst, weak)
    relative = worst / max(scale, tiny(a.dtype))
    return Difference(_first(a, b, error > allowed) + f"; largest difference {worst:.3g}", worst, relative, True)


def _first(a: np.ndarray, b: np.ndarray, mask: np.ndarray) -> str:
    """The first place where they differ."""
    if a.ndim == 0:
        return f"before {a.item()!r}, after {b.item()!r}"
    at = tuple(int(i) for i in np.argwhere(mask)[0])
    where = ", ".join(map(str, at))
    return f"[{where}] before {a[at].item()!r}, after {b[at].item()!r}"


def describe(values: dict[str, object], limit: int = 400) -> str:
    """Arguments in words: `x = float32[3] [0.0, nan, 1.0], n = 3`."""
    text = ", ".join(f"{name} = {_shown(value)}" for name, value in values.items())
    return text if len(text) <= limit else text[: limit - 3] + "..."


def kinds(values: dict[str, object]) -> str:
    """Shapes and dtypes of arguments in words: `x: f32[5], h: (f32[3], f32[]), n: 3`."""
    return ", ".join(kinds_by_name(values))


def kinds_by_name(values: dict[str, object]) -> tuple[str, ...]:
    """Shapes and dtypes of arguments in words, one text for each argument."""
    return tuple(f"{name}: {_kinds_of(jax.tree_util.tree_leaves(v) or [v])}" for name, v in values.items())


def named_once(sets: Sequence[tuple[str, ...]]) -> str:
    """Several sets of arguments in words: after the first one, only what is another than in the first."""
    first = sets[0]
    others = (tuple(said for said in listed if said not in first) or listed for listed in sets[1:])
    return "; ".join(", ".join(listed) for listed in (first, *others))


def _kinds_of(leaves: Sequence[object]) -> str:
    said = [*map(_kind_of, leaves[:MOST_LEAVES]), *(["..."] if len(leaves) > MOST_LEAVES else [])]
    return said[0] if len(said) == 1 else f"({', '.join(said)})"


def _kind_of(leaf: object) -> str:
    """Python numbers but whole ones are inputs like others."""
    if of_array(leaf):
        return f"{short(str(attribute(leaf, 'dtype')))}[{', '.join(map(str, shape(leaf)))}]"
    text = type(leaf).__name__ if isinstance(leaf, (float, complex)) else _shown(leaf)
    return text if len(text) < 30 else type(leaf).__name__


def short(dtype: str) -> str:
    """The name of a dtype as in the notation of inputs: `f32` for `float32`, `key` for that of random keys."""
    if dtype.startswith("key<"):
        return "key"
    return LONG.sub(lambda found: found[1][0] + found[2], dtype).replace("bfloat16", "bf16")


def _shown(value: object) -> str:
    if isinstance(value, (jax.Array, np.ndarray)):
        if is_key(value.dtype):
            return f"key{list(value.shape) if value.shape else ''}"
        plain = np.asarray(value)
        head = ", ".join(f"{v:.6g}" if plain.dtype.kind == "f" else str(v) for v in plain.reshape(-1)[:6].tolist())
        if not plain.shape:
            return f"{plain.dtype} {head}"
        tail = ", ..." if plain.size > 6 else ""
        return f"{plain.dtype}[{', '.join(map(str, plain.shape))}] [{head}{tail}]"
    value = value.func if isinstance(value, jax.tree_util.Partial) else value
    if callable(value) and (name := attribute(value, "__name__")) is not None:
        return str(name)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {_shown(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return f"({', '.join(_shown(v) for v in value)})"
    text = repr(value)
    return text if len(text) < 60 and " at 0x" not in text else type(value).__name__  # an address is another each time


def arrays(tree: object) -> Iterator[object]:
    for leaf in jax.tree_util.tree_leaves(tree):
        if isinstance(leaf, (jax.Array, np.ndarray)):
            yield leaf


def telling(result: object) -> list[bool | None]:
    """For each leaf of a result, whether a difference could have been seen there: a finite number, a text.

    None where an array has no elements.
    """
    return [_tells(leaf) for leaf in jax.tree_util.tree_leaves(result)]


def _tells(leaf: object) -> bool | None:
    if not numeric(leaf) or is_key(attribute(leaf, "dtype")):
        return True
    array = np.asarray(leaf)
    if not array.size:
        return None
    return not jnp.issubdtype(array.dtype, jnp.inexact) or bool(np.isfinite(array.astype(complex)).any())


def nowhere_finite(result: object) -> bool:
    """Whether there are floats in a result, and each of them is infinite or no number."""
    numbers = [x for x in jax.tree_util.tree_leaves(result) if numeric(x)]
    leaves = [np.asarray(x) for x in numbers if not is_key(attribute(x, "dtype"))]
    floats = [x for x in leaves if x.size and jnp.issubdtype(x.dtype, jnp.inexact)]
    return bool(floats) and not any(np.isfinite(x.astype(complex)).any() for x in floats)
