"""Loops over ranges and rows, and the names that they make."""

import jax
import jax.numpy as jnp


def counted(v, n):
    for _ in range(n):
        v = jnp.sin(v)
    return v


def counted_by_a_traced_bound(v, k0):
    for _ in range(k0):
        v = jnp.sin(v)
    return v


def counted_from_to_by(v, n):
    for i in range(2, 3 * n, 3):
        v = v + i * 0.1
    return v


def counted_down(v, n):
    for i in range(n - 1, -1, -1):
        v = 0.5 * v + i
    return v


def over_rows(xs, v):
    for x in xs:
        v = v + jnp.sin(x)
    return v


def over_rows_with_numbers(xs, v):
    for i, x in enumerate(xs):
        v = v + i * x
    return v


def over_two_arrays(xs, ys, v):
    for x, y in zip(xs, ys):
        v = v * 0.5 + y * x
    return v


def over_rows_backwards(xs, v):
    for x in reversed(xs):
        v = jnp.tanh(v + x)
    return v


def over_a_part_of_the_rows(xs, v):
    for x in xs[1:]:
        v = jnp.tanh(v + x)
    return v


def over_rows_of_a_result(xs, v):
    for x in jnp.sin(xs) + 1.0:
        v = jnp.tanh(v + x)
    return v


def target_read_after_the_loop(xs, v):
    x = v
    for x in xs:
        v = v + x * x
    return v, x


def number_read_after_the_loop(v, n):
    i = 0
    for i in range(n):
        v = jnp.sin(v) + i
    return v * i


def target_that_was_a_name_before(v, t, n):
    k = t
    v = v * k
    for k in range(n):
        v = v + jnp.cos(v * k)
    return v


def target_changed_in_the_body(xs, v):
    for x in xs:
        x = jnp.tanh(x + v)
        v = v + x
    return v


def number_changed_in_the_body(v, n):
    for i in range(n):
        i = i * 2 + 1
        v = jnp.sin(v) * i
    return v


def created_in_the_body(v, n):
    for i in range(n):
        w = jnp.sin(v) * i
        v = v + w
    return v


def created_in_the_body_and_read_after(v):
    for i in range(7):
        w = jnp.sin(v) * i
        v = v + 0.1 * w
    return w


def created_in_the_body_from_a_row(xs):
    for x in xs:
        last = jnp.tanh(x)
    return last


def created_by_the_first_trip(v, n):
    total = None
    for i in range(7):
        y = jnp.sin(v * i)
        total = y if total is None else total + y
    return total


def created_in_an_arm_of_the_body(v, t, n):
    for i in range(n):
        if t > 0:
            w = jnp.sin(v) * i
        else:
            w = jnp.cos(v)
        v = v + w
    return v


def created_in_one_arm_and_read_in_another_trip(xs, v):
    best = v
    for x in xs:
        if jnp.sum(x) > 0:
            best = x
        v = v + best
    return v, best


def annotated(v: jax.Array, n: int):
    total: jax.Array = jnp.zeros(4)
    for i in range(n):
        step: jax.Array = jnp.sin(v * i)
        total = total + step
    return total


def several_results(v, n):
    a, b, c = v, 0.5 * v, 0.0 * v
    for _ in range(n):
        a, b, c = b + 0.1, jnp.sin(c), a - b
    return a, b, c


def called_with_the_state(v, m, n):
    def step(x, scale):
        return jnp.tanh(m @ x) * scale

    for i in range(n):
        v = step(v, 1.0 + 0.1 * i)
    return v


def static_branch_in_the_body(v, n):
    for i in range(n):
        if i % 2 == 0:
            v = jnp.sin(v)
        else:
            v = v + 1.0
    return v


def static_branch_on_the_first_trip(v, n):
    for i in range(n):
        if i > 0:
            v = v * 0.9
        v = v + jnp.sin(v)
    return v


def lambda_in_the_body(v, n):
    for i in range(n):
        f = lambda x: x * 0.5 + i
        v = f(jnp.sin(v))
    return v


def keys_split_on_every_trip(key, v, n):
    for _ in range(n):
        key, sub = jax.random.split(key)
        v = 0.9 * v + jax.random.normal(sub, v.shape)
    return v, key


def written_in_place(v, n):
    for i in range(n):
        v = v.at[i % 4].add(jnp.sin(v[0]))
    return v


def filled_in_place(xs):
    out = jnp.zeros(xs.shape[0])
    for i in range(xs.shape[0]):
        out = out.at[i].set(jnp.sum(xs[i] ** 2))
    return out


def two_loops_after_each_other(xs, v, n):
    for i in range(n):
        v = jnp.sin(v) + i
    for x in xs:
        v = v + x * v
    return v


def the_same_names_in_two_loops(v, n):
    total = 0.0 * v
    for i in range(n):
        w = jnp.sin(v * i)
        total = total + w
    for i in range(n):
        w = jnp.cos(v * i)
        total = total * w
    return total
