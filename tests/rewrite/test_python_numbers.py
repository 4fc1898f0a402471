"""Python ints are unbounded and Python floats are doubles: what tracers would not be is made before the loop."""

from __future__ import annotations

from collections.abc import Callable

import jax.numpy as jnp
import numpy as np
import pytest

from scanlint.finding import Rewrite

from .conftest import Sample

TABLES = {
    "an int that comes back into int32": ("        x = jnp.sin(x + i * 3_600_000 % 7)", "np.arange(n) * 3_600_000 % 7"),
    "an int that a name stands for": ("        stamp = i * 3_600_000\n        x = jnp.sin(x + stamp % 7)", "np.arange(n) * 3600000 % 7"),
    "a power": ("        x = jnp.sin(x + i**7 % 11)", "[i**7 % 11 for i in range(n)]"),
    "a remainder of a power of any size": ("        x = jnp.sin(x + i % 3**i)", "[i % 3**i for i in range(n)]"),
    "a float": ("        x = x + jnp.sin(1e3 * i / 7)", "1e3 * np.arange(n) / 7"),
    "a float by a function": ("        x = x + math.sin(i)", "[math.sin(i) for i in range(n)]"),
    "a power that falls": ("        x = x + 0.9**i * jnp.cos(x)", "[0.9**i for i in range(n)]"),
    "a quotient that is cut off": ("        x = x.at[int(i * 7.1) % 3].add(1.0)", "[int(i * 7.1) % 3 for i in range(n)]"),
    "a whole quotient by less than one": ("        x = x + (i % 40 // (3 / 2097152)) % 2", "(np.arange(n) % 40 // (3 / 2097152)) % 2"),
    "a whole quotient by less than none": ("        x = x + (i % 40 // -(3 / 2097152)) % 2", "(np.arange(n) % 40 // -(3 / 2097152)) % 2"),
}  # fmt: skip
CARRIED = {
    "a float that grows": ("0.0", "        x = x + jnp.cos(x) * t\n        t = t + 0.1", "_listed.append(t)"),
    "a rate that falls": ("0.3", "        x = x - t * jnp.sin(x)\n        t *= 0.99", "_listed.append(t)"),
    "an int that doubles": ("1", "        x = jnp.sin(x + t % 5)\n        t = 3 * t", ".append(t % 5)"),
    "a time that is cut off": ("0.0", "        x = x.at[int(t / 60.0) % 3].add(1.0)\n        t = t + 3e6", ".append(int(t / 60.0) % 3)"),
}  # fmt: skip
KEPT = {
    "a quotient of small ints": "        x = jnp.sin(x) + 1 / (i + 1)",
    "halves": "        x = jnp.sin(x) + 0.5 * i",
    "a remainder of the index": "        x = jnp.sin(x) + i % 7",
    "twice the index": "        x = jnp.sin(x) + 2 * i + 1",
    "a place in an array, whatever wraps": "        x = x.at[i * stride].add(1.0)",
}
STATIC = "@partial(jax.jit, static_argnames=('n', 'stride'))\ndef f(x, n, stride=1):\n"
HEAD = "import math\nfrom functools import partial\nimport jax\nimport jax.numpy as jnp\n\n\n"


@pytest.mark.parametrize(("body", "expected"), TABLES.values(), ids=TABLES)
def test_a_number_that_a_tracer_would_not_be_is_read_from_an_array(
    rewrite: Callable[..., Sample], body: str, expected: str
) -> None:
    sample = rewrite(f"{STATIC}    for i in range(n):\n{body}\n    return x\n", head=HEAD)
    assert expected in sample.new
    for dtype in (jnp.float32, jnp.bfloat16):
        sample.agree("f", (lambda dtype=dtype: jnp.linspace(0.1, 1.0, 3).astype(dtype), 0), (jnp.ones(3), 30))


@pytest.mark.parametrize(("start", "body", "expected"), CARRIED.values(), ids=CARRIED)
def test_a_number_that_goes_from_trip_to_trip_is_made_by_a_loop_of_its_own(
    rewrite: Callable[..., Sample], start: str, body: str, expected: str
) -> None:
    sample = rewrite(f"{STATIC}    t = {start}\n    for i in range(n):\n{body}\n    return x, t\n", head=HEAD)
    assert expected in sample.new and ("fori_loop" in sample.new or "scan" in sample.new)
    sample.agree("f", (lambda: jnp.linspace(0.1, 1.0, 3), 0), (lambda: jnp.linspace(0.1, 1.0, 3), 15))


@pytest.mark.parametrize("body", KEPT.values(), ids=KEPT)
def test_a_number_that_a_tracer_is_too_stays_in_the_loop(rewrite: Callable[..., Sample], body: str) -> None:
    sample = rewrite(f"{STATIC}    for i in range(n):\n{body}\n    return x\n", head=HEAD)
    assert "fori_loop(0, n, " in sample.new and ".at[:]" not in sample.new


def test_an_int_that_no_float_holds_is_made_by_a_loop_of_its_own(rewrite: Callable[..., Sample]) -> None:
    step = "t * 6364136223846793005 + 1442695040888963407 + i"
    code = f"{STATIC}    t = 7\n    for i in range(n):\n        t = {step}\n        x = x.at[(t >> 70) % 3].add(1.0)\n    return x\n"
    sample = rewrite(code, head=HEAD)
    assert ".append((t >> 70) % 3)" in sample.new
    sample.agree("f", (lambda: jnp.zeros(3), 30))


def test_half_precision_and_doubles_keep_their_dtype(rewrite: Callable[..., Sample]) -> None:
    code = "@jax.jit\ndef f(x):\n    for i in range(3000):\n        x = x + jnp.sin(1e3 * i / 7)\n    return x\n"
    sample = rewrite(code, head=HEAD)
    for dtype in (jnp.bfloat16, jnp.float16, jnp.float32):
        assert _run(sample.new, jnp.zeros(2, dtype)).dtype == dtype
    exact = np.sum(np.sin(1e3 * np.arange(3000) / 7))
    np.testing.assert_allclose(_run(sample.new, jnp.zeros(())), exact, atol=3e-3)


@pytest.mark.parametrize("skip", ["", "            if k == 0:\n                continue\n"], ids=["each", "some"])
def test_a_count_that_arrays_are_added_to_is_no_python_number(rewrite: Callable[..., Sample], skip: str) -> None:
    code = (
        "@jax.jit\ndef f(x):\n    new = x\n    for i in range(x.shape[0]):\n        n = 0\n        for k in (-1, 0, 1):\n"
        f"{skip}            n += x[(i + k) % 5]\n        new = new.at[i].set(jnp.where(n < 2, 0, n))\n    return new\n"
    )
    sample = rewrite(code, head=HEAD)
    assert "fori_loop" in sample.new or "vmap" in sample.new
    sample.agree("f", (jnp.array([2**30, 1, 0, 2**30, 2**30]),), (jnp.arange(5),))


def test_a_number_that_becomes_an_array_in_the_end_is_one_until_then(rewrite: Callable[..., Sample]) -> None:
    code = (
        "@jax.jit\ndef f(x):\n    for i in range(40):\n        n = 1\n        for k in range(40):\n            n = n * 7\n"
        "            x = jnp.sin(x + n)\n            if k == 39:\n                n = x\n    return x\n"
    )
    assert "python-int" in rewrite(code, head=HEAD).reasons


WITHHELD = {
    "a traced bound": ("def f(x, n):\n    for i in range(n):\n        x = jnp.sin(x) + i * i % 7\n    return x\n", "python-int"),
    "two numbers that are exchanged": ("def f(x):\n    a, b = 0, 1\n    for i in range(80):\n        x = jnp.cos(x) + b % 7\n        a, b = b, a + b\n    return x\n", "python-int"),
    "a quotient that some trips do not take": ("def f(x):\n    for i in range(40):\n        if i > 0:\n            x = jnp.sin(x) + 0.1 / i\n    return x\n", "python-float"),
    "examples told apart by a number": ("def f(x):\n    return jnp.stack([jnp.sin(x * (i * 0.1)) for i in range(40)])\n", "python-float"),
}  # fmt: skip


@pytest.mark.parametrize(("code", "reason"), WITHHELD.values(), ids=WITHHELD)
def test_what_cannot_be_made_before_the_loop_is_withheld(
    rewrite: Callable[..., Sample], code: str, reason: str
) -> None:
    sample = rewrite(f"@jax.jit\n{code}", head=HEAD)
    assert sample.new == sample.old
    assert reason in sample.reasons


def test_an_argument_of_any_size_stays_a_python_number(rewrite: Callable[..., Sample]) -> None:
    sample = rewrite(
        f"{STATIC}    for i in range(n):\n        x = x.at[i * stride % 3].add(1.0)\n    return x\n", head=HEAD
    )
    sample.agree("f", (jnp.ones(3), 30, 700_000_000))


def _run(text: str, x: jnp.ndarray) -> jnp.ndarray:
    space: dict[str, object] = {}
    exec(text, space)
    function = space["f"]
    assert callable(function)
    return function(x)


NARROW = {
    "a number that is multiplied": ("jnp.stack([k * x[k] for k in range(x.shape[0])])", "jnp.full("),
    "a sign that alternates": ("jnp.stack([(-1) ** k * x[k] for k in range(x.shape[0])])", "[(-1) ** k for k in range(x.shape[0])]"),
    "the larger one": ("jnp.stack([jnp.maximum(x[k], k) for k in range(x.shape[0])])", "jnp.full("),
    "a quotient, for half precision": ("jnp.stack([k / 2 * x[k] for k in range(x.shape[0])])", "jnp.full("),
    "numbers beside rows": ("jnp.stack([row - k for k, row in enumerate(x)])", "jnp.full("),
    "numbers that fall": ("jnp.stack([x[k] * k // 3 for k in range(x.shape[0], 0, -1)])", "jnp.full("),
}  # fmt: skip
NARROW_LOOPS = {
    "rows that are filled": "    y = jnp.zeros_like(x)\n    for k in range(x.shape[0]):\n        y = y.at[k].set(x[k] * k // 3)\n",
    "what a scan collects": "    out, s = [], x[0]\n    for k in range(x.shape[0]):\n        s = s + x[k]\n        out.append(s * k)\n    y = jnp.stack(out)\n",
    "the same from the last one": "    out, s = [], x[0]\n    for k in reversed(range(x.shape[0])):\n        s = s + x[k]\n        out.append(s * k)\n    y = jnp.stack(out)\n",
    "a sign in a sum of floats": "    y = jnp.zeros((), x.dtype) / 7.0\n    for k in range(x.shape[0]):\n        y = y + (-1) ** k * x[k] / 7.0\n",
}  # fmt: skip


def narrow() -> list[Callable[[], jnp.ndarray]]:
    ends = lambda: jnp.array([-128, -128, 100, -90, 127], jnp.int8)  # noqa: E731
    halves = lambda: jnp.linspace(0.1, 1.0, 5).astype(jnp.bfloat16)  # noqa: E731
    return [ends, halves]


@pytest.mark.parametrize(("code", "expected"), NARROW.values(), ids=NARROW)
def test_numbers_take_on_the_dtype_of_narrower_rows(rewrite: Callable[..., Sample], code: str, expected: str) -> None:
    sample = rewrite(f"@jax.jit\ndef f(x):\n    return {code}\n", head=HEAD, plainest=True)
    assert expected in sample.new and "jax.vmap" in sample.new
    sample.agree("f", *((x,) for x in narrow()))


@pytest.mark.parametrize("body", NARROW_LOOPS.values(), ids=NARROW_LOOPS)
def test_numbers_of_a_loop_take_on_the_dtype_of_narrower_rows(rewrite: Callable[..., Sample], body: str) -> None:
    sample = rewrite(f"@jax.jit\ndef f(x):\n{body}    return y\n", head=HEAD, plainest=True)
    assert "jnp.full(" in sample.new or "fori_loop" in sample.new
    sample.agree("f", *((x,) for x in narrow()))


MET = {
    "a number times an array": "    return jnp.stack([jnp.sum(jnp.cos(k * x)) for k in range(80)])\n",
    "a number beside a part of an array": "    out = []\n    for k in range(1, 80):\n        out.append(jnp.sum(jnp.cos(x[0] - (2 * k + 1))))\n    return jnp.stack(out)\n",
    "a state that goes on": "    out = []\n    for k in range(1, 80):\n        y = jnp.sin(y + k * x[0])\n        out.append(y)\n    return jnp.stack(out)\n",
}  # fmt: skip
APART = {
    "arrays of two dtypes": "    return jnp.stack([jnp.sum(jnp.cos(k * x)) + k * y for k in range(80)])\n",
    "a place in an array too": "    return jnp.stack([jnp.sum(jnp.cos(k * x)) + y[k] for k in range(80)])\n",
    "more numbers than half precision holds": "    return jnp.stack([jnp.sum(jnp.cos(k * x)) for k in range(300)])\n",
    "an array of the trip": "    return jnp.stack([jnp.sum(jnp.cos(k * (x + y))) for k in range(80)])\n",
    "an entry of a dict": "    return jnp.stack([jnp.sum(jnp.cos(k * p['w'])) for k in range(80)])\n",
    "a power": "    return jnp.stack([jnp.cos(x**k) for k in range(80)])\n",
    "a float": "    return jnp.stack([jnp.sum(jnp.cos(x * (k * 0.5))) for k in range(80)])\n",
}  # fmt: skip


def _forms(sample: Sample) -> list[str]:
    """The texts of all forms of the first rewrite."""
    outcome = sample.reports[0].outcome
    assert isinstance(outcome, Rewrite)
    return ["".join(edit.text for edit in form.edits) for form in outcome.choices()]


@pytest.mark.parametrize("body", MET.values(), ids=MET)
def test_numbers_that_meet_one_array_may_have_its_dtype(rewrite: Callable[..., Sample], body: str) -> None:
    own, met, *weak = _forms(rewrite(f"@jax.jit\ndef f(x: jax.Array, y: jax.Array):\n{body}", head=HEAD))
    assert "dtype=" not in own
    assert ", dtype=x.dtype)" in met
    assert all(".at[:]" in form for form in weak) and weak


@pytest.mark.parametrize("body", APART.values(), ids=APART)
def test_numbers_that_meet_anything_else_have_none(rewrite: Callable[..., Sample], body: str) -> None:
    forms = _forms(rewrite(f"@jax.jit\ndef f(x: jax.Array, y: jax.Array, p):\n{body}", head=HEAD))
    assert not any("dtype=" in form for form in forms)
