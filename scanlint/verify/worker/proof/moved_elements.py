"""Primitives that only move elements, of whatever type these are: of values, or of the numbers of values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .equations import integer, integers, padding, parameter, shape_of

if TYPE_CHECKING:
    from jax.extend.core import JaxprEqn

Operation = Callable[..., "np.ndarray | list[np.ndarray]"]
Reader = Callable[["JaxprEqn"], Operation | None]
PLACED = {"dynamic_slice": 1, "dynamic_update_slice": 2}
"""The operands from which on places are told."""
COPIED = frozenset(["broadcast_in_dim", "concatenate", "stack", "tile", "pad", "dynamic_update_slice"])
"""What gives more elements than it is given, or a copy of them."""


class MovingRule(NamedTuple):
    """What moves the elements as an equation says; `reads` are the parameters that this takes into account."""

    read: Reader
    reads: frozenset[str]


MOVING: dict[str, MovingRule] = {}


def moves(*names: str, reads: str = "") -> Callable[[Reader], Reader]:
    """Of these primitives."""

    def add(reader: Reader) -> Reader:
        MOVING.update(dict.fromkeys(names, MovingRule(reader, frozenset(reads.split()))))
        return reader

    return add


@moves("iota", reads="dtype shape dimension")
def _counted(equation: JaxprEqn) -> Operation:
    shape, axis = integers(equation, "shape"), integer(equation, "dimension")
    row = np.arange(shape[axis]).reshape([-1 if a == axis else 1 for a in range(len(shape))])
    row = row.astype(equation.outvars[0].aval.dtype)  # type: ignore[attr-defined]
    return lambda: np.broadcast_to(row, shape)


@moves("broadcast_in_dim", reads="shape broadcast_dimensions")
def _broadcast(equation: JaxprEqn) -> Operation:
    shape, places = integers(equation, "shape"), integers(equation, "broadcast_dimensions")

    def spread(x: np.ndarray) -> np.ndarray:
        sizes = [1] * len(shape)
        for size, place in zip(x.shape, places, strict=True):
            sizes[place] = size
        return np.broadcast_to(x.reshape(sizes), shape)

    return spread


@moves("squeeze", "expand_dims", "copy", "copy_p", reads="dimensions")
@moves("reshape", reads="new_sizes")  # its `dimensions` are another order of axes
def _reshaped(equation: JaxprEqn) -> Operation:
    shape = shape_of(equation)
    return lambda x: x.reshape(shape)


@moves("transpose", reads="permutation")
def _transposed(equation: JaxprEqn) -> Operation:
    axes = integers(equation, "permutation")
    return lambda x: x.transpose(axes)


@moves("slice", reads="start_indices limit_indices strides")
def _sliced(equation: JaxprEqn) -> Operation:
    starts, limits = integers(equation, "start_indices"), integers(equation, "limit_indices")
    steps = [1] * len(starts) if parameter(equation, "strides") is None else integers(equation, "strides")
    window = tuple(map(slice, starts, limits, steps))
    return lambda x: x[window]


def _window(shape: Sequence[int], sizes: Sequence[int], starts: Sequence[np.ndarray]) -> tuple[slice, ...]:
    """A window of these sizes that lies within the shape."""
    firsts = [min(max(int(at), 0), n - size) for n, size, at in zip(shape, sizes, starts, strict=True)]
    return tuple(slice(at, at + size) for at, size in zip(firsts, sizes, strict=True))


@moves("dynamic_slice", reads="slice_sizes")
def _windowed(equation: JaxprEqn) -> Operation:
    sizes = integers(equation, "slice_sizes")
    return lambda x, *starts: x[_window(x.shape, sizes, starts)]


@moves("dynamic_update_slice")
def _updated(equation: JaxprEqn) -> Operation:
    def update(x: np.ndarray, part: np.ndarray, *starts: np.ndarray) -> np.ndarray:
        found = np.array(x)
        found[_window(x.shape, part.shape, starts)] = part
        return found

    return update


@moves("concatenate", reads="dimension")
def _joined(equation: JaxprEqn) -> Operation:
    axis = integer(equation, "dimension")
    return lambda *parts: np.concatenate(parts, axis)


@moves("stack", reads="axis")
def _stacked(equation: JaxprEqn) -> Operation:
    axis = integer(equation, "axis")
    return lambda *parts: np.stack(parts, axis)


@moves("unstack", reads="axis")
def _unstacked(equation: JaxprEqn) -> Operation:
    axis = integer(equation, "axis")
    return lambda x: list(np.moveaxis(x, axis, 0))


@moves("split", reads="sizes axis")
def _split(equation: JaxprEqn) -> Operation:
    ends, axis = np.cumsum(integers(equation, "sizes"))[:-1], integer(equation, "axis")
    return lambda x: np.split(x, ends, axis)


@moves("tile", reads="reps")
def _tiled(equation: JaxprEqn) -> Operation:
    times = integers(equation, "reps")
    return lambda x: np.tile(x, times)


@moves("pad", reads="padding_config")
def _padded(equation: JaxprEqn) -> Operation | None:
    """None where it cuts."""
    widths, shape = padding(equation), shape_of(equation)
    if any(low < 0 or high < 0 for low, high, _ in widths):
        return None

    def padded(x: np.ndarray, value: np.ndarray) -> np.ndarray:
        found = np.full(shape, value, x.dtype)
        inner = tuple(
            slice(low, low + max(n + (n - 1) * between, 0), between + 1)
            for n, (low, _, between) in zip(x.shape, widths, strict=True)
        )
        found[inner] = x
        return found

    return padded


@moves("rev", reads="dimensions")
def _reversed(equation: JaxprEqn) -> Operation:
    axes = integers(equation, "dimensions")
    return lambda x: np.flip(x, axes)
