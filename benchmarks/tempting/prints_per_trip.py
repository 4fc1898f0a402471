"""A training loop that prints on each trip."""
import jax
import jax.numpy as jnp


def trained(w, xs, ys):
    for epoch in range(4):
        err = xs @ w - ys
        w = w - 0.1 * xs.T @ err / len(ys)
        print(f"epoch {epoch}: {float(jnp.mean(err**2)):.4f}")
    return w


def quiet(w, xs, ys):
    for epoch in range(4):
        err = xs @ w - ys
        w = w - 0.1 * xs.T @ err / len(ys)
    print("done", epoch)
    return w


@jax.jit
def traced(x):
    for i in range(3):
        jax.debug.print("trip {} {}", i, x)
        x = x * 0.5
    return x


# call: trained(jnp.zeros(2), jnp.ones((3, 2)), jnp.arange(3.0))
# call: quiet(jnp.zeros(2), jnp.ones((3, 2)), jnp.arange(3.0))
# call: traced(jnp.float32(8.0))
