"""Primitives that only move elements, of whatever dtype."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..proof.equations import NotUnderstood, integer, integers, padding, parameter
from .read_equation import WHOLE, Operation, Reader, knows_only, result_type

if TYPE_CHECKING:
    from jax.extend.core import JaxprEqn


def _counted(equation: JaxprEqn) -> Operation:
    knows_only(equation, "dtype", "shape", "dimension")
    shape, axis = integers(equation, "shape"), integer(equation, "dimension")
    dtype = result_type(equation).dtype
    if str(dtype) not in WHOLE | {"float32", "float64"}:
        raise NotUnderstood("this `iota`")
    row = np.arange(shape[axis]).astype(dtype).reshape([-1 if a == axis else 1 for a in range(len(shape))])
    return lambda: np.broadcast_to(row, shape)


def _broadcast(equation: JaxprEqn) -> Operation:
    knows_only(equation, "shape", "broadcast_dimensions")
    shape, places = integers(equation, "shape"), integers(equation, "broadcast_dimensions")

    def spread(x: np.ndarray) -> np.ndarray:
        sizes = [1] * len(shape)
        for size, place in zip(x.shape, places, strict=True):
            sizes[place] = size
        return np.broadcast_to(x.reshape(sizes), shape)

    return spread


def _reshaped(equation: JaxprEqn) -> Operation:
    knows_only(equation, "new_sizes", "dimensions")
    if parameter(equation, "dimensions") is not None:
        raise NotUnderstood("`reshape` of other axes")
    sizes = integers(equation, "new_sizes")
    return lambda x: x.reshape(sizes)


def _shaped(equation: JaxprEqn) -> Operation:
    """Only the shape is another one."""
    shape = result_type(equation).shape
    return lambda x: x.reshape(shape)


def _transposed(equation: JaxprEqn) -> Operation:
    knows_only(equation, "permutation")
    axes = integers(equation, "permutation")
    return lambda x: x.transpose(axes)


def _sliced(equation: JaxprEqn) -> Operation:
    knows_only(equation, "start_indices", "limit_indices", "strides")
    starts, limits = integers(equation, "start_indices"), integers(equation, "limit_indices")
    steps = [1] * len(starts) if parameter(equation, "strides") is None else integers(equation, "strides")
    window = tuple(map(slice, starts, limits, steps))
    return lambda x: x[window]


def _window(shape: Sequence[int], sizes: Sequence[int], starts: Sequence[np.ndarray]) -> tuple[slice, ...]:
    """A window of these sizes that lies within the shape."""
    firsts = [min(max(int(at), 0), n - size) for n, size, at in zip(shape, sizes, starts, strict=True)]
    return tuple(slice(at, at + size) for at, size in zip(firsts, sizes, strict=True))


def _windowed(equation: JaxprEqn) -> Operation:
    knows_only(equation, "slice_sizes")
    sizes = integers(equation, "slice_sizes")
    return lambda x, *starts: x[_window(x.shape, sizes, starts)]


def _updated(equation: JaxprEqn) -> Operation:
    knows_only(equation)

    def update(x: np.ndarray, part: np.ndarray, *starts: np.ndarray) -> np.ndarray:
        found = np.array(x)
        found[_window(x.shape, part.shape, starts)] = part
        return found

    return update


def _joined(equation: JaxprEqn) -> Operation:
    knows_only(equation, "dimension")
    axis = integer(equation, "dimension")
    return lambda *parts: np.concatenate(parts, axis)


def _stacked(equation: JaxprEqn) -> Operation:
    knows_only(equation, "axis")
    axis = integer(equation, "axis")
    return lambda *parts: np.stack(parts, axis)


def _unstacked(equation: JaxprEqn) -> Operation:
    knows_only(equation, "axis")
    axis = integer(equation, "axis")
    return lambda x: list(np.moveaxis(x, axis, 0))


def _split(equation: JaxprEqn) -> Operation:
    knows_only(equation, "sizes", "axis")
    ends, axis = np.cumsum(integers(equation, "sizes"))[:-1], integer(equation, "axis")
    return lambda x: np.split(x, ends, axis)


def _padded(equation: JaxprEqn) -> Operation:
    knows_only(equation, "padding_config")
    widths = padding(equation)
    if any(low < 0 or high < 0 for low, high, _ in widths):
        raise NotUnderstood("`pad` that cuts")
    shape = result_type(equation).shape

    def padded(x: np.ndarray, value: np.ndarray) -> np.ndarray:
        found = np.full(shape, value, x.dtype)
        inner = tuple(
            slice(low, low + max(n + (n - 1) * between, 0), between + 1)
            for n, (low, _, between) in zip(x.shape, widths, strict=True)
        )
        found[inner] = x
        return found

    return padded


def _reversed(equation: JaxprEqn) -> Operation:
    knows_only(equation, "dimensions")
    axes = integers(equation, "dimensions")
    return lambda x: np.flip(x, axes)


MOVING: dict[str, Reader] = {
    "iota": _counted,
    "broadcast_in_dim": _broadcast,
    "reshape": _reshaped,
    "squeeze": _shaped,
    "expand_dims": _shaped,
    "copy": _shaped,
    "copy_p": _shaped,
    "transpose": _transposed,
    "slice": _sliced,
    "dynamic_slice": _windowed,
    "dynamic_update_slice": _updated,
    "concatenate": _joined,
    "stack": _stacked,
    "unstack": _unstacked,
    "split": _split,
    "pad": _padded,
    "rev": _reversed,
}
