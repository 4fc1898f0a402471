"""How primitives act on value numbers: structural ones move them, reductions are told apart by row."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..equations import (
    SCATTERING,
    added,
    bound,
    integer,
    name_of,
    parameter,
    parameters,
    shape_of,
    unknown,
    words,
)
from ..moved_elements import COPIED, MOVING, PLACED
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


def _moved(table: Numbering, equation: JaxprEqn, x: list[Ids], p: Key) -> list[Ids] | None:
    """What moves elements moves their numbers, to and from places that are known."""
    name = name_of(equation)
    first = PLACED.get(name, len(x))
    places, move = [table.known(index) for index in x[first:]], MOVING[name].read(equation)
    if move is None or any(place is None for place in places):
        return None
    table.spend(int(np.prod(shape_of(equation), dtype=np.int64)) if name in COPIED else 0)
    found = move(*x[:first], *places)
    if name == "iota":
        return [table.constant(found)]
    return found if isinstance(found, list) else [found]


RULES.update({name: NumberingRule(_moved, moving.reads) for name, moving in MOVING.items()})


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
