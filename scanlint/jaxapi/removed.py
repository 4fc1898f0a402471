"""Names that JAX, or Flax, once had and has no more, each with what stands in its place."""

from __future__ import annotations

AT = "`x = x.at[i].{}(y)`"
TREE = "`jax.tree.{}`"
CALLBACKS = "`jax.pure_callback`, `jax.experimental.io_callback` or `jax.debug.callback`"
TREES = ("map", "leaves", "flatten", "unflatten", "structure", "transpose", "reduce", "all")
EXTEND = "`jax.extend.core.{}`"

RENAMED = (
    "jax.random.KeyArray=jax.Array jax.random.PRNGKeyArray=jax.Array jax.random.shuffle=jax.random.permutation "
    "jax.experimental.vectorize=jax.numpy.vectorize jax.experimental.PartitionSpec=jax.sharding.PartitionSpec "
    "jax.experimental.pjit.PartitionSpec=jax.sharding.PartitionSpec "
    "jax.experimental.pjit.with_sharding_constraint=jax.lax.with_sharding_constraint "
    "jax.experimental.export=jax.export jax.sharding.XLACompatibleSharding=jax.sharding.Sharding "
    "jax.linear_util=jax.extend.linear_util jax.abstract_arrays=jax.core.ShapedArray "
    "jax.interpreters.xla.DeviceArray=jax.Array jax.numpy.DeviceArray=jax.Array jax.xla.DeviceArray=jax.Array "
    "jax.partial=functools.partial jax.nn.normalize=jax.nn.standardize "
    "jax.numpy.trapz=jax.scipy.integrate.trapezoid jax.numpy.product=jax.numpy.prod "
    "jax.numpy.cumproduct=jax.numpy.cumprod jax.numpy.sometrue=jax.numpy.any jax.numpy.alltrue=jax.numpy.all "
    "jax.numpy.in1d=jax.numpy.isin jax.numpy.row_stack=jax.numpy.vstack jax.numpy.round_=jax.numpy.round "
    "jax.numpy.Inf=jax.numpy.inf jax.numpy.NaN=jax.numpy.nan jax.scipy.linalg.tril=jax.numpy.tril "
    "jax.scipy.linalg.triu=jax.numpy.triu jax.scipy.special.sph_harm=jax.scipy.special.sph_harm_y"
)
"""What goes by another name now."""
NOW: dict[str, str] = {old: new for old, _, new in (word.partition("=") for word in RENAMED.split())}
REMOVED: dict[str, str] = {
    **{old: f"`{new}`" for old, new in NOW.items()},
    **{f"jax.tree_{n}": TREE.format(n) for n in TREES},
    "jax.tree_multimap": "`jax.tree.map`, which takes several trees,",
    "jax.tree_util.tree_multimap": "`jax.tree.map`, which takes several trees,",
    **{f"jax.treedef_{n}": f"`jax.tree_util.treedef_{n}`" for n in ("is_leaf", "tuple", "children")},
    "jax.ops.index_update": AT.format("set"),
    "jax.ops.index_add": AT.format("add"),
    "jax.ops.index_mul": AT.format("multiply"),
    "jax.ops.index_min": AT.format("min"),
    "jax.ops.index_max": AT.format("max"),
    "jax.ops.index": "`x.at[...]`, which takes the index itself,",
    "jax.config.config": "`import jax`, then `jax.config.update(...)`",
    "jax.experimental.optimizers": "optax, or `jax.example_libraries.optimizers`",
    "jax.experimental.stax": "flax or equinox, or `jax.example_libraries.stax`",
    "jax.experimental.host_callback": CALLBACKS,
    "jax.experimental.callback": CALLBACKS,
    "jax.experimental.maps": "`jax.shard_map`, and `jax.sharding.Mesh`",
    "jax.experimental.loops": "`jax.lax.fori_loop`, `jax.lax.scan` and `jax.lax.while_loop`",
    "jax.experimental.global_device_array": "`jax.Array`, which may lie on several devices,",
    "jax.sharding.PositionalSharding": "`jax.sharding.NamedSharding` of a `jax.sharding.Mesh`",
    "jax.lax.tie_in": "its second argument",
    "jax.lib.xla_bridge": "`jax.extend.backend`, or `jax.default_backend()`",
    "jax.lib.xla_client": "`jax.extend`, for what is public of it,",
    "jax.lib.xla_extension": "`jax.extend`, for what is public of it,",
    "jaxlib.xla_extension": "what `jax` shows of it, as `jax.Array`",
    **{f"jax.core.{n}": EXTEND.format(n) for n in ["Jaxpr", "ClosedJaxpr", "Primitive", "Literal", "Var", "JaxprEqn"]},
    "jax.xla_computation": "`jax.jit(f).lower(...)`, with its `as_text()`,",
    "jax.api": "`jax` itself",
    "jax.util.safe_zip": "`zip(..., strict=True)`",
    "jax.util.safe_map": "`map` over `zip(..., strict=True)`",
    "jax.clear_backends": "`jax.clear_caches()`, or `jax.extend.backend.clear_backends()`",
    "jax.device_put_sharded": "`jax.device_put` with a `jax.sharding.NamedSharding`",
    "jax.device_put_replicated": "`jax.device_put` with a `jax.sharding.NamedSharding`",
    "jax.numpy.msort": "`jax.numpy.sort(x, axis=0)`",
    "jax.numpy.clip(a_min=)": "`min=`, and `max=` for `a_max=`,",
    "jax.numpy.clip(a_max=)": "`max=`",
    "flax.optim": "optax",
    "flax.nn": "`flax.linen`",
}
"""A name stands for all that is below it: `jax.experimental.stax` for `jax.experimental.stax.Dense` too."""
