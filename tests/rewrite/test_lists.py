"""Lists in loops that are not stacked: those read at their end only, and those that each trip or arm makes anew."""

from __future__ import annotations

import jax.numpy as jnp
import pytest

XS = jnp.linspace(-1.0, 2.0, 12).reshape(6, 2)


def xs() -> object:
    return XS


def x0() -> object:
    return XS[0]


VARIABLES = {
    "a name for the last one at the top of a trip": (
        "states = [x0]\n    for i in range(100):\n        x = states[-1]\n        states.append(jnp.tanh(x + us[i % 6]))\n    return states[-1]\n",
        "    def body(i, x):\n        return jnp.tanh(x + us[i % 6])\n\n    x = lax.fori_loop(0, 100, body, x0)\n    return x\n",
    ),
    "what is appended has a name": (
        "path = [x0]\n    for u in us:\n        before = jnp.tanh(path[-1]) * u + jnp.sin(u) * jnp.cos(u)\n        path.append(before)\n    return path[-1] * 2\n",
        "    before, _ = lax.scan(step, x0, us)\n    return before * 2\n",
    ),
    "several starts, and a branch": (
        "# the start\n    path = [jnp.zeros_like(x0), x0]  # two\n    for u in us:\n        if u[0] > 0:\n            path.append(\n                jnp.tanh(path[-1])\n                + u  # in\n            )\n    return path[-1]\n",
        "    # the start\n    path = x0  # two\n\n    def step(path, u):\n        # in\n        path = jnp.where(u[0] > 0, jnp.tanh(path) + u, path)\n",
    ),
    "the last two, one before the other": (
        "chain = [jnp.zeros_like(x0), x0]\n    for u in us:\n        chain.append(0.5 * chain[-1] - 0.25 * chain[-2] + jnp.sin(u) * jnp.cos(u))\n    return chain[-1], chain[-2]\n",
        "        chain_1, chain_2 = 0.5 * chain_1 - 0.25 * chain_2 + jnp.sin(u) * jnp.cos(u), chain_1\n",
    ),
    "a while, and a name that is taken": (
        "state, i = 3.0, 0\n    states = [x0]\n    while jnp.sum(states[-1]) < 1000.0:\n        states += [jnp.abs(states[-1]) + us[i] * us[i] + state]\n        i += 1\n    return states[-1], i\n",
        "    i, state_2 = lax.while_loop(condition, body, (i, x0))\n    return state_2, i\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("body", "piece"), VARIABLES.values(), ids=VARIABLES.keys())
def test_a_list_that_is_read_at_its_end_only_is_a_variable(rewrite, body: str, piece: str) -> None:
    sample = rewrite(f"@jax.jit\ndef f(x0, us):\n    {body}")
    assert piece in sample.new and piece not in sample.old, sample.new
    sample.agree("f", [x0, xs])


@pytest.mark.parametrize("jump", ["continue", "break"])
def test_what_is_bound_and_not_appended_is_not_the_last_element(rewrite, jump: str) -> None:
    sample = rewrite(
        "@jax.jit\ndef f(x0, us):\n    path = [x0]\n    for u in us:\n        new = jnp.tanh(path[-1]) * u + jnp.sin(u) * jnp.cos(u)\n"
        f"        if new[0] > 0.4:\n            {jump}\n        path.append(new)\n    return path[-1]\n"
    )
    assert "append" not in sample.new and sample.new != sample.old
    sample.agree("f", [x0, xs])


KEPT = {
    "its length": "return path[-1], len(path)",
    "its first element": "return path[-1] + path[0]",
    "all of it": "return path[-1], jnp.stack(path)",
    "a function": "later = lambda: path[-1]\n    return later()",
}


@pytest.mark.parametrize("last", KEPT.values(), ids=KEPT.keys())
def test_a_list_of_which_more_is_read_stays_one(rewrite, last: str) -> None:
    code = f"@jax.jit\ndef f(x0, us):\n    path = [x0]\n    for u in us:\n        path.append(jnp.tanh(path[-1]) * u + jnp.sin(u))\n    {last}\n"
    sample = rewrite(code)
    assert "path = x0" not in sample.new
    sample.agree("f", [x0, xs])


def test_a_list_that_an_arm_makes_anew_may_be_filled_there(rewrite) -> None:
    sample = rewrite(
        "@jax.jit\ndef f(x0, us):\n    s = x0\n    for u in us:\n        if u[0] > 0:\n            parts = [jnp.tanh(u)]\n"
        "            for j in range(3):\n                parts.append(0.5 * parts[-1] + s)\n"
        "            d = jnp.tanh(parts[2])\n            s = s + d * parts[1]\n            del d\n    return s\n"
    )
    assert "lax.cond(u[0] > 0, positive, lambda s: s, s)" in sample.new, sample.new
    sample.agree("f", [x0, xs])


def test_a_list_that_an_arm_fills_before_it_makes_a_new_one_is_the_one_outside(rewrite) -> None:
    code = (
        "@jax.jit\ndef f(x, parts):\n    if x > 0:\n        parts.append(x)\n        parts = [x]\n"
        "    else:\n        parts = [-x]\n    return parts[0]\n"
    )
    assert rewrite(code).body == code


def test_a_list_that_each_trip_makes_anew_says_nothing_of_how_long_a_loop_is(rewrite) -> None:
    sample = rewrite(
        "@jax.jit\ndef f(x0, us):\n    s = x0\n    for i in range(1, 5):\n        parts = [us[i]]\n"
        "        for j in range(3):\n            parts.append(0.5 * parts[-1] + s)\n        s = s + sum(parts)\n"
        "        if jnp.mean(s) > 3.0:\n            break\n    return s\n"
    )
    assert "lax.while_loop(" in sample.new, sample.new
    sample.agree("f", [x0, xs])


def test_a_truth_that_a_branch_turns_round_is_spelled_for_tracers(rewrite) -> None:
    sample = rewrite(
        "@jax.jit\ndef f(x0, us):\n    up, s = True, x0\n    for u in us:\n        if u[0] > 0.5:\n            up = not up\n"
        "        s = s + jnp.where(up, 1.0, -1.0) * jnp.tanh(u) * jnp.sin(s) + jnp.cos(u)\n    return up, s\n"
    )
    assert "jnp.where(u[0] > 0.5, jnp.logical_not(up), up)" in sample.new, sample.new


@pytest.mark.parametrize("value", ["v[1]", "jnp.sum(v)", "jnp.mean(v) * 2", "jnp.float32(k)"])
@pytest.mark.parametrize("dtype", ["float32", "int32", "float16"])
def test_numbers_beside_what_may_have_any_dtype_are_chosen_by_where(rewrite, value: str, dtype: str) -> None:
    sample = rewrite(
        f"@jax.jit\ndef f(v, us):\n    out, s = [], jnp.zeros(2)\n    for k in range(60):\n        s = jnp.sin(s) + jnp.cos(us[k % 6])\n        if k > 2:\n            out.append(0.25)\n"
        f"        else:\n            out.append({value})\n    return jnp.array(out), s\n"
    )
    assert f"jnp.where(k > 2, 0.25, {value})" in sample.new, sample.new
    sample.agree("f", [lambda: jnp.arange(3).astype(dtype), xs])


@pytest.mark.parametrize("rows", ["k in range(60)", "k, u in enumerate(jnp.tile(us, (10, 1)))"])
@pytest.mark.parametrize("dtype", ["float32", "bool", "float16"])
def test_what_the_number_of_the_trip_chooses_for_a_stack_may_have_several_dtypes(
    rewrite, rows: str, dtype: str
) -> None:
    sample = rewrite(
        f"@jax.jit\ndef f(t, flags, us):\n    out, s = [], jnp.zeros(2)\n    for {rows}:\n        s = jnp.sin(s) + jnp.cos(us[k % 6])\n"
        "        if k > 2:\n            out.append(t)\n        else:\n            out.append(flags[k % 3])\n    return jnp.array(out), s\n"
    )
    assert "jnp.where(k > 2, t, flags[k % 3])" in sample.new, sample.new
    sample.agree("f", [jnp.int32(3), lambda: jnp.arange(3).astype(dtype), xs])


def test_what_data_choose_further_down_has_one_type(rewrite) -> None:
    sample = rewrite(
        "@jax.jit\ndef f(t, flags, us):\n    out, s = [], jnp.zeros(2)\n    for k in range(60):\n        s = jnp.sin(s) + jnp.cos(us[k % 6])\n"
        "        if k > 2:\n            out.append(t)\n        elif t > 0:\n            out.append(us[0, 1])\n        else:\n            out.append(flags[k % 3])\n"
        "    return jnp.array(out), s\n"
    )
    assert "lax.cond(" in sample.new and "jnp.where" not in sample.new, sample.new


@pytest.mark.parametrize(
    ("test", "last"), [("t > 0", "out"), ("k > 2", "jnp.array(out), item")], ids=["data", "read otherwise"]
)
def test_what_else_is_chosen_has_one_type(rewrite, test: str, last: str) -> None:
    sample = rewrite(
        "@jax.jit\ndef f(t, flags, us):\n    item, out, s = t, [], jnp.zeros(2)\n    for k in range(60):\n        s = jnp.sin(s) + jnp.cos(us[k % 6])\n"
        f"        if {test}:\n            item = t\n        else:\n            item = flags[k % 3]\n"
        f"        out.append(item)\n    return {last.replace('out', 'jnp.array(out)') if last == 'out' else last}, s\n"
    )
    assert "lax.cond(" in sample.new and "jnp.where" not in sample.new, sample.new


@pytest.mark.parametrize(
    ("collected", "piece"),
    [
        ("out.append(jnp.sin(u) * k)", "jax.vmap(lambda k, u: jnp.sin(u) * k)(jnp.arange(len(u_all)), u_all)"),
        ("s = jnp.sin(s) + u * k\n        out.append(s)", "scan(step, s, (jnp.arange(len(u_all)), u_all))"),
        ("s = jnp.sin(s) + u\n        out.append(s)", "scan(step, s, 2 * us)"),
    ],
    ids=["a batch", "a scan", "not counted"],
)
def test_rows_that_are_counted_besides_are_made_once(rewrite, collected: str, piece: str) -> None:
    sample = rewrite(
        f"@jax.jit\ndef f(us, s):\n    out = []\n    for k, u in enumerate(2 * us):\n        {collected}\n    return jnp.stack(out)\n"
    )
    assert piece in sample.new and sample.new.count("2 * us") == 1, sample.new
    sample.agree("f", [xs, x0])


def test_of_arrays_in_a_list_that_are_not_read_only_the_length_counts(rewrite) -> None:
    sample = rewrite(
        "@jax.jit\ndef f(x0, us):\n    s = us[0]\n    for _ in (x0, x0 + 1, -x0, jnp.sin(x0)):\n"
        "        s = jnp.tanh(s) + x0\n        if s[0] > 1.0:\n            break\n    return s\n"
    )
    assert " < 4)" in sample.new and "stack" not in sample.new, sample.new
    sample.agree("f", [x0, xs])


def test_rows_read_at_several_indices_are_an_array(rewrite) -> None:
    body = "    total = 1.0\n    for i, row in enumerate(us):\n        total = 0.5 * total + us[{}, 1]\n        if total > 1.2:\n            return i, total\n    return -1, total\n"
    sample = rewrite("@jax.jit\ndef f(x0, us):\n" + body.format("i"))
    assert "lax.while_loop(" in sample.new, sample.new
    sample.agree("f", [x0, xs])
    code = "@jax.jit\ndef f(x0, us):\n" + body.format("row")  # what a dict may be read at, too
    assert "lax.while_loop(" not in rewrite(code).new


PLACED = {
    "a table whose first places are set before": (
        "t = [0.0] * 50\n    t[0] = 1.0\n    for i in range(1, 50):\n        t[i] = t[i - 1] * x0[0] + 0.5 * us[i % 6, 1]\n    return jnp.stack(t)\n",
        "t = jnp.zeros(50, jnp.result_type(x0, us, float))\n    t = t.at[0].set(1.0)\n",
    ),
    "counts, at places that a branch chooses": (
        "counts = [0] * 4\n    for i in range(len(us)):\n        k = i % 4\n        if us[i, 0] > 0:\n            counts[k] += 1\n    return jnp.array(counts), len(counts)\n",
        "lax.cond(us[i, 0] > 0, lambda: counts.at[k].add(1), lambda: counts)",
    ),
    "the last of each kind, of what rows are": (
        "best = [-1.0 for _ in range(7)]\n    for i, u in enumerate(us):\n        d = jnp.sum(u * x0)\n        best[i % 5] = d\n    # all of them\n    return jnp.asarray(best).max()\n",
        "best = jnp.full(7, -1.0, jnp.result_type(us, x0, float))\n",
    ),
    "values in brackets": (
        "t = [0.0] * 50\n    t[0] = (x0[0])\n    for i in range(1, 50):\n        t[i] = (\n            t[i - 1] * 0.5  # half\n            + us[i % 6, 1]\n        )\n        t[i] *= (2 + x0[1])\n    return jnp.stack(t)\n",
        "        t = t.at[i].set(\n            t[i - 1] * 0.5  # half\n            + us[i % 6, 1]\n        )\n        return t.at[i].multiply(2 + x0[1])\n",
    ),
    "places counted from the end": (
        "out = [0.5] * 48\n    for i in range(-40, 0):\n        out[i] = jnp.sin(us[i % 6, 0]) * x0[1]\n    return jnp.asarray(out)[1:]\n",
        "return out.at[i].set(jnp.sin(us[i % 6, 0]) * x0[1])",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("body", "piece"), PLACED.values(), ids=PLACED.keys())
def test_a_list_whose_places_are_set_is_an_array(rewrite, body: str, piece: str) -> None:
    sample = rewrite(f"@jax.jit\ndef f(x0, us):\n    {body}")
    assert piece in sample.new and piece not in sample.old, sample.new
    for dtype in ("float32", "float16"):
        sample.agree("f", [lambda d=dtype: XS[0].astype(d), lambda d=dtype: (XS * 3).astype(d)])


@pytest.mark.parametrize(
    "last", ["return t", "return jnp.stack(t), sum(t)", "for v in t:\n        x0 = x0 + v\n    return x0"]
)
def test_a_list_that_is_used_as_one_stays_one(rewrite, last: str) -> None:
    code = f"@jax.jit\ndef f(x0, us):\n    t = [0.0] * 50\n    for i in range(1, 50):\n        t[i] = t[i - 1] * x0[0] + us[i % 6, 1]\n    {last}\n"
    assert "t.at[" not in rewrite(code).new


def test_functions_inside_others_are_looked_at_by_themselves(rewrite) -> None:
    sample = rewrite(
        "def make(n):\n    @jax.jit\n    def run(x0, us):\n        path = [x0]\n        for u in us:\n"
        "            path.append(jnp.tanh(path[-1]) * u + jnp.sin(u))\n        return path[-1]\n\n"
        "    def other(path):\n        return len(path)\n\n    return run\n\n\ndef f(x0, us):\n    return make(3)(x0, us)\n"
    )
    assert "path, _ = lax.scan(step, x0, us)\n" in sample.new, sample.new
    sample.agree("f", [x0, xs])


STACKED = {
    "in the loop": ("for y in (x0, x0 + 1, -x0, jnp.sin(x0)):", "return s", "jnp.stack((x0, x0 + 1, -x0, jnp.sin(x0)))"),
    "with a name of its own": ("rows = [x0, us[2], -x0]\n    for y in rows:", "return s", "rows = jnp.stack([x0, us[2], -x0])"),
    "without brackets": ("for y in x0, -x0:", "return s", "jnp.stack((x0, -x0))"),
    "counted": ("for i, y in enumerate([x0, -x0, x0 * 2]):", "return s + i", "jnp.stack([x0, -x0, x0 * 2])"),
    "the last one is read afterwards": ("for y in (x0, -x0, x0 * 2):", "return s, y", "jnp.stack((x0, -x0, x0 * 2))"),
}  # fmt: skip


@pytest.mark.parametrize(("head", "last", "piece"), STACKED.values(), ids=STACKED.keys())
def test_arrays_in_a_list_that_a_loop_goes_over_are_stacked(rewrite, head: str, last: str, piece: str) -> None:
    code = f"@jax.jit\ndef f(x0, us):\n    s = jnp.zeros(2)\n    {head}\n        s = jnp.tanh(s) + y\n        if s[0] > 1.0:\n            break\n    {last}\n"
    sample = rewrite(code)
    assert piece in sample.new and "while_loop" in sample.new, sample.new
    sample.agree("f", [x0, xs])


@pytest.mark.parametrize("start", ["", ", 1", ", 2"])
def test_rows_from_the_last_one_are_counted_from_the_start_that_is_written(rewrite, start: str) -> None:
    code = f"@jax.jit\ndef f(x0, us):\n    s = x0\n    us = us * 1.0\n    for i, u in enumerate(reversed(us){start}):\n        s = 0.5 * s + jnp.sin(u) * i\n        if s[0] > 1.5:\n            break\n    return s, i\n"
    sample = rewrite(code)
    assert "while_loop" in sample.new
    sample.agree("f", [x0, xs])


@pytest.mark.parametrize("value", ["1", "i // 2", "i % 3 == 1", "jnp.arange(50)[i] % 2", "i & 1"])
def test_whole_numbers_that_are_set_among_floats_leave_the_list_alone(rewrite, value: str) -> None:
    code = (
        "@jax.jit\ndef f(x0, us):\n    t = [0.0] * 50\n    s = x0\n    for i in range(50):\n        s = jnp.sin(s + us[i % 6])\n"
        f"        t[i] = {value}\n        t[i - 1] = 2.0\n    return jnp.array(t), s\n"
    )
    assert rewrite(code).new.endswith(code)


BROKEN = {
    "within the brackets of the call": "jnp.hstack((a, z))\n                    - jnp.hstack((z, a))",
    "before a method": "(a * z)\n                    .sum(axis=0)",
}


@pytest.mark.parametrize("element", BROKEN.values(), ids=BROKEN)
def test_an_expression_whose_line_breaks_are_in_the_brackets_of_append_keeps_them(rewrite, element: str) -> None:
    body = f"a, rows = z, []\n    for x in us:\n        a = jnp.tanh(a * x)\n        rows.append({element})\n        a = a + z\n    return jnp.stack(rows)\n"
    sample = rewrite(f"@jax.jit\ndef f(z, us):\n    {body}")
    assert f"row = ({element})\n" in sample.new, sample.new
    sample.agree("f", [x0, xs])


STACKING = """from typing import NamedTuple


class State(NamedTuple):
    mean: jax.Array
    cov: jax.Array


def stack_states(states):
    {body}


@jax.jit
def f(x0, us):
    state, out = State(x0, jnp.outer(x0, x0)), []
    for u in us:
        state = State(jnp.sin(state.mean) + u * jnp.cos(u), state.cov * 0.5 + jnp.outer(u, u))
        out.append(state)
    return {end}
"""
BODIES = {
    "field by field": ("return State(jnp.stack([s.mean for s in states]), jnp.stack([s.cov for s in states]))", True),
    "field by field, by name": (
        "return State(cov=jnp.stack([s.cov for s in states]), mean=jnp.stack([s.mean for s in states]))",
        True,
    ),
    "leaf by leaf": ('"""All of them."""\n    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *states)', True),
    "the fields in another order": (
        "return State(jnp.stack([s.cov[0] for s in states]), jnp.stack([s.cov for s in states]))",
        False,
    ),
    "only some of them": (
        "return State(jnp.stack([s.mean for s in states[1:]]), jnp.stack([s.cov for s in states]))",
        False,
    ),
}


@pytest.mark.parametrize(("body", "taken"), BODIES.values(), ids=BODIES)
def test_a_function_that_stacks_each_part_gives_what_a_scan_gives(rewrite, body: str, taken: bool) -> None:
    sample = rewrite(STACKING.format(body=body, end="tuple(stack_states(out))"))
    assert ("lax.scan(step, state, us)\n    return tuple(out)\n" in sample.new) is taken, sample.new
    sample.agree("f", [x0, xs])


def test_a_field_of_each_element_is_that_of_all(rewrite) -> None:
    end = "jnp.stack([s.mean for s in out]), jnp.stack([s.cov for s in out])"
    sample = rewrite(STACKING.format(body="return states", end=end))
    assert "return out.mean, out.cov" in sample.new, sample.new
    sample.agree("f", [x0, xs])


def test_what_goes_over_a_list_afterwards_goes_over_an_array(rewrite) -> None:
    body = "x, scales = x0, []\n    for u in us:\n        x = jnp.sin(x) * u + jnp.cos(u)\n        scales.append(jnp.sum(x))\n"
    sample = rewrite(f"@jax.jit\ndef f(x0, us):\n    {body}    return x, sum(jnp.exp(s) for s in scales)\n")
    assert "lax.scan(" in sample.new and "append" not in sample.new, sample.new
    sample.agree("f", [x0, xs])


@pytest.mark.parametrize(
    ("part", "new"), [("y[0]", "return ys[:, 0]\n"), ("y.T", "return jax.vmap(lambda y: y.T)(ys)\n")]
)
def test_elements_that_are_arrays_have_no_parts(rewrite, part: str, new: str) -> None:
    body = "ys = []\n    for u in us:\n        x0 = jnp.sin(x0) * u[:, None] + jnp.cos(x0)\n        ys.append(x0)\n"
    sample = rewrite(f"@jax.jit\ndef f(x0, us):\n    {body}    return jnp.stack([{part} for y in ys])\n")
    assert new in sample.new, sample.new
    sample.agree("f", [lambda: jnp.arange(6.0).reshape(2, 3), xs])


@pytest.mark.parametrize(
    ("last", "piece"),
    [
        ("ys = jnp.stack(ys)[::-1]\n    return ys - ys.mean()", "reverse=True)\n    return ys - ys.mean()\n"),
        ("ys = jnp.stack(ys)\n    return ys[1:]", "return ys[1:]\n"),
        ("total = jnp.stack(ys).sum()\n    ys = [total]\n    return ys", "total = ys.sum()\n    ys = [total]\n"),
    ],
    ids=["turned round", "as it is", "another list"],
)
def test_another_thing_of_the_name_of_a_list_is_another_variable(rewrite, last: str, piece: str) -> None:
    body = "ys = []\n    for k in range(59, -1, -1):\n        x0 = jnp.tanh(x0) * 0.5 + us[k] * jnp.sin(us[k])\n        ys.append(x0)\n"
    sample = rewrite(f"@jax.jit\ndef f(x0, us):\n    {body}    {last}\n")
    assert piece in sample.new and "append" not in sample.new, sample.new
    sample.agree("f", [x0, lambda: jnp.arange(60, dtype=jnp.float32) / 30])


FULL = {
    "a range that ends with the rows": ("ys = [None] * len(us)", "for i in range(us.shape[0]):", "us[i]"),
    "a range that counts down": ("ys = [0.0] * len(us)", "for i in range(len(us) - 1, -1, -1):", "us[i]"),
    "rows from the last one": ("ys = [0.0] * us.shape[0]", "for i, u in enumerate(us[::-1]):", "u"),
    "a product": ("n = 30\n    ys = [None] * (2 * n)", "for i in range(n * 2):", "us[i]"),
}


@pytest.mark.parametrize(("made", "head", "row"), FULL.values(), ids=FULL.keys())
def test_a_list_of_as_many_places_as_trips_is_collected(rewrite, made: str, head: str, row: str) -> None:
    body = f"{made}\n    {head}\n        x0 = jnp.tanh(x0) * 0.5 + {row} * jnp.sin({row})\n        ys[i] = x0\n"
    sample = rewrite(f"@jax.jit\ndef f(x0, us):\n    {body}    return jnp.stack(ys)\n")
    assert "lax.scan(" in sample.new and ".at[" not in sample.new, sample.new
    sample.agree("f", [x0, lambda: jnp.arange(60, dtype=jnp.float32) / 30])
