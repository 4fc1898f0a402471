"""Loops over examples and scans over nothing: what they become, that it computes the same, and what is left alone."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from textwrap import dedent
from typing import TYPE_CHECKING

import jax.numpy as jnp
import pytest

if TYPE_CHECKING:
    from tests.rewrite.conftest import Sample

    Rewriting = Callable[[str], Sample]


def xs() -> jnp.ndarray:
    return jnp.sin(jnp.arange(24.0)).reshape(12, 2)


def ys() -> jnp.ndarray:
    return jnp.cos(jnp.arange(24.0)).reshape(12, 2)


BATCHES = {
    "a_function_of_rows": (
        """
        def g(x, y):
            return jnp.dot(x, y)


        def f(xs, ys):
            out = []
            for i in range(xs.shape[0]):
                out.append(g(xs[i], ys[i]))
            return jnp.stack(out)
        """,
        "return jax.vmap(g)(xs, ys)",
    ),
    "what_all_rows_of_one_array_are_computed_of_at_once": (
        """
        def f(xs, ys):
            out = []
            for i in range(1, len(xs) - 1):
                out.append(jnp.abs(xs[i + 1] - 2 * xs[i]) + jnp.where(xs[i - 1] > 0, xs[i - 1], 0.0))
            return jnp.stack(out)
        """,
        "jnp.abs(xs[2:] - 2 * xs[1:-1]) + jnp.where(xs[:-2] > 0, xs[:-2], 0.0)",
    ),
    "rows_beside_each_other": (
        """
        def f(xs, ys):
            out = []
            for i in range(1, xs.shape[0]):
                out.append(jnp.dot(xs[i], xs[i - 1]) + ys[0, 0])
            return jnp.stack(out)
        """,
        "jax.vmap(lambda x, x_prev: jnp.dot(x, x_prev) + ys[0, 0])(xs[1:], xs[:-1])",
    ),
    "the_row_before_the_first_is_the_last": (
        """
        def f(xs, ys):
            out = []
            for i in range(xs.shape[0]):
                out.append(xs[i] - xs[i - 1])
            return jnp.stack(out)
        """,
        "jax.vmap(lambda i: xs[i] - xs[i - 1])(jnp.arange(xs.shape[0]))",
    ),
    "a_row_beside_an_array_of_unknown_shape": (
        """
        def f(xs, ys):
            out = []
            for x in xs:
                out.append(x * ys[:, :1])
            return jnp.stack(out)
        """,
        "jax.vmap(lambda x: x * ys[:, :1])(xs)",
    ),
    "what_is_shared_is_not_mapped": (
        """
        def f(xs, ys):
            out = []
            for x in xs:
                out.append(jnp.convolve(x, ys.sum(axis=0), mode="same"))
            return jnp.stack(out)
        """,
        'jax.vmap(lambda x: jnp.convolve(x, ys.sum(axis=0), mode="same"))(xs)',
    ),
    "a_shared_argument": (
        """
        def f(xs, ys):
            w = ys.sum(axis=0)
            out = []
            for x in xs:
                out.append(jnp.dot(x, w))
            return jnp.array(out)
        """,
        "jax.vmap(jnp.dot, in_axes=(0, None))(xs, w)",
    ),
    "columns": (
        """
        @jax.jit
        def f(xs, ys):
            out = []
            for i in range(xs.shape[1]):
                out.append(jnp.convolve(xs[:, i], ys[:, i], mode="same"))
            return jnp.stack(out, axis=1)
        """,
        'lambda x, y: jnp.convolve(x, y, mode="same"), in_axes=1, out_axes=1\n    )(xs, ys)',
    ),
    "several_statements": (
        """
        @jax.jit
        def f(xs, ys):
            out = []
            for x, y in zip(xs, ys):
                # the angle between the two
                d = jnp.dot(x, y)
                out.append(d / jnp.linalg.norm(x))
            out = jnp.stack(out)
            return out * 2
        """,
        "out = jax.vmap(per_example)(xs[: len(ys)], ys[: len(xs)])",
    ),
    "two_lists": (
        """
        @jax.jit
        def f(xs, ys):
            n = xs.shape[0]
            lows, highs = [], []
            for i in range(n):
                x = xs[i] * ys[i]
                lows.append(x.min())
                highs.append(x.max())
            return jnp.stack(lows), jnp.stack(highs)
        """,
        "lows, highs = jax.vmap(per_example)(xs, ys)",
    ),
    "the_index_as_a_number": (
        """
        @jax.jit
        def f(xs, ys):
            out = []
            for i in range(xs.shape[0]):
                out.append(jnp.sin(xs[i]) * i + ys[0])
            return jnp.stack(out)
        """,
        "(jnp.arange(xs.shape[0]))",
    ),
    "a_table_of_another_length": (
        """
        @jax.jit
        def f(xs, ys):
            out = []
            for i in range(11):
                out.append(jnp.dot(xs[i], xs[i]) + ys[0])
            return jnp.stack(out)
        """,
        "(xs[:11])",
    ),
    "a_comprehension": (
        """
        def f(xs, ys):
            return jnp.stack([jnp.dot(x, y) for x, y in zip(xs, ys)])
        """,
        "return jax.vmap(jnp.dot)(xs[: len(ys)], ys[: len(xs)])",
    ),
    "rows_by_their_numbers": (
        """
        def f(xs, ys):
            xs, order = jnp.asarray(xs), jnp.argsort(ys[:, 0])
            return jnp.stack([xs[i] for i in order])
        """,
        "return xs[order]",
    ),
    "numbers_of_each_row": (
        """
        def f(xs, ys):
            both = jnp.stack([xs, ys], axis=1)
            return jnp.array([row[0, -1] for row in both])
        """,
        "return both[:, 0, -1]",
    ),
    "a_comprehension_over_an_index": (
        """
        def f(xs, ys):
            return jnp.array([jnp.outer(xs[i], ys[i]) for i in range(len(xs))])
        """,
        "return jax.vmap(jnp.outer)(xs, ys)",
    ),
    "numbers_under_a_trace": (
        """
        @jax.jit
        def f(xs, ys):
            out = []
            for i in range(12):
                out.append(jnp.sin(xs[i] * i) + ys[0])
            return jnp.stack(out)
        """,
        "return jax.vmap(lambda i: jnp.sin(xs[i] * i) + ys[0])(jnp.arange(12))",
    ),
    "a_comprehension_of_numbers_that_has_a_name": (
        """
        @jax.jit
        def f(xs, ys):
            terms = [jnp.sum(xs[i] * ys[0]) for i in range(len(xs))]
            return jnp.mean(jnp.array(terms)), jnp.stack(terms)
        """,
        "return jnp.mean(terms), terms",
    ),
    "an_array_filled_on_the_host": (
        """
        def f(xs, ys):
            out = jnp.zeros(xs.shape[0])
            for i in range(xs.shape[0]):
                y = jnp.dot(xs[i], ys[i])
                out = out.at[i].set(y)
            return out
        """,
        "out = jax.vmap(per_example)(xs, ys)",
    ),
    "an_element_over_several_lines": (
        """
        def f(xs, ys):
            out = []
            for x in xs:
                y = jnp.sin(x)
                out.append(
                    jnp.maximum(y, jnp.cos(x)).sum() * jnp.minimum(y, jnp.tan(x)).sum()
                    + jnp.maximum(y, 0.5).sum()
                )
            return jnp.stack(out)
        """,
        "        return (\n            jnp.maximum(y, jnp.cos(x))",
    ),
    "a_function_that_is_not_known": (
        """
        @jax.jit
        def f(xs, ys, model=jnp.tanh):
            out = []
            for i in range(xs.shape[0]):
                out.append(model(xs[i]))
            return jnp.stack(out)
        """,
        "return jax.vmap(model)(xs)",
    ),
}


def arrays(code: str) -> str:
    """The code with what makes its parameters known as arrays."""
    return dedent(code).lstrip().replace("def f(xs, ys):", "def f(xs: jax.Array, ys: jax.Array):")


@pytest.mark.parametrize(("code", "expected"), BATCHES.values(), ids=BATCHES)
def test_a_batch_computes_the_same(code: str, expected: str, rewrite: Rewriting) -> None:
    sample = rewrite(arrays(code))
    assert sample.codes in (["unbatched-loop"], ["unbatched-comprehension"])
    assert expected in sample.new
    sample.agree("f", [xs, ys])


@pytest.mark.parametrize("code", [code for code, _ in BATCHES.values()], ids=BATCHES)
def test_a_formatted_file_stays_formatted(code: str, rewrite: Rewriting) -> None:
    sample = rewrite(arrays(code))
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length", "88", "-"]
    done = subprocess.run(command, input=sample.new, capture_output=True, text=True, check=True)
    assert done.stdout == sample.new


def test_a_window_moves_with_the_index(rewrite: Rewriting) -> None:
    code = """
    @jax.jit
    def f(x, w):
        out = []
        for i in range(1, len(x) - 1):
            out.append(jnp.dot(x[i - 1 : i + 2], w))
        return jnp.array(out)
    """
    sample = rewrite(dedent(code).lstrip())
    assert "lax.dynamic_slice_in_dim(x, i - 1, 3)" in sample.new
    sample.agree("f", [lambda: jnp.arange(9.0) ** 0.5, lambda: jnp.array([2.0, 3.0, 5.0])])


WINDOWS = {
    "in_two_axes": (
        """
        @jax.jit
        def f(x):
            h, w = x.shape
            rows = []
            for i in range(h // 2):
                row = []
                for j in range(w // 2):
                    row.append(x[2 * i : 2 * i + 2, 2 * j : 2 * j + 2].max())
                rows.append(jnp.stack(row))
            return jnp.stack(rows)
        """,
        "lax.dynamic_slice(x, (2 * i, 2 * j), (2, 2))",
    ),
    "along_the_last_axis": (
        """
        @jax.jit
        def f(x):
            out = []
            for t in range(x.shape[1] - 2):
                out.append(x[:, t : t + 3].mean(axis=1))
            return jnp.stack(out)
        """,
        "lax.dynamic_slice_in_dim(x, t, 3, axis=1)",
    ),
    "of_one_row": (
        """
        @jax.jit
        def f(x):
            total = jnp.zeros(3)
            for i in range(x.shape[0]):
                for t in range(x.shape[1] - 3):
                    total = jnp.sin(total) + x[i, t : t + 3]
            return total
        """,
        "lax.dynamic_slice_in_dim(x_i, t, 3)",
    ),
    "as_many_as_an_array_was_made_for": (
        """
        @jax.jit
        def f(x):
            y = jnp.zeros((x.shape[0] - 2, 6))
            for i in range(y.shape[0]):
                y = y.at[i].set(x[i : i + 3].sum(axis=0))
            return y
        """,
        "lax.dynamic_slice_in_dim(x, i, 3)",
    ),
    "of_what_is_padded_by_half_of_it": (
        """
        @jax.jit
        def f(x, k=4):
            h, w = x.shape
            half = k // 2
            p = jnp.pad(x, half, mode="edge")
            out = jnp.zeros_like(x)
            for i in range(h):
                for j in range(w):
                    out = out.at[i, j].set(jnp.median(p[i : i + k, j : j + k]))
            return out
        """,
        "jnp.median(lax.dynamic_slice(p, (i, j), (k, k)))",
    ),
    "of_an_array_that_was_bound_before_under_its_name": (
        """
        @jax.jit
        def f(x):
            x = jnp.sin(x)
            x = jnp.concatenate([x[:1], x])
            out = []
            for i in range(x.shape[0] - 2):
                out.append(x[i : i + 3].mean(axis=0))
            return jnp.stack(out)
        """,
        "lax.dynamic_slice_in_dim(x, i, 3)",
    ),
    "which_ends_where_the_range_is": (
        """
        @jax.jit
        def f(x, size=3):
            out = []
            for i in range(size, len(x) + 1):
                rows = x[i - size : i]
                out.append(rows[-1] - rows.mean())
            return jnp.stack(out)
        """,
        "lax.dynamic_slice_in_dim(x, i - size, size)",
    ),
    "into_which_rows_are_added": (
        """
        @jax.jit
        def f(x):
            n_frames, n = x.shape
            hop = n // 2
            out = jnp.zeros(hop * (n_frames - 1) + n)
            for i in range(n_frames):
                out = out.at[i * hop : i * hop + n].add(jnp.sin(x[i]))
            return out
        """,
        "out.at[i * hop + jnp.arange(n)].add(jnp.sin(",
    ),
    "whose_columns_are_set": (
        """
        @jax.jit
        def f(x):
            out = jnp.zeros((6, 14))
            row = x[0]
            for i in range(x.shape[0]):
                row = jnp.cos(row + x[i])
                out = out.at[:, 2 * i : 2 * i + 2].set(row[:, None])
            return out
        """,
        "out.at[:, 2 * i + jnp.arange(2)].set(",
    ),
}


@pytest.mark.parametrize(("code", "expected"), WINDOWS.values(), ids=WINDOWS)
def test_a_window_moves_among_other_indices(code: str, expected: str, rewrite: Rewriting) -> None:
    sample = rewrite(dedent(code).lstrip())
    assert expected in sample.new
    sample.agree("f", [lambda: jnp.sin(jnp.arange(42.0)).reshape(7, 6)])


def test_a_window_that_may_start_before_its_array_is_left(rewrite: Rewriting) -> None:
    sample = rewrite(
        "@jax.jit\ndef f(x):\n    y = jnp.zeros(30)\n    for i in range(x.shape[0]):\n"
        "        y = y.at[i - 2 : i + 1].add(jnp.sin(x[i]))\n    return y\n"
    )
    assert sample.reasons == ["negative-start"]


@pytest.mark.parametrize(
    "lengths",
    ["n, k = x.shape[0], 3", "n, k = len(x), len(w)", "(n,), (k,) = x.shape, w.shape", "n: int = len(x)\n    k = 3"],
)
def test_lengths_are_bound_together(lengths: str, rewrite: Rewriting) -> None:
    sample = rewrite(
        f"@jax.jit\ndef f(x: jax.Array, w: jax.Array):\n    {lengths}\n    out = []\n"
        "    for i in range(n - k + 1):\n        out.append(jnp.sum(x[i : i + k] * w))\n    return jnp.stack(out)\n"
    )
    assert "jax.vmap(lambda i: jnp.sum(lax.dynamic_slice_in_dim(x, i, k) * w))" in sample.new
    sample.agree("f", [lambda: jnp.sin(jnp.arange(12.0)), lambda: jnp.arange(3.0)])


RUNS_OVER = {
    "lengths_that_change_places": "def f(x, w):\n    n, k = len(x), 3\n    n, k = k, n\n    out = []\n    for i in range(k):\n        out.append(x[i : i + n].max())\n    return jnp.stack(out)\n",
    "another_axis": "def f(x, n):\n    out = []\n    for i in range(x.shape[0]):\n        out.append(x[:, i : i + 3].max())\n    return jnp.stack(out)\n",
    "a_margin_that_is_too_small": "def f(x, k):\n    p = jnp.pad(x, k // 3)\n    out = []\n    for i in range(x.shape[0]):\n        out.append(p[i : i + k].max())\n    return jnp.stack(out)\n",
    "a_length_from_before_the_array_is_cut": "def f(x):\n    n = x.shape[0]\n    x = x[1:]\n    out = []\n    for i in range(n - 2):\n        out.append(x[i : i + 3].max())\n    return jnp.stack(out)\n",
    "an_array_that_gets_shorter": "def f(x):\n    out = []\n    for i in range(x.shape[0] - 2):\n        out.append(x[i : i + 3].max())\n        x = x[:-1]\n    return jnp.stack(out)\n",
}  # fmt: skip


@pytest.mark.parametrize("code", RUNS_OVER.values(), ids=RUNS_OVER)
def test_a_window_that_may_run_over_is_left(code: str, rewrite: Rewriting) -> None:
    sample = rewrite(f"@jax.jit\n{code}")
    assert sample.reasons == ["slice-may-run-over"]


SUMMED = {
    "the sum of a window": ("out.append(x[i : i + 3].sum())", "x.at[i + jnp.arange(3)].get(mode=\"fill\", fill_value=0).sum()"),
    "along its axis": ("out.append(jnp.sum(x[i : i + 3], axis=0).max())", "x.at[i + jnp.arange(3)].get("),
    "along another axis": ("out.append(jnp.prod(x[:, i : i + 3], axis=1))", "x.at[:, i + jnp.arange(3)].get(mode=\"fill\", fill_value=1)"),
    "all to the end": ("out.append(jnp.any(x[i:]) + x[i:].sum())", "x.at[i + jnp.arange(len(x))].get("),
    "beside a number": ("out.append(x[i : i + 4, 1].sum())", "x.at[i + jnp.arange(4), 1].get("),
}  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), SUMMED.values(), ids=SUMMED)
def test_a_window_that_is_summed_is_filled_with_what_counts_for_nothing(
    body: str, expected: str, rewrite: Rewriting
) -> None:
    code = f"@jax.jit\ndef f(x):\n    out = []\n    for i in range(x.shape[0]):\n        {body}\n    return jnp.stack(out)\n"
    sample = rewrite(code)
    assert expected in sample.new
    sample.agree("f", [lambda: jnp.sin(jnp.arange(42.0)).reshape(7, 6)])


NOT_FILLED = {
    "another axis is summed": "x[i : i + 3].sum(1).max()",
    "a mean": "x[i : i + 3].mean()",
    "a start": "jnp.sum(x[i : i + 3], initial=1.0)",
    "a start below 0": "x[i - 1 : i + 2].sum()",
}


@pytest.mark.parametrize("read", NOT_FILLED.values(), ids=NOT_FILLED)
def test_a_window_of_which_more_is_made_is_left(read: str, rewrite: Rewriting) -> None:
    code = f"@jax.jit\ndef f(x):\n    out = []\n    for i in range(x.shape[0]):\n        out.append({read})\n    return jnp.stack(out)\n"
    assert rewrite(code).reasons[0] in ("slice-may-run-over", "negative-start")


UNTOUCHED = {
    "a_carry": "out = []\n    h = ys[0]\n    for x in xs:\n        h = jnp.tanh(h + x)\n        out.append(h)\n    return jnp.stack(out)",
    "a_list_of_arrays": "out = []\n    for x in [xs, ys]:\n        out.append(x.sum())\n    return jnp.stack(out)",
    "few_trips": "out = []\n    for i in range(3):\n        out.append(jnp.sin(xs[i]))\n    return jnp.stack(out)",
    "numpy": "out = []\n    for x in xs:\n        out.append(np.sort(x))\n    return jnp.stack(out)",
    "printing": "out = []\n    for x in xs:\n        print(x)\n        out.append(jnp.sin(x))\n    return jnp.stack(out)",
    "a_python_number_per_example": "return [float(x.sum()) for x in xs]",
    "numpy_on_each_example": "return jnp.array([float(np.median(x)) for x in xs])",
    "no_function_at_all": "return jnp.stack([x for x in xs])",
    "a_filter": "return jnp.stack([x for x in xs if x.sum() > 0])",
    "a_branch_on_each_example": "return jnp.stack([g(x) for x in xs])",
}


@pytest.mark.parametrize("body", UNTOUCHED.values(), ids=UNTOUCHED)
def test_the_host_is_left_alone(body: str, rewrite: Rewriting) -> None:
    head = "import numpy as np\n\n\ndef g(x):\n    if x.sum() > 0:\n        return x\n    return -x\n\n\n"
    sample = rewrite(f"{head}def f(xs: jax.Array, ys: jax.Array):\n    {body}\n")
    assert not {"unbatched-loop", "unbatched-comprehension"} & set(sample.codes)


STEP = "    def step(carry, _):\n        return jnp.sin(carry), carry\n\n"

SCANS = {
    "zeros": ("return lax.scan(step, x, jnp.zeros(7))", "lax.scan(step, x, None, length=7)"),
    "rows_of_zeros": ("return lax.scan(step, x, jnp.ones((7, 2)))", "lax.scan(step, x, None, length=7)"),
    "a_range": ("return lax.scan(step, x, xs=jnp.arange(7))", "lax.scan(step, x, xs=None, length=7)"),
    "nothing_repeated": ("return lax.scan(step, x, [None] * 7, length=7)", "lax.scan(step, x, None, length=7)"),
    "under_a_name": (
        "dummy = jnp.zeros(7)\n    return lax.scan(step, x, dummy)",
        "    return lax.scan(step, x, None, length=7)",
    ),
    "an_option_after": (
        "return lax.scan(step, x, jnp.zeros(7), unroll=2)",
        "lax.scan(step, x, None, unroll=2, length=7)",
    ),
    "a_line_that_gets_too_long": (
        "last_state, every_state = lax.scan(step, x, jnp.zeros(7), unroll=1 + x.size // 256)\n    return last_state, every_state",
        "lax.scan(\n        step, x, None, unroll=1 + x.size // 256, length=7\n    )\n",
    ),
}


@pytest.mark.parametrize(("code", "expected"), SCANS.values(), ids=SCANS)
def test_a_scan_over_nothing(code: str, expected: str, rewrite: Rewriting) -> None:
    sample = rewrite(f"@jax.jit\ndef f(x):\n{STEP}    {code}\n")
    assert sample.codes == ["dummy-xs"]
    assert expected in sample.new
    assert "dummy" not in sample.new
    if "[None]" not in code:
        sample.agree("f", [lambda: jnp.asarray(0.5, float)])


STEPS = {
    "by_keywords_alone": ("lax.scan(f=step, xs=jnp.arange(7), init=x)", "lax.scan(f=step, xs=None, init=x, length=7)"),
    "checkpointed": (
        "lax.scan(jax.checkpoint(step), x, jnp.arange(7))",
        "lax.scan(jax.checkpoint(step), x, None, length=7)",
    ),
    "checkpointed_under_its_own_name": (
        "lax.scan(again, x, jnp.arange(7))",
        "    again = jax.remat(again)\n    return lax.scan(again, x, None, length=7)",
    ),
    "a_second_name": ("lax.scan(other, x, jnp.arange(7))", "lax.scan(other, x, None, length=7)"),
    "a_lambda_in_a_wrapper": (
        "lax.scan(jax.jit(lambda c, _: (jnp.sin(c), c)), x, jnp.arange(7))",
        "lax.scan(jax.jit(lambda c, _: (jnp.sin(c), c)), x, None, length=7)",
    ),
    "the_first_argument_is_given": (
        "lax.scan(partial(scaled, 2.0), x, jnp.arange(7))",
        "lax.scan(partial(scaled, 2.0), x, None, length=7)",
    ),
    "a_later_argument_is_given_by_name": (
        "lax.scan(partial(damped, by=0.5), x, jnp.arange(7))",
        "lax.scan(partial(damped, by=0.5), x, None, length=7)",
    ),
    "a_default_for_what_the_scan_does_not_hand": (
        "lax.scan(damped, x, jnp.arange(7))",
        "lax.scan(damped, x, None, length=7)",
    ),
}
GIVEN = f"""from functools import partial


def scaled(weight, carry, _):
    return weight * jnp.sin(carry), carry


def damped(carry, _, by=0.1):
    return carry * by, carry


@jax.jit
def f(x):
{STEP}    def again(carry, _):
        return jnp.cos(carry), carry

    other = step
    again = jax.remat(again)
    return """


@pytest.mark.parametrize(("code", "expected"), STEPS.values(), ids=STEPS)
def test_the_step_of_a_scan_over_nothing(code: str, expected: str, rewrite: Rewriting) -> None:
    sample = rewrite(f"{GIVEN}{code}\n")
    assert sample.codes == ["dummy-xs"]
    assert expected in sample.new
    sample.agree("f", [lambda: jnp.asarray(0.5, float)])


def test_a_second_parameter_that_is_added_to_is_read(rewrite: Rewriting) -> None:
    step = "    def step(carry, count):\n        count += 1.0\n        return carry * 0.5, carry\n\n"
    sample = rewrite(f"def f(x):\n{step}    return lax.scan(step, x, jnp.arange(7))\n")
    assert sample.new == sample.old


def test_a_second_parameter_may_be_bound_anew(rewrite: Rewriting) -> None:
    step = "    def step(carry, _):\n        value, _ = jnp.frexp(carry)\n        return jnp.sin(value), carry\n\n"
    sample = rewrite(f"def f(x):\n{step}    return lax.scan(step, x, jnp.arange(7))\n")
    assert "lax.scan(step, x, None, length=7)" in sample.new
    sample.agree("f", [lambda: jnp.float32(0.5)])


READ = {
    "a_step_that_reads_it": "    def step(carry, t):\n        return carry + t, None\n\n    return lax.scan(step, x, jnp.arange(7.0))",
    "an_array_that_is_used_elsewhere": f"{STEP}    ts = jnp.zeros(7)\n    return lax.scan(step, x, ts), ts",
    "an_array_of_unknown_shape": f"{STEP}    return lax.scan(step, x, jnp.zeros(shape))",
    "a_range_of_floats": f"{STEP}    return lax.scan(step, x, jnp.arange(0.0, 7.0))",
    "the_first_argument_is_given_and_the_third_is_read": (
        "    def step(weight, carry, t):\n        return weight * carry + t, None\n\n"
        "    return lax.scan(functools.partial(step, 2.0), x, jnp.arange(7.0))"
    ),
    "one_of_two_functions": (
        f"{STEP}    if x.ndim:\n        def step(carry, t):\n            return carry + t, carry\n\n"
        "    return lax.scan(jax.checkpoint(step), x, jnp.arange(7.0))"
    ),
    "a_name_that_is_bound_again_before_a_call": (
        f"{STEP}    def run():\n        return lax.scan(step, x, jnp.arange(7.0))\n\n"
        "    def timed(carry, t):\n        return carry + t, carry\n\n    step = timed\n    return run()"
    ),
    "a_name_that_wraps_itself": (
        "    for _ in range(2):\n        step = jax.checkpoint(step)\n    return lax.scan(step, x, jnp.arange(7.0))"
    ),
    "given_arguments_that_are_not_seen": (
        "    def step(a, carry, t):\n        return a * carry, None\n\n"
        "    return lax.scan(functools.partial(step, *shape), x, jnp.arange(7.0))"
    ),
    "a_function_that_calls_it_in_another_way": (
        f"{STEP}    return lax.scan(jax.vmap(step, in_axes=(None, 0)), x, jnp.arange(7.0))"
    ),
}


@pytest.mark.parametrize("code", READ.values(), ids=READ)
def test_a_scan_is_left_alone(code: str, rewrite: Rewriting) -> None:
    sample = rewrite(f"import functools\n\n\n@jax.jit\ndef f(x, shape=(3,)):\n{code}\n")
    assert sample.codes == []


LIMITED = """@jax.jit
def f(xs, ys):
    out = []
    for i in range(len(xs)):
        s = jnp.zeros(())
        for j in range({bounds}):
            s = s + xs[j] * jnp.cos(xs[i] - xs[j])
        out.append(s / max(1, min(i, 4)))
    return jnp.stack(out)
"""


@pytest.mark.parametrize(
    ("bounds", "loop"),
    [
        ("i", "lax.fori_loop(0, i, body, s)"),
        (
            "max(0, i - 2), min(len(xs), i + 3)",
            "lax.fori_loop(jnp.maximum(0, i - 2), jnp.minimum(len(xs), i + 3), body, s)",
        ),
    ],
)
def test_each_example_may_make_trips_of_its_own(rewrite: Rewriting, bounds: str, loop: str) -> None:
    sample = rewrite(LIMITED.format(bounds=bounds))
    assert loop in sample.new and "jnp.maximum(1, jnp.minimum(i, 4))" in sample.new, sample.new
    sample.agree("f", [lambda: jnp.linspace(-1.0, 2.0, 9), None])


ROWS = {
    "each has the name that the loop gives it": (
        "        x = xs[i]\n        y = ys[i]\n        d = x - y\n        out.append(jnp.dot(d, d))\n",
        "    def per_example(x, y):\n        d = x - y\n        return jnp.dot(d, d)\n\n    return jax.vmap(per_example)(xs, ys)\n",
    ),
    "and nothing else is left to do first": (
        "        x = xs[i]\n        out.append(jnp.sin(x).sum())\n",
        "    return jax.vmap(lambda x: jnp.sin(x).sum())(xs)\n",
    ),
    "it is read by its place too": (
        "        x = xs[i]\n        y = jnp.sin(x)\n        out.append(y @ xs[i])\n",
        "    def per_example(x):\n        y = jnp.sin(x)\n        return y @ x\n",
    ),
    "a name that is bound again": (
        "        x = xs[i]\n        x = x * 2\n        out.append(x @ x)\n",
        "    def per_example(x):\n        x = x * 2\n        return x @ x\n",
    ),
    "a name that is bound again, beside the place": (
        "        x = xs[i]\n        x = x * 2\n        out.append(x @ xs[i])\n",
        "    def per_example(row):\n        x = row\n        x = x * 2\n        return x @ row\n",
    ),
    "one name for two": (
        "        x = xs[i]\n        s = x.sum()\n        x = ys[i]\n        out.append(s * x)\n",
        "    def per_example(x, y):\n        s = x.sum()\n        x = y\n        return s * x\n",
    ),
}


@pytest.mark.parametrize("kind", ROWS)
def test_rows_are_called_what_the_loop_calls_them(rewrite, kind: str) -> None:
    body, new = ROWS[kind]
    sample = rewrite(
        f"@jax.jit\ndef f(xs, ys):\n    out = []\n    for i in range(xs.shape[0]):\n{body}    return jnp.stack(out)\n"
    )
    assert new in sample.body
    xs = jnp.arange(36.0).reshape(12, 3) / 7
    sample.agree("f", [xs, jnp.cos(xs)])


def test_rows_of_a_scan_are_called_what_the_loop_calls_them(rewrite) -> None:
    sample = rewrite(
        "@jax.jit\n"
        "def f(xs):\n"
        "    h = jnp.zeros(3)\n"
        "    for i in range(xs.shape[0]):\n"
        "        # one of them\n"
        "        x = xs[i]\n"
        "        h = jnp.tanh(h + x) * x[0]\n"
        "    return h, x\n"
    )
    assert "    def step(h, x):\n        h = jnp.tanh(h + x) * x[0]\n        return h, x\n" in sample.body
    assert "# one of them\n" in sample.body
    sample.agree("f", [jnp.arange(36.0).reshape(12, 3) / 7])


LAST = {
    "as it is written": ("range(x.shape[-1])", "x[..., i]", "in_axes=-1, out_axes=-1)(x)"),
    "by a name": ("range(m)", "x[:, i]", "in_axes=1, out_axes=-1)(x)"),
    "by a name, from the back": ("range(m)", "x[..., i]", "in_axes=-1, out_axes=-1)(x)"),
    "of another axis": ("range(n)", "x[..., i]", "in_axes=-1, out_axes=-1)(x[..., :n])\n"),
}


@pytest.mark.parametrize("kind", LAST)
def test_the_last_axis_is_whole_where_its_length_is_counted(rewrite, kind: str) -> None:
    trips, row, new = LAST[kind]
    sample = rewrite(
        "@jax.jit\ndef f(x):\n    n, m = x.shape\n    out = []\n"
        f"    for i in {trips}:\n        out.append({row} - {row}.mean())\n    return jnp.stack(out, axis=-1)\n"
    )
    assert new in sample.body
    sample.agree("f", [jnp.sin(jnp.arange(156.0)).reshape(12, 13)])


COLLECTED = {
    "tuples, part by part": (
        "out.append((jnp.sin(h), jnp.cos(h)))",
        "return jnp.stack([p[0] for p in out]), jnp.stack([p[1] for p in out])",
        "        return jnp.sin(h), jnp.cos(h)\n\n    out = jax.vmap(per_example)(xs)\n    return out[0], out[1]\n",
    ),
    "tuples of one": (
        "out.append((jnp.sin(h),))",
        "return jnp.stack([p[0] for p in out])",
        "        return (jnp.sin(h),)\n",
    ),
    "tuples with a name, taken apart": (
        "pair = jnp.sin(h), jnp.cos(h)\n        out.append(pair)",
        "a, b = zip(*out)\n    return jnp.stack(a), jnp.stack(b)",
        "    out = jax.vmap(per_example)(xs)\n    a, b = out\n    return a, b\n",
    ),
    "dicts, leaf by leaf": (
        'out.append({"s": jnp.sin(h), "c": jnp.cos(h)})',
        "return jax.tree.map(lambda *leaves: jnp.stack(leaves), *out)",
        '        return {"s": jnp.sin(h), "c": jnp.cos(h)}\n\n    out = jax.vmap(per_example)(xs)\n    return out\n',
    ),
    "what is the same for all": (
        "out.append(jnp.sin(h))\n        same.append(v)",
        "return jnp.stack(out), jnp.stack(same)",
        "        return jnp.sin(h), v\n\n    out, same = jax.vmap(per_example)(xs)\n",
    ),
    "a sum": ("out.append(jnp.sin(h))", "return sum(out)", "return jnp.sum(out, axis=0)\n"),
    "a mean": (
        "out.append(jnp.sin(h) + jnp.exp(-h))",
        "return sum(out) / len(out)",
        "    out = jax.vmap(per_example)(xs)\n    return jnp.sum(out, axis=0) / len(out)\n",
    ),
}


@pytest.mark.parametrize("kind", COLLECTED)
def test_what_is_made_of_each_example_is_collected_in_any_form(rewrite, kind: str) -> None:
    append, last, new = COLLECTED[kind]
    sample = rewrite(
        "@jax.jit\ndef f(xs, v):\n    out, same = [], []\n    for x in xs:\n"
        f"        h = jnp.tanh(x) * 2\n        {append}\n    {last}\n"
    )
    assert sample.codes == ["unbatched-loop"]
    assert new in sample.body
    sample.agree("f", [jnp.arange(36.0).reshape(12, 3) / 7, jnp.ones(2)])


@pytest.mark.parametrize(
    ("head", "last", "new"),
    [
        ("for x in xs:", "return jnp.stack(ys), y", "    _, ys = lax.scan(step, None, xs)\n    y = ys[-1]\n    return ys, y\n"),
        ("for i, x in enumerate(xs):", "return jnp.stack(ys), i", "    i = len(xs) - 1\n    return ys, i\n"),
    ],
)  # fmt: skip
def test_what_is_read_after_a_batch_is_not_stacked_twice(rewrite, head: str, last: str, new: str) -> None:
    sample = rewrite(
        f"@jax.jit\ndef f(xs):\n    ys = []\n    {head}\n        y = jnp.sin(x) * jnp.cos(x)\n        ys.append(y)\n    {last}\n"
    )
    assert sample.codes == ["unrolled-collect"]
    assert new in sample.body
    sample.agree("f", [jnp.arange(36.0).reshape(12, 3) / 7])


def test_a_list_of_what_each_example_gives_that_stays_a_list_is_left_alone(rewrite) -> None:
    code = "@jax.jit\ndef f(xs):\n    out = []\n    for x in xs:\n        out.append((jnp.sin(x), jnp.cos(x)))\n    return out\n"
    assert rewrite(code).new.endswith(code)


@pytest.mark.parametrize(
    ("body", "piece"),
    [
        ("out.append((x.sum(), x.max()))", "jax.vmap(lambda x: jnp.array([x.sum(), x.max()]))(xs)"),
        ("out.append([x.sum(), x.max()])", "jax.vmap(lambda x: jnp.array([x.sum(), x.max()]))(xs)"),
        ("s = s * 0.5 + x\n        out.append((s.sum(), s[0]))", "        return s, jnp.array([s.sum(), s[0]])"),
    ],
    ids=["tuples", "lists", "beside a state"],
)
@pytest.mark.parametrize("end", ["return jnp.array(out)", "out = jnp.asarray(out)\n    return out.T, out[0]"])
def test_groups_of_values_that_become_one_array_are_arrays(rewrite, body: str, piece: str, end: str) -> None:
    sample = rewrite(
        f"@jax.jit\ndef f(xs):\n    s, out = jnp.zeros(3), []\n    for i in range(xs.shape[0]):\n        x = xs[i]\n        {body}\n    {end}\n"
    )
    assert piece in sample.new and "append" not in sample.new, sample.new
    sample.agree("f", [lambda: jnp.arange(12.0).reshape(4, 3)])


@pytest.mark.parametrize("end", ["return jnp.array(out), out[-1]", "return jnp.stack([o[0] for o in out])"])
def test_groups_of_values_that_are_read_by_themselves_stay_tuples(rewrite, end: str) -> None:
    sample = rewrite(
        f"@jax.jit\ndef f(xs):\n    out = []\n    for i in range(len(xs)):\n        out.append((xs[i].sum(), xs[i].max()))\n    {end}\n"
    )
    assert "jnp.array([" not in sample.new, sample.new


@pytest.mark.parametrize(
    ("array", "index", "name"), [("xs", "i", "x"), ("obs", "t", "obs_t"), ("v", "k", "v_k"), ("v", "number", "v_row")]
)
def test_what_is_read_of_an_array_is_named_after_it(rewrite, array: str, index: str, name: str) -> None:
    sample = rewrite(
        f"@jax.jit\ndef f({array}, s):\n    for {index} in range({array}.shape[0]):\n        s = jnp.sin(s) + {array}[{index}]\n    return s\n"
    )
    assert f"def step(s, {name}):" in sample.new, sample.new
