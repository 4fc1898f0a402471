"""Functions of JAX and its libraries that give a function under a transform, and those that give it as it is."""

from __future__ import annotations

from dataclasses import dataclass

from scanlint.jaxapi.words import words


@dataclass(frozen=True, slots=True)
class Wrapper:
    """A transform that gives a new function, under the name of the function of JAX that does the same.

    `traced`: the function runs under a trace. `auxiliary`: Python scalars among its arguments stay static.
    """

    name: str
    traced: bool
    auxiliary: bool = False


_STAGED = {
    "": "jax.pmap jax.vmap jax.make_jaxpr jax.eval_shape jax.experimental.maps.xmap jax.closure_convert "
    "jax.export.export jax.xla_computation jax.experimental.checkify.checkify",
    "jax.jit": "jax.jit jax.experimental.pjit.pjit jax.pjit",
    "jax.checkpoint": "jax.checkpoint jax.remat jax.ad_checkpoint.checkpoint jax.ad_checkpoint.remat",
    "jax.numpy.vectorize": "jax.numpy.vectorize",
}
_STAGED_ARRAYS = {
    "": "equinox.filter_checkpoint flax.nnx.remat flax.linen.remat flax.linen.checkpoint haiku.remat "
    "equinox.filter_make_jaxpr equinox.filter_eval_shape haiku.transform_with_state haiku.multi_transform",
    "jax.jit": "equinox.filter_jit equinox.filter_pmap flax.nnx.jit flax.linen.jit haiku.jit",
    "jax.vmap": "equinox.filter_vmap flax.nnx.vmap flax.linen.vmap haiku.vmap",
    "jax.lax.scan": "flax.linen.scan flax.nnx.scan",
    "haiku.transform": "haiku.transform",
}
_EAGER = {
    "": "jax.value_and_grad jax.jacfwd jax.hessian jax.custom_jvp jax.custom_vjp jax.custom_gradient "
    "jax.custom_batching.custom_vmap jax.shard_map jax.experimental.shard_map.shard_map equinox.filter_custom_jvp "
    "equinox.filter_custom_vjp equinox.filter_closure_convert",
    "jax.grad": "jax.grad equinox.filter_grad flax.nnx.grad haiku.grad",
    "jax.jacrev": "jax.jacrev jax.jacobian",
    "jax.value_and_grad": "equinox.filter_value_and_grad flax.nnx.value_and_grad haiku.value_and_grad",
}
"""Functions by the name that a transform goes by; without one it goes by its own last part, as a function of JAX."""


def _wrappers(table: dict[str, str], *, traced: bool, auxiliary: bool = False) -> dict[str, Wrapper]:
    spelled = [(name, spelling) for name, spellings in table.items() for spelling in spellings.split()]
    return {s: Wrapper(name or f"jax.{s.rpartition('.')[2]}", traced, auxiliary) for name, s in spelled}


WRAPPERS = {
    **_wrappers(_STAGED, traced=True),
    **_wrappers(_STAGED_ARRAYS, traced=True, auxiliary=True),
    **_wrappers(_EAGER, traced=False),
}
TRACING = frozenset(wrapper.name for wrapper in WRAPPERS.values() if wrapper.traced)
"""The transforms that run their function under a trace, by the names that they go by."""
TRANSPARENT = words(
    "functools.wraps functools.lru_cache functools.cache jax.named_call jax.named_scope chex.assert_max_traces "
    "jaxtyping.jaxtyped beartype.beartype typing.no_type_check flax.linen.compact flax.linen.nowrap "
    "equinox.filter_jit_wrapper typeguard.typechecked haiku.transparent jax.profiler.annotate_function "
    "abc.abstractmethod typing.override builtins.staticmethod builtins.classmethod staticmethod classmethod"
)
"""Decorators that hand on the function that they are given, for what can be seen of it."""
PARTIALS = words("functools.partial jax.tree_util.Partial jax.util.Partial equinox.Partial")
INITIALIZERS = ("jax.nn.initializers.", "flax.linen.initializers.", "flax.nnx.initializers.")
"""Modules of functions that give an initializer: what that gives for a key and a shape is an array, as of `zeros`."""
KERNELS = frozenset(("jax.experimental.pallas.pallas_call", "jax.experimental.pallas.kernel"))
OPTIONS = frozenset(("has_aux", "argnums", "in_axes", "out_axes", "nondiff_argnums"))
"""Options of a transform that decide what the function under it takes and gives."""
DIFFERENTIATE = frozenset(
    ("jax.grad", "jax.value_and_grad", "jax.jacrev", "jax.jacfwd", "jax.hessian", "jax.linearize")
)
POSITIONAL = {"jax.vmap": "in_axes", "jax.grad": "argnums", "jax.value_and_grad": "argnums"}
