"""The ranks and sizes of guessed arguments follow from what is done with them, all together."""

from __future__ import annotations

import ast

import pytest

from scanlint.verify.worker.infer.guess import Sizes, guesses
from scanlint.verify.worker.infer.inference import infer
from scanlint.verify.worker.infer.specs import Array, Scalar, leaves
from scanlint.verify.worker.shapes.dims import Dim, Dims
from scanlint.verify.worker.shapes.rank_choice import ShapeSolver

RNN = """
def f(params, xs):
    h = jnp.zeros(params["wh"].shape[0])
    for t in range(xs.shape[0]):
        h = jnp.tanh(xs[t] @ params["wx"] + h @ params["wh"] + params["b"])
    return h
"""
GRU = """
def f(wz, wn, xs, h):
    for x in xs:
        z = jax.nn.sigmoid(jnp.concatenate([x, h]) @ wz)
        h = (1 - z) * jnp.tanh(jnp.concatenate([x, z * h]) @ wn) + z * h
    return h
"""
LEAPFROG = """
def f(q, p, stiffness, dt):
    for _ in range(10):
        p = p - 0.5 * dt * (stiffness @ q)
        q = q + dt * p
    return q, p
"""
FORWARD = """
def f(start, transition, likelihoods):
    alpha = start + likelihoods[0]
    for t in range(1, likelihoods.shape[0]):
        alpha = jax.nn.logsumexp(alpha[:, None] + transition, axis=0) + likelihoods[t]
    return alpha
"""
KALMAN = """
def f(a, c, q, r, m, p, ys):
    for y in ys:
        m, p = a @ m, a @ p @ a.T + q
        k = p @ c.T @ jnp.linalg.inv(c @ p @ c.T + r)
        m, p = m + k @ (y - c @ m), p - k @ c @ p
    return m
"""
POWER = """
def f(a, v):
    for _ in range(10):
        v = a @ v
        v = v / jnp.linalg.norm(v)
    return v @ a @ v, v
"""
SCANNED = """
def f(w, xs):
    def step(h, x):
        h = jnp.tanh(h @ w + x)
        return h, h
    return jax.lax.scan(step, jnp.zeros(w.shape[1]), xs)[1]
"""

DENSE = """
def f(params, xs):
    out = []
    for x in xs:
        out.append(jnp.tanh(x @ params["w"] + params["b"]))
    return jnp.stack(out)
"""
SPREAD = """
def f(x, centre, rate):
    for _ in range(9):
        x = x - rate * (x - centre) / jnp.sum(x)
        if rate > 1.0:
            x = -x
    return x
"""
BACKWARDS = """
def f(rewards, dones, discount):
    total, out = 0.0, []
    for t in reversed(range(rewards.shape[0])):
        total = rewards[t] + discount * total * (1 - dones[t])
        out.append(total)
    return jnp.stack(out)
"""


def solved(text: str) -> dict[str, tuple[int, ...]]:
    """The shapes that come first, by parameter and path."""
    node = ast.parse(text).body[0]
    assert isinstance(node, ast.FunctionDef)
    needs, shared = infer(node, {}), Sizes()
    first = {name: next(guesses(name, need, shared, {})) for name, need in needs.items()}
    specs = next(ShapeSolver(node, {}, first, needs).found())
    found = ((path, leaf) for name, spec in specs.items() for path, leaf in leaves(spec, name))
    return {path: leaf.shape for path, leaf in found if isinstance(leaf, Array)}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        pytest.param(
            RNN, {"params.wh": "HH", "params.b": "H", "params.wx": "XH", "xs": "TX"}, id="a recurrent network"
        ),
        pytest.param(GRU, {"xs": "TX", "h": "H"}, id="a gated one, which joins its input and its state"),
        pytest.param(LEAPFROG, {"q": "N", "p": "N", "stiffness": "NN", "dt": ""}, id="a force by a matrix"),
        pytest.param(FORWARD, {"start": "S", "transition": "SS"}, id="a transition between states"),
        pytest.param(
            KALMAN, {"a": "SS", "c": "OS", "q": "SS", "r": "OO", "m": "S", "p": "SS", "ys": "TO"}, id="a filter"
        ),
        pytest.param(POWER, {"a": "NN", "v": "N"}, id="a quadratic form of a vector"),
        pytest.param(DENSE, {"params.w": "XH", "params.b": "H", "xs": "TX"}, id="what is added to a product"),
        pytest.param(
            SPREAD, {"x": "N", "centre": "N", "rate": ""}, id="what is reduced, and what is asked for its truth"
        ),
        pytest.param(BACKWARDS, {"rewards": "T", "dones": "T", "discount": ""}, id="what a loop reads from its end"),
        pytest.param(SCANNED, {"w": "NN", "xs": "TN"}, id="the carry of a scan"),
    ],
)
def test_shapes_fit_together(text: str, wanted: dict[str, str]) -> None:
    found = solved(text)
    sizes: dict[str, int] = {}
    for path, letters in wanted.items():
        assert len(found[path]) == len(letters), found
        assert all(sizes.setdefault(x, n) == n for x, n in zip(letters, found[path], strict=True)), found
    assert len(set(sizes.values())) == len(sizes) and min(sizes.values()) >= 2, found


def test_what_is_joined_has_the_sum_of_the_sizes() -> None:
    found = solved(GRU)
    assert found["wz"] == found["wn"] == (found["xs"][1] + found["h"][0], found["h"][0]), found


def test_a_number_that_counts_along_an_axis_is_its_size() -> None:
    node = ast.parse(
        "def f(xs, n):\n    total = 0.0\n    for i in range(n):\n        total = total + xs[i]\n    return total\n"
    )
    (function,) = node.body
    assert isinstance(function, ast.FunctionDef)
    needs, shared = infer(function, {}), Sizes()
    first = {name: next(guesses(name, need, shared, {})) for name, need in needs.items()}
    found = next(ShapeSolver(function, {}, first, needs).found())
    assert isinstance(found["xs"], Array)
    assert found["n"] == Scalar("int", None, found["xs"].shape[0])


def test_sizes_that_cannot_be_equal_are_told() -> None:
    dims = Dims()
    x, y = dims.fresh(), dims.fresh()
    assert dims.unify(x.plus(y), Dim(7)) and dims.unify(x, Dim(3)) and dims.numbers([x, y]) == {Dim(3): 3, Dim(4): 4}
    assert not dims.unify(y, Dim(5)) and not dims.unify(x, x.plus(Dim(1))) and not Dims().unify(x, Dim(1))


@pytest.mark.parametrize(
    ("source", "ranks"),
    [
        ("def f(x, w):\n    p = jax.nn.sigmoid(x @ w)\n    return jnp.eye(x.shape[1]) + x.T @ (x * (p * (1 - p))[:, None])", {"x": 2, "w": 1}),
        ("def f(x, w):\n    return x.T @ (x @ w)", {"x": 2, "w": 1}),
        ("def f(h, out):\n    return jax.nn.log_softmax(h @ out['w'])", {"h": 1}),
        ("def f(m, v):\n    return jnp.sum(m @ v)", {"m": 2, "v": 1}),
        (
            "def f(a, b, rate):\n    u = jnp.zeros_like(a)\n    for _ in range(9):\n"
            "        u = rate * (a - u[:, None] * b)\n    return u",
            {"a": 1, "rate": 0},
        ),
        ("def f(x):\n    y = x + 1\n    z = y * 2\n    y = z + y\n    return y[:, None]", {"x": 1}),
    ],
)  # fmt: skip
def test_ranks_follow_from_what_is_a_vector(source: str, ranks: dict[str, int]) -> None:
    shapes = solved(source)
    assert {name: len(shapes[name]) for name in ranks if name in shapes} == {
        n: r for n, r in ranks.items() if n in shapes
    }
    assert all(rank == 0 for name, rank in ranks.items() if name not in shapes)
