"""State that is more than a name: tuples, dicts, objects, lists."""

from typing import NamedTuple

import jax.numpy as jnp


class Pair(NamedTuple):
    x: object
    u: object


def tuple_unpacked(v, n):
    state = (v, 0.5 * v)
    for _ in range(n):
        x, u = state
        state = (x + 0.1 * u, u - 0.1 * x)
    return state


def tuple_by_numbers(v, n):
    state = (v, 0.5 * v)
    for _ in range(n):
        state = (state[0] + 0.1 * state[1], state[1] - 0.1 * state[0])
    return state[0]


def tuple_nested(v, t, n):
    state = (v, (t, 0.5 * v))
    for _ in range(n):
        x, (s, u) = state
        state = (x + s * u, (0.9 * s, u - x))
    return state


def dict_by_keys(v, n):
    state = {"x": v, "u": 0.5 * v}
    for _ in range(n):
        state["x"] = state["x"] + 0.1 * state["u"]
        state["u"] = state["u"] - 0.1 * state["x"]
    return state["x"], state["u"]


def dict_made_anew(v, n):
    state = {"x": v, "u": 0.5 * v}
    for _ in range(n):
        state = {"x": state["x"] + 0.1 * state["u"], "u": state["u"] - 0.1 * state["x"]}
    return state


def dict_made_anew_from_itself(v, n):
    state = {"x": v, "u": 0.5 * v}
    for _ in range(n):
        state = {**state, "x": jnp.sin(state["x"] + state["u"])}
    return state["x"]


def dict_of_parameters(v, m, n):
    params = {"w": m, "b": v}
    for _ in range(n):
        v = jnp.tanh(params["w"] @ v + params["b"])
    return v


def dict_mapped(v, n):
    state = {"x": v, "u": 0.5 * v}
    for _ in range(n):
        state = {k: jnp.sin(a) + 0.1 for k, a in state.items()}
    return state


def named_tuple(v, n):
    state = Pair(v, 0.5 * v)
    for _ in range(n):
        state = Pair(state.x + 0.1 * state.u, state.u - 0.1 * state.x)
    return state.x, state.u


def named_tuple_replaced(v, n):
    state = Pair(v, 0.5 * v)
    for _ in range(n):
        state = state._replace(x=jnp.sin(state.x + state.u))
    return state.x


def list_of_fixed_length(v, n):
    state = [v, 0.5 * v]
    for _ in range(n):
        state[0] = state[0] + 0.1 * state[1]
        state[1] = state[1] - 0.1 * state[0]
    return state[0], state[1]


def list_in_a_branch(v, t):
    state = [v, 0.5 * v]
    if t > 0:
        state[0] = state[1] * 2.0
    return state[0] + state[1]


def dict_in_a_branch(v, t):
    state = {"x": v, "u": 0.5 * v}
    if t > 0:
        state["x"] = state["u"] * t
    else:
        state["u"] = state["x"] + t
    return state["x"], state["u"]


def dict_in_a_branch_of_a_loop(xs, v):
    state = {"best": v, "count": 0}
    for x in xs:
        if jnp.sum(x) > jnp.sum(state["best"]):
            state["best"] = x
            state["count"] = state["count"] + 1
    return state["best"], state["count"]


def tuple_in_a_while(v):
    state = (v, 0)
    while jnp.sum(state[0] ** 2) > 0.1:
        x, i = state
        state = (0.5 * x, i + 1)
    return state


def dict_in_nested_loops(xs, v):
    state = {"x": v}
    for x in xs:
        for j in range(5):
            state["x"] = jnp.sin(state["x"] + x * j)
    return state["x"]


def dict_in_a_function(v, n):
    def step(state, i):
        return {"x": state["x"] + i * state["u"], "u": 0.9 * state["u"]}

    state = {"x": v, "u": 0.5 * v}
    for i in range(n):
        state = step(state, i)
    return state["x"]


def attribute_of_a_call(v, m, n):
    for _ in range(n):
        v = jnp.linalg.qr(m + v)[0] @ v
    return v
