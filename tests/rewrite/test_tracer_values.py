"""Operators, builtins and casts of tracers: what is written for them, and that both versions give the same."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import pytest

HOST = "import math\n\nimport jax\nimport jax.numpy as jnp\nimport numpy as np\n\n\n"
NAN = jnp.float32(jnp.nan)
PAIRS = [(jnp.float32(a), jnp.float32(b)) for a, b in [(1, 2), (2, 1), (-3, 0.5), (0, 0), (0.5, -1)]]
WITH_NAN = [*PAIRS, (NAN, jnp.float32(1)), (jnp.float32(1), NAN), (NAN, NAN)]


def function(body: str) -> str:
    return f"@jax.jit\ndef f(x, y):\n    {body}\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("x > 0 and y > 0", "jnp.logical_and(x > 0, y > 0)", id="and"),
        pytest.param("x > 0 or y > 0", "jnp.logical_or(x > 0, y > 0)", id="or"),
        pytest.param("not x > y", "jnp.logical_not(x > y)", id="not"),
        pytest.param("0 < x < y", "jnp.logical_and(0 < x, x < y)", id="a chained comparison"),
        pytest.param("x in (1, 2)", "jnp.isin(x, jnp.array((1, 2)))", id="in among whole numbers"),
        pytest.param("x not in (0.5, 2.0)", "jnp.logical_not(jnp.logical_or(x == 0.5, x == 2.0))", id="not in, floats"),
        pytest.param("x * y or 1.0", "jnp.where(x * y, x * y, 1.0)", id="or of numbers"),
        pytest.param("max(x, 0.0)", "jnp.maximum(x, 0.0)", id="max with a number behind"),
        pytest.param("max(0.0, x)", "jnp.where(x > 0.0, x, 0.0)", id="max with a number before"),
        pytest.param("min(x, y)", "jnp.where(y < x, y, x)", id="min of two tracers"),
        pytest.param("min(1.0, jnp.exp(x) * jnp.sin(y))", "jnp.fmin(jnp.exp(x) * jnp.sin(y), 1.0)", id="a long operand"),
        pytest.param("any([x > 0, y > 0])", "jnp.any(jnp.array([x > 0, y > 0]))", id="any of a list"),
        pytest.param("all(v > 0 for v in (x, y))", "jnp.all(jnp.array([v > 0 for v in (x, y)]))", id="all of a generator"),
    ],
)  # fmt: skip
def test_truth_of_tracers(rewrite: Callable[..., object], old: str, new: str) -> None:
    sample = rewrite(function(f"return {old}"))
    assert sample.body == function(f"return {new}")  # type: ignore[attr-defined]
    sample.agree("f", *WITH_NAN)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("int(x) + y", "x.astype(int) + y", id="int"),
        pytest.param("int(x / 60.0) % 7 + y", "(jnp.trunc(x / 60.0) % 7).astype(int) + y", id="remainder of any int"),
        pytest.param("float(jnp.sin(x)) * y", "jnp.sin(x) * y", id="float of a float"),
        pytest.param("float(x) * y", "(x * 1.0) * y", id="float of what may be a whole number"),
        pytest.param("bool(x) * y", "x.astype(bool) * y", id="bool"),
        pytest.param("bool(x > 0) * y", "(x > 0) * y", id="bool of a comparison"),
        pytest.param("math.exp(-x) * y", "jnp.exp(-x) * y", id="math"),
        pytest.param("math.floor(x * 3) + y", "jnp.floor(x * 3).astype(int) + y", id="math.floor gives an int"),
        pytest.param("np.hypot(x, y) * y", "jnp.hypot(x, y) * y", id="NumPy"),
        pytest.param("jnp.max(x).item() * y", "jnp.max(x) * y", id="item of what has no axes"),
    ],
)
def test_casts_of_tracers(rewrite: Callable[..., object], old: str, new: str) -> None:
    sample = rewrite(function(f"return {old}"), head=HOST)
    assert sample.new == HOST + function(f"return {new}")  # type: ignore[attr-defined]
    sample.agree("f", *PAIRS)  # type: ignore[attr-defined]


def test_a_setting_beside_a_test_with_axes_stays_python_s(rewrite: Callable[..., object]) -> None:
    code = "@partial(jax.jit, static_argnames='n')\ndef f(x, n):\n    s = x.reshape(1)\n    if n > 2 and s > 0:\n        return x * 2\n    return x\n"
    sample = rewrite(f"from functools import partial\n\n\n{code}")
    assert "jnp.reshape(n > 2 and s > 0, ())" in sample.new  # type: ignore[attr-defined]
    sample.agree("f", *((x, n) for x, _ in PAIRS for n in (1, 3)))  # type: ignore[attr-defined]


PRINTS = {
    "names beside texts": ("print('x:', x, y)", 'jax.debug.print("x: {} {}", x, y)', "x: 2.0 0.5"),
    "what is known when tracing": (
        "print(f'x of {x.shape}', x.ndim + 1, x)",
        'jax.debug.print(f"x of {x.shape} {x.ndim + 1} {{}}", x)',
        "x of () 1 2.0",
    ),
    "a text with fields": (
        'print(f"{x:.3f} of {y}")',
        'jax.debug.print("{:.3f} of {}", x, y)',
        "2.000 of 0.5",
    ),
    "marks and lines": (
        """print(f'"{x}" \\\\\\n')""",
        r"""jax.debug.print("\"{}\" \\\n", x)""",
        '"2.0" \\',
    ),
}


@pytest.mark.parametrize(("old", "new", "shown"), PRINTS.values(), ids=PRINTS)
def test_a_print_shows_values_on_each_call(
    rewrite: Callable[..., object], capsys: pytest.CaptureFixture[str], old: str, new: str, shown: str
) -> None:
    sample = rewrite(function(f"{old}\n    return x * y"))
    assert sample.body == function(f"{new}\n    return x * y")  # type: ignore[attr-defined]
    space: dict[str, object] = {}
    exec(sample.new, space)  # type: ignore[attr-defined]
    for _ in range(2):
        space["f"](jnp.float32(2), jnp.float32(0.5)).block_until_ready()  # type: ignore[operator]
        jax.effects_barrier()
        assert capsys.readouterr().out.rstrip() == shown


@pytest.mark.parametrize("call", ["print(x, end='')", "print(f'{x!r}')", "print(*[x, y])", "print('{}', x)"])
def test_a_print_of_another_kind_is_left(rewrite: Callable[..., object], call: str) -> None:
    sample = rewrite(function(f"{call}\n    return x * y"))
    assert sample.new == sample.old  # type: ignore[attr-defined]


def test_a_test_with_axes_decides_by_its_one_element(rewrite: Callable[..., object]) -> None:
    sample = rewrite(
        "@jax.jit\ndef f(x, y):\n    s = x.reshape(1)\n    if s > 0:\n        return y * 2\n    return y\n"
    )
    assert "jnp.where(jnp.reshape(s > 0, ()), y * 2, y)" in sample.new  # type: ignore[attr-defined]
    sample.agree("f", *PAIRS)  # type: ignore[attr-defined]


def test_operands_that_are_needed_twice_get_a_name(rewrite: Callable[..., object]) -> None:
    sample = rewrite(function("return max(jnp.exp(x) * jnp.sin(y), jnp.cos(x) * jnp.exp(y))"))
    assert sample.body == (  # type: ignore[attr-defined]
        "@jax.jit\ndef f(x, y):\n"
        "    first = jnp.exp(x) * jnp.sin(y)\n"
        "    other = jnp.cos(x) * jnp.exp(y)\n"
        "    return jnp.where(other > first, other, first)\n"
    )
    sample.agree("f", *WITH_NAN)  # type: ignore[attr-defined]


def test_the_median_of_three_keeps_python_s_order_of_nans(rewrite: Callable[..., object]) -> None:
    code = "@jax.jit\ndef f(a, b, c):\n    return max(min(a, b), min(max(a, b), c))\n"
    values = [jnp.float32(v) for v in (1, 2, jnp.nan)]
    sample = rewrite(code)
    sample.agree("f", *[(a, b, c) for a in values for b in values for c in values])  # type: ignore[attr-defined]


def test_the_extreme_of_an_array_keeps_a_nan_that_comes_first(rewrite: Callable[..., object]) -> None:
    sample = rewrite("@jax.jit\ndef f(xs):\n    return max(xs) - min(xs)\n")
    rows = [[1, 3, 2], [3, 3, 1], [jnp.nan, 1, 2], [1, jnp.nan, 2]]
    sample.agree("f", *[(jnp.array(row, jnp.float32),) for row in rows])  # type: ignore[attr-defined]


def test_what_may_not_end_is_run_only_where_python_runs_it(rewrite: Callable[..., object]) -> None:
    code = (
        "def halves(x):\n    return jax.lax.while_loop(lambda v: v > 1, lambda v: v / 2, x) > 0.7\n\n\n"
        "@jax.jit\ndef f(x, y):\n    return y > 0 and halves(x)\n"
    )
    sample = rewrite(code)
    assert "lax.cond(y > 0, lambda: halves(x), lambda: False)" in sample.body  # type: ignore[attr-defined]
    sample.agree("f", *PAIRS)  # type: ignore[attr-defined]


def test_a_setting_before_the_tracers_stays_python_s(rewrite: Callable[..., object]) -> None:
    code = (
        "from functools import partial\n\n\n@partial(jax.jit, static_argnames='flag')\ndef f(x, flag):\n"
        "    return flag and x > 0 and x < 1\n"
    )
    assert "return flag and jnp.logical_and(x > 0, x < 1)" in rewrite(code).body  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        pytest.param("sorted([x, y])", "nan-order", id="sorted of floats"),
        pytest.param("max([x, y], key=abs)", "own-order", id="max by a key"),
        pytest.param("x > 0 and 'big'", "not-an-array", id="and with a string"),
        pytest.param("not jnp.ones(3)", "not-a-scalar", id="not of a vector"),
        pytest.param("math.log(x, y)", "other-arguments", id="a base of math.log"),
        pytest.param("y * (int(x) * 1000 // 3)", "python-int", id="what is worked out of an int of any size"),
        pytest.param("math.floor(x) // 3 + y", "python-int", id="a quotient of math.floor"),
        pytest.param("np.where(jnp.sin(x))", "shape-of-values", id="np.where of one argument"),
    ],
)
def test_what_cannot_be_rewritten_says_why(rewrite: Callable[..., object], expression: str, reason: str) -> None:
    assert rewrite(function(f"return {expression}"), head=HOST).reasons == [reason]  # type: ignore[attr-defined]


UNBOUNDED = {
    "of another name": "k = int(x)\n    j = k + 1\n    return y * (j % 7)",
    "in place": "k = int(x)\n    k %= 7\n    return y * k",
    "that is added to another": "n = 2\n    k = int(x)\n    n += k\n    return y * (n // 3)",
    "of its magnitude": "return y * (abs(int(x)) % 7)",
}


@pytest.mark.parametrize("body", UNBOUNDED.values(), ids=UNBOUNDED)
def test_the_remainder_of_an_int_stays_with_python(rewrite: Callable[..., object], body: str) -> None:
    assert "python-int" in rewrite(function(body), head=HOST).reasons  # type: ignore[attr-defined]


def test_what_meets_an_array_is_an_array(rewrite: Callable[..., object]) -> None:
    sample = rewrite(function("k = int(x)\n    y = y + k\n    y += k\n    return y % 7"), head=HOST)
    assert "x.astype(int)" in sample.body  # type: ignore[attr-defined]


def test_a_function_with_all_of_them_is_rewritten_as_a_whole(rewrite: Callable[..., object]) -> None:
    code = (
        "@jax.jit\ndef f(x, y):\n"
        "    if x > 0 and x < y:\n        x = x * 2\n"
        "    y = max(x, 0.5)\n"
        "    while not (abs(x) < 1e-3 or y > 10):\n        x = x / 2\n        y = y + float(x > 0.1)\n"
        "    return x, y\n"
    )
    sample = rewrite(code)
    assert not any(word in sample.body for word in ("if ", " and ", " or ", "float(", "while "))  # type: ignore[attr-defined]
    sample.agree("f", *PAIRS)  # type: ignore[attr-defined]
