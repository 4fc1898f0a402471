"""The traced programs of both versions for arguments of one shape."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace

import jax

from ..runtime.calling import TookTooLong, Values, limited, plain, split, without_elements, without_trips
from ..runtime.jax_functions import of_array
from ..runtime.version_pair import VersionPair
from .prove import Proof, prove

PROOF_SECONDS = 6.0


def nothing_in(values: Values, error: Exception) -> bool:
    """Whether the inputs have no elements, or a trip count of zero explains an error."""
    return without_elements(values) or without_trips(values, error)


def one_proof(pair: VersionPair, values: Values, seconds: float = PROOF_SECONDS) -> Proof:
    """Compare the programs for inputs of one shape; a parameter may have to be static for the new version only."""
    proof = _proof(pair, values, pair.signature.static, seconds)
    whole = frozenset(name for name, value in values.items() if isinstance(value, int))
    if proof.error is not None and whole - pair.signature.static:
        return _proof(pair, values, pair.signature.static | whole, seconds)
    return proof


def _proof(pair: VersionPair, values: Values, static: frozenset[str], seconds: float) -> Proof:
    before = plain(pair.before) if static else pair.before
    parts = split(pair.own(values), static, numbers=True)
    mine = split(pair.moved(values), static, numbers=True)

    def joined() -> Callable[..., object] | None:
        found = pair.joined()
        if found is None:
            return None
        loaded, function = found
        own = split(pair.made_for(loaded, values), static, numbers=True)
        return lambda *ls: pair.signature.call(function, own.rebuild(ls))

    with limited(seconds):
        try:
            proof = prove(
                lambda *ls: pair.signature.call(before, parts.rebuild(ls)),
                lambda *ls: pair.signature.call(pair.after, mine.rebuild(ls)),
                parts.leaves,
                joined,
            )
            return replace(proof, static=static)
        except TookTooLong:
            return Proof(False, "comparing took too long")


def traced_lines(pair: VersionPair, values: Values) -> None:
    """Run the Python of both versions once more on inputs of one shape, for whoever watches which lines it reaches."""
    for function, own in ((pair.before, pair.own(values)), (pair.after, pair.moved(values))):
        with contextlib.suppress(TookTooLong), limited(PROOF_SECONDS):  # what was reached until then was reached
            pair.refusal(plain(function), own, numbers=False)


def shape_of(values: Values) -> str:
    """Identifies the trace: shapes and dtypes of arrays, values of all else."""
    flat, tree = jax.tree_util.tree_flatten(values)
    return str((tree, [(x.shape, str(x.dtype)) if of_array(x) else x for x in flat]))


def shapes_of_parts(values: Values) -> set[str]:
    """The shape and dtype of each array, and the value of all else, with the place where it stands."""
    flat, _ = jax.tree_util.tree_flatten_with_path(values)
    return {f"{jax.tree_util.keystr(at)}: {(x.shape, x.dtype) if of_array(x) else x!r}" for at, x in flat}
