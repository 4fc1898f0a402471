"""Loops in loops, and branches between them."""

import jax.numpy as jnp


def two_ranges(v, n):
    for i in range(n):
        for j in range(5):
            v = jnp.sin(v + 0.1 * i * j)
    return v


def inner_range_of_the_outer_number(v, n):
    for i in range(n):
        for j in range(i):
            v = jnp.sin(v + 0.1 * j)
    return v


def inner_from_the_outer_number(v):
    for i in range(7):
        for j in range(i + 1, 7):
            v = jnp.sin(v + 0.1 * j * i)
    return v


def rows_and_their_elements(xs, t):
    for x in xs:
        for e in x:
            t = jnp.tanh(t + e)
    return t


def rows_and_all_pairs(xs, v):
    for x in xs:
        for y in xs:
            v = v + jnp.exp(-jnp.sum((x - y) ** 2))
    return v


def inner_state_begun_on_each_trip(xs, v):
    for x in xs:
        s = 0.0 * x
        for j in range(6):
            s = jnp.cos(s + x * j)
        v = v + s
    return v


def inner_state_read_after_the_outer_loop(xs, v):
    s = 0.0 * v
    for x in xs:
        for j in range(6):
            s = jnp.cos(s + x * j)
        v = v + s
    return v, s


def the_same_target_in_both(v, n):
    for i in range(n):
        v = v + i
        for i in range(5):
            v = jnp.sin(v) * i
    return v


def branch_around_a_loop(v, t, n):
    if t > 0:
        for i in range(n):
            v = jnp.sin(v) + i
    return v


def loops_in_both_arms(v, t, n):
    if t > 0:
        for i in range(n):
            v = jnp.sin(v) + i
    else:
        for i in range(n):
            v = jnp.cos(v) - i
    return v


def branch_in_a_loop_in_a_branch(v, t, n):
    if t > 0:
        for i in range(n):
            if jnp.sum(v) > i:
                v = jnp.sin(v)
            else:
                v = v + t
    return v


def loop_in_a_branch_in_a_loop(xs, v):
    for x in xs:
        if jnp.sum(x) > 0:
            for j in range(5):
                v = jnp.sin(v + x * j)
        else:
            v = v - x
    return v


def three_loops(v, n):
    for i in range(n):
        for j in range(4):
            for k in range(4):
                v = v + jnp.sin(v * (i + j - k))
    return v


def products_of_matrices(m):
    out = jnp.zeros((4, 4))
    for i in range(4):
        for j in range(4):
            s = 0.0
            for k in range(4):
                s = s + m[i, k] * m[k, j]
            out = out.at[i, j].set(s)
    return out


def elements_read_by_numbers(xs, t):
    for i in range(xs.shape[0]):
        for j in range(xs.shape[1]):
            t = jnp.sin(t + xs[i, j])
    return t


def inner_collects(xs):
    out = []
    for x in xs:
        s = jnp.zeros(())
        for e in x:
            s = jnp.tanh(s + e)
        out.append(s)
    return jnp.stack(out)


def inner_list_of_each_trip(xs):
    out = []
    for x in xs:
        row = []
        for j in range(5):
            row.append(jnp.sin(x * j))
        out.append(jnp.stack(row))
    return jnp.stack(out)
