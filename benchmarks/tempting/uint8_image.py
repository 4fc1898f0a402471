"""Sums and differences over rows of an 8-bit image, which wrap around."""
import jax
import jax.numpy as jnp


@jax.jit
def column_sum(img):
    s = 0
    for r in range(img.shape[0]):
        s = s + img[r]
    return s


@jax.jit
def ramp(img):
    out = img[0]
    for r in range(img.shape[0]):
        out = out + img[r] * r
    return out


@jax.jit
def predictor(img):
    prev = img[0]
    cost = 0
    for r in range(1, img.shape[0]):
        cost = cost + (img[r] - prev).sum()
        prev = img[r]
    return cost


# call: column_sum(jnp.array([[200, 1], [100, 2], [9, 250]], dtype=jnp.uint8))
# call: ramp(jnp.array([[200, 1], [100, 2], [9, 250]], dtype=jnp.uint8))
# call: ramp(jnp.ones((4, 2)))
# call: predictor(jnp.array([[200, 1], [100, 2], [9, 250]], dtype=jnp.uint8))
