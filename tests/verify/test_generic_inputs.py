"""A proof is about a generic input: many trips, matrices that are no scalars, types of few bits, other defaults."""

from __future__ import annotations

import ast

import pytest

from scanlint.finding import Verification
from scanlint.verify.worker.infer.docstring_hints import hints

from .conftest import Judge

pytestmark = pytest.mark.many(5)

NOISE = "def f(key, x, steps=20):\n    for i in range(steps):\n        x = x + jax.random.normal(jax.random.fold_in(key, i), x.shape)\n    return x\n"
NOISE_NEW = "def f(key, x, steps=20):\n    body = lambda i, x: x + jax.random.normal(jax.random.fold_in(key, {}), x.shape)\n    return lax.fori_loop(0, {}, body, x)\n"
SERIES = "def f(x, degree=5):\n    total, power = jnp.zeros_like(x), jnp.ones_like(x)\n    for k in range(degree):\n        total, power = total + power, power * x\n    return total\n"
SERIES_NEW = "def f(x, degree=5):\n    return lax.fori_loop(0, {}, lambda k, c: (c[0] + c[1], c[1] * x), (jnp.zeros_like(x), jnp.ones_like(x)))[0]\n"
BEST = "def f(x):\n    best, at = x[0], jnp.int32(0)\n    for i in range(x.shape[0]):\n        at = jnp.where(x[i] > best, i, at)\n        best = jnp.maximum(best, x[i])\n    return at\n"
BEST_NEW = "def f(x):\n    def step(c, i):\n        at = jnp.where(x[i] > c[0], {}, c[1])\n        return (jnp.maximum(c[0], x[i]), at), None\n    return lax.scan(step, (x[0], jnp.int32(0)), jnp.arange(x.shape[0]))[0][1]\n"
LOOKUP = 'def f(table, tokens):\n    """table: (V, D); tokens: (T,) ints"""\n    return jnp.stack([table[t] for t in tokens])\n'
LOOKUP_NEW = 'def f(table, tokens):\n    """table: (V, D); tokens: (T,) ints"""\n    return jax.vmap(lambda t: table[{}])(tokens)\n'
CHAIN = 'def f(x, m):\n    """x: (S,) floats; m: (S, S)"""\n    for _ in range(20):\n        x = jnp.max(x[:, None] + m, axis=0)\n    return x\n'
CHAIN_NEW = "def f(x, m):\n    return lax.fori_loop(0, 20, lambda _, x: jnp.max(x[:, None] + {}, axis=0), x)\n"
RNN = 'def f(params, xs):\n    h = jnp.zeros(params["wh"].shape[0])\n    for t in range(xs.shape[0]):\n        h = jnp.tanh(xs[t] @ params["wx"] + h @ params["wh"] + params["b"])\n    return h\n'
RNN_NEW = 'def f(params, xs):\n    def step(h, x):\n        return jnp.tanh(x @ params["wx"] + h @ {} + params["b"]), None\n    return lax.scan(step, jnp.zeros(params["wh"].shape[0]), xs)[0]\n'
MOVED = "def f(x, rate=0.5):\n    return x * rate\n"
MASK = "def f(x, mask):\n    return jnp.stack([jnp.sum(jnp.where(mask[i], x[i], 0.0)) for i in range(x.shape[0])])\n"
MASK_NEW = "def f(x, mask):\n    return jax.vmap(lambda row, keep: jnp.sum({}))(x, mask)\n"
ARM = "def f(x, t):\n    if t > 0:\n        y = x * 2.0\n    else:\n        y = 0.0\n    return y\n"


def told(verdict: Verification) -> str:
    return "; ".join(verdict.notes)


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        pytest.param(NOISE, NOISE_NEW.format("i", "steps"), "proved", id="the same loop with a count that is given"),
        pytest.param(NOISE, NOISE_NEW.format("i.astype(jnp.int8)", "steps"), "refuted", id="an index of 8 bits wraps"),
        pytest.param(NOISE, NOISE_NEW.format("i", "20"), "refuted", id="the default in place of the argument"),
        pytest.param(NOISE, NOISE_NEW.format("i", "min(steps, 128)"), "refuted", id="no more than 128 trips"),
        pytest.param(SERIES, SERIES_NEW.format("degree"), "proved", id="a degree that is given"),
        pytest.param(SERIES, SERIES_NEW.format("max(degree, 1)"), "refuted", id="at least one trip"),
        pytest.param(BEST, BEST_NEW.format("i"), "proved", id="the index of the largest"),
        pytest.param(BEST, BEST_NEW.format("i.astype(jnp.int8)"), "refuted", id="the index of the largest in 8 bits"),
        pytest.param(LOOKUP, LOOKUP_NEW.format("t"), "tested", id="rows of a table"),
        pytest.param(LOOKUP, LOOKUP_NEW.format("t.astype(jnp.uint8)"), "refuted", id="rows of a table by 8 bits"),
        pytest.param(CHAIN, CHAIN_NEW.format("m"), "proved", id="a transition matrix"),
        pytest.param(CHAIN, CHAIN_NEW.format("m.T"), "refuted", id="a transition matrix transposed"),
        pytest.param(MASK, MASK_NEW.format("jnp.where(keep, row, 0.0)"), "proved", id="a masked sum"),
        pytest.param(MASK, MASK_NEW.format("row * keep"), "refuted", id="a mask that lets NaNs through"),
        pytest.param(MOVED, MOVED.replace("0.5", "0.25"), "refuted", id="another default"),
        pytest.param(MOVED, MOVED.replace("0.5", "5e-1"), "proved", id="the same default in another spelling"),
        pytest.param(
            ARM, "def f(x, t):\n    return jnp.where(t > 0, x * 2.0, 0.0)\n", "refuted", id="a scalar in one arm"
        ),
    ],
)
def test_verdicts_hold_for_generic_inputs(judge: Judge, old: str, new: str, wanted: str) -> None:
    verdict = judge(old, new)
    assert verdict.verdict == wanted, verdict.reason or verdict.counterexample or told(verdict)


def test_a_recurrent_network_is_proved_for_matrices(judge: Judge) -> None:
    verdict = judge(RNN, RNN_NEW.format('params["wh"]'))
    assert verdict.verdict == "proved"
    assert judge(RNN, RNN_NEW.format('params["wh"].T')).verdict == "refuted"


@pytest.mark.parametrize(
    ("docstring", "name", "axes", "kind"),
    [
        pytest.param("a: (S, S), from row to column; b: (T, S)", "b", ("T", "S"), "", id="several on a line"),
        pytest.param("a, b: (T, D)", "a", ("T", "D"), "", id="several names"),
        pytest.param("a: (N,) uint8", "a", ("N",), "uint8", id="a type"),
        pytest.param("Args:\n        a (Array): of shape [N, 2] with ints", "a", ("N", "2"), "Int", id="google style"),
        pytest.param("Parameters\n    a : array, shape (n, m)\n        one", "a", ("n", "m"), "", id="numpy style"),
        pytest.param("a: scalar", "a", (), "", id="a scalar"),
        pytest.param("a, b: int32 scalars", "b", (), "int32", id="scalars of a type"),
    ],
)
def test_a_docstring_tells_shapes(docstring: str, name: str, axes: tuple[str, ...], kind: str) -> None:
    node = ast.parse(f'def f(a, b):\n    """{docstring}"""\n').body[0]
    assert isinstance(node, ast.FunctionDef)
    assert hints(node)[name] == (axes, kind)


def test_a_docstring_without_shapes_tells_nothing() -> None:
    node = ast.parse('def f(a):\n    """Note: a (small) thing. a: the (first) one."""\n').body[0]
    assert isinstance(node, ast.FunctionDef)
    assert not hints(node)
