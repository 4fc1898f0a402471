"""Branches on traced values, within and without loops."""

import jax.numpy as jnp


def one_arm(v, t):
    if t > 0:
        v = v * 2.0
    return v


def both_arms(v, t):
    if t > 0:
        v = v * 2.0
        s = 1.0
    else:
        v = -v
        s = 2.0
    return v, s


def chain(t):
    if t > 1.0:
        y = t
    elif t > 0.0:
        y = 0.5 * t
    elif t > -0.5:
        y = 0.1 * t
    else:
        y = t * t
    return y


def chain_without_else(v, t):
    y = v
    if t > 0.5:
        y = y + 1.0
    elif t > 0.0:
        y = y - 1.0
    return y


def nested(v, t):
    if t > 0:
        if jnp.sum(v) > 0:
            v = v + t
        else:
            v = v - t
    return v


def nested_in_both(v, t):
    if t > 0:
        if jnp.sum(v) > 0:
            v = v + t
        y = t
    else:
        y = 2.0 * t
        if jnp.sum(v) > 1.0:
            v, y = 0.5 * v, -y
    return v, y


def created_in_both_arms(t):
    if t > 0:
        a = jnp.sin(t)
        b = a + 1.0
    else:
        a = jnp.cos(t)
        b = a - 1.0
    return a * b


def created_in_one_arm_and_read_there(v, t):
    if t > 0:
        scale = jnp.exp(t)
        v = v * scale
    return v


def created_in_each_arm_with_a_helper(v, t):
    if t > 0:
        up = jnp.exp(t)
        v = v * up
    else:
        down = jnp.exp(-t)
        v = v / down
    return v


def returned_in_both_arms(v, t):
    if t > 0:
        return v + t
    else:
        return v - t


def returned_early(v, t):
    if t > 0:
        return v + t
    w = v * 2.0
    return w - t


def returned_early_in_a_chain(v, t):
    if t > 0.5:
        return v
    if t > 0.0:
        return v * 2.0
    if jnp.sum(v) > 0:
        return v * 3.0
    return v * 4.0


def returned_early_when_nested(v, t):
    if t > 0.0:
        if jnp.sum(v) > 0:
            return v * 3.0
        v = v + 1.0
    return v - t


def tested_by_and(v, t):
    if t > 0 and jnp.sum(v) > 0:
        v = v + 1.0
    return v


def tested_by_or_and_not(v, t):
    if t > 0.5 or not jnp.sum(v) > 0:
        v = v + 1.0
    else:
        v = v * t
    return v


def tested_by_a_chained_comparison(v, t):
    if -0.5 < t < 0.5:
        v = v * 0.0
    return v


def ternary(v, t):
    scale = 2.0 if t > 0 else 0.5
    return v * scale


def ternary_in_a_ternary(t):
    return 1.0 * t if t > 0.5 else 2.0 * t if t > 0 else 3.0 * t


def swapped_in_one_arm(v, t):
    a, b = v, 2.0 * v + t
    if t > 0:
        a, b = b, a
    return a - b


def updated_in_place_in_one_arm(v, t):
    if t > 0:
        v = v.at[0].set(t)
    return v


def flag_of_a_branch(v, t):
    big = False
    if t > 0.5:
        big = True
    if big:
        v = v * 10.0
    return v


def test_of_a_flag_of_both(v, t):
    found = jnp.any(v > 0.5)
    if found:
        y = jnp.max(v)
    else:
        y = t
    return y


def integer_cases(v, k0):
    if k0 == 0:
        return v
    elif k0 == 1:
        return v * 2.0
    elif k0 == 2:
        return v * 3.0
    else:
        return v * 4.0


def local_function_in_the_arms(v, t):
    def grow(x):
        return x * 2.0 + t

    if t > 0:
        v = grow(v)
    else:
        v = grow(grow(v))
    return v
