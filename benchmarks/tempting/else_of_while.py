"""What stands in the else of a loop runs where nothing broke out, also where the loop never ran."""

import jax
import jax.numpy as jnp


@jax.jit
def smallest_factor(n):
    d = 2
    while d * d <= n:
        if n % d == 0:
            kind = 1
            break
        d += 1
    else:
        kind = 0
        d = n
    return d, kind


@jax.jit
def first_above(xs, bar):
    at = 0
    for x in xs:
        if x > bar:
            found = x
            break
        at += 1
    else:
        found = bar
    return found, at


# call: smallest_factor(jnp.int32(91))
# call: smallest_factor(jnp.int32(97))
# call: smallest_factor(jnp.int32(1))
# call: smallest_factor(jnp.int32(-7))
# call: first_above(jnp.array([1, 5, 3, 9]), 4)
# call: first_above(jnp.array([1, 5, 3, 9]), 40)
# call: first_above(jnp.array([1, 5], dtype=jnp.int8), 100)
# call: first_above(jnp.array([], dtype=jnp.int32), 2)
