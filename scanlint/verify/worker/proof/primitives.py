"""How primitives act on value numbers: structural ones move them, reductions are told apart by row."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .equations import (
    SCATTERING,
    added,
    bound,
    integer,
    integers,
    name_of,
    padding,
    parameter,
    parameters,
    unknown,
    words,
)
from .value_numbers import Ids, Key, Numbering

if TYPE_CHECKING:
    from jax.extend.core import JaxprEqn

Rule = Callable[[Numbering, "JaxprEqn", list[Ids], Key], list[Ids] | None]


class NumberingRule(NamedTuple):
    """How a primitive acts; `reads` are the parameters that this takes into account, None for all."""

    act: Rule
    reads: frozenset[str] | None


RULES: dict[str, NumberingRule] = {}


ELEMENTWISE = words(
    "abs acos acosh add add_any and asin asinh atan atan2 atanh bessel_i0e bessel_i1e cbrt ceil clamp complex conj "
    "convert_element_type cos cosh digamma div eq erf erf_inv erfc exp exp2 expm1 floor ge gt igamma igamma_grad_a "
    "igammac imag integer_pow is_finite le lgamma log log1p logistic lt max min mul ne neg nextafter not or polygamma "
    "population_count pow real reduce_precision regularized_incomplete_beta rem round rsqrt select_n shift_left "
    "shift_right_arithmetic shift_right_logical sign sin sinh sqrt square sub tan tanh xor zeta bitcast_convert_type "
    "clz"
)


# Where their derivative is not finite, `where` gives NaN for a gradient that `cond` keeps: 0 times infinity.
SINGULAR = words(
    "acos acosh asin atan2 atanh cbrt cosh digamma div erf_inv exp exp2 expm1 integer_pow lgamma log log1p pow rem "
    "rsqrt sinh sqrt tan"
)


def singular(equation: JaxprEqn) -> bool:
    """Whether a derivative of an elementwise primitive is not finite somewhere."""
    name = name_of(equation)
    return name in SINGULAR and (name != "integer_pow" or integer(equation, "y") < 0)


def rule(*names: str, reads: str | None = None) -> Callable[[Rule], Rule]:
    """Of these primitives; without `reads` the numbers that a rule gives depend on all parameters."""

    def add(function: Rule) -> Rule:
        known = NumberingRule(function, None if reads is None else frozenset(reads.split()))
        RULES.update(dict.fromkeys(names, known))
        return function

    return add


def acting(equation: JaxprEqn) -> Rule | None:
    """The rule of a primitive, if it knows all parameters that the equation has."""
    known = RULES.get(name_of(equation))
    if known is None or (known.reads is not None and unknown(equation, known.reads)):
        return None
    return known.act


def shape_of(equation: JaxprEqn, k: int = 0) -> tuple[int, ...]:
    return tuple(equation.outvars[k].aval.shape)  # type: ignore[attr-defined]


@rule("reshape", reads="new_sizes")
def _reshape(table: Numbering, equation: JaxprEqn, x: list[Ids], p: Key) -> list[Ids]:
    return [x[0].reshape(shape_of(equation))]


@rule("squeeze", "expand_dims", reads="dimensions")
def _squeeze(table: Numbering, equation: JaxprEqn, x: list[Ids], p: Key) -> list[Ids]:
    return [x[0].reshape(shape_of(equation))]


@rule("broadcast_in_dim", reads="shape broadcast_dimensions")
def _broadcast(table: Numbering, equation: JaxprEqn, x: list[Ids], p: Key) -> list[Ids] | None:
    shape, dims = integers(equation, "shape"), integers(equation, "broadcast_dimensions")
    if len(x) != 1:
        return None
    table.spend(int(np.prod(shape, dtype=np.int64)))
    aligned = [1] * len(shape)
    for axis, to in enumerate(dims):
        aligned[to] = x[0].shape[axis]
    return [np.broadcast_to(x[0].reshape(aligned), shape)]


@rule("transpose", reads="permutation")
def _transpose(table: Numbering, equation: JaxprEqn, x: list[Ids], p: Key) -> list[Ids]:
    return [np.transpose(x[0], integers(equation, "permutation"))]


@rule("rev", reads="dimensions")
def _rev(table: Numbering, equation: JaxprEqn, x: list[Ids], p: Key) -> list[Ids]:
    return [np.flip(x[0], integers(equation, "dimensions"))]


@rule("slice", reads="start_indices limit_indices strides")
def _slice(table: Numbering, equation: JaxprEqn, x: list[Ids], p: Key) -> list[Ids]:
    steps = integers(equation, "strides") if parameter(equation, "strides") is not None else (1,) * x[0].ndim
    starts, limits = integers(equation, "start_indices"), integers(equation, "limit_indices")
    return [x[0][tuple(slice(a, b, s) for a, b, s in zip(starts, limits, steps, strict=True))]]


@rule("concatenate", reads="dimension")
def _concatenate(table: Numbering, equation: JaxprEqn, x: list[Ids], p: Key) -> list[Ids]:
    table.spend(sum(a.size for a in x))
    return [np.concatenate(x, integer(equation, "dimension"))]


@rule("stack", reads="axis")
def _stack(table: Numbering, equation: JaxprEqn, x: list[Ids], p: Key) -> list[Ids]:
    table.spend(sum(a.size for a in x))
    return [np.stack(x, integer(equation, "axis"))]


@rule("unstack", reads="axis")
def _unstack(table: Numbering, equation: JaxprEqn, x: list[Ids], p: Key) -> list[Ids]:
    return list(np.moveaxis(x[0], integer(equation, "axis"), 0))


@rule("split", reads="sizes axis")
def _split(table: Numbering, equation: JaxprEqn, x: list[Ids], p: Key) -> list[Ids]:
    ends = np.cumsum(integers(equation, "sizes"))[:-1]
    return list(np.split(x[0], ends, integer(equation, "axis")))


@rule("tile", reads="reps")
def _tile(table: Numbering, equation: JaxprEqn, x: list[Ids], p: Key) -> list[Ids]:
    table.spend(int(np.prod(shape_of(equation), dtype=np.int64)))
    return [np.tile(x[0], integers(equation, "reps"))]


@rule("pad", reads="padding_config")
def _pad(table: Numbering, equation: JaxprEqn, x: list[Ids], p: Key) -> list[Ids] | None:
    config = padding(equation)
    if any(low < 0 or high < 0 or inner < 0 for low, high, inner in config):
        return None
    out = np.full(shape_of(equation), int(x[1]), np.int64)
    table.spend(out.size)
    where = tuple(
        slice(low, size - high, inner + 1) for (low, high, inner), size in zip(config, out.shape, strict=True)
    )
    out[where] = x[0]
    return [out]


@rule("iota", reads="dtype shape dimension")
def _iota(table: Numbering, equation: JaxprEqn, x: list[Ids], p: Key) -> list[Ids]:
    shape, axis = shape_of(equation), integer(equation, "dimension")
    row = np.arange(shape[axis]).reshape([-1 if i == axis else 1 for i in range(len(shape))])
    return [table.constant(np.broadcast_to(row, shape), equation.outvars[0].aval.dtype)]  # type: ignore[attr-defined]


def _starts(table: Numbering, indices: list[Ids], size: tuple[int, ...], window: tuple[int, ...]) -> list[int] | None:
    """Known start indices, clamped as XLA does."""
    starts = []
    for index, whole, part in zip(indices, size, window, strict=False):
        known = table.known(index)
        if known is None:
            return None
        starts.append(min(max(int(known), 0), whole - part))
    return starts


@rule("dynamic_slice", reads="slice_sizes")
def _dynamic_slice(table: Numbering, equation: JaxprEqn, x: list[Ids], p: Key) -> list[Ids] | None:
    window = integers(equation, "slice_sizes")
    starts = _starts(table, x[1:], x[0].shape, window)
    if starts is None:
        return None
    return [x[0][tuple(slice(s, s + w) for s, w in zip(starts, window, strict=False))]]


@rule("dynamic_update_slice", reads="")
def _dynamic_update_slice(table: Numbering, equation: JaxprEqn, x: list[Ids], p: Key) -> list[Ids] | None:
    starts = _starts(table, x[2:], x[0].shape, x[1].shape)
    if starts is None:
        return None
    table.spend(x[0].size)
    out = x[0].copy()
    out[tuple(slice(s, s + w) for s, w in zip(starts, x[1].shape, strict=False))] = x[1]
    return [out]


@rule("gather")
def _gather(table: Numbering, equation: JaxprEqn, x: list[Ids], p: Key) -> list[Ids] | None:
    """With known indices a gather moves numbers: run it on them (32-bit, -1 for what is out of bounds)."""
    known = table.known(x[1])
    if known is None or x[0].size == 0:
        return None
    places = np.arange(x[0].size, dtype=np.int32).reshape(x[0].shape)
    found = bound(equation, [places, known], fill_value=-1)
    table.spend(found.size)
    fill = _fill(table, equation)
    if (found < 0).any() and fill is None:
        return None
    return [np.where(found < 0, fill if fill is not None else 0, x[0].reshape(-1)[np.maximum(found, 0)])]


def _fill(table: Numbering, equation: JaxprEqn) -> int | None:
    dtype, value = equation.outvars[0].aval.dtype, parameter(equation, "fill_value")  # type: ignore[attr-defined]
    if not isinstance(dtype, np.dtype):
        return None
    if value is None:
        if dtype.kind not in "fc":
            return None
        value = np.nan
    return table.one(value, dtype)


SCATTERED = {"scatter": "", "scatter-add": "add", "scatter-mul": "mul", "scatter-min": "min", "scatter-max": "max"}
UPDATES = ("update_jaxpr", "update_consts")  # what the name of the primitive says


@rule(*SCATTERED)
def _scatter(table: Numbering, equation: JaxprEqn, x: list[Ids], p: Key) -> list[Ids] | None:
    """With known indices that hit each place at most once: set it, or combine old and new there."""
    name, given = SCATTERED[name_of(equation)], parameters(equation)
    applies = not name and "update_jaxpr" in given  # `x.at[i].apply(f)`: the updates are not read
    known = table.known(x[1]) if x[1].size else np.zeros(x[1].shape, np.int32)  # `x.at[:]` has no index
    if known is None or x[0].size == 0 or x[2].size == 0 or applies or given.keys() - {*SCATTERING, *UPDATES}:
        return None
    hits = added(equation, known, x[0].shape, np.ones(x[2].shape, np.int32))
    if (hits > 1).any():
        return None
    order = np.arange(1, x[2].size + 1, dtype=np.int32).reshape(x[2].shape)
    places = added(equation, known, x[0].shape, order)
    table.spend(places.size)
    updates = x[2].reshape(-1)[np.maximum(places - 1, 0)]
    if name:
        dtype = equation.outvars[0].aval.dtype  # type: ignore[attr-defined]
        mask = places > 0
        mixed = table.elementwise(name, (str(dtype), ()), [x[0][mask], updates[mask]], dtype)
        out = x[0].copy()
        out[mask] = mixed
        return [out]
    return [np.where(places > 0, updates, x[0])]
