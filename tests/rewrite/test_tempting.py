"""Programs that look as if they could be rewritten: NumPy's work, flags that are arrays, decorators that read, lengths."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import indent
from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np
import pytest

from .conftest import run

if TYPE_CHECKING:
    from .conftest import Sample

    Rewriting = Callable[[str], Sample]

NUMPY = "import numpy as np\n\n\ndef norm(r):\n    return r - r.mean()\n\n\n"
MAIN = "\n\ndef main():\n    rng = np.random.default_rng(0)\n    return f(rng.normal(size=(30, 3)))\n"

OF_NUMPY = {
    "rows that are centred": "def f(data):\n    return np.stack([row - row.mean() for row in data])\n",
    "a function of the project that works on whatever it gets": "def f(data):\n    return np.array([norm(row) for row in data])\n",
    "a loop that collects": "def f(data):\n    out = []\n    for row in data:\n        out.append(row - row.mean())\n    return np.asarray(out)\n",
    "an array that is filled": "def f(data):\n    out = np.zeros(len(data))\n    for i in range(len(data)):\n        out[i] = (data[i] - data[i].mean()).sum()\n    return out\n",
    "floats of a dot product": "def f(data):\n    return np.array([float((row * row).sum()) for row in data])\n",
    "an array of JAX made of what NumPy computes": f"def f(data):\n    return jnp.stack([row - row.mean() for row in data])\n{MAIN}",
    "one that is filled with what NumPy computes": f"def f(data):\n    out = jnp.zeros(len(data))\n    for i in range(len(data)):\n        out = out.at[i].set((data[i] - data[i].mean()).sum())\n    return out\n{MAIN}",
    "what NumPy works out beside JAX": "def f(data):\n    return np.stack([jnp.sin(row) - row.mean() for row in data])\n",
    "rows that are said to be NumPy's": "def f(data: np.ndarray, t0):\n    return jnp.stack([jnp.sin(row - t0) for row in data])\n",
    "the same, read by number": "def f(data: np.ndarray, t0):\n    return jnp.stack([jnp.sin(data[i] - t0) for i in range(data.shape[0])])\n",
    "a function of the project that is handed a row": "def g(r, t0):\n    d = r - t0\n    return jnp.sin(d)\n\n\ndef f(data: np.ndarray, t0: float):\n    out = []\n    for row in data:\n        out.append(g(row, t0))\n    return jnp.stack(out)\n",
    "numbers that NumPy spaces": "def f(t0: float):\n    return jnp.stack([jnp.sin(t - t0) for t in np.linspace(1e9, 1e9 + 20, 30)])\n",
    "rows of which nothing is known": "def g(r, t0):\n    return jnp.sin(r - t0)\n\n\ndef f(data, t0):\n    out = []\n    for i in range(data.shape[0]):\n        out.append(g(data[i], t0))\n    return jnp.stack(out)\n",
    "a function of the project that tells cases": "def g(r, t0):\n    match t0:\n        case 1:\n            d = r\n        case _:\n            d = jnp.zeros(3)\n    return d - t0\n\n\ndef f(data, t0: int):\n    return jnp.stack([jnp.sin(g(data[i], t0)) for i in range(data.shape[0])])\n",
    "rows that decide on the host": "def f(data: np.ndarray):\n    return jnp.stack([jnp.sin(row) if row[0] > 0.1 else jnp.cos(row) for row in data])\n",
    "rows for a step of JAX": "@jax.jit\ndef step(x, d):\n    return jnp.sin(x + d)\n\n\ndef f(x: jax.Array, data, t0):\n    for i in range(data.shape[0]):\n        x = step(x, data[i] - t0)\n    return x\n",
    "a state of NumPy": f"def f(data):\n    s = np.zeros(3)\n    for row in data:\n        s = s * 0.9 + row @ row * 0.1 + row.sum() * row.mean() - row.std() * row.max() - row.min() * row.sum()\n    return jnp.asarray(s)\n{MAIN}",
}  # fmt: skip
OF_JAX = {
    "a function of JAX": "def f(data):\n    return np.stack([jnp.sin(row) - jnp.mean(row) for row in data])\n",
    "rows said to be NumPy's that go into JAX as they are": "def f(data: np.ndarray):\n    return jnp.stack([jnp.sin(row) * 2.0 for row in data])\n",
    "a function of the project that hands them on": "def g(r):\n    return jnp.tanh(2.0 * r) @ jnp.ones(3)\n\n\ndef f(data: np.ndarray):\n    return jnp.stack([g(data[i]) for i in range(len(data))])\n",
    "a gradient of what works on them": "def f(data: np.ndarray):\n    return jnp.stack([jax.grad(lambda r: jnp.sum(r - r.mean()))(row) for row in data])\n",
    "a function of the project that computes in JAX": "def g(r):\n    s = jnp.sum(r)\n    return s * 2.0\n\n\ndef f(data):\n    return np.array([g(row) for row in data])\n",
    "rows that are said to be JAX's": "def f(data: jax.Array):\n    return np.stack([row - row.mean() for row in data])\n",
    "rows that JAX made": "def f(key):\n    data = jax.random.normal(key, (30, 3))\n    return np.stack([row - row.mean() for row in data])\n",
}  # fmt: skip


@pytest.mark.parametrize("code", OF_NUMPY.values(), ids=OF_NUMPY)
def test_what_numpy_computes_stays_with_numpy(code: str, rewrite: Rewriting) -> None:
    sample = rewrite(NUMPY + code)
    assert sample.new == sample.old


@pytest.mark.parametrize("code", OF_JAX.values(), ids=OF_JAX)
def test_what_jax_computes_for_numpy_is_a_batch(code: str, rewrite: Rewriting) -> None:
    sample = rewrite(NUMPY + code)
    assert "jax.vmap(" in sample.body


def test_rows_that_may_be_numpys_are_withheld_with_what_would_be_lost(rewrite: Rewriting) -> None:
    sample = rewrite(NUMPY + OF_NUMPY["rows of which nothing is known"])
    assert sample.reasons == ["numpy-rows"]


FOLLOWED = {
    "a default argument": "def g(r=row):\n    return r - t0\nz = g()",
    "one of a lambda": "g = lambda *, r=row: r - t0\nz = g()",
    "one that is worked out": "def g(r=row - t0):\n    return jnp.cos(r)\nz = g()",
    "a function made before the name is a row": "d = jnp.zeros(3)\ndef g():\n    return d - t0\nd = row\nz = g()",
    "a function that JAX traces later": "d = jnp.zeros(3)\ng = lambda x: x + (d - t0)\nd = row\nz = jax.vmap(g)(jnp.ones(3))",
    "a list under two names": "y = []\nd = y\ny.append(row)\nz = d[0] - t0",
    "a list in a tuple": "y = []\nz = (y, 1)\ny.append(row)\nz = z[0][0] - t0",
    "names that a loop hands on": "a = b = c = z = jnp.zeros(3)\nfor k in range(9):\n    z = c - t0\n    c = b\n    b = a\n    a = row",
    "a list beside an array of JAX": "z = row + [jnp.sin(t0)]",
    "a method": "g = row.mean\nz = g()",
    "a tree": "z = jax.tree.map(lambda r: r - t0, row)",
    "leaves": "z = jax.tree.leaves(row)[0] - t0",
    "a tree that is summed": "z = jax.tree.reduce(lambda a, b: a + b, [row, t0])",
    "a row that JAX waits for": "z = jax.block_until_ready(row) - t0",
    "a zip": "z = jnp.stack([a - b for a, b in zip(row, row)])",
    "a context": "with jax.named_scope('z'):\n    d = row\nz = d - t0",
    "what is unpacked": "z = (lambda a, b, c: a - b + c)(*row)",
}  # fmt: skip
LET_GO = {
    "a row that JAX takes": "row = jnp.asarray(row)\ng = lambda x: x + (row - t0)\nz = g(1.0)",
    "a tree that goes into JAX": "z = jax.tree.map(lambda r: jnp.sin(r) - t0, row)",
    "a list that is filled twice": "y = []\ny.append(row)\ny.append(row)\nz = jnp.stack(y)",
    "its length": "z = jnp.sin(row) / row.shape[0]",
}
EACH = "def f(data, t0: float):\n    out = []\n    for i in range(data.shape[0]):\n        row = data[i]\n"


@pytest.mark.parametrize(("followed", "body"), [*FOLLOWED.items(), *LET_GO.items()], ids=[*FOLLOWED, *LET_GO])
def test_a_row_is_followed_to_where_it_is_worked_out(followed: str, body: str, rewrite: Rewriting) -> None:
    sample = rewrite(f"{EACH}{indent(body, ' ' * 8)}\n        out.append(jnp.sin(z))\n    return jnp.stack(out)\n")
    assert ("numpy-rows" in sample.reasons) == (followed in FOLLOWED)
    assert (sample.new == sample.old) == (followed in FOLLOWED)


def test_a_row_of_the_last_trip_is_one_of_numpy(rewrite: Rewriting) -> None:
    body = "    d = data[0]\n    for i in range(data.shape[0]):\n        x = step(x, d - t0)\n        d = data[i]\n    return x\n"
    step = "@jax.jit\ndef step(x, d):\n    return jnp.sin(x + d)\n\n\n"
    assert rewrite(f"{step}def f(x: jax.Array, data, t0):\n{body}").reasons == ["numpy-rows"]


def test_an_array_that_all_callers_have_from_jax_is_one_of_jax(rewrite: Rewriting) -> None:
    main = "\n\ndef main():\n    return f(jax.random.normal(jax.random.key(0), (30, 3)), 2.0)\n"
    assert "jax.vmap(" in rewrite(NUMPY + OF_NUMPY["rows of which nothing is known"] + main).body


def test_numbers_of_numpy_are_the_same_when_jax_takes_them_at_once(rewrite: Rewriting) -> None:
    sample = rewrite(NUMPY + OF_NUMPY["the same, read by number"])
    far = 1.7e9 + np.arange(12.0)
    assert jnp.allclose(run(sample.new, "f", [far, 1.7e9]), jnp.sin(jnp.arange(12.0)))


STEPPED = "{}\n\n@jax.jit\ndef f(x):\n    for _ in range(200):\n        x = {}\n    return x\n"
LEFT_BEHIND = {
    "a number of the module": ("CALLS = 0\n\n\ndef step(x):\n    global CALLS\n    CALLS += 1\n    return jnp.sin(x)\n", "step(x)"),
    "a list of the module": ("SEEN = []\n\n\ndef step(x):\n    SEEN.append(1)\n    return jnp.sin(x)\n", "step(x)"),
    "an item, two calls below": ("SEEN = {}\n\n\ndef note(n):\n    SEEN['n'] = SEEN.get('n', 0) + n\n\n\ndef step(x):\n    note(1)\n    return jnp.sin(x)\n", "step(x)"),
    "an object": ("class Meter:\n    def __init__(self):\n        self.seen = 0\n\n    def __call__(self, x):\n        self.seen += 1\n        return jnp.sin(x)\n\n\nMETER = Meter()\n", "METER(x)"),
    "an argument": ("SEEN = []\n\n\ndef step(x, log):\n    log.append(1)\n    return jnp.sin(x)\n", "step(x, SEEN)"),
    "what is printed": ("def step(x):\n    print(x.shape)\n    return jnp.sin(x)\n", "step(x)"),
}  # fmt: skip
NOT_LEFT = {
    "a list of its own": ("def step(x):\n    log = []\n    log.append(x)\n    return jnp.sin(log[0])\n", "step(x)"),
    "a list of each trip": ("def step(x, log):\n    log.append(x)\n    return jnp.sin(log[-1])\n", "step(x, [1.0])"),
    "what a trace leaves once": ("SEEN = []\n\n\n@jax.jit\ndef step(x):\n    SEEN.append(1)\n    return jnp.sin(x)\n", "step(x)"),
}  # fmt: skip


@pytest.mark.parametrize(("helper", "call"), LEFT_BEHIND.values(), ids=LEFT_BEHIND)
def test_what_a_called_function_leaves_behind_keeps_the_loop(helper: str, call: str, rewrite: Rewriting) -> None:
    sample = rewrite(STEPPED.format(helper, call))
    assert (sample.new, sample.reasons) == (sample.old, ["side-effect"])


@pytest.mark.parametrize(("helper", "call"), NOT_LEFT.values(), ids=NOT_LEFT)
def test_what_ends_with_the_call_does_not_keep_the_loop(helper: str, call: str, rewrite: Rewriting) -> None:
    assert "fori_loop(" in rewrite(STEPPED.format(helper, call)).body


SCALE = "@jax.jit\ndef scale(x, debias):\n    if debias:\n        return x / 2.0\n    return x\n\n\n"
NOT_STATIC = {
    "the complement of an array": "def g(x, done):\n    return scale(x, ~done), scale(x, True)\n",
    "a parameter of a jitted function": "def h(x):\n    return scale(x, True)\n\n\n@jax.jit\ndef g(x, debias):\n    for i in range(30):\n        x = scale(x, debias) + 1.0\n    return x\n",
    "a parameter beside the last one, which is static": "from functools import partial\n\n\n@partial(jax.jit, static_argnums=-1)\ndef g(x, flag, n):\n    return scale(x, flag), scale(x, True)\n",
    "what no caller is known of": "def g(x, flag):\n    return scale(x, flag), scale(x, False)\n",
    "a function that is handed on": "def g(xs, flags):\n    return jax.vmap(scale)(xs, flags), scale(xs, True)\n",
    "arguments that are unpacked": "def g(args, x):\n    return scale(*args), scale(x, True)\n",
}  # fmt: skip
STATIC = {
    "the last parameter, which is static": "from functools import partial\n\n\n@partial(jax.jit, static_argnums=(-1,))\ndef g(x, n, flag):\n    return scale(x, flag), scale(x, True)\n",
    "numbers of Python's": "def g(x, y=None):\n    return scale(x, True), scale(x, y is not None), scale(x, not y)\n",
    "a parameter that all callers give": "def g(x, flag):\n    return scale(x, flag), scale(x, True)\n\n\nfor flag in (True, False):\n    g(1.0, flag)\n",
    "a parameter that is said to be a truth": "def g(x, flag: bool):\n    return scale(x, flag), scale(x, True)\n",
    "a field of a configuration": "class Config:\n    debias: bool = True\n\n\ndef g(x, config):\n    return scale(x, config.debias), scale(x, True)\n",
}  # fmt: skip


@pytest.mark.parametrize("code", NOT_STATIC.values(), ids=NOT_STATIC)
def test_a_flag_that_may_be_an_array_is_not_made_static(code: str, rewrite: Rewriting) -> None:
    sample = rewrite(SCALE + code)
    assert "static_argnames" not in sample.new
    assert "flag-may-be-traced" in sample.reasons
    assert "lax.cond(debias" not in sample.new


@pytest.mark.parametrize("code", STATIC.values(), ids=STATIC)
def test_a_flag_that_is_always_pythons_is_made_static(code: str, rewrite: Rewriting) -> None:
    assert 'static_argnames=("debias",)' in rewrite(SCALE + code).new


PROGRESS = "def progress(g):\n    def inner(c, i):\n        jax.debug.print('step {i}', i=i)\n        return g(c, i)\n    return inner\n\n\n"
READ = {
    "a decorator of the project": f"{PROGRESS}@progress\ndef step(c, _):\n    return c * 1.5, None\n\n\n",
    "what reads all names": "def step(c, i):\n    jax.debug.print('{i}', i=locals()['i'])\n    return c * 1.5, None\n\n\n",
}


@pytest.mark.parametrize("step", READ.values(), ids=READ)
def test_what_a_step_may_read_besides_its_text_is_kept(step: str, rewrite: Rewriting) -> None:
    sample = rewrite(f"{step}def f(x):\n    return lax.scan(step, x, jnp.arange(30))[0]\n")
    assert sample.new == sample.old


def test_a_decorator_that_hands_on_reads_nothing(rewrite: Rewriting) -> None:
    step = "@jax.checkpoint\ndef step(c, _):\n    return c * 1.5, None\n\n\n"
    assert "length=30" in rewrite(f"{step}def f(x):\n    return lax.scan(step, x, jnp.arange(30))[0]\n").new


COUNTED = {
    "a size that nothing is known of": ("x, size", "jnp.zeros(size)", None),
    "one that a caller may hand in as a shape": ("x, size", "jnp.ones(size, dtype=bool)", None),
    "a number by its annotation": ("x, size: int", "jnp.zeros(size)", "length=size"),
    "a number by what is taken away": ("x, size", "jnp.zeros(size - 1)", "length=size - 1"),
    "the first number of a shape": ("x, size", "jnp.zeros((size, 3))", "length=size"),
    "the end of a range": ("x, size", "jnp.arange(size)", "length=size"),
    "a length": ("x, ys", "jnp.zeros(len(ys))", "length=len(ys)"),
}  # fmt: skip


@pytest.mark.parametrize(("given", "xs", "expected"), COUNTED.values(), ids=COUNTED)
def test_a_size_that_may_be_a_shape_is_no_length(given: str, xs: str, expected: str | None, rewrite: Rewriting) -> None:
    sample = rewrite(
        f"def step(c, _):\n    return c * 1.5, None\n\n\ndef f({given}):\n    return lax.scan(step, x, {xs})[0]\n"
    )
    assert (sample.reasons == ["shape-or-length"]) == (expected is None)
    assert (expected or "lax.scan(step, x, jnp.") in sample.body


LONG, SHORT = (lambda: jnp.sin(jnp.arange(9.0))), (lambda: jnp.cos(jnp.arange(6.0)))
START = lambda: jnp.ones(()) / 2  # noqa: E731
BODY = "        c = jnp.tanh(c * x + y)\n    return c\n"
SIDE_BY_SIDE = {
    "two arrays": (f"    for x, y in zip(xs, ys):\n{BODY}", "(xs[: len(ys)], ys[: len(xs)])"),
    "an array and the same without its first row": (f"    for x, y in zip(xs, xs[1:]):\n{BODY}", "(xs[:-1], xs[1:])"),
    "one that is made of the other": (f"    zs = jnp.sin(xs) * 2.0\n    for x, y in zip(xs, zs):\n{BODY}", "(xs, zs)"),
    "one turned round": (f"    for x, y in zip(xs, xs[::-1]):\n{BODY}", "(xs, xs[::-1])"),
    "counted pairs": (f"    for i, (x, y) in enumerate(zip(xs, ys)):\n        y = y * i\n{BODY}", "jnp.arange(min(len(xs), len(ys)))"),
    "the numbers of one": (f"    for i, x, y in zip(range(len(xs)), xs, ys):\n        y = y * i\n{BODY}", "xs[: len(ys)]"),
    "a number of trips": (f"    for i, x in zip(range(40), xs):\n        y = i * 0.5\n{BODY}", "jnp.arange(40)[: len(xs)]"),
}  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), SIDE_BY_SIDE.values(), ids=SIDE_BY_SIDE)
def test_the_shortest_ends_the_loop(body: str, expected: str, rewrite: Rewriting) -> None:
    sample = rewrite(f"@jax.jit\ndef f(c, xs, ys):\n{body}")
    assert expected in sample.body, sample.body
    sample.agree("f", [START, LONG, SHORT], [START, SHORT, LONG], [START, LONG, LONG])


REBOUND = {
    "one cut after the other was made of it": ("zs = jnp.sin(xs)\n    xs = xs[1:]", "(xs, zs[:-1])"),
    "one cut after the other was made as long": ("zs = jnp.zeros(len(xs))\n    xs = xs[1:]", "(xs, zs[:-1])"),
    "rows that are got by their numbers": (
        "zs = xs\n    for _ in range(2):\n        zs = zs.at[jnp.arange(4)].get()",
        "(xs[: len(zs)], zs[: len(xs)])",
    ),
    "every second row turned round": ("zs = xs[::-2]", "(xs[: len(zs)], zs[: len(xs)])"),
    "slices of one before and after it was cut": ("zs = xs[:-1]\n    xs = xs[3:]\n    xs = xs[1:]", "(xs, zs[:-3])"),
}


@pytest.mark.parametrize(("before", "cut"), REBOUND.values(), ids=REBOUND)
def test_arrays_that_were_as_long_are_cut(before: str, cut: str, rewrite: Rewriting) -> None:
    sample = rewrite(f"@jax.jit\ndef f(c, xs, ys):\n    {before}\n    for x, y in zip(xs, zs):\n{BODY}")
    assert cut in sample.body, sample.body
    sample.agree("f", [START, LONG, SHORT], [START, lambda: LONG()[:2], SHORT])


def test_an_array_that_was_annotated_and_is_cut_may_be_shorter(rewrite: Rewriting) -> None:
    head = "from jaxtyping import Array, Float\n\n\n@jax.jit\ndef f(c, xs: Float[Array, 'n'], ys: Float[Array, 'n']):\n"
    sample = rewrite(f"{head}    xs = xs[1:]\n    for x, y in zip(xs, ys):\n{BODY}")
    assert "(xs[: len(ys)], ys[: len(xs)])" in sample.body, sample.body


def test_lengths_that_a_branch_asserts_are_cut(rewrite: Rewriting) -> None:
    asserted = "    if __debug__:\n        assert len(xs) == len(ys)\n"
    sample = rewrite(f"@jax.jit\ndef f(c, xs, ys):\n{asserted}    for x, y in zip(xs, ys):\n{BODY}")
    assert "(xs[: len(ys)], ys[: len(xs)])" in sample.body, sample.body


def test_lengths_that_are_asserted_are_not_cut(rewrite: Rewriting) -> None:
    sample = rewrite(
        f"@jax.jit\ndef f(c, xs, ys):\n    assert len(xs) == ys.shape[0]\n    for x, y in zip(xs, ys):\n{BODY}"
    )
    assert "(xs, ys))" in sample.body


def test_a_range_that_may_be_shorter_is_left(rewrite: Rewriting) -> None:
    sample = rewrite(
        f"def f(c, xs, n):\n    for y, x in zip(range(n), xs):\n{BODY}\n\ng = jax.jit(f, static_argnums=2)\n"
    )
    assert "scan" not in sample.body


PLAIN = {
    "sums": "x + y - 3.0",
    "a constant times a value": "-0.5 * x",
    "one product": "x * y",
    "a square": "x**2",
    "the smaller one": "jnp.minimum(x, y)",
    "a magnitude": "jnp.abs(x) - y",
    "what a name holds, times a constant": "e * 2.0",
}
STEEP = {
    "a product of products": "x * y * x",
    "a tenth power": "0.5 * x**10",
    "a power below nothing": "x**-1",
    "a quotient": "x / y",
    "an exponential": "jnp.exp(x)",
    "a sine of a product": "jnp.sin(x * y)",
    "what a name holds, times another": "e * y",
    "a product under a magnitude, times another": "jnp.abs(x * y) * y",
    "a mean, of which the sum may be too large, times another": "jnp.mean(x) * y",
    "a constant too large for half precision": "1e30 * x",
}


@pytest.mark.parametrize("arm", PLAIN.values(), ids=PLAIN)
def test_where_takes_what_has_finite_partial_derivatives(arm: str, rewrite: Rewriting) -> None:
    sample = rewrite(f"@jax.jit\ndef f(x, y):\n    e = jnp.exp(x)\n    return {arm} if x > 0.5 else -({arm})\n")
    assert "jnp.where(" in sample.body and "cond" not in sample.body, sample.body


@pytest.mark.parametrize("arm", STEEP.values(), ids=STEEP)
def test_cond_takes_the_rest(arm: str, rewrite: Rewriting) -> None:
    sample = rewrite(f"@jax.jit\ndef f(x, y):\n    e = jnp.exp(x)\n    return {arm} if x > 0.5 else -({arm})\n")
    assert "lax.cond(" in sample.body and "jnp.where" not in sample.body, sample.body


def test_doubles_of_numpy_keep_their_dtype(rewrite: Rewriting) -> None:
    sample = rewrite(f"{NUMPY}def f(data):\n    return np.stack([row - row.mean() for row in data])\n")
    sample.agree("f", [lambda: np.linspace(1e8, 1e8 + 1, 12).reshape(3, 4)])


CAUGHT = {
    "a list that ends before": "def f(xs: jax.Array, ys):\n    total = jnp.zeros(())\n    try:\n        for i in range(len(xs)):\n            total = jnp.sin(total) + xs[i] * ys[i]\n    except IndexError:\n        total = -total\n    return total\n",
    "a loop that is interrupted": "@jax.jit\ndef step(p, x):\n    return p - x\n\n\ndef f(p, xs: jax.Array):\n    try:\n        for x in xs:\n            p = step(p, x)\n    except KeyboardInterrupt:\n        pass\n    return p\n",
    "rows of unequal lengths": "def f(xs: jax.Array, ws):\n    try:\n        return jnp.stack([jnp.sin(x) * w for x, w in zip(xs, ws, strict=True)])\n    except ValueError:\n        return xs\n",
}  # fmt: skip


@pytest.mark.parametrize("code", CAUGHT.values(), ids=CAUGHT)
def test_a_loop_whose_failure_is_caught_is_left(code: str, rewrite: Rewriting) -> None:
    sample = rewrite(code)
    assert sample.new == sample.old
    assert set(sample.reasons) <= {"try"}


def test_a_loop_that_is_only_cleaned_up_after_is_rolled(rewrite: Rewriting) -> None:
    code = "@jax.jit\ndef f(xs: jax.Array):\n    t = jnp.zeros(())\n    try:\n        for x in xs:\n            t = jnp.sin(t) + x\n    finally:\n        t = t * 2\n    return t\n"
    assert "lax.scan(" in rewrite(code).body


def test_what_stood_in_a_loop_before_keeps_it_from_nothing(rewrite: Rewriting) -> None:
    code = "def f(x, ys: jax.Array):\n    for y in ys:\n        x = x + jnp.sqrt(jnp.maximum(x - y, 0.0))\n    return x\n\n\ng = jax.jit(jax.grad(f))\n"
    sample = rewrite(code)
    assert "lax.scan(" in sample.body, sample.new
    sample.agree("f", [2.0, lambda: jnp.linspace(0.0, 1.0, 20)])
