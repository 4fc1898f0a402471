"""Differences at a boundary: rounding does not explain those that are the same in both precisions."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from ..runtime.calling import TookTooLong, Values, in_time, limited, mapped
from ..runtime.jax_functions import in_x64, x64
from ..runtime.version_pair import VersionPair
from .rounding import doubled, near

SECONDS = 2.0
MAX_SIZE = 10_000


def stands(pair: VersionPair, values: Values, expected: object, found: object) -> bool:
    """Whether the versions differ alike in double precision, at the decimal numbers that the inputs represent.

    The float32 next to 0.1 is a tie with 0.1 in single precision, as 0.1 is in double. A difference due to a fused
    multiply-add does not count: op by op, the new version must return the same.
    """
    if x64():
        return False
    try:
        with in_x64():
            exact = mapped(_decimal, values)
            before = pair.run_old(exact, SECONDS)
            if not near(expected, before):
                return False
            with limited(SECONDS):
                after = pair.run_new(exact)
    except (Exception, TookTooLong):  # noqa: BLE001
        return False
    if not near(found, after) or near(before, after):
        return False
    with jax.disable_jit():
        return bool(in_time(lambda: near(found, pair.run_new(values)), SECONDS))


def _decimal(value: object) -> object:
    """The double nearest to the shortest decimal number that reads as this value."""
    if not isinstance(value, (jax.Array, np.ndarray)) or value.dtype != jnp.float32 or value.size > MAX_SIZE:
        return doubled(value)
    plain = np.asarray(value)
    return jnp.asarray(np.array([float(str(x)) for x in plain.reshape(-1)]).reshape(plain.shape), jnp.float64)
