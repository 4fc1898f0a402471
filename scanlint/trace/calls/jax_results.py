"""The results of JAX's own functions, of array methods and of attributes of arrays."""

from __future__ import annotations

from dataclasses import dataclass

from scanlint.jaxapi.words import words
from scanlint.syntax.regex import regex
from scanlint.trace.domain.values import Value

PYTHON_VALUED = frozenset(
    f"jax.numpy.{name}"
    for name in words(
        "issubdtype can_cast promote_types result_type ndim shape size iscomplexobj isrealobj isscalar iterable dtype "
        "finfo iinfo printoptions einsum_path broadcast_shapes"
    )
) | words(
    "jax.default_backend jax.device_count jax.local_device_count jax.process_count jax.process_index jax.devices "
    "jax.local_devices jax.dtypes.issubdtype jax.dtypes.canonicalize_dtype jax.dtypes.result_type "
    "jax.tree.structure jax.tree_util.tree_structure jax.eval_shape jax.make_jaxpr jax.ShapeDtypeStruct "
    "jax.config.read jax.tree_util.all_leaves jax.tree_util.treedef_is_leaf jax.lax.axis_size jax.core.get_aval "
    "jax.typeof jax.lax.broadcast_shapes jax.lax.dtype jax.named_scope jax.debug.print jax.debug.callback "
    "jax.numpy.ndarray jax.random.key_impl"
)
CASTS = {
    **{f"jax.numpy.{n}": "float" for n in ["float16", "float32", "float64", "bfloat16"]},
    **{
        f"jax.numpy.{n}": "int"
        for n in ["int4", "int8", "int16", "int32", "int64", "uint4", "uint8", "uint16", "uint32", "uint64"]
    },
    **{f"jax.numpy.{n}": "complex" for n in ["complex64", "complex128"]},
    "jax.numpy.bool_": "bool",
}
TREES = ("jax.tree.", "jax.tree_util.", "jax.flatten_util.", "jax.api_util.", "jax.extend.")
PRIVATE = regex(r"\._\w+$|dtype\w*$|_for_dim$")
"""Functions that JAX uses inside: what they return is often a Python value."""
ARRAY_ROOTS = ("jax.numpy.", "jax.lax.", "jax.random.", "jax.nn.", "jax.scipy.", "jax.ops.", "jax.image.")
QUIET = ("jax.debug.", "jax.experimental.checkify.", "jax.sharding.", "jax.config", "jax.core.", "jax.profiler.")

STATIC_ATTRIBUTES = words(
    "shape ndim dtype size itemsize nbytes sharding weak_type aval device devices is_fully_addressable"
)
SAME_ATTRIBUTES = frozenset(["T", "mT", "real", "imag"])
ARRAY_METHODS = words(
    "all any argmax argmin argpartition argsort astype choose clip compress conj conjugate copy cumprod cumsum "
    "diagonal dot flatten max mean min nonzero prod ptp ravel repeat reshape round searchsorted sort squeeze std "
    "sum swapaxes take trace transpose var view block_until_ready __array__ item tolist"
)
ARRAY_ONLY_METHODS = ARRAY_METHODS - {"copy", "sort", "view", "take", "choose"}
PYTHON_METHODS = frozenset(["item", "tolist"])

_BOOL = words(
    "all any isnan isinf isfinite allclose isclose array_equal logical_and logical_or logical_not logical_xor "
    "equal not_equal greater greater_equal less less_equal isneginf isposinf isin bernoulli isreal iscomplex "
    "signbit"
)
_INT = words("argmax argmin argsort searchsorted randint categorical count_nonzero digitize bincount axis_index")
_FLOAT = words(
    "sin cos tan tanh exp log log1p expm1 sqrt mean std var normal uniform linspace sigmoid softmax relu norm "
    "gamma beta exponential truncated_normal laplace erf arctan2 log_softmax"
)
_SHAPED = words("zeros ones full empty normal uniform bernoulli randint truncated_normal")
_REDUCE = words("sum mean prod max min std var all any argmax argmin median norm logsumexp amax amin nansum")


@dataclass(frozen=True, slots=True)
class CallResult:
    """The dtype and number of axes of what a function of arrays returns, where they are evident."""

    dtype: str | None = None
    ndim: int | None = None


def describe(name: str, args: list[Value], keywords: dict[str, Value]) -> CallResult:
    """The result of a call of one of JAX's array functions, or of an array method."""
    root, _, last = name.rpartition(".")
    if root == "jax.random" and last in ("key", "PRNGKey", "split", "fold_in", "wrap_key_data", "clone"):
        return CallResult("key", 0 if last in ("key", "fold_in", "PRNGKey") else None)
    dtype = CASTS.get(name) or _dtype(last, args, keywords)
    return CallResult(dtype, _ndim(root, last, args, keywords))


def _dtype(last: str, args: list[Value], keywords: dict[str, Value]) -> str | None:
    if last in _BOOL:
        return "bool"
    if last in _INT:
        return "int"
    if last in _FLOAT or (last in ("zeros", "ones") and len(args) == 1 and not keywords):
        return "float"
    if last == "arange" and args and not keywords and all(a.dtype == "int" for a in args):
        return "int"
    return None


def _ndim(root: str, last: str, args: list[Value], keywords: dict[str, Value]) -> int | None:
    if last in ("arange", "linspace", "ravel", "flatten"):
        return 1
    if last == "reshape":
        return _axes_of(args[1:]) if not keywords else None
    if last in _SHAPED:
        at = 1 if root == "jax.random" else 0
        shape = keywords.get("shape") or (args[at] if len(args) > at else None)
        if shape is None:
            return 0 if root == "jax.random" else None
        if shape.items is not None:
            return len(shape.items)
        return 1 if shape.dtype == "int" else None
    axis = keywords.get("axis")
    if last in _REDUCE and axis is None and len(args) == 1 and not keywords:
        return 0
    if last in ELEMENTWISE and args:
        known = [a.ndim for a in args]
        return None if None in known else max(n for n in known if n is not None)
    return None


def _axes_of(shape: list[Value]) -> int | None:
    """The number of axes of a shape: one tuple, or one number for each axis."""
    if len(shape) == 1 and shape[0].items is not None:
        return len(shape[0].items)
    numbers = all(v.dtype == "int" and v.container is None and not v.ndim for v in shape)
    return len(shape) if shape and numbers else None


ELEMENTWISE = words(
    "sin cos tan tanh exp log log1p expm1 sqrt abs square sign floor ceil maximum minimum add subtract multiply "
    "divide where clip isnan isfinite logical_and logical_or logical_not relu sigmoid power mod"
)
