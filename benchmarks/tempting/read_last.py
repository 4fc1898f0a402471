"""A list that is read back at its end and two before it."""
import jax
import jax.numpy as jnp


@jax.jit
def ar2(noise, a, b):
    out = [noise[0], noise[1]]
    for i in range(2, noise.shape[0]):
        out.append(a * out[-1] + b * out[-2] + noise[i])
    return jnp.stack(out)


@jax.jit
def echo(x):
    y = []
    for i in range(x.shape[0]):
        y.append(x[i] + 0.5 * (y[i - 3] if i >= 3 else 0.0))
    return jnp.array(y)


@jax.jit
def wrapped(x):
    y = [x[0], x[1], x[2]]
    for i in range(5):
        y.append(y[i - 2] + x[i % 3])
    return jnp.stack(y)


# call: ar2(jnp.linspace(-1.0, 1.0, 7), 0.5, -0.3)
# call: ar2(jnp.array([1, 2, 3, 4]), 2, 1)
# call: echo(jnp.arange(8.0))
# call: wrapped(jnp.array([1.0, 10.0, 100.0]))
