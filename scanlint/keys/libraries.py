"""Tables of library functions, by what they do with the keys that they are handed."""

from __future__ import annotations

from scanlint.jaxapi.words import words
from scanlint.syntax.regex import regex

SEEDS = words("jax.random.key jax.random.PRNGKey")
SPLITS = words("jax.random.split")
FOLDS = words("jax.random.fold_in")
CLONES = words("jax.random.clone jax.random.wrap_key_data jax.random.key_data")
"""What gives another key on purpose, or one of which nothing more is known."""
NO_DRAWS = words("jax.random.key_impl jax.random.key_dtype jax.random.default_prng_impl")
SAME = words("jax.device_put jax.block_until_ready jax.lax.stop_gradient builtins.tuple builtins.list jax.device_get")
"""What gives what it is handed, as far as keys are concerned."""
LIKE = {
    "equinox.tree_deserialise_leaves": 1,
    "flax.serialization.from_bytes": 0,
    "flax.serialization.from_state_dict": 0,
    "flax.training.checkpoints.restore_checkpoint": 1,
}
"""What fills an object like the argument at this place with other leaves: what was drawn for that is thrown away."""
STREAMS = words("haiku.PRNGSequence flax.nnx.Rngs chex.PRNGSequence")
"""Draws a stream of keys from the one that it is handed."""
CALLED_ONCE = words(
    "jax.jit jax.checkpoint jax.remat jax.grad jax.value_and_grad jax.jacfwd jax.jacrev jax.hessian jax.named_call "
    "jax.custom_jvp jax.custom_vjp equinox.filter_jit equinox.filter_grad equinox.filter_value_and_grad "
    "equinox.filter_checkpoint flax.nnx.jit flax.nnx.grad flax.nnx.value_and_grad jax.named_scope functools.wraps "
    "chex.assert_max_traces jax.linear_util.wrap_init flax.linen.compact flax.linen.nowrap haiku.transparent "
    "functools.cache functools.lru_cache flax.linen.jit flax.linen.remat builtins.staticmethod"
)
"""A call of what they give runs the function once."""
MAPPED = words(
    "jax.vmap jax.pmap equinox.filter_vmap equinox.filter_pmap flax.nnx.vmap flax.nnx.pmap jax.numpy.vectorize"
)
TREES = words(
    "jax.tree.map jax.tree_util.tree_map builtins.map jax.tree.map_with_path jax.tree_util.tree_map_with_path"
)
NOT_RUN = words("jax.eval_shape jax.make_jaxpr jax.ShapeDtypeStruct equinox.filter_eval_shape flax.nnx.eval_shape")
QUIET_ROOTS = tuple(words("builtins. numpy. jax. jaxlib. logging. math. os. time. absl. chex. jaxtyping."))
"""Their functions draw nothing, but those of `jax.random`."""
HARMLESS = words(
    "append extend insert update setdefault get items keys values add pop remove put astype reshape squeeze ravel "
    "flatten copy block_until_ready tolist item format join write info debug warning index count at set ndim shape "
    "save restore device_put assert_equal assertEqual assertTrue assertNotEqual assertAllClose setattr send"
)
"""Methods that keep or read what they are handed, and draw nothing."""
ASKS = regex(
    r"^(?:is|has|check|assert|ensure|validate|type|isinstance|print|log|predicate|repr|len|set|save|zeros|ones|constant)(?:_|$)"
)
"""How functions are called that look at what they are handed."""
ATTENTION = frozenset({"query", "queries", "inputs_q", "query_ln"})
"""Where these are, a key is one of attention."""
REPLACES = words("dataclasses.replace chex.dataclass.replace attrs.evolve attr.evolve")
COPIES = words("replace _replace evolve")
KEYISH = regex(
    r"^(?:.*_)?(?:(?:rng|prng|random)_?)?(?:key|rng|prng|subkey|subrng|rngkey|prngkey)\d*$|^(?:.*_)?(?:sub)?keys$|^k\d$"
)
RNG_WORDS = words("key rng prng_key rng_key seed random_key")
"""Parameters by which libraries take the key that they draw from."""


def draws(name: str) -> bool:
    """Whether a function of `jax.random` draws numbers from its key."""
    root, _, last = name.rpartition(".")
    known = SEEDS | SPLITS | FOLDS | CLONES | NO_DRAWS
    return root == "jax.random" and name not in known and last.islower() and last[:1].isalpha()
