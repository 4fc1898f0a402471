"""Canonical names: one for each thing that JAX offers under several."""

from __future__ import annotations

import builtins

from scanlint.jaxapi.removed import NOW
from scanlint.syntax.regex import regex

JITS = frozenset({"jax.jit", "jax.pmap", "equinox.filter_jit", "flax.nnx.jit"})
"""The transforms that compile what they are given."""
COMPILERS = JITS | frozenset({"jax.pjit", "jax.experimental.pjit.pjit"})
"""All spellings of these; each compiles anew for another function object."""
STAGED_BODIES = {
    "jax.lax.scan": slice(1),
    "jax.lax.map": slice(1),
    "jax.lax.while_loop": slice(2),
    "jax.lax.fori_loop": slice(2, 3),
}
"""Which arguments of the loops of JAX are functions."""
SCANS = frozenset({"jax.lax.scan", "haiku.scan"})
BUILTINS = frozenset(dir(builtins))

_TREE_MAPS = ("jax.tree_util.tree_map", "jax.tree_map", "jax.tree_multimap", "jax.tree_util.tree_multimap")
_MOVED = {**dict.fromkeys(_TREE_MAPS, "jax.tree.map"), "jax.api.jit": "jax.jit", **NOW}

_PRIVATE = regex(r"^jax\._src\.(api|numpy|lax|random|nn|ad_checkpoint|pjit)\b(?:\.[a-z_]+(?=\.))*")
_SPLIT = ("jax.numpy.lax_numpy.", "jax.numpy.util.", "jax.lax.lax.", "jax.lax.utils.", "jax.random.core.")
_INNER = regex(r"^(jax\.\w+)\.\w+\.")
_PUBLIC = {"numpy": "jax.numpy", "lax": "jax.lax", "random": "jax.random", "nn": "jax.nn"}


def canonical(name: str) -> str:
    """One name for what JAX offers under several; JAX's own modules import each other by private names."""
    if "._src." in name:
        name = _PRIVATE.sub(lambda found: _PUBLIC.get(found[1], "jax"), name)
    elif name.startswith(_SPLIT):
        name = _INNER.sub(r"\1.", name)
    return _MOVED.get(name, name)
