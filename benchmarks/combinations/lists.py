"""Lists that loops fill and go over."""

import jax.numpy as jnp


def appended(v, n):
    out = []
    for i in range(n):
        v = jnp.sin(v) + i
        out.append(v)
    return jnp.stack(out)


def appended_first_elements(v):
    out = [v]
    for i in range(6):
        v = jnp.sin(v) + i
        out.append(v)
    return jnp.stack(out)


def appended_twice(v, n):
    out = []
    for i in range(n):
        v = jnp.sin(v) + i
        out.append(v)
        out.append(2.0 * v)
    return jnp.stack(out)


def appended_in_both_arms(xs):
    out = []
    for x in xs:
        if jnp.sum(x) > 0:
            out.append(x)
        else:
            out.append(-x)
    return jnp.stack(out)


def appended_after_a_continue(xs, v):
    out = []
    for x in xs:
        if jnp.sum(x) > 0:
            out.append(v)
            continue
        v = v + x
        out.append(v)
    return jnp.stack(out)


def appended_and_read_back(v):
    out = [v]
    for _ in range(6):
        out.append(jnp.sin(out[-1]) + 0.1)
    return jnp.stack(out)


def appended_to_two(v, n):
    a, b = [], []
    for _ in range(n):
        v = jnp.sin(v)
        a.append(v)
        b.append(jnp.sum(v))
    return jnp.stack(a), jnp.array(b)


def appended_in_two_loops(v):
    out = []
    for _ in range(5):
        v = jnp.sin(v)
        out.append(v)
    for _ in range(5):
        v = jnp.cos(v)
        out.append(v)
    return jnp.stack(out)


def gone_over_later(v):
    out = []
    for _ in range(6):
        v = jnp.sin(v)
        out.append(v)
    total = 0.0 * v
    for x in out:
        total = total + x * x
    return total


def comprehension(xs):
    return jnp.stack([jnp.sin(x) * 2.0 for x in xs])


def comprehension_over_numbers(xs):
    return jnp.array([jnp.sum(xs[i]) * i for i in range(xs.shape[0])])


def summed_comprehension(xs, m):
    return sum([jnp.sin(m @ x) for x in xs])


def summed_generator(xs, v):
    return sum(jnp.sin(jnp.dot(x, v)) for x in xs) / 3.0


def filled_rows(v, n):
    out = jnp.zeros((9, 4))
    for i in range(n):
        v = jnp.sin(v) + i
        out = out.at[i].set(v)
    return out


def last_of_a_list(v):
    out = []
    for _ in range(6):
        v = jnp.sin(v)
        out.append(v)
    return out[-1]


def over_a_tuple_of_arrays(v, t):
    for s in (t, 2.0 * t, 3.0 * t, 4.0 * t):
        v = jnp.sin(v) * s
    return v


def over_static_numbers(v):
    for s in [1, 2, 3, 5, 8, 13]:
        v = jnp.sin(v) * s
    return v


def over_layers(v, m):
    layers = [m, 2.0 * m, 3.0 * m, 4.0 * m]
    for w in layers:
        v = jnp.tanh(w @ v)
    return v
