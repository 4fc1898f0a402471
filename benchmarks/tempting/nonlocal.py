"""Inner functions that change names of the outer one."""
import jax
import jax.numpy as jnp


def integrated(x, n):
    evals = 0

    def rhs(y):
        nonlocal evals
        evals += 1
        return -y

    for _ in range(n):
        k1 = rhs(x)
        k2 = rhs(x + 0.05 * k1)
        x = x + 0.1 * k2
    return x, evals


@jax.jit
def traced_total(x):
    total = x[0] * 0

    def add(v):
        nonlocal total
        total = total * 0.5 + v

    for i in range(x.shape[0]):
        add(x[i])
    return total


# call: integrated(jnp.array([1.0, 2.0]), 4)
# call: integrated(jnp.array([1, 2]), 0)
# call: traced_total(jnp.arange(4.0))
