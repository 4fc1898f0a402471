"""State in dicts and lists, names bound by `:=`, lists filled from the front, tables: what loops over them become."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TYPE_CHECKING

import jax.numpy as jnp
import pytest

if TYPE_CHECKING:
    from tests.rewrite.conftest import Sample

    Rewriting = Callable[[str], Sample]


def xs() -> jnp.ndarray:
    return jnp.sin(jnp.arange(64.0))


ROLLED = {
    "items_of_a_dict": (
        """
        @jax.jit
        def f(xs):
            state = {"s": jnp.zeros(()), "n": jnp.zeros(())}
            for i in range(64):
                state["s"] = jnp.sin(state["s"]) + jnp.cos(xs[i])
                state["n"] += jnp.tanh(state["s"])
            return state
        """,
        "state = lax.fori_loop(0, 64, body, state)",
    ),
    "a_copy_of_a_dict_that_was_handed_in": (
        """
        def f(xs):
            return g({"m": xs[0], "v": xs[1]}, xs)

        @jax.jit
        def g(state, xs):
            state = dict(state)
            for x in xs:
                state["m"] = 0.9 * state["m"] + 0.1 * jnp.sin(x) * jnp.exp(-x)
                state["v"] = 0.99 * state["v"] + 0.01 * jnp.square(x) * jnp.cos(x)
            return state
        """,
        "state, _ = lax.scan(step, state, xs)",
    ),
    "places_of_a_list": (
        """
        @jax.jit
        def f(xs):
            pair = [xs[0], xs[1]]
            for _ in range(64):
                pair[0] = pair[0] + 0.1 * pair[1]
                pair[1] = pair[1] - 0.1 * jnp.sin(pair[0])
            return pair[0]
        """,
        "pair = lax.fori_loop(0, 64, body, pair)",
    ),
    "a_name_bound_within_a_sum": (
        """
        @jax.jit
        def f(xs):
            s = jnp.zeros(())
            for i in range(64):
                s = 0.5 * s + (d := jnp.sin(xs[i])) * d
            return s
        """,
        "def body(i, s):\n        return 0.5 * s + (d := jnp.sin(xs[i])) * d\n",
    ),
    "a_range_that_counts_down_to_read_rows": (
        """
        @jax.jit
        def f(rewards):
            running = jnp.zeros(())
            for t in range(rewards.shape[0] - 1, 0, -1):
                running = rewards[t] + 0.99 * jnp.tanh(running)
            return running
        """,
        "running, _ = lax.scan(step, running, rewards[1:], reverse=True)\n",
    ),
    "a_list_turned_round_in_place_after_a_backward_loop": (
        """
        @jax.jit
        def f(xs):
            running = jnp.zeros(())
            returns = [jnp.ones(())]
            for t in range(62, -1, -1):
                running = xs[t + 1] + 0.99 * jnp.tanh(running - xs[t])
                returns.append(running)
            returns.reverse()
            return jnp.stack(returns)
        """,
        "_, returns = lax.scan(step, running, jnp.arange(63), reverse=True)\n"
        "    returns = jnp.concatenate([returns, jnp.ones(())[None]])\n    return returns\n",
    ),
    "a_list_turned_round_after_a_forward_loop": (
        """
        @jax.jit
        def f(xs):
            running = jnp.zeros(())
            returns = []
            for i in range(64):
                running = xs[i] + 0.99 * jnp.tanh(running)
                returns.append(running)
            returns = returns[::-1]
            return jnp.stack(returns), returns[0]
        """,
        "returns = returns[::-1]\n    return returns, returns[0]\n",
    ),
    "a_list_in_order_of_a_backward_loop": (
        """
        @jax.jit
        def f(xs: jax.Array):
            running = jnp.zeros(())
            sums = []
            for t in reversed(range(len(xs))):
                running = xs[t] + 0.99 * jnp.tanh(running)
                sums.append(running)
            return jnp.stack(sums)
        """,
        "_, sums = lax.scan(step, running, xs, reverse=True)\n    sums = sums[::-1]\n    return sums\n",
    ),
    "a_list_of_pairs_unzipped": (
        """
        @jax.jit
        def f(xs):
            x = xs
            history = []
            for _ in range(64):
                x = jnp.sin(x) + 0.1
                history.append((x, x * 2.0))
            once, twice = zip(*history)
            return jnp.stack(once), jnp.array(twice), jnp.stack(twice, axis=1), once[-1]
        """,
        "    once, twice = history\n    return once, twice, jnp.moveaxis(twice, 0, 1), once[-1]\n",
    ),
    "a_list_stacked_between_other_rows": (
        """
        @jax.jit
        def f(xs):
            x = jnp.cos(xs)
            path = []
            for _ in range(64):
                x = jnp.sin(x) + 0.1
                path.append(x)
            return jnp.stack([xs, *path, x]), jnp.array([xs + 1, xs] + path)
        """,
        "return jnp.concatenate([xs[None], path, x[None]]), jnp.concatenate([jnp.stack([xs + 1, xs]), path])\n",
    ),
    "a_dict_made_anew_on_each_trip": (
        """
        @jax.jit
        def f(xs):
            state = {"m": jnp.zeros(()), "n": xs}
            for i in range(64):
                state = {**state, "m": 0.9 * state["m"] + jnp.sin(state["n"][i])}
            return state
        """,
        'return {**state, "m": 0.9 * state["m"] + jnp.sin(state["n"][i])}\n',
    ),
    "a_list_filled_from_the_front_backwards": (
        """
        @jax.jit
        def f(rewards):
            returns = []
            running = jnp.zeros(())
            for t in reversed(range(64)):
                running = rewards[t] + 0.99 * jnp.tanh(running)
                returns.insert(0, running)
            return jnp.stack(returns)
        """,
        "_, returns = lax.scan(step, running, jnp.arange(64), reverse=True)\n    return returns\n",
    ),
    "a_list_filled_from_the_front_forwards": (
        """
        @jax.jit
        def f(rewards):
            returns = []
            running = jnp.zeros(())
            for t in range(64):
                running = rewards[t] + 0.99 * jnp.tanh(running)
                returns.insert(0, running)
            return jnp.stack(returns)
        """,
        "returns = returns[::-1]\n",
    ),
    "a_list_stacked_and_turned_in_one_statement": (
        """
        @jax.jit
        def f(rewards):
            returns = []
            running = jnp.zeros(())
            for t in range(63, -1, -1):
                running = rewards[t] + 0.99 * jnp.tanh(running)
                returns.append(running)
            returns = jnp.stack(returns)[::-1]
            return (returns - returns.mean()) / returns.std()
        """,
        "jnp.arange(64), reverse=True)\n    return (returns - returns.mean()) / returns.std()\n",
    ),
    "a_count_that_starts_at_one": (
        """
        @jax.jit
        def f(xs):
            s = jnp.zeros(())
            for t, x in enumerate(xs, start=1):
                s = s + jnp.sin(x) / t * jnp.exp(-x) - jnp.cos(s) * jnp.tanh(x)
            return s, t
        """,
        "lax.scan(step, s, (jnp.arange(1, len(xs) + 1), xs))\n    t = len(xs)\n",
    ),
    "rows_zipped_within_a_zip": (
        """
        @jax.jit
        def f(xs):
            ys, zs = jnp.cos(xs), jnp.tanh(xs)
            s = jnp.zeros(())
            for x, (y, z) in zip(xs, zip(ys, zs)):
                s = 0.5 * s + jnp.sin(x) * jnp.exp(-y) - jnp.cos(s) * jnp.tanh(z)
            return s
        """,
        "x, y, z = inputs",
    ),
    "a_table_that_numpy_made": (
        """
        import numpy as np

        @jax.jit
        def f(xs):
            betas = np.linspace(1e-4, 0.02, 64)
            x = xs
            for t in range(64):
                x = jnp.sqrt(1.0 - betas[t]) * x + jnp.sin(x)
            return x
        """,
        "jnp.asarray(betas)[t]",
    ),
    "a_table_of_indices": (
        """
        @jax.jit
        def f(xs):
            order = [3, 1, 2, 0] * 16
            s = jnp.zeros(())
            for i in range(64):
                s = jnp.sin(s) + jnp.cos(xs[order[i]])
            return s
        """,
        "xs[jnp.asarray(order)[i]]",
    ),
    "indices_that_move": (
        """
        @jax.jit
        def f(xs):
            s = jnp.zeros(3)
            for i in range(32):
                s = jnp.sin(s) + jnp.cos(xs[jnp.arange(i, i + 9, 3)])
            return s
        """,
        "xs[i + jnp.arange(0, 9, 3)]",
    ),
    "a_function_made_before_that_reads_what_the_loop_rebinds": (
        """
        @jax.jit
        def f(xs):
            def loss(w):
                return jnp.mean((jnp.tanh(x * w) - y) ** 2)

            losses = []
            w = jnp.ones(())
            for x, y in zip(xs, jnp.cos(xs)):
                value, slope = jax.value_and_grad(loss)(w)
                w = w - 0.1 * slope
                losses.append(value)
            return w, jnp.stack(losses)
        """,
        "        x, y = inputs\n\n        def loss(w):\n            return jnp.mean((jnp.tanh(x * w) - y) ** 2)\n",
    ),
    "a_list_with_a_place_for_each_trip": (
        """
        @jax.jit
        def f(xs):
            returns = [None] * len(xs)
            total = 0.0
            for t in reversed(range(len(xs))):
                total = xs[t] + 0.9 * jnp.tanh(total)
                returns[t] = total
            return jnp.stack(returns)
        """,
        "_, returns = lax.scan(step, total, xs, reverse=True)",
    ),
    "rows_from_the_second_on": (
        """
        @jax.jit
        def f(xs):
            T = xs.shape[0]
            total = jnp.tanh(xs[0])
            for t in range(1, T):
                total = 0.5 * total + jnp.sin(xs[t])
            return total
        """,
        "total, _ = lax.scan(step, total, xs[1:])",
    ),
    "a_first_element_that_is_computed_once": (
        """
        @jax.jit
        def f(xs):
            levels = [jnp.tanh(xs[0] + jnp.sum(xs) * 0.1) - 0.2 * jnp.max(xs)]
            for t in range(1, len(xs)):
                levels.append(jnp.tanh(levels[-1] + xs[t]))
            return jnp.stack(levels)
        """,
        "    level = jnp.tanh(xs[0] + jnp.sum(xs) * 0.1) - 0.2 * jnp.max(xs)\n\n    def step(level, x):\n",
    ),
    "a_first_element_of_a_name_of_its_own": (
        """
        @jax.jit
        def f(xs):
            p = xs[0]
            energy = [0.5 * jnp.sum(p**2)]
            for _ in range(30):
                p = 0.9 * jnp.sin(p) + 0.1
                energy.append(0.5 * jnp.sum(p**2))
            return jnp.array(energy)
        """,
        "energy = jnp.concatenate([first[None], energy])",
    ),
    "a_start_of_none_that_nothing_reads": (
        """
        @jax.jit
        def f(xs):
            gap = None
            x = xs[0]
            for k in range(30):
                step = jnp.sin(x) - 0.5 * x
                gap = jnp.sum(step**2)
                x = x + step / (k + 2)
            return x, gap
        """,
        "def f(xs):\n    x = xs[0]\n\n    def loop_step(x, k):\n",
    ),
    "a_backward_loop_whose_number_nothing_reads": (
        """
        @jax.jit
        def f(xs):
            x = xs[0]
            losses = []
            for _ in reversed(range(0, 40, 2)):
                x = jnp.tanh(0.5 * x + xs[1])
                losses.append(jnp.sum(x))
            return x, jnp.stack(losses)[::-1]
        """,
        "lax.scan(step, x, None, length=20, reverse=True)",
    ),
    "a_name_for_the_last_element": (
        """
        @jax.jit
        def f(xs):
            ys = [xs[0]]
            for t in range(1, len(xs)):
                y = ys[-1]
                slope = jnp.sin(y)
                ys.append(y + 0.1 * (slope + jnp.sin(y + 0.1 * slope)) + xs[t])
            return jnp.stack(ys)
        """,
        "    def step(y, x):\n        slope = jnp.sin(y)\n        y = y + 0.1 * (slope + jnp.sin(y + 0.1 * slope)) + x\n",
    ),
    "two_elements_back": (
        """
        @jax.jit
        def f(xs):
            y = [xs[0], xs[1]]
            for t in range(2, xs.shape[0]):
                y.append(0.5 * y[t - 1] - 0.3 * y[t - 2] + jnp.sin(xs[t]))
            return jnp.array(y)
        """,
        "        y_1, y_2 = 0.5 * y_1 - 0.3 * y_2 + jnp.sin(x), y_1\n        return (y_1, y_2), y_1",
    ),
    "a_flat_list_of_a_grid": (
        """
        @jax.jit
        def f(xs):
            out = []
            for i in range(12):
                for j in range(11):
                    gap = xs[i] - jnp.cos(xs[j])
                    out.append(jnp.exp(-jnp.square(gap)))
            return jnp.array(out)
        """,
        "    out = jax.vmap(per_row)(jnp.arange(12))\n    return jnp.concatenate(out)\n",
    ),
    "a_list_that_each_trip_makes_anew": (
        """
        @jax.jit
        def f(xs):
            row = jnp.arange(7.0)
            for i in range(xs.shape[0]):
                new = [row[0] + 1.0]
                for j in range(6):
                    cost = jnp.abs(xs[i] - xs[j])
                    new.append(jnp.minimum(new[j] + 1.0, row[j + 1]) + jnp.minimum(row[j], cost))
                row = jnp.array(new)
            return row
        """,
        "row, _ = lax.scan(step, row, xs)",
    ),
    "a_dict_that_each_trip_makes_anew": (
        """
        @jax.jit
        def f(xs):
            s = jnp.zeros(())
            for x in xs:
                parts = {}
                parts["a"] = jnp.sin(x) + s
                parts["b"] = jnp.cos(x) * jnp.exp(-jnp.abs(s))
                s = parts["a"] * parts["b"]
            return s
        """,
        "s, _ = lax.scan(step, s, xs)",
    ),
    "a_branch_on_a_negation": (
        """
        @jax.jit
        def f(xs):
            s = jnp.zeros(())
            for i in range(64):
                if not (xs[i] < 0):
                    s = s + jnp.log1p(xs[i])
            return s
        """,
        "lax.cond(xs[i] < 0, lambda: s, lambda: s + jnp.log1p(xs[i]))",
    ),
    "an_arm_that_does_nothing": (
        """
        @jax.jit
        def f(xs):
            s = jnp.zeros(())
            for i in range(64):
                if xs[i] == 0:
                    pass
                else:
                    s = s + jnp.log(jnp.abs(xs[i]))
            return s
        """,
        "lax.cond(xs[i] == 0, lambda: s, lambda: s + jnp.log(jnp.abs(xs[i])))",
    ),
}


@pytest.mark.parametrize(("code", "expected"), ROLLED.values(), ids=ROLLED.keys())
def test_a_loop_is_rolled(rewrite: Rewriting, code: str, expected: str) -> None:
    sample = rewrite(dedent(code).strip() + "\n")
    assert expected in sample.new
    sample.agree("f", (xs,))


LEFT = {
    "an_item_that_an_argument_may_not_have": ("", "state", "return state"),
    "a_dict_with_a_second_name": ('state = {"s": xs[0]}\n    kept = state', "xs", "return kept"),
    "a_dict_kept_in_a_list": ('state = {"s": xs[0]}\n    seen = [state]', "xs", "return seen[0]"),
    "a_dict_that_gets_a_new_key": ('state = {"t": xs[0]}', "xs", "return state"),
    "a_dict_read_by_a_function_made_before": (
        'state = {"s": xs[0]}\n\n    def g():\n        return state["s"]\n',
        "xs",
        "return g()",
    ),
}


@pytest.mark.parametrize(("made", "parameter", "end"), LEFT.values(), ids=LEFT.keys())
def test_a_dict_that_others_may_see_is_left(rewrite: Rewriting, made: str, parameter: str, end: str) -> None:
    code = f"""@jax.jit
def f({", ".join(dict.fromkeys([parameter, "xs"]))}):
    {made}
    for i in range(200):
        state["s"] = jnp.sin(xs[i]) * jnp.cos(xs[i]) + jnp.tanh(xs[i])
    {end}
"""
    sample = rewrite(code)
    assert sample.new == sample.old


def test_floats_of_a_list_keep_the_dtype_of_what_they_meet(rewrite: Rewriting) -> None:
    sample = rewrite(
        """@jax.jit
def f(xs):
    rates = [0.5, 0.25] * 32
    x = xs
    for i in range(64):
        x = jnp.sin(x) * rates[i]
    return x
"""
    )
    assert "jnp.asarray(rates, jnp.result_type(x, float))[i]" in sample.body
    sample.agree("f", (xs,), (lambda: xs().astype(jnp.float16),))


def test_floats_of_a_list_take_the_dtype_of_the_carry_that_they_meet_first(rewrite: Rewriting) -> None:
    sample = rewrite(
        """@jax.jit
def f(xs):
    rates = [0.5, 0.25] * 32
    x, y = xs, jnp.zeros_like(xs, float)
    for i in range(64):
        x, y = jnp.sin(x) * rates[i], jnp.sin(y) + rates[i] * x
    return x, y
"""
    )
    assert sample.body.count("jnp.asarray(rates, jnp.result_type(x, float))[i]") == 2
    sample.agree("f", (xs,), (lambda: xs().astype(jnp.float16),))


def test_floats_of_a_list_that_meet_two_carries_are_left(rewrite: Rewriting) -> None:
    sample = rewrite(
        """@jax.jit
def f(xs):
    rates = [0.5, 0.25] * 32
    x, y = xs, xs
    for i in range(64):
        x, y = jnp.sin(x + y) * rates[i], jnp.sin(y)
    return x, y
"""
    )
    assert "index-needs-int" in sample.reasons
    assert sample.new == sample.old


TABLES = """RATES = [0.5, 0.25] * 32
WEIGHTS = np.linspace(0.0, 1.0, 50)


@jax.jit
def f(xs):
    x, y = xs, jnp.zeros(())
    for rate in [0.5, 0.25] * 32:
        x = jnp.sin(x) * rate
    for low, high in np.array([[0.1, 0.2], [0.3, 0.4]] * 20):
        x = jnp.clip(x * 1.5, -high, high) + low
    for weight, z in zip(WEIGHTS, xs):
        y = jnp.cos(y) + weight * jnp.sin(z)
    for k, rate in enumerate(reversed(RATES)):
        x = jnp.sin(x * k) + rate
    return x, y
"""


def test_tables_of_numbers_are_gone_over_as_arrays(rewrite: Rewriting) -> None:
    sample = rewrite("import numpy as np\n\n" + TABLES)
    assert sample.codes == ["unrolled-iteration"] * 4
    assert "jnp.asarray([0.5, 0.25] * 32, jnp.result_type(x, float))" in sample.body
    assert "(jnp.asarray(WEIGHTS)[: len(xs)], xs[:50])" in sample.body
    assert "(jnp.arange(len(RATES)), jnp.asarray(RATES, jnp.result_type(x, float))[::-1])" in sample.body
    sample.agree("f", (xs,), (lambda: xs()[:7],))


@pytest.mark.parametrize("line", ["if n > 3:\n            x = jnp.sin(x)", "x = x + jnp.zeros(n).sum()"])
def test_numbers_of_a_list_that_are_choices_are_left_alone(rewrite: Rewriting, line: str) -> None:
    code = f"@jax.jit\ndef f(x):\n    for n in [1, 2, 3, 4, 5, 6] * 9:\n        x = jnp.cos(x) + x\n        {line}\n    return x\n"
    assert rewrite(code).codes == []
