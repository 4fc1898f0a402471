"""Arguments of JAX's functions that must be Python values when tracing: sizes, axes, shapes and types.

Each row was tried against JAX: a tracer in that place raises an error.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from scanlint.jaxapi.words import words

Role = Literal["size", "shape", "axis", "type"]


class StaticPlace(NamedTuple):
    """One argument that must be known: its place (the receiver of a method counts), its keyword, what it says.

    `onward`: all arguments from this place on are meant, as in `x.reshape(2, n)`.
    """

    place: int | None
    keyword: str
    role: Role
    onward: bool = False


KEYWORDS: dict[str, Role] = {
    "axis": "axis",
    "shape": "shape",
    "num": "size",
    "num_classes": "size",
    "num_segments": "size",
    "total_repeat_length": "size",
}
"""Keywords that have this role in every function of arrays."""
ROOTS = ("jax.numpy.", "jax.lax.", "jax.random.", "jax.nn.", "jax.ops.")
_AXIS_SECOND = words(
    "sum mean prod max min std var all any argmax argmin median cumsum cumprod sort argsort concatenate stack "
    "expand_dims squeeze flip nansum nanmean nanmax nanmin amax amin ptp"
)
_PLACES: dict[Role, dict[str, str]] = {
    "size": {
        "0:N 1:M": "jax.numpy.eye jax.numpy.tri",
        "0:n": "jax.numpy.identity jax.numpy.triu_indices jax.numpy.tril_indices",
        "0:start 1:stop 2:step": "jax.numpy.arange",
        "2:num": "jax.numpy.linspace jax.numpy.logspace jax.numpy.geomspace",
        "1:indices_or_sections": "jax.numpy.split jax.numpy.array_split jax.numpy.hsplit jax.numpy.vsplit",
        "1:reps": "jax.numpy.tile",
        "1:pad_width": "jax.numpy.pad",
        "1:n": "jax.numpy.diff",
        "1:num_classes": "jax.nn.one_hot",
        "1:k": "jax.lax.top_k jax.lax.approx_max_k jax.lax.approx_min_k",
        "2:slice_sizes": "jax.lax.dynamic_slice",
        "2:slice_size": "jax.lax.dynamic_slice_in_dim",
        "1:start_indices 2:limit_indices 3:strides": "jax.lax.slice",
        "1:start_index 2:limit_index 3:stride": "jax.lax.slice_in_dim",
        "1:size": "jax.lax.iota",
        "3:length": "jax.lax.scan",
        "1:num": "jax.random.split",
        "2:num_segments": "jax.ops.segment_sum jax.ops.segment_prod jax.ops.segment_max jax.ops.segment_min",
    },
    "shape": {
        "0:shape": "jax.numpy.zeros jax.numpy.ones jax.numpy.empty jax.numpy.full",
        "1:shape": "jax.numpy.broadcast_to jax.numpy.reshape jax.lax.broadcast jax.lax.broadcasted_iota "
        "jax.lax.reshape jax.random.normal jax.random.uniform jax.random.randint jax.random.exponential "
        "jax.random.gumbel jax.random.laplace jax.random.logistic jax.random.cauchy jax.random.rademacher "
        "jax.random.bits",
        "2:shape": "jax.random.bernoulli jax.random.choice jax.random.gamma jax.random.poisson jax.random.dirichlet",
        "3:shape": "jax.random.truncated_normal jax.random.beta jax.random.multivariate_normal",
    },
    "axis": {
        "1:axis": " ".join(f"jax.numpy.{name}" for name in sorted(_AXIS_SECOND)),
        "2:axis": "jax.numpy.take jax.numpy.repeat jax.numpy.roll jax.numpy.split jax.numpy.array_split",
    },
    "type": {
        "1:dtype": "jax.numpy.zeros jax.numpy.ones jax.numpy.empty jax.numpy.array jax.numpy.asarray "
        "jax.numpy.zeros_like jax.numpy.ones_like jax.numpy.empty_like",
        "2:dtype": "jax.numpy.full jax.numpy.full_like",
    },
}
"""By what an argument says: the arguments as `place:keyword`, and the functions that have them there."""
METHODS: dict[str, tuple[StaticPlace, ...]] = {
    "reshape": (StaticPlace(1, "shape", "shape", onward=True),),
    "transpose": (StaticPlace(1, "axes", "axis", onward=True),),
    "swapaxes": (StaticPlace(1, "axis1", "axis"), StaticPlace(2, "axis2", "axis")),
    "astype": (StaticPlace(1, "dtype", "type"),),
    **{name: (StaticPlace(1, "axis", "axis"),) for name in _AXIS_SECOND},
    "take": (StaticPlace(2, "axis", "axis"),),
    "repeat": (StaticPlace(2, "axis", "axis"),),
}
"""Arguments of array methods that must be known; a name that arrays do not have as a method matches nothing."""


class LengthOfValues(NamedTuple):
    """A function whose result is as long as the values say: `size` is the keyword that fixes that length.

    `places` are the arguments whose values decide; `arrays`: only calls with so many arguments (0: any number).
    """

    size: str
    places: tuple[int, ...] = (0,)
    arrays: int = 0


COUNTED: dict[str, LengthOfValues] = {
    **{f"jax.numpy.{name}": LengthOfValues("size") for name in words("nonzero argwhere flatnonzero")},
    "jax.numpy.where": LengthOfValues("size", arrays=1),
    **{f"jax.numpy.unique{name}": LengthOfValues("size") for name in ("", "_all", "_counts", "_inverse", "_values")},
    **{f"jax.numpy.{name}": LengthOfValues("size", (0, 1)) for name in words("union1d intersect1d setdiff1d setxor1d")},
    "jax.numpy.extract": LengthOfValues("size"),
    "jax.numpy.compress": LengthOfValues("size"),
    "jax.numpy.bincount": LengthOfValues("length"),
    "jax.numpy.repeat": LengthOfValues("total_repeat_length", (1,)),
    **{f"jax.ops.segment_{name}": LengthOfValues("num_segments", (1,)) for name in ("sum", "prod", "max", "min")},
}
"""Functions that fail for a tracer in these places, unless the keyword says how many elements there are."""


def _table() -> dict[str, tuple[StaticPlace, ...]]:
    """The arguments that must be known, by the full name of the function."""
    found: dict[str, list[StaticPlace]] = {}
    for role, rows in _PLACES.items():
        for places, names in rows.items():
            for place, _, keyword in (argument.partition(":") for argument in places.split()):
                for name in names.split():
                    found.setdefault(name, []).append(StaticPlace(int(place), keyword, role))
    for name, counted in COUNTED.items():
        found.setdefault(name, []).append(StaticPlace(None, counted.size, "size"))
    return {name: tuple(rows) for name, rows in found.items()}


FUNCTIONS = _table()
