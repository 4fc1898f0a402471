"""Tables of JAX's functions that cut derivatives, and of loops that have none backwards."""

from __future__ import annotations

from scanlint.jaxapi.words import words

REVERSE = words("jax.grad jax.value_and_grad jax.jacrev jax.hessian jax.vjp")
"""Transforms that differentiate backwards; `jax.linearize` alone does not transpose."""
OWN_RULES = words(
    "jax.custom_vjp jax.custom_jvp jax.custom_gradient jax.lax.custom_root jax.lax.custom_linear_solve "
    "jax.custom_batching.custom_vmap equinox.filter_custom_vjp equinox.filter_custom_jvp"
)
"""What is differentiated by a rule of its own, whatever runs inside."""
CONSTANT = words(
    "stop_gradient argmax argmin argsort floor ceil round rint fix trunc sign signbit isnan isinf isfinite isclose "
    "allclose zeros_like ones_like full_like empty_like zeros ones full empty eye arange linspace shape size ndim "
    "searchsorted digitize nonzero flatnonzero argwhere one_hot bincount count_nonzero equal not_equal less less_equal "
    "greater greater_equal logical_and logical_or logical_not logical_xor array_equal pure_callback io_callback "
    "callback print nanargmax nanargmin result_type issubdtype iinfo finfo all any key PRNGKey split fold_in "
    "bitwise_and bitwise_or randint permutation item tolist block_until_ready floor_divide "
    "shift_right_logical axis_index"
)
"""Functions and methods of arrays whose results have no derivative."""
PLAIN = words(
    "builtins.len builtins.int builtins.bool builtins.isinstance builtins.range builtins.print builtins.str "
    "builtins.type builtins.hasattr builtins.id builtins.hash builtins.repr builtins.format builtins.callable"
)
"""Builtins whose results are no arrays."""
ATTRIBUTES = words("shape ndim dtype size itemsize nbytes sharding aval weak_type")
"""Attributes of arrays that are no arrays."""
THROUGH = ("jax.", "builtins.", "optax.", "flax.", "equinox.", "haiku.", "chex.", "distrax.", "einops.", "functools.")
"""Libraries whose functions are taken to be differentiable."""
