"""Functions of `math` and NumPy that fail for tracers, each with the function of JAX that means the same.

NumPy's that only call the method of their argument (`np.sum(x)` is `x.sum()`) work for tracers and have no row.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from scanlint.jaxapi.words import words

CLOCK_READS = words(
    "time.time time.perf_counter time.monotonic time.perf_counter_ns time.time_ns time.monotonic_ns "
    "timeit.default_timer"
)
Gives = Literal["float", "bool", "int", "same"]


class Twin(NamedTuple):
    """The counterpart for tracers of a function of the host.

    `gives`: the type of its result; for "int" that of JAX gives floats, which are cast. `most` arguments may be given
    by place. `listed`: its first argument may be a list of arrays.
    """

    name: str
    gives: Gives
    most: int
    listed: bool = False


_MATH: dict[tuple[Gives, int], str] = {
    ("float", 1): "acos=arccos acosh=arccosh asin=arcsin asinh=arcsinh atan=arctan atanh=arctanh cbrt cos cosh degrees "
    "erf=jax.scipy.special.erf erfc=jax.scipy.special.erfc exp exp2 expm1 fabs lgamma=jax.scipy.special.gammaln log "
    "log10 log1p log2 radians sin sinh sqrt tan tanh",
    ("float", 2): "atan2=arctan2 copysign fmod hypot pow=float_power",
    ("int", 1): "ceil floor",
    ("bool", 1): "isfinite isinf isnan",
}
"""By the type of the result and the number of arguments: names, with `=` and its name in JAX where that is another."""
_NUMPY: dict[tuple[Gives, int], str] = {
    ("same", 1): "abs absolute ceil conj conjugate floor negative sign square trunc column_stack* corrcoef cov dstack* "
    "hstack* linalg.cholesky linalg.det linalg.inv nan_to_num ones_like vstack* zeros_like bool_ complex64 complex128 "
    "float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64",
    ("same", 2): "add fmax fmin fmod maximum minimum mod multiply power remainder subtract array* asanyarray=asarray* "
    "asarray* average concatenate* cross diag diff dot full_like inner isclose kron linalg.solve matmul median nanmax "
    "nanmean nanmin nansum outer polyval sort stack* trapezoid tril triu vdot",
    ("float", 1): "arccos arccosh arcsin arcsinh arctan arctanh cbrt cos cosh deg2rad degrees exp exp2 expm1 fabs log "
    "log10 log1p log2 rad2deg radians rint sin sinh sqrt tan tanh",
    ("float", 2): "arctan2 copysign divide heaviside hypot logaddexp logaddexp2 nextafter true_divide",
    ("bool", 2): "equal greater greater_equal less less_equal logical_and logical_or logical_xor not_equal",
    ("bool", 1): "isfinite isinf isnan logical_not signbit",
    ("same", 3): "convolve interp linalg.norm percentile quantile roll where",
}
"""The functions of NumPy; a `*` marks those whose first argument may be a list of arrays."""


def _twins(module: str, table: dict[tuple[Gives, int], str]) -> Iterator[tuple[str, Twin]]:
    for (gives, most), names in table.items():
        for word in names.split():
            name, _, other = word.removesuffix("*").partition("=")
            twin = other if other.startswith("jax.") else f"jax.numpy.{other or name}"
            yield f"{module}.{name}", Twin(twin, gives, most, word.endswith("*"))


TWINS: dict[str, Twin] = dict([*_twins("math", _MATH), *_twins("numpy", _NUMPY)])
METHODS_OF = words(
    "numpy.all numpy.any numpy.sum numpy.prod numpy.mean numpy.std numpy.var numpy.max numpy.min numpy.amax numpy.amin "
    "numpy.argmax numpy.argmin numpy.cumsum numpy.cumprod numpy.round numpy.around numpy.squeeze numpy.transpose"
)
"""What NumPy leaves to the method of its argument: it works for tracers, and gives one."""
KEYWORDS = frozenset(["axis", "keepdims", "dtype", "k", "ord", "n", "rtol", "atol", "equal_nan", "indexing"])
"""What NumPy's and JAX's functions are given by these names means the same."""
