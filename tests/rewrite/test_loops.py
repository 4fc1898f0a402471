"""Loops over ranges, rows and lists: what they become, that it computes the same, and what is left with a reason."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from textwrap import dedent
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import pytest

if TYPE_CHECKING:
    from tests.rewrite.conftest import Sample

    Rewriting = Callable[[str], Sample]


def xs() -> jnp.ndarray:
    return jnp.sin(jnp.arange(48.0)).reshape(24, 2)


def ys() -> jnp.ndarray:
    return jnp.cos(jnp.arange(24.0))


ROLLED = {
    "lists_in_a_dict": (
        """
        @jax.jit
        def f(xs, ys):
            s = ys[0]
            trace = {"s": [], "size": []}
            for x in xs:
                s = 0.5 * s + jnp.sin(x).sum() * jnp.cos(s)
                trace["s"].append(s)
                trace["size"].append(jnp.abs(x).sum())
            return jnp.stack(trace["s"]), {k: jnp.array(v) for k, v in trace.items()}
        """,
        '    trace = {"s": trace_s, "size": size}\n',
    ),
    "items_of_an_argument": (
        """
        @jax.jit
        def f(xs, ys):
            state = {"w": xs[0], "b": ys[0]}
            return g(state, xs)


        @jax.jit
        def g(state, xs):
            for i in range(20):
                for k in state:
                    state[k] = state[k] - 0.1 * jnp.tanh(state[k] + xs[i].sum())
                state["w"] *= 0.5
            return state
        """,
        "lax.fori_loop(0, 20, body, state)\n",
    ),
    "an_array_that_gets_a_row_longer": (
        """
        @jax.jit
        def f(xs, ys):
            x = xs[0]
            path = x[None]
            for i in range(len(ys)):
                x = jnp.tanh(x + xs[i] * ys[i] - 0.1 * jnp.sin(x))
                path = jnp.concatenate([path, x[None, :]])
            return path
        """,
        "    path = jnp.concatenate([x[None], path])\n",
    ),
    "rows_before_the_others": (
        """
        @jax.jit
        def f(xs, ys):
            x = xs[-1]
            path = jnp.zeros((0, 2))
            for i in range(len(ys) - 1, -1, -1):
                x = jnp.tanh(x + xs[i] * ys[i] - 0.1 * jnp.sin(x))
                path = jnp.vstack((x, path))
            return path, x
        """,
        "    x, path = lax.scan(step, x, jnp.arange(len(ys)), reverse=True)\n",
    ),
    "numbers_that_are_appended_to_an_array": (
        """
        @jax.jit
        def f(xs, ys):
            s = ys[0]
            sums = jnp.array([ys[0]])
            for x in xs:
                s = 0.5 * s + jnp.sin(x).sum() * jnp.cos(s)
                sums = jnp.append(sums, s)
            return sums.mean(), s
        """,
        "jnp.array([ys[0]])",
    ),
    "a_list_whose_last_element_is_read": (
        """
        @jax.jit
        def f(xs, ys):
            out = [xs[0]]
            for i in range(1, len(xs)):
                out.append(0.5 * out[i - 1] + jnp.sin(xs[i]) * jnp.tanh(out[-1] * ys[i]))
            return jnp.stack(out)
        """,
        "    _, out = lax.scan(step, xs[0], jnp.arange(1, len(xs)))\n",
    ),
    "two_lists_that_read_each_other": (
        """
        @jax.jit
        def f(xs, ys):
            us, vs = [xs[0]], [xs[1]]
            for y in ys:
                u, v = us[-1], vs[-1]
                us.append(0.5 * u + y * jnp.cos(v) - 0.1 * jnp.sin(v))
                vs.append(0.5 * v - y * jnp.sin(u) + 0.1 * jnp.cos(u))
            return jnp.stack(us), jnp.stack(vs)
        """,
        "    _, (us, vs) = lax.scan(step, (xs[0], xs[1]), ys)\n",
    ),
    "a_list_that_a_loop_goes_over": (
        """
        @jax.jit
        def f(xs, ys):
            h, kept = xs[0], []
            for i in range(len(xs)):
                h = jnp.tanh(h + jnp.sin(xs[i]) * ys[i])
                kept.append(h)
            g = jnp.zeros_like(h)
            for h in reversed(kept):
                g = (g + jnp.cos(h)) * (1 - h**2) + jnp.sin(g)
            return g
        """,
        "    g, _ = lax.scan(loop_step, g, kept, reverse=True)\n",
    ),
    "an_append_on_every_way_through_a_branch": (
        """
        @jax.jit
        def f(xs, ys):
            out, s = [], ys[0]
            for i in range(len(ys)):
                s = jnp.sin(s) + jnp.cos(ys[i]) * s
                if i == 0:
                    out.append(s)
                elif i % 2:
                    # every other one
                    out.append(s * ys[i] - jnp.tanh(s))
                else:
                    out.append(-s)
            return jnp.stack(out), xs
        """,
        "        return s, item\n",
    ),
    "an_arm_that_reads_the_list_for_what_it_appends": (
        """
        @jax.jit
        def f(xs, ys):
            row = [ys[0]]
            for i in range(1, len(ys)):
                if ys[i] > ys[0]:
                    row.append(jnp.sin(ys[i]) + 1.0)
                else:
                    row.append(jnp.maximum(jnp.tanh(row[i - 1]) * ys[i], row[-1] - 0.5))
            return jnp.stack(row), xs
        """,
        "lambda: jnp.maximum(jnp.tanh(item) * y, item - 0.5)",
    ),
    "lists_and_tuples_that_are_made_anew_with_one_more": (
        """
        @jax.jit
        def f(xs, ys):
            s = xs[0]
            late, early, both, all = [], [s], (), ()
            for x, y in zip(xs, ys):
                s = jnp.sin(s) + jnp.cos(x) * y - jnp.tanh(x - s)
                late = [s * y] + late
                early = early + [s]
                both = (*both, s + x)
                all += (s - y,)
            return jnp.stack(late), jnp.stack(early), jnp.stack(both), jnp.array(all)
        """,
        "    late = ",
    ),
    "a_list_that_begins_with_its_end": (
        """
        @jax.jit
        def f(xs, ys):
            s = xs[-1]
            out = [s]
            for i in reversed(range(xs.shape[0] - 1)):
                s = jnp.sin(s) + jnp.cos(xs[i]) * ys[i] - jnp.tanh(xs[i] - s)
                out.insert(0, s)
            return jnp.stack(out)
        """,
        "    out = jnp.concatenate([out, s[None]])\n",
    ),
    "an_array_that_is_filled_row_by_row": (
        """
        @jax.jit
        def f(xs, ys):
            s = jnp.zeros(2)
            out = jnp.zeros_like(xs)
            for i in range(len(xs)):
                s = jnp.sin(s) + jnp.cos(xs[i]) * ys[i] - jnp.tanh(xs[i] - s)
                out = out.at[i, :].set(s * xs[i])
            return out, s
        """,
        "    s, out = lax.scan(step, s, ",
    ),
    "an_array_that_is_filled_from_its_end": (
        """
        @jax.jit
        def f(xs, ys):
            n = xs.shape[0]
            out = jnp.zeros((n, 2))
            s = jnp.zeros(2)
            for i in reversed(range(n)):
                s = jnp.sin(s) + jnp.cos(xs[i]) * ys[i] - jnp.tanh(xs[i] - s)
                out = out.at[i].set(s)
            return out
        """,
        "reverse=True",
    ),
    "an_array_whose_rows_are_independent": (
        """
        @jax.jit
        def f(xs, ys):
            out = jnp.empty(xs.shape[0])
            for i in range(xs.shape[0]):
                x = jnp.tanh(xs[i]) * jnp.cos(xs[i]) + ys[i]
                out = out.at[i].set(jnp.sum(x) * jnp.exp(-x[0]))
            return out
        """,
        "    out = jax.vmap(per_example)(xs, ys)\n",
    ),
    "an_array_that_is_made_in_company_is_stacked": (
        """
        @jax.jit
        def f(xs, ys):
            s = jnp.zeros(2); out = jnp.zeros_like(xs)
            for i in range(len(xs)):
                s = jnp.sin(s) + jnp.cos(xs[i]) * ys[i] - jnp.tanh(xs[i] - s)
                out = out.at[i].set(s)
            return out
        """,
        "    _, out = lax.scan(step, s, jnp.arange(len(xs)))\n",
    ),
    "an_array_that_a_trip_reads_is_carried": (
        """
        @jax.jit
        def f(xs, ys):
            out = jnp.zeros_like(ys)
            for i in range(ys.shape[0]):
                out = out.at[i].set(jnp.sum(out) + jnp.cos(xs[i, 0]) * ys[i] - jnp.tanh(xs[i, 1]) + jnp.exp(-ys[i]))
            return out
        """,
        "lax.fori_loop(0, ys.shape[0], body, out)",
    ),
    "the_last_index_of_a_known_range": (
        """
        @jax.jit
        def f(xs, ys):
            s = jnp.zeros(2)
            for i in range(1, 24, 2):
                s = jnp.sin(s) + jnp.cos(xs[i]) * ys[i] - jnp.tanh(xs[i - 1])
            return s, i
        """,
        "    i = 23\n",
    ),
    "the_last_index_of_a_length": (
        """
        @jax.jit
        def f(xs, ys):
            s = jnp.zeros(2)
            for i in range(xs.shape[0]):
                s = jnp.sin(s) + jnp.cos(xs[i]) * ys[i] - jnp.tanh(xs[i - 1])
            return s, i
        """,
        "    i = xs.shape[0] - 1\n",
    ),
    "a_count_that_is_read_after_the_loop_alone": (
        """
        @jax.jit
        def f(xs, ys):
            s = jnp.zeros(2)
            for i, x in enumerate(xs):
                s = jnp.sin(s) + jnp.cos(x) * jnp.exp(-x) - jnp.tanh(s - x) * jnp.sin(x) + jnp.cos(s * x) * ys[0]
            return s, i
        """,
        "lax.scan(step, s, xs)\n    i = len(xs) - 1\n",
    ),
    "the_last_row": (
        """
        @jax.jit
        def f(xs, ys):
            s = jnp.zeros(2)
            for x in xs:
                s = jnp.sin(s) + jnp.cos(x) * jnp.exp(-x) - jnp.tanh(s - x) * jnp.sin(x) + jnp.cos(s * x) * ys[0]
            return s, x
        """,
        "    x = xs[-1]\n",
    ),
    "the_last_row_of_two_arrays": (
        """
        @jax.jit
        def f(xs, ys):
            s = jnp.zeros(2)
            for x, y in zip(xs, ys):
                s = jnp.sin(s) + jnp.cos(x) * jnp.exp(-x) - jnp.tanh(s - x) * jnp.sin(x) + jnp.cos(s * x) * y
            return s, y
        """,
        "    y = y_all[-1]\n",
    ),
    "a_range_with_a_step_from_its_end": (
        """
        @jax.jit
        def f(xs, ys):
            s = jnp.zeros(2)
            for i in reversed(range(1, 24, 2)):
                s = jnp.sin(s) + jnp.cos(xs[i]) * ys[i] - jnp.tanh(xs[i - 1])
            return s
        """,
        "i = 23 - 2 * k\n",
    ),
    "a_placeholder_before_the_loop": (
        """
        @jax.jit
        def f(xs, ys):
            s, last = jnp.zeros(2), None
            for i in range(24):
                s = jnp.sin(s) + jnp.cos(xs[i]) * ys[i] - jnp.tanh(xs[i - 1])
                last = jnp.sum(s)
            return s, last
        """,
        "    last = lasts[-1]\n",
    ),
    "a_lambda_of_the_body_sees_names_as_they_are_when_it_is_called": (
        """
        @jax.jit
        def f(xs, ys):
            s = jnp.zeros(2)
            for i in range(24):
                blend = lambda: 0.5 * s + ys[i]
                s = jnp.sin(s) + jnp.cos(xs[i]) * ys[i]
                s = blend() - jnp.tanh(xs[i - 1])
            return s
        """,
        "fori_loop(0, 24, body, s)",
    ),
    "tuples_are_collected": (
        """
        @jax.jit
        def f(xs, ys):
            s = jnp.zeros(2)
            pairs = []
            for i in range(24):
                s = jnp.sin(s) + jnp.cos(xs[i]) * ys[i] - jnp.tanh(xs[i - 1])
                pairs.append((s, jnp.sum(s)))
            return jnp.stack([p[0] for p in pairs]), jnp.array([total for _, total in pairs])
        """,
        "return pairs[0], pairs[1]",
    ),
    "tuples_are_collected_from_the_last_row_on": (
        """
        @jax.jit
        def f(xs, ys):
            s = jnp.zeros(2)
            pairs = []
            for i in reversed(range(24)):
                s = jnp.sin(s) + jnp.cos(xs[i]) * ys[i] - jnp.tanh(xs[i - 1])
                pairs.append((s, jnp.sum(s)))
            return jnp.stack([p[0] for p in pairs]), jnp.array([total for _, total in pairs])
        """,
        "lax.scan(step, s, jnp.arange(24)[::-1])",
    ),
    "a_list_that_is_summed": (
        """
        @jax.jit
        def f(xs, ys):
            s = jnp.zeros(2)
            losses = []
            for i in range(24):
                s = jnp.sin(s) + jnp.cos(xs[i]) * ys[i] - jnp.tanh(xs[i - 1])
                losses.append(jnp.sum(s**2))
            return s, sum(losses) / len(losses)
        """,
        "return s, jnp.sum(losses, axis=0) / len(losses)",
    ),
    "the_index_as_a_float": (
        """
        @jax.jit
        def f(xs, ys):
            s = jnp.zeros(2)
            for i in range(24)[::-1]:
                s = jnp.sin(s) + jnp.cos(xs[i]) * float(i) ** 2 - jnp.tanh(float(i + 1))
            return s
        """,
        "jnp.cos(xs[i]) * (i * 1.0) ** 2 - jnp.tanh((i + 1) * 1.0)",
    ),
    "truth_values_of_python": (
        """
        @jax.jit
        def f(xs, ys):
            s, up = jnp.zeros(2), False
            for i in range(24):
                up = not up
                late = i > 3 and i % 2 == 0
                s = jnp.sin(s) + jnp.cos(xs[i]) * ys[i] - jnp.where(late, jnp.where(up, s, -s), xs[i])
            return s, up
        """,
        "        up = jnp.logical_not(up)\n        late = (i > 3) & (i % 2 == 0)\n",
    ),
    "items_that_a_branch_sets": (
        """
        @jax.jit
        def f(xs, ys):
            state = {"s": jnp.zeros(2), "best": jnp.asarray(-1, float)}
            for i in range(24):
                state["s"] = jnp.sin(state["s"]) + jnp.cos(xs[i]) * ys[i] - jnp.tanh(xs[i - 1])
                if ys[i] > state["best"]:
                    state["best"] = ys[i]
            return state
        """,
        '        best = state["best"]\n        best = jnp.where(ys[i] > best, ys[i], best)',
    ),
    "a_first_value_from_the_first_trip": (
        """
        @jax.jit
        def f(xs, ys):
            best, last = None, jnp.zeros(2)
            previous = None  # none so far
            for i in range(24):
                # how far it is
                gap = jnp.sin(xs[i]) + jnp.cos(xs[i]) * ys[i] - jnp.tanh(xs[i - 1])
                best = gap if best is None else jnp.minimum(best, gap)
                if previous is not None:
                    # since the last one
                    last = last + (gap - previous) ** 2
                previous = gap
            return best, last
        """,
        "        last = last + (gap - previous) ** 2\n",
    ),
    "a_first_value_where_the_index_is_the_first": (
        """
        @jax.jit
        def f(xs, ys):
            for i in range(1, 24):
                gap = jnp.sin(xs[i]) + jnp.cos(xs[i]) * ys[i] - jnp.tanh(xs[i - 1]) * i
                if i == 1:
                    best = gap
                else:
                    best = jnp.minimum(best, gap)
            return best
        """,
        "lax.fori_loop(2, 24, body, best)",
    ),
    "a_first_value_from_the_first_row": (
        """
        @jax.jit
        def f(xs, ys):
            total = None
            for x in xs:
                gap = jnp.sin(x) * jnp.cos(x) - jnp.tanh(x) + jnp.exp(-x) * jnp.sin(x) * jnp.cos(x) - jnp.tanh(x)
                gap = gap + jnp.sin(gap) * jnp.cos(x) - jnp.tanh(gap) + jnp.exp(-x) * jnp.sin(gap) * jnp.cos(x)
                gap = gap - jnp.sin(gap) * jnp.cos(x) - jnp.tanh(gap) + jnp.exp(-x) * jnp.sin(gap) * jnp.cos(x)
                total = gap if total is None else total * 0.5 + gap
            return total
        """,
        "lax.scan(step, total, xs[1:])",
    ),
    "what_only_the_last_trip_leaves": (
        """
        @jax.jit
        def f(xs, ys):
            s, last = jnp.zeros(2), None
            kept = 0.0
            for i in range(1, 24):
                s = jnp.sin(s) + jnp.cos(xs[i]) * ys[i] - jnp.tanh(xs[i - 1])
                # of the row before
                kept = jnp.sum(xs[i - 1]) * i
                last = s * i
            return s, last, kept
        """,
        "    # of the row before\n    kept = jnp.sum(xs[23 - 1]) * 23\n",
    ),
    "what_later_trips_change_stays_in_the_loop": (
        """
        @jax.jit
        def f(xs, ys):
            state = {"s": ys[0], "t": jnp.zeros(2)}
            last = ys[0]
            for i in range(24):
                last = state["s"] * ys[i]
                state["s"] = state["s"] * 0.5 + jnp.sin(ys[i]) - jnp.tanh(ys[i - 1]) * jnp.cos(ys[i]) * jnp.exp(-ys[0])
            return last, state
        """,
        '        last = state["s"] * ys[i]\n',
    ),
    "what_a_loop_leaves_that_may_make_no_trip": (
        """
        import functools
        @functools.partial(jax.jit, static_argnames="n")
        def f(xs, ys, n=20):
            last = xs[0]
            for i in range(n):
                ys = jnp.sin(ys) + jnp.cos(xs[i, 0]) * ys[i] - jnp.tanh(xs[i - 1, 0])
                last = xs[1] * 2.0
            return last, ys
        """,
        "        last = xs[1] * 2.0\n",
    ),
    "what_only_the_last_row_leaves": (
        """
        @jax.jit
        def f(xs, ys):
            for x in xs:
                gap = jnp.sin(x) * jnp.cos(x) - jnp.tanh(x) + jnp.exp(-x) * jnp.sin(x) * jnp.cos(x) - jnp.tanh(x)
                gap = gap + jnp.sin(gap) * jnp.cos(x) - jnp.tanh(gap) + jnp.exp(-x) * jnp.sin(gap) * jnp.cos(x)
                ys = ys * 0.5 + gap[0]
                last = x.max() * 2.0
            return last, ys
        """,
        "    last = xs[-1].max() * 2.0\n",
    ),
    "an_index_divides_as_weakly_as_before": (
        """
        @jax.jit
        def f(xs, ys):
            half = ys.astype(jnp.float16)
            out = []
            for i in range(24):
                out.append(half[i] / (i + 1) + half[0] * (1 / (i + 1)) + half[-1] * (i / 4) - jnp.sin(half[i]) * i)
            return jnp.stack(out)
        """,
        "half[0] * (1.0 / (i + 1)) + half[-1] * (i / 4.0)",
    ),
    "dicts_are_stacked_leaf_by_leaf": (
        """
        @jax.jit
        def f(xs, ys):
            s = jnp.zeros(2)
            logs = []
            for i in range(24):
                s = jnp.sin(s) + jnp.cos(xs[i]) * ys[i] - jnp.tanh(xs[i - 1])
                logs.append({"s": s, "total": jnp.sum(s)})
            return jax.tree.map(lambda *leaves: jnp.stack(leaves), *logs)
        """,
        "return logs",
    ),
    "draws_after_a_start": (
        """
        @jax.jit
        def f(xs, ys, burn=5):
            s = ys[0]
            draws, sizes = [], []
            for t in range(24):
                s = jnp.sin(s) + xs[t].sum()
                if t >= 7:
                    draws.append(s)
                    sizes.append(s * s)  # of these alone
            return jnp.stack(draws), jnp.array(sizes), len(draws)
        """,
        "    return draws[7:], sizes[7:], len(draws[7:])\n",
    ),
    "every_third_state": (
        """
        @jax.jit
        def f(xs, ys):
            s = ys[0]
            kept = []
            for t in range(24):
                s = jnp.sin(s) + xs[t].sum()
                if (t + 1) % 3 == 0:
                    kept.append(s)
            return jnp.stack(kept)
        """,
        "    return kept[2::3]\n",
    ),
    "states_that_python_numbers_choose": (
        """
        @jax.jit
        def f(xs, ys):
            burn, thin = xs.shape[1], xs.ndim
            s = ys[0]
            samples = []
            for t in range(1, 24):
                s = jnp.sin(s) + xs[t].sum()
                if t >= burn and not (t - burn) % thin:
                    samples.append(s)
            samples = jnp.stack(samples)
            return samples.mean(), samples
        """,
        "    trips = np.arange(1, 24)\n    kept = (trips >= burn) & ((trips - burn) % thin == 0)\n"
        "    samples = samples[kept]\n",
    ),
}


@pytest.mark.parametrize(("code", "expected"), ROLLED.values(), ids=ROLLED.keys())
def test_a_loop_is_rolled(rewrite: Rewriting, code: str, expected: str) -> None:
    sample = rewrite(dedent(code).strip() + "\n")
    assert expected in sample.body
    sample.agree("f", (xs, ys))


def test_a_row_that_is_only_read_where_it_is_appended(rewrite: Rewriting) -> None:
    sample = rewrite(
        "@jax.jit\ndef f(x, images):\n    out = []\n    for i in range(len(images)):\n        x = jnp.sin(x)\n"
        "        out.append(jnp.cos(x * images[i])[None])\n    return jnp.concatenate(out, axis=0)\n"
    )
    assert "return x, jnp.cos(x * image)[None]" in sample.new
    sample.agree("f", [lambda: jnp.float32(0.3), lambda: jnp.arange(12.0).reshape(4, 3)])


BODY = "jnp.sin(s) + jnp.cos(xs[i]) * ys[i] - jnp.tanh(xs[i - 1])"
LEFT = {
    "a_test_that_binds_a_name": (
        """
        @jax.jit
        def f(x, n):
            while jnp.sum(x) > n and (n := n + 1) < 9:
                x = jnp.sin(x)
            return x
        """,
        "walrus-in-test",
    ),
    "rows_collected_over_a_traced_range": (
        f"""
        @jax.jit
        def f(xs, ys, n):
            s = jnp.zeros(2)
            out = []
            for i in range(n):
                s = {BODY}
                out.append(s)
            return jnp.stack(out)
        """,
        "dynamic-length-output",
    ),
    "a_list_of_functions": (
        f"""
        @jax.jit
        def f(xs, ys):
            s = jnp.zeros(2)
            steps = []
            for i in range(24):
                s = {BODY}
                steps.append(lambda u: u + i)
            return s, steps[0](s)
        """,
        "list-of-functions",
    ),
    "the_last_of_the_tuples": (
        f"""
        @jax.jit
        def f(xs, ys):
            s = jnp.zeros(2)
            pairs = []
            for i in range(24):
                s = {BODY}
                pairs.append((s, jnp.sum(s)))
            return pairs[-1]
        """,
        "list-escapes",
    ),
    "an_index_that_is_a_static_argument_of_a_jitted_callee": (
        f"""
        weight = jax.jit(lambda m: jnp.ones(()) if m == 1 else jnp.sin(m * jnp.ones(())), static_argnums=(0,))

        @jax.jit
        def f(xs, ys):
            s = jnp.zeros(2)
            for i in range(24):
                s = {BODY} * weight(i - 1)
            return s
        """,
        "index-needs-int",
    ),
    "a_list_of_the_numbers_below_the_index": (
        f"""
        @jax.jit
        def f(xs, ys):
            s = jnp.zeros(2)
            for i in range(24):
                s = {BODY} + jnp.sum(xs, axis=list(range(i % 2)))
            return s
        """,
        "index-needs-int",
    ),
    "and_of_what_is_no_truth_value": (
        f"""
        @jax.jit
        def f(xs, ys):
            s, last = jnp.zeros(2), 0
            for i in range(24):
                s = {BODY}
                last = i % 3 and last + i
            return s, last
        """,
        "index-needs-int",
    ),
    "a_row_before_the_first_one": (
        f"""
        @jax.jit
        def f(xs, ys):
            s, previous = jnp.zeros(2), None
            for i in range(24):
                if previous is not None:
                    s = s + previous
                previous = {BODY}
                if i == 7:
                    previous = None
            return s
        """,
        "carry-not-an-array",
    ),
    "a_whole_number_that_becomes_a_float": (
        f"""
        @jax.jit
        def f(xs, ys):
            s = jnp.zeros(2)
            count = jnp.int32(0)
            for i in range(24):
                s = {BODY}
                count = jnp.float32(count + 1)
            return s, count
        """,
        "carry-type-changes",
    ),
    "a_module_that_is_called": (
        """
        import flax.linen as nn

        class Decoder(nn.Module):
            @nn.compact
            def __call__(self, xs: jax.Array):
                cell = nn.GRUCell(8)
                h = jnp.zeros(8)
                out = []
                for x in xs:
                    h, y = cell(h, jnp.sin(x) * jnp.cos(x) + jnp.tanh(h) + jnp.exp(x) * jnp.log(x))
                    y = jnp.sin(y) * jnp.cos(h) + jnp.exp(y) - jnp.tanh(h) * jnp.square(y)
                    out.append(y * jnp.sin(h))
                return jnp.stack(out)
        """,
        "lifted-module",
    ),
    "a_site_of_a_model": (
        """
        import numpyro
        from numpyro import distributions as dist

        @jax.jit
        def f(xs, ys):
            s = jnp.zeros(2)
            for i in range(24):
                s = jnp.sin(s) * jnp.cos(s) + numpyro.sample(f"s_{i}", dist.Normal(s, 1.0))
            return s
        """,
        "handled-call",
    ),
    "a_function_of_the_last_trip": (
        f"""
        @jax.jit
        def f(xs, ys):
            s = jnp.zeros(2)
            for i in range(24):
                s = {BODY}
                shift = lambda u: u + i
            return shift(s)
        """,
        "carry-not-an-array",
    ),
}


@pytest.mark.parametrize(("code", "reason"), LEFT.values(), ids=LEFT.keys())
def test_a_loop_is_left_with_a_reason(rewrite: Rewriting, code: str, reason: str) -> None:
    sample = rewrite(dedent(code).strip() + "\n")
    assert reason in sample.reasons
    assert sample.new == sample.old


def test_a_dict_that_goes_by_another_name_is_left(rewrite: Rewriting) -> None:
    sample = rewrite(
        dedent("""
        @jax.jit
        def f(state, x):
            other = state
            for _ in range(20):
                state["w"] = jnp.tanh(state["w"] * x) + jnp.sin(x) * jnp.cos(x)
            return other["w"]


        @jax.jit
        def g(state, x):
            return helper(state, x), state


        def helper(state, x):
            for _ in range(20):
                state["w"] = jnp.tanh(state["w"] * x) + jnp.sin(x) * jnp.cos(x)
            return state["w"]
        """).lstrip()
    )
    assert sample.new == sample.old


def test_what_a_staged_loop_or_branch_gives_is_returned_in_one_line(rewrite: Rewriting) -> None:
    sample = rewrite(
        dedent("""
        @jax.jit
        def f(key, state, beta):
            for _ in range(20):
                for i in range(state.shape[0]):
                    key, sub = jax.random.split(key)
                    state = state.at[i].add(beta * jax.random.normal(sub))
            return state


        @jax.jit
        def root(c):
            lo, hi = 0.0, 10.0
            for _ in range(40):
                middle = (lo + hi) / 2
                if middle**3 > c:
                    hi = middle
                else:
                    lo = middle
            return lo
        """).lstrip()
    )
    assert "        return lax.fori_loop(0, state.shape[0], loop_body, (key, state))\n" in sample.new
    assert "        return lax.cond(middle**3 > c, lambda: (lo, middle), lambda: (middle, hi))\n" in sample.new
    sample.agree("f", (jax.random.PRNGKey(3), lambda: jnp.arange(4.0), 0.1))
    sample.agree("root", (7.0,), (0.5,))


@pytest.mark.parametrize("step", ["path = [path[-1] * y] + path", "path.insert(0, path[-1] * y)"])
def test_the_last_element_of_a_list_that_grows_at_its_front_is_no_carry(rewrite: Rewriting, step: str) -> None:
    code = (
        f"@jax.jit\ndef f(xs, ys):\n    path = [xs[0]]\n    for y in ys:\n        {step}\n    return jnp.stack(path)\n"
    )
    assert rewrite(code).body == code


def test_an_element_may_be_made_of_the_last_one_of_the_list_it_is_joined_to(rewrite: Rewriting) -> None:
    sample = rewrite(
        "@jax.jit\ndef f(xs, ys):\n    path = [xs[0]]\n    for y in ys:\n"
        "        path = path + [jnp.sin(path[-1]) * y + jnp.cos(y) * path[-1]]\n    return jnp.stack(path)\n"
    )
    assert "lax.scan(" in sample.new
    sample.agree("f", [xs, ys])


SAID = """@jax.jit
def f(xs, ys):
    a, b = [], []

    for i in range(100):
        z = jnp.sin(xs[i])
        # first
        a.append(z * 2)  # doubled

        # second
        b.append(z * ys[i])

    a = jnp.stack(a)
    b = jnp.stack(b)

    return a, b


@jax.jit
def g(xs, ys):
    '''Collects.'''
    a, b = [], []
    s = jnp.zeros(())

    for i in range(100):
        s = s + jnp.sin(xs[i]).sum()
        a.append(s * 2)  # doubled
        s = s * ys[i]
        # second
        b.append(s)

    a = jnp.stack(a)

    b = jnp.stack(b)

    return a, b
"""
STILL_SAID = """@jax.jit
def f(xs, ys):
    def per_example(x, y):
        z = jnp.sin(x)
        # first
        # doubled
        # second
        return z * 2, z * y

    a, b = jax.vmap(per_example)(xs[:100], ys[:100])

    return a, b


@jax.jit
def g(xs, ys):
    '''Collects.'''
    s = jnp.zeros(())

    def step(s, i):
        s = s + jnp.sin(xs[i]).sum()
        output = s * 2  # doubled
        s = s * ys[i]
        # second
        return s, (output, s)

    _, (a, b) = lax.scan(step, s, jnp.arange(100))

    return a, b
"""


def test_comments_at_what_is_appended_stay_and_no_empty_lines_are_left(rewrite) -> None:
    assert rewrite(SAID).body == STILL_SAID


@pytest.mark.parametrize(
    ("step", "code"),
    [
        ("s -= ys[i] * xs[i, 0] / 2", "s - ys[i] * xs[i, 0] / 2"),
        ("s += ys[i] - xs[i, 0]", "s + (ys[i] - xs[i, 0])"),
        ("s *= ys[i] ** 2", "s * ys[i] ** 2"),
        ("s /= ys[i] * 2", "s / (ys[i] * 2)"),
    ],
)
def test_what_is_added_has_parentheses_where_it_needs_them(rewrite, step: str, code: str) -> None:
    sample: Sample = rewrite(
        f"@jax.jit\ndef f(xs, ys):\n    s = jnp.ones((), ys.dtype)\n    for i in range(50):\n        {step}\n    return s\n"
    )
    assert f"        return {code}\n" in sample.body


FORMATTED = {
    "a power of rows": """
        @jax.jit
        def f(xs, ys):
            s, c = jnp.zeros(()), 0.5
            for i in range(len(ys)):
                s = s * jnp.sin(ys[i] + c) + c * ys[i] ** -2
            return s**2
        """,
    "a loop in one that stays": """
        @jax.jit
        def f(xs, ys):
            s = jnp.zeros(())
            for k in range(3):
                for i in range(50):
                    s = jnp.sin(s) + k * jnp.cos(s)
            return s
        """,
    "a loop in one that stays, after a list": """
        @jax.jit
        def f(xs, ys):
            outs = []
            for k in range(3):
                row = []

                for i in range(50):
                    row.append(jnp.sin(xs[i] * k))
                outs.append(jnp.stack(row))
            return outs
        """,
    "a function made in the step": """
        @jax.jit
        def f(xs, ys):
            s, c = jnp.zeros(()), jnp.zeros(())
            for x, y in zip(xs, ys):
                if y > 0:
                    s = s + jnp.sum(x)
                    c = jnp.cos(s)
            return s, c
        """,
    "comments and lists": SAID.replace("'''", '"""'),
}


@pytest.mark.parametrize("code", FORMATTED.values(), ids=FORMATTED)
def test_a_formatted_file_stays_formatted(rewrite, code: str) -> None:
    sample: Sample = rewrite(dedent(code).lstrip())
    assert sample.new != sample.old
    for text in (sample.old, sample.new):
        command = [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length", "88", "-"]
        assert subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout == text


def test_powers_of_rows_are_spelled_as_others_are(rewrite) -> None:
    code = dedent(FORMATTED["a power of rows"]).lstrip()
    assert "c * y**-2" in rewrite(code).new
    assert "c * y ** -2" in rewrite(code.replace("s**2", "s ** 2")).new


MADE = {
    "keys for so many trips": ("keys = jax.random.split(key, 12)", "range(12)", "lax.scan(step, x, keys)"),
    "keys for a named number": ("keys = jax.random.split(key, n)", "range(n)", "lax.scan(step, x, keys)"),
    "from the second one on": ("keys = jax.random.split(key, n)", "range(1, n)", "lax.scan(step, x, keys[1:])"),
    "a number that changes": ("keys = jax.random.split(key, n)\n    n = n - 1", "range(n)", "lax.scan(step, x, keys[:-1])"),
    "more keys than trips": ("keys = jax.random.split(key, 14)", "range(12)", "lax.scan(step, x, keys[:12])"),
    "fewer keys than trips": ("keys = jax.random.split(key, 11)", "range(12)", "lax.fori_loop(0, 12, body, x)"),
}  # fmt: skip


@pytest.mark.parametrize("kind", MADE)
def test_what_is_made_for_so_many_trips_is_gone_over(rewrite, kind: str) -> None:
    made, trips, call = MADE[kind]
    sample = rewrite(
        f"@functools.partial(jax.jit, static_argnames='n')\ndef f(key, x, n):\n    {made}\n"
        f"    for i in {trips}:\n        x = jnp.tanh(x + jax.random.normal(keys[i], x.shape))\n    return x\n",
        head="import functools\nimport jax\nimport jax.numpy as jnp\nfrom jax import lax\n\n\n",
    )
    assert call in sample.new
    assert ("def step(x, key):" in sample.new) == ("scan" in call)
    sample.agree("f", [lambda: jax.random.key(0), lambda: jnp.ones(3), 12])


READ = {
    "the row before": ("range(1, len(xs))", "xs[t - 1]", "xs[:-1]"),
    "the row before, from the end": ("range(1, len(xs))", "xs[-len(xs) + t - 1]", "xs[:-1]"),
    "the row after": ("range(n - 1)", "xs[1 + t]", "xs[1:]"),
    "all but both ends": ("range(1, n - 1)", "xs[t]", "xs[1:-1]"),
    "counted from one": ("range(1, n + 1)", "xs[(t - 1)]", "xs"),
    "counted down, read up": ("range(n - 1, -1, -1)", "xs[n - 1 - t]", "xs"),
    "counted up, read down": ("range(n)", "xs[n - 1 - t]", "xs, reverse=True"),
    "from the last one": ("range(n)", "xs[-1 - t]", "xs, reverse=True"),
    "from the last one, by a sign": ("range(1, n + 1)", "xs[-t]", "xs, reverse=True"),
    "turned round and turned back": ("reversed(range(n))", "xs[-t - 1]", "xs"),
    "all but the first, by a sign": ("range(1, n)", "xs[-t]", "xs[1:], reverse=True"),
    "numbers from below zero": ("range(-1, n - 1)", "xs[t + 1]", "xs"),
    "numbers from beyond the end": ("range(9, n)", "xs[t - 9]", "xs[:-9]"),
    "one that is beyond the end": ("range(n)", "xs[t + 1]", None),
    "one that begins at the end": ("range(n)", "xs[t - 1]", None),
    "every second one": ("range(n)", "xs[2 * t]", None),
    "two rows": ("range(1, n)", "(xs[t] - xs[t - 1])", None),
    "a number beside the row": ("range(n)", "t * xs[t]", None),
    "a length of something else": ("range(len(ys))", "xs[t]", None),
    "a lambda's own number": ("range(n)", "jnp.sum(jax.vmap(lambda t: xs[t])(jnp.arange(2))) + xs[t]", None),
    "a comprehension's own number": ("range(n)", "sum([xs[t] for t in range(2)]) + xs[t]", None),
    "an inner loop's own number": ("range(n)", "xs[t]\n        for t in range(2):\n            s = s + xs[t]", None),
    "a place that the trips move": ("range(n)", "xs[t - n]; n = n + 0", None),
}


@pytest.mark.parametrize("kind", READ)
def test_what_an_index_goes_through_decides_whether_it_reads_rows(rewrite, kind: str) -> None:
    trips, read, over = READ[kind]
    sample = rewrite(
        f"@jax.jit\ndef f(xs, ys):\n    n = xs.shape[0]\n    s = jnp.zeros(())\n"
        f"    for t in {trips}:\n        s = 0.9 * s + {read}\n    return s\n"
    )
    assert (f"lax.scan(step, s, {over})" in sample.new) is (over is not None)
    for length in (0, 1, 2, 5) if over else (3, 5):
        sample.agree("f", [lambda length=length: jnp.arange(float(length)) + 1.0, lambda: jnp.ones(3)])


def test_the_state_of_a_nest_is_returned_without_names(rewrite) -> None:
    sample = rewrite(
        "@jax.jit\ndef f(a, b, x):\n    for _ in range(12):\n        new = jnp.zeros_like(x)\n"
        "        for i in range(12):\n            new = new.at[i].set(b[i] - a[i] @ x + new[i - 1])\n        x = new\n    return x\n"
    )
    assert "        return lax.fori_loop(0, 12, loop_body, new)\n" in sample.body
    sample.agree("f", [lambda: jnp.eye(12) / 3, lambda: jnp.arange(12.0), lambda: jnp.ones(12)])


def test_the_last_of_names_that_are_plural_is_taken_from_all_of_them(rewrite) -> None:
    sample = rewrite(
        "@jax.jit\ndef f(xs, c):\n    for _ in range(12):\n        labels = jnp.argmin((xs - c) ** 2)\n"
        "        c = jnp.tanh(c + xs[labels])\n    return c, labels\n"
    )
    assert "    labels = all_labels[-1]\n" in sample.body
    sample.agree("f", [lambda: jnp.sin(jnp.arange(9.0)), lambda: jnp.ones(()) / 3])


@pytest.mark.parametrize(
    "head", ["(x, y), k in zip(zip(xs, ys), range(60))", "k, (x, y) in zip(range(60), zip(xs, ys))"]
)
def test_zips_inside_others_go_over_all_of_their_rows(rewrite, head: str) -> None:
    sample = rewrite(
        "@jax.jit\ndef f(xs: jax.Array, ys: jax.Array, s):\n"
        f"    for {head}:\n        s = jnp.sin(s) + x * k + jnp.cos(y)\n    return s\n"
    )
    assert "lax.scan(" in sample.body and "for " not in sample.body, sample.body
    rows = lambda: jnp.sin(jnp.arange(120.0)).reshape(60, 2)  # noqa: E731
    few = lambda: rows()[:5]  # noqa: E731
    sample.agree("f", [rows, rows, lambda: jnp.ones(2)], [few, few, lambda: jnp.ones(2)])


def test_the_last_one_of_what_holds_several_values_is_taken_leaf_by_leaf(rewrite: Rewriting) -> None:
    sample = rewrite(
        "@jax.jit\ndef f(v, t):\n    s = t\n    for i in range(40):\n        state = (jnp.sin(s), v * s)\n"
        "        s = jnp.tanh(s * 0.5) + jnp.cos(state[0]) * 0.1\n    return s, state\n"
    )
    assert "lambda leaf: leaf[-1]" in sample.new, sample.new
    sample.agree("f", [lambda: jnp.arange(3.0), lambda: jnp.float32(0.5)])
