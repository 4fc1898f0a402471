"""Loops that are left early, that leave out the rest of a trip, and loops with an `else`."""

import jax.numpy as jnp


def broken_on_a_value(xs, v):
    for x in xs:
        if jnp.sum(v) > 2.0:
            break
        v = v + jnp.abs(x)
    return v


def broken_at_the_end(xs, v):
    for x in xs:
        v = v + jnp.abs(x)
        if jnp.sum(v) > 2.0:
            break
    return v


def broken_in_an_else(xs, v):
    for x in xs:
        if jnp.sum(v) < 2.0:
            v = v + jnp.abs(x)
        else:
            break
    return v


def broken_with_the_target_read_after(v, n):
    i = 0
    for i in range(n):
        if jnp.sum(v) > 2.0:
            break
        v = v + 0.3 * i
    return v, i


def broken_in_two_places(xs, v, t):
    for x in xs:
        if jnp.sum(v) > 2.0:
            break
        v = v + x
        if jnp.sum(x) > t:
            break
        v = 0.5 * v
    return v


def broken_by_a_nested_test(xs, v, t):
    for x in xs:
        if t > 0:
            if jnp.sum(x) > 0.5:
                break
            v = v + x
        v = v * 0.9
    return v


def continued_on_a_value(xs, v):
    for x in xs:
        if jnp.sum(x) < 0:
            continue
        v = v + x * jnp.sin(v)
    return v


def continued_after_some_work(xs, v):
    total = 0.0
    for x in xs:
        total = total + jnp.sum(x)
        if jnp.sum(x) < 0:
            continue
        v = v + x * jnp.sin(v)
    return v, total


def continued_by_a_nested_test(xs, v, t):
    for x in xs:
        if t > 0:
            if jnp.sum(x) < 0:
                continue
            v = v - 1.0
        v = v + x
    return v


def continued_and_broken(xs, v):
    for x in xs:
        if jnp.sum(x) < 0:
            continue
        if jnp.sum(v) > 2.0:
            break
        v = v + x
    return v


def continued_on_a_number(v, n):
    for i in range(n):
        if i % 2:
            continue
        v = jnp.sin(v) + i
    return v


def returned_from_the_body(xs, v):
    for x in xs:
        if jnp.sum(x) > 1.0:
            return x
        v = v + x
    return v


def returned_the_number(ys, t):
    for i in range(7):
        if ys[i % 3] > t:
            return i
    return -1


def returned_from_a_nested_loop(xs, v, t):
    for x in xs:
        for j in range(4):
            if x[j] > t:
                return v
            v = v + x[j]
    return v * 2.0


def returned_from_both_loops(xs, v, t):
    for x in xs:
        if jnp.sum(x) > 2.0:
            return v - 1.0
        for j in range(4):
            if x[j] > t:
                return v
            v = v + 0.1
    return v * 2.0


def broken_inner_loop(xs, v, t):
    for x in xs:
        for j in range(4):
            if x[j] > t:
                break
            v = v + x[j]
        v = v * 0.9
    return v


def broken_both_loops_by_a_flag(xs, v, t):
    found = False
    for x in xs:
        for j in range(4):
            if x[j] > t:
                found = True
                break
            v = v + x[j]
        if found:
            break
    return v, found


def continued_inner_loop(xs, v, t):
    for x in xs:
        for j in range(4):
            if x[j] > t:
                continue
            v = v + x[j]
    return v


def with_else_that_always_runs(xs, v):
    for x in xs:
        v = v + jnp.sin(x * v)
    else:
        v = v * 2.0
    return v


def with_else_unless_broken(xs, v, t):
    for x in xs:
        if jnp.sum(x) > t:
            v = x
            break
    else:
        v = v * 0.0
    return v


def with_else_in_a_loop(xs, v, t):
    for x in xs:
        for j in range(4):
            if x[j] > t:
                v = v + 1.0
                break
        else:
            v = v - 1.0
    return v


def with_else_that_returns(xs, v, t):
    for x in xs:
        if jnp.sum(x) > t:
            break
        v = v + x
    else:
        return v
    return v * 0.5


def a_flag_in_place_of_a_break(xs, v):
    going = True
    for x in xs:
        if going:
            v = v + jnp.abs(x)
            going = jnp.sum(v) < 2.0
    return v
