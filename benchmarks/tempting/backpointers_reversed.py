"""A best path is followed backwards through lists built forwards; ties go to the first state."""

import jax
import jax.numpy as jnp


@jax.jit
def best_path(scores, moves):
    best = scores[0]
    back = []
    for t in range(1, scores.shape[0]):
        table = best[:, None] + moves
        back.append(jnp.argmax(table, axis=0))
        best = jnp.max(table, axis=0) + scores[t]
    state = jnp.argmax(best)
    path = [state]
    for pointers in reversed(back):
        state = pointers[state]
        path.append(state)
    return jnp.stack(path[::-1]), jnp.max(best)


# call: best_path(jnp.array([[1.0, 2.0], [3.0, 0.0], [0.0, 9.0], [1.0, 1.0], [5.0, 4.0]]), jnp.array([[0.0, -1.0], [-2.0, 0.0]]))
# call: best_path(jnp.zeros((9, 3)), jnp.zeros((3, 3)))
# call: best_path(jnp.array([[100, 3], [100, 5], [7, 100]], dtype=jnp.int8), jnp.zeros((2, 2), jnp.int8))
# call: best_path(jnp.array([[2, 5, 5]]), jnp.zeros((3, 3), jnp.int32))
