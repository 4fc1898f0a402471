import jax
import jax.numpy as jnp


@jax.jit
def count_runs(bits):
    runs = 0
    prev = bits[0]
    for b in bits[1:]:
        runs = jnp.where(b != prev, runs + 1, runs)
        prev = b
    return runs + 1
