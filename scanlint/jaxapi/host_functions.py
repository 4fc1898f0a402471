"""Functions of `math` and NumPy that fail for tracers, each with the function of JAX that means the same.

NumPy's that only call the method of their argument (`np.sum(x)` is `x.sum()`) work for tracers and have no row.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from scanlint.jaxapi.words import words

CLOCK_READS = words(
    "time.time time.perf_counter time.monotonic time.perf_counter_ns time.time_ns time.monotonic_ns "
    "timeit.default_timer"
)
Gives = Literal["float", "bool", "int", "same"]


class Twin(NamedTuple):
    """What a function of the host is called for tracers.

    `gives`: the type of its result; for "int" that of JAX gives floats, which are cast. `most` arguments may be given
    by place. `listed`: its first argument may be a list of arrays.
    """

    name: str
    gives: Gives
    most: int
    listed: bool = False


_MATH: tuple[tuple[str, str, Gives, int], ...] = (
    ("acos", "jax.numpy.arccos", "float", 1),
    ("acosh", "jax.numpy.arccosh", "float", 1),
    ("asin", "jax.numpy.arcsin", "float", 1),
    ("asinh", "jax.numpy.arcsinh", "float", 1),
    ("atan", "jax.numpy.arctan", "float", 1),
    ("atan2", "jax.numpy.arctan2", "float", 2),
    ("atanh", "jax.numpy.arctanh", "float", 1),
    ("cbrt", "jax.numpy.cbrt", "float", 1),
    ("ceil", "jax.numpy.ceil", "int", 1),
    ("copysign", "jax.numpy.copysign", "float", 2),
    ("cos", "jax.numpy.cos", "float", 1),
    ("cosh", "jax.numpy.cosh", "float", 1),
    ("degrees", "jax.numpy.degrees", "float", 1),
    ("erf", "jax.scipy.special.erf", "float", 1),
    ("erfc", "jax.scipy.special.erfc", "float", 1),
    ("exp", "jax.numpy.exp", "float", 1),
    ("exp2", "jax.numpy.exp2", "float", 1),
    ("expm1", "jax.numpy.expm1", "float", 1),
    ("fabs", "jax.numpy.fabs", "float", 1),
    ("floor", "jax.numpy.floor", "int", 1),
    ("fmod", "jax.numpy.fmod", "float", 2),
    ("hypot", "jax.numpy.hypot", "float", 2),
    ("isfinite", "jax.numpy.isfinite", "bool", 1),
    ("isinf", "jax.numpy.isinf", "bool", 1),
    ("isnan", "jax.numpy.isnan", "bool", 1),
    ("lgamma", "jax.scipy.special.gammaln", "float", 1),
    ("log", "jax.numpy.log", "float", 1),
    ("log10", "jax.numpy.log10", "float", 1),
    ("log1p", "jax.numpy.log1p", "float", 1),
    ("log2", "jax.numpy.log2", "float", 1),
    ("pow", "jax.numpy.float_power", "float", 2),
    ("radians", "jax.numpy.radians", "float", 1),
    ("sin", "jax.numpy.sin", "float", 1),
    ("sinh", "jax.numpy.sinh", "float", 1),
    ("sqrt", "jax.numpy.sqrt", "float", 1),
    ("tan", "jax.numpy.tan", "float", 1),
    ("tanh", "jax.numpy.tanh", "float", 1),
)

_ELEMENTWISE: tuple[tuple[str, Gives, int], ...] = (
    ("abs", "same", 1),
    ("absolute", "same", 1),
    ("add", "same", 2),
    ("arccos", "float", 1),
    ("arccosh", "float", 1),
    ("arcsin", "float", 1),
    ("arcsinh", "float", 1),
    ("arctan", "float", 1),
    ("arctan2", "float", 2),
    ("arctanh", "float", 1),
    ("cbrt", "float", 1),
    ("ceil", "same", 1),
    ("conj", "same", 1),
    ("conjugate", "same", 1),
    ("copysign", "float", 2),
    ("cos", "float", 1),
    ("cosh", "float", 1),
    ("deg2rad", "float", 1),
    ("degrees", "float", 1),
    ("divide", "float", 2),
    ("equal", "bool", 2),
    ("exp", "float", 1),
    ("exp2", "float", 1),
    ("expm1", "float", 1),
    ("fabs", "float", 1),
    ("floor", "same", 1),
    ("fmax", "same", 2),
    ("fmin", "same", 2),
    ("fmod", "same", 2),
    ("greater", "bool", 2),
    ("greater_equal", "bool", 2),
    ("heaviside", "float", 2),
    ("hypot", "float", 2),
    ("isfinite", "bool", 1),
    ("isinf", "bool", 1),
    ("isnan", "bool", 1),
    ("less", "bool", 2),
    ("less_equal", "bool", 2),
    ("log", "float", 1),
    ("log10", "float", 1),
    ("log1p", "float", 1),
    ("log2", "float", 1),
    ("logaddexp", "float", 2),
    ("logaddexp2", "float", 2),
    ("logical_and", "bool", 2),
    ("logical_not", "bool", 1),
    ("logical_or", "bool", 2),
    ("logical_xor", "bool", 2),
    ("maximum", "same", 2),
    ("minimum", "same", 2),
    ("mod", "same", 2),
    ("multiply", "same", 2),
    ("negative", "same", 1),
    ("nextafter", "float", 2),
    ("not_equal", "bool", 2),
    ("power", "same", 2),
    ("rad2deg", "float", 1),
    ("radians", "float", 1),
    ("remainder", "same", 2),
    ("rint", "float", 1),
    ("sign", "same", 1),
    ("signbit", "bool", 1),
    ("sin", "float", 1),
    ("sinh", "float", 1),
    ("sqrt", "float", 1),
    ("square", "same", 1),
    ("subtract", "same", 2),
    ("tan", "float", 1),
    ("tanh", "float", 1),
    ("true_divide", "float", 2),
    ("trunc", "same", 1),
)

_OF_ARRAYS: tuple[tuple[str, str, int, bool], ...] = (
    ("array", "jax.numpy.array", 2, True),
    ("asanyarray", "jax.numpy.asarray", 2, True),
    ("asarray", "jax.numpy.asarray", 2, True),
    ("average", "jax.numpy.average", 2, False),
    ("column_stack", "jax.numpy.column_stack", 1, True),
    ("concatenate", "jax.numpy.concatenate", 2, True),
    ("convolve", "jax.numpy.convolve", 3, False),
    ("corrcoef", "jax.numpy.corrcoef", 1, False),
    ("cov", "jax.numpy.cov", 1, False),
    ("cross", "jax.numpy.cross", 2, False),
    ("diag", "jax.numpy.diag", 2, False),
    ("diff", "jax.numpy.diff", 2, False),
    ("dot", "jax.numpy.dot", 2, False),
    ("dstack", "jax.numpy.dstack", 1, True),
    ("full_like", "jax.numpy.full_like", 2, False),
    ("hstack", "jax.numpy.hstack", 1, True),
    ("inner", "jax.numpy.inner", 2, False),
    ("interp", "jax.numpy.interp", 3, False),
    ("isclose", "jax.numpy.isclose", 2, False),
    ("kron", "jax.numpy.kron", 2, False),
    ("linalg.cholesky", "jax.numpy.linalg.cholesky", 1, False),
    ("linalg.det", "jax.numpy.linalg.det", 1, False),
    ("linalg.inv", "jax.numpy.linalg.inv", 1, False),
    ("linalg.norm", "jax.numpy.linalg.norm", 3, False),
    ("linalg.solve", "jax.numpy.linalg.solve", 2, False),
    ("matmul", "jax.numpy.matmul", 2, False),
    ("median", "jax.numpy.median", 2, False),
    ("nan_to_num", "jax.numpy.nan_to_num", 1, False),
    ("nanmax", "jax.numpy.nanmax", 2, False),
    ("nanmean", "jax.numpy.nanmean", 2, False),
    ("nanmin", "jax.numpy.nanmin", 2, False),
    ("nansum", "jax.numpy.nansum", 2, False),
    ("ones_like", "jax.numpy.ones_like", 1, False),
    ("outer", "jax.numpy.outer", 2, False),
    ("percentile", "jax.numpy.percentile", 3, False),
    ("polyval", "jax.numpy.polyval", 2, False),
    ("quantile", "jax.numpy.quantile", 3, False),
    ("roll", "jax.numpy.roll", 3, False),
    ("sort", "jax.numpy.sort", 2, False),
    ("stack", "jax.numpy.stack", 2, True),
    ("trapezoid", "jax.numpy.trapezoid", 2, False),
    ("tril", "jax.numpy.tril", 2, False),
    ("triu", "jax.numpy.triu", 2, False),
    ("vdot", "jax.numpy.vdot", 2, False),
    ("vstack", "jax.numpy.vstack", 1, True),
    ("where", "jax.numpy.where", 3, False),
    ("zeros_like", "jax.numpy.zeros_like", 1, False),
)

_TYPES: tuple[tuple[str, str], ...] = (
    ("bool_", "bool"),
    ("complex64", "complex"),
    ("complex128", "complex"),
    ("float16", "float"),
    ("float32", "float"),
    ("float64", "float"),
    ("int8", "int"),
    ("int16", "int"),
    ("int32", "int"),
    ("int64", "int"),
    ("uint8", "int"),
    ("uint16", "int"),
    ("uint32", "int"),
    ("uint64", "int"),
)

TWINS: dict[str, Twin] = {
    **{f"math.{name}": Twin(twin, gives, most) for name, twin, gives, most in _MATH},
    **{f"numpy.{name}": Twin(f"jax.numpy.{name}", gives, most) for name, gives, most in _ELEMENTWISE},
    **{f"numpy.{name}": Twin(twin, "same", most, listed) for name, twin, most, listed in _OF_ARRAYS},
    **{f"numpy.{name}": Twin(f"jax.numpy.{name}", "same", 1) for name, _ in _TYPES},
}
METHODS_OF = words(
    "numpy.all numpy.any numpy.sum numpy.prod numpy.mean numpy.std numpy.var numpy.max numpy.min numpy.amax numpy.amin "
    "numpy.argmax numpy.argmin numpy.cumsum numpy.cumprod numpy.round numpy.around numpy.squeeze numpy.transpose"
)
"""What NumPy leaves to the method of its argument: it works for tracers, and gives one."""
KEYWORDS = frozenset(["axis", "keepdims", "dtype", "k", "ord", "n", "rtol", "atol", "equal_nan", "indexing"])
"""What NumPy's and JAX's functions are given by these names means the same."""
