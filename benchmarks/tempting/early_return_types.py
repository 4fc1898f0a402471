"""Early returns with other types or shapes than the last one."""
import jax
import jax.numpy as jnp


def huber(x, d):
    if jnp.abs(x) <= d:
        return 0.5 * x * x
    return d * (jnp.abs(x) - 0.5 * d)


def safe_ratio(a, b):
    if b == 0:
        return 0
    return a / b


def compress(x, limit):
    if jnp.max(jnp.abs(x)) < limit:
        return x
    return x.sum()


def sign_name(x):
    if x > 0:
        return "positive"
    elif x < 0:
        return "negative"
    return None


# call: huber(jnp.float32(3.0), 1)
# call: huber(jnp.int32(1), 2)
# call: safe_ratio(jnp.float32(1.0), jnp.float32(0.0))
# call: safe_ratio(jnp.int32(7), jnp.int32(2))
# call: compress(jnp.arange(3.0), 10.0)
# call: compress(jnp.arange(3.0), 1.0)
# call: sign_name(jnp.float32(jnp.nan))
