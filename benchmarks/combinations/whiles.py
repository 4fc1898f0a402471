"""Loops whose end depends on values."""

import jax.numpy as jnp


def on_a_value(v):
    while jnp.sum(v * v) > 0.1:
        v = v * 0.5
    return v


def counting(v, k0):
    i = 0
    while i < k0:
        v = jnp.sin(v) + i
        i += 1
    return v, i


def on_two_conditions(v):
    i = 0
    while i < 20 and jnp.sum(v * v) > 0.1:
        v = v * 0.7
        i = i + 1
    return v, i


def created_in_the_body(v):
    error = 1.0
    while error > 0.01:
        new = 0.5 * v + 0.1
        error = jnp.max(jnp.abs(new - v))
        v = new
    return v


def with_a_branch(v, t):
    while jnp.sum(v * v) > 0.1:
        if t > 0:
            v = v * 0.5
        else:
            v = v * 0.25
    return v


def true_with_break(v):
    i = 0
    while True:
        v = v * 0.5
        i = i + 1
        if jnp.max(jnp.abs(v)) < 0.1:
            break
    return v, i


def true_with_break_in_front(v):
    while True:
        if jnp.max(jnp.abs(v)) < 0.1:
            break
        v = v * 0.5
    return v


def with_continue(v, k0):
    i, total = 0, 0.0
    while i < k0:
        i = i + 1
        if v[0] * i > 0.5:
            continue
        total = total + jnp.sum(v) * i
    return total


def with_a_flag(v):
    done = False
    i = 0
    while not done:
        v = v * 0.5
        i += 1
        done = (jnp.max(jnp.abs(v)) < 0.1) | (i > 12)
    return v, i


def with_a_flag_set_in_a_branch(v):
    going = True
    while going:
        v = v * 0.5
        if jnp.max(jnp.abs(v)) < 0.1:
            going = False
    return v


def in_a_while(v, k0):
    i, total = 0, 0.0
    while i < k0:
        j = 0
        while j < i:
            total = total + jnp.sum(v) * j
            j += 1
        i += 1
    return total


def in_a_for(v, n):
    for i in range(n):
        while jnp.sum(v * v) > 0.5:
            v = v * 0.5
        v = v + jnp.sin(v) * i
    return v


def around_a_for(v, k0):
    i = 0
    while i < k0:
        for j in range(5):
            v = jnp.sin(v + j)
        i += 1
    return v


def returning(v):
    i = 0
    while i < 9:
        v = v * 0.5
        if jnp.max(jnp.abs(v)) < 0.1:
            return v, i
        i += 1
    return v, 9


def with_else(v):
    i = 0
    found = 0
    while i < 9:
        v = v * 0.5
        if jnp.max(jnp.abs(v)) < 0.1:
            found = i
            break
        i += 1
    else:
        found = -1
    return v, found


def on_the_state_of_a_dict(v):
    state = {"x": v, "i": 0}
    while jnp.sum(state["x"] ** 2) > 0.1:
        state["x"] = state["x"] * 0.5
        state["i"] = state["i"] + 1
    return state["x"], state["i"]


def on_a_walrus(v):
    while (size := jnp.sum(v * v)) > 0.1:
        v = v * 0.5 + 0.01 * size
    return v
