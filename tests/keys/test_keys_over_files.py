"""Keys over files, in methods, and in the libraries that take them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scanlint.engine.session import check
from scanlint.finding import Finding
from scanlint.settings import Settings

MARK = re.compile(r"# ! ([\w-]+)")
LAYERS = """\
import jax


def dense(key, n):
    k1, k2 = jax.random.split(key)
    return {"w": jax.random.normal(k1, (n, n)), "b": jax.random.normal(k2, (n,))}


def head(rng, n):
    return jax.random.uniform(rng, (n,))


class Net:
    def __init__(self, key):
        self.rng = key

    def next(self):
        self.rng, sub = jax.random.split(self.rng)
        return sub

    def bad(self):
        return jax.random.normal(self.rng)
"""
MAIN = """\
import equinox as eqx
import flax.linen as nn
import haiku as hk
import jax
from flax import nnx
from jax import random as jr

from . import layers
from .layers import Net, dense, head


def model(key):
    a = dense(key, 3)
    b = head(key, 3)  # ! key-after-split
    return a, b


def by_module(key):
    k1, k2 = jr.split(key)
    return layers.dense(k1, 2), layers.head(k2, 2)


def net(key):
    n = Net(key)
    x = jr.normal(n.next())
    y = jr.normal(n.next())
    return x + y + n.bad()


def net2(key):
    n = Net(key)
    return n.bad() + jr.normal(key)  # ! key-reused


def eqx_mlp(key):
    l1 = eqx.nn.Linear(2, 3, key=key)
    l2 = eqx.nn.Linear(3, 2, key=key)  # ! key-reused
    return l1, l2


def eqx_ok(key):
    k1, k2 = jr.split(key)
    return eqx.nn.Linear(2, 3, key=k1), eqx.nn.Linear(3, 2, key=k2)


def flax_train(model, key, x):
    params = model.init(key, x)
    for step in range(10):
        y = model.apply(params, x, rngs={"dropout": key})  # ! key-reused
    return y


def flax_ok(model, key, x):
    init_key, drop = jr.split(key)
    params = model.init(init_key, x)
    for step in range(10):
        y = model.apply(params, x, rngs={"dropout": jr.fold_in(drop, step)})
    return y


def nnx_two(key):
    rngs = nnx.Rngs(key)
    l = nnx.Linear(2, 3, rngs=rngs)
    m = nnx.Linear(2, 3, rngs=rngs)
    return l, m, jr.normal(key)  # ! key-reused


def hk_fn(x):
    return jr.normal(hk.next_rng_key()) + jr.normal(hk.next_rng_key())


def seq(key):
    s = hk.PRNGSequence(key)
    return jr.normal(next(s)) + jr.normal(next(s))


def tried(key):
    try:
        return jr.normal(key)
    except ValueError:
        return jr.uniform(key)


def initializers(key):
    init = jax.nn.initializers.glorot_normal()
    return init(key, (2, 2)), init(key, (3, 3))  # ! key-reused


class Agent(nn.Module):
    def setup(self):
        self.key = self.make_rng("noise")

    @nn.compact
    def __call__(self, x):
        k = self.make_rng("noise")
        return x + jr.normal(k) + jr.uniform(self.make_rng("noise"))


def resample(key, particles):
    idx = jr.choice(key, 10, (10,))
    noise = jr.normal(key, (10,))  # ! key-reused
    return particles[idx] + noise


def renewed(sampler):
    for _ in range(3):
        print(sampler.next_key(), jr.normal(sampler.key))


def nested(keys):
    return jax.vmap(lambda k: jr.normal(k) + jr.uniform(k))(keys)  # ! key-reused


def param_rows(keys):
    return jr.normal(keys[0]) + jr.normal(keys[1])


def state_step(state):
    key, sub = jr.split(state.rng)
    noise = jr.normal(sub)
    return state.replace(rng=key), noise + jr.normal(state.rng)  # ! key-after-split


def opt(key=None):
    key = jr.PRNGKey(0) if key is None else key
    return jr.normal(key)


def match_it(key, kind):
    match kind:
        case "a":
            return jr.normal(key)
        case "b":
            return jr.uniform(key)


def reseed(n):
    key = jr.PRNGKey(0)
    for i in range(n):
        key, k1, k2 = jr.split(key, 3)
        yield jr.normal(k1) + jr.normal(k2)


def twoloops(key, xs, ys):
    keys = jr.split(key, 3)
    for k, x in zip(keys, xs):
        print(jr.normal(k))
    for k, y in zip(keys, ys):
        print(jr.normal(k))  # ! key-reused


key = jr.PRNGKey(0)
print(model(key))
print(jr.normal(key))  # ! key-reused
"""


def found(folder: Path, *, level: str = "advice") -> list[Finding]:
    outcome = check([folder], Settings(root=folder, select=("SCN501", "SCN502", "SCN503"), level=level, cache=False))
    assert not outcome.problems
    return outcome.findings


def test_each_mistake_is_named_where_it_is(tmp_path: Path) -> None:
    package = tmp_path / "pkg"
    package.mkdir()
    for name, text in (("__init__", ""), ("layers", LAYERS), ("main", MAIN)):
        (package / f"{name}.py").write_text(text, encoding="utf-8")
    marked = [(n, mark[1]) for n, line in enumerate(MAIN.splitlines(), 1) if (mark := MARK.search(line))]
    assert [(f.start.line, f.name) for f in found(tmp_path)] == marked


def test_a_finding_names_both_uses_with_their_places(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(CALLED, encoding="utf-8")
    (finding,) = found(tmp_path)
    assert finding.message == (
        "`head` draws from the key that `body` drew from on line 13: both come from the same random bits"
    )
    assert [(link.text, link.line) for link in finding.chain] == [
        ("the first use of the key: `body`", 13),
        ("`body` draws from it in `normal`", 5),
        ("`head` draws from it in `uniform`", 9),
    ]


def test_in_tests_only_one_draw_after_another_is_advice(tmp_path: Path) -> None:
    (tmp_path / "test_model.py").write_text(CALLED + DIRECT, encoding="utf-8")
    assert [(f.start.line, f.level) for f in found(tmp_path)] == [(19, "advice")]


CALLED = """\
import jax


def body(key):
    return jax.random.normal(key)


def head(key):
    return jax.random.uniform(key)


def model(key):
    return body(key) + head(key)
"""
DIRECT = """

def sample():
    key = jax.random.key(0)
    x = jax.random.normal(key)
    return x + jax.random.normal(key)
"""


EXCLUDED = {
    "a function that only raises": "def f(key, x):\n    def fail(text):\n        raise ValueError(text)\n    if x is None:\n        return fail('no x')\n    return jr.normal(key)\n",
    "three arms, one of which splits": "def f(key, a, b):\n    if a:\n        x = 0\n    elif b:\n        x = 1\n    else:\n        key, sub = jr.split(key)\n        x = jr.normal(sub)\n    return x + jr.normal(key)\n",
    "a property that splits": "class Draws:\n    @property\n    def key(self):\n        self.held, key = jr.split(self.held)\n        return key\n\n    def f(self):\n        return jr.normal(self.key) + jr.normal(self.key)\n",
    "a key of the module that is renewed": "KEY = jr.PRNGKey(0)\n\n\ndef f():\n    global KEY\n    KEY, a = jr.split(KEY)\n    KEY, b = jr.split(KEY)\n    return jr.normal(a) + jr.normal(b)\n",
    "pairs of keys and rows": "def f(pairs):\n    for k, x in zip(*pairs):\n        print(jr.normal(k) + x)\n",
    "a key that a pattern captures": "def f(states):\n    for s in states:\n        match s:\n            case {'key': k}:\n                pass\n        print(jr.normal(k))\n",
}  # fmt: skip


@pytest.mark.parametrize("text", EXCLUDED.values(), ids=EXCLUDED)
def test_what_renews_or_excludes_is_seen_in_every_spelling(text: str, tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("import jax.random as jr\n\n\n" + text)
    assert not found(tmp_path, level="warning")


def test_arrays_that_are_put_into_one_order_are_advice(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(
        "import jax.random as jr\n\n\ndef f(key, x, y):\n    return jr.permutation(key, x), jr.permutation(key, y)\n"
    )
    assert [f.level for f in found(tmp_path)] == ["advice"]


ALIASED = """\
import jax.random as jrand

seed_of_all = jrand.key(3)


def noisy(x):
    scale = jrand.normal(seed_of_all, (3,))
    return x * scale + jrand.normal(seed_of_all, (3,))  # ! key-reused


def repeated(x):
    for _ in range(10):
        x = x + jrand.normal(seed_of_all, (3,))  # ! key-each-trip
    return x
"""


def test_what_a_file_calls_jax_random_spells_keys(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(ALIASED, encoding="utf-8")
    expected = [(n, m[1]) for n, line in enumerate(ALIASED.splitlines(), 1) if (m := MARK.search(line))]
    outcome = check([tmp_path], Settings(root=tmp_path, select=("SCN5",), level="advice", cache=False))
    assert [(f.start.line, f.name) for f in outcome.findings] == expected
