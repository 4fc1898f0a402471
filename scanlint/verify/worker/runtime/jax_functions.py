"""The few functions of JAX that carry no types of their own, with types."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax._src import core

if TYPE_CHECKING:
    from jax import ShapeDtypeStruct

T = TypeVar("T")
MISSING = object()
WEAK = "weak "
"""Before the name of the type of what is weakly typed."""


def finished(result: T) -> T:
    """The result, once it is computed; JAX would give it anew, with the keys of dicts sorted."""
    jax.block_until_ready(result)  # type: ignore[no-untyped-call]
    return result


@contextlib.contextmanager
def traced_as_before() -> Iterator[None]:
    """Let JAX trace after an interruption what it traced before: it may strike while JAX is changing that."""
    context = getattr(core, "trace_ctx", None)  # since JAX 0.4.36
    before = context.trace if context is not None else None
    try:
        yield
    except BaseException:
        if context is not None:
            context.set_trace(before)
        raise


def eps(dtype: object) -> float:
    """The distance from one to the next number."""
    return float(jnp.finfo(dtype).eps)  # type: ignore[no-untyped-call]


def tiny(dtype: object) -> float:
    """The smallest normal number."""
    return float(jnp.finfo(dtype).tiny)  # type: ignore[no-untyped-call]


def largest(dtype: object) -> float:
    """The largest number that is not infinite."""
    return float(jnp.finfo(dtype).max)  # type: ignore[no-untyped-call]


def abstract(shape: tuple[int, ...], dtype: object) -> ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, dtype)  # type: ignore[no-untyped-call,no-any-return,unused-ignore]


def is_key(dtype: object) -> bool:
    """Whether a dtype is that of typed random keys."""
    return bool(jnp.issubdtype(dtype, jax.dtypes.prng_key))  # type: ignore[arg-type]


def numeric(value: object) -> bool:
    """Whether a value is an array, or a number of Python."""
    return isinstance(value, (jax.Array, np.ndarray, np.generic, bool, int, float, complex))


def shape(value: object) -> tuple[int, ...]:
    """Of arrays, keys and Python numbers alike."""
    return tuple(value.shape) if hasattr(value, "shape") else np.asarray(value).shape


def x64() -> bool:
    return jax.dtypes.canonicalize_dtype(float) == np.float64


def enable_x64(on: bool) -> None:
    jax.config.update("jax_enable_x64", on)  # type: ignore[no-untyped-call]


def placed(values: object, dtype: Any) -> jax.Array:
    """An array of NumPy's, or a number, on the device; `jnp.asarray` compiles that anew for each shape."""
    array = np.asarray(values)
    with np.errstate(over="ignore", invalid="ignore"):
        made: jax.Array = jax.device_put(array.astype(jnp.dtype(dtype)))
    return made


@contextlib.contextmanager
def in_x64() -> Iterator[None]:
    """64-bit types for a while."""
    enable_x64(True)
    try:
        yield
    finally:
        enable_x64(False)


def weakly_typed(value: object) -> bool:
    """Whether a value takes the dtype of what it is computed with."""
    if isinstance(value, (bool, int, float, complex)) and not isinstance(value, np.generic):
        return True
    return bool(attribute(value, "weak_type"))


@contextlib.contextmanager
def rebound(names: dict[str, Any], values: Mapping[str, object]) -> Iterator[None]:
    """The names of a module have these values while the body runs."""
    kept = {name: names.get(name, MISSING) for name in values}
    names.update(values)
    try:
        yield
    finally:
        names.update(kept)
        for name in [name for name, value in kept.items() if value is MISSING]:
            del names[name]


@contextlib.contextmanager
def one_by_one(names: dict[str, object]) -> Iterator[None]:
    """Within, `jax.vmap` calls its function with one row after the other; so does what the module has of that name."""
    known = dict.fromkeys((name for name, value in names.items() if value is jax.vmap), _rows)
    with rebound(vars(jax), {"vmap": _rows}), rebound(names, known):
        yield


def _rows(function: Callable[..., object], in_axes: Any = 0, out_axes: Any = 0, **others: object) -> object:
    """The function that `jax.vmap` gives, called row by row: it may need values. Raises NotImplementedError."""

    if not isinstance(out_axes, int):
        raise NotImplementedError("results of a batch along several axes, row by row")

    def row(tree: object, axes: object, at: int) -> object:
        return jax.tree_util.tree_map(
            lambda axis, part: jax.tree_util.tree_map(
                lambda x: x if axis is None else jnp.moveaxis(x, axis, 0)[at], part
            ),
            axes,
            tree,
            is_leaf=lambda axis: axis is None,
        )

    def sizes(tree: object, axes: object) -> Iterator[int]:
        yield from jax.tree_util.tree_leaves(
            jax.tree_util.tree_map(
                lambda axis, part: [] if axis is None else [x.shape[axis] for x in jax.tree_util.tree_leaves(part)],
                axes,
                tree,
                is_leaf=lambda axis: axis is None,
            )
        )

    def mapped(*positional: object, **named: object) -> object:
        axes = in_axes if isinstance(in_axes, tuple | list) else [in_axes] * len(positional)
        pairs = [*zip(positional, axes, strict=True), *((v, 0) for v in named.values())]
        count = next(n for tree, axis in pairs for n in sizes(tree, axis))
        made = [
            function(
                *(row(tree, axis, at) for tree, axis in zip(positional, axes, strict=True)),
                **{k: row(v, 0, at) for k, v in named.items()},
            )
            for at in range(count)
        ]
        return jax.tree_util.tree_map(lambda *xs: jnp.stack([jnp.asarray(x) for x in xs], out_axes), *made)

    return mapped


def attribute(value: object, name: str, default: object = None) -> Any:
    """An attribute of any object; the default where asking for it raises, as a class of the program may do."""
    try:
        return getattr(value, name, default)
    except Exception:  # noqa: BLE001
        return default


def attributes_of(value: object) -> Iterator[tuple[str, object]]:
    """The attributes that an object holds itself, in its `__dict__` and in slots."""
    yield from dict(attribute(value, "__dict__", None) or {}).items()
    for base in type(value).__mro__:
        slots = base.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if not name.startswith("__") and (held := attribute(value, name, ...)) is not ...:
                yield name, held


def of_array(value: object) -> bool:
    """Whether a value has a shape and a dtype."""
    return attribute(value, "dtype") is not None and attribute(value, "shape") is not None
