"""fold_in by the index, and split by the number of examples."""

import jax
import jax.numpy as jnp


def crop(key, image):
    start = jax.random.randint(key, (), 0, image.shape[0] - 2)
    return jax.lax.dynamic_slice_in_dim(image, start, 2)


def crops(key, images: jax.Array):
    keys = jax.random.split(key, images.shape[0] + 1)
    a = jnp.stack([crop(jax.random.fold_in(key, i), images[i]) for i in range(images.shape[0])])
    b = jnp.stack([crop(keys[i + 1], images[i]) for i in range(images.shape[0])])
    return a, b


# call: crops(jax.random.key(0), jnp.arange(40.0).reshape(4, 10))
# call: crops(jax.random.PRNGKey(3), jnp.arange(10).reshape(1, 10))
