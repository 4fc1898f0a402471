"""Programs with and without what stops a trace, each with the call that traces it."""

from __future__ import annotations

import textwrap
from typing import NamedTuple

import pytest

HEADER = """
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

X = jnp.arange(6.0)
"""
CARRY, FLAG, ASSIGNMENT, RAGGED, SIZE, LOOKUP, METHOD = (
    "SCN109",
    "SCN204",
    "SCN208",
    "SCN209",
    "SCN210",
    "SCN211",
    "SCN212",
)
STOPS = {CARRY, FLAG, ASSIGNMENT, RAGGED, SIZE, LOOKUP, METHOD}


class Program(NamedTuple):
    """A text, the call that traces it, and the rule that speaks of it; None where it can be traced."""

    text: str
    call: str
    code: str | None


def program(name: str, code: str | None, call: str, text: str) -> object:
    return pytest.param(Program(textwrap.dedent(text), call, code), id=name)


def jitted(name: str, code: str | None, body: str, *args: str) -> object:
    """A jitted function `f` of `x`, an array, and `n`, a number or what `args` say."""
    text = "@jax.jit\ndef f(x, n):\n" + textwrap.indent(textwrap.dedent(body).strip(), "    ")
    return program(name, code, f"f({', '.join(args or ('X', '2'))})", text)


SHAPES = [
    jitted("a mask is an index", RAGGED, "return jnp.sin(x)[x > 0]"),
    jitted("a mask with a name is an index", RAGGED, "mask = (x > 1) & (x < 4)\nreturn x[mask].sum()"),
    jitted("a mask among other indices", RAGGED, "y = x.reshape(2, 3)\nreturn y[:, y[0] > 1]"),
    jitted("a negated mask", RAGGED, "return x[~jnp.isnan(x)]"),
    jitted("a mask behind at", RAGGED, "return x.at[x < 2].set(0.0)"),
    jitted("where of a condition alone", RAGGED, "return jnp.where(x > n)[0]"),
    jitted("nonzero", RAGGED, "return jnp.nonzero(x)"),
    jitted("the method nonzero", RAGGED, "return (x > 0).nonzero()"),
    jitted("argwhere", RAGGED, "return jnp.argwhere(x > 0)"),
    jitted("unique", RAGGED, "return jnp.unique(x)"),
    jitted("unique with counts", RAGGED, "return jnp.unique(x, return_counts=True)"),
    jitted("a set difference", RAGGED, "return jnp.setdiff1d(x, jnp.array([1.0]))"),
    jitted("bincount without a length", RAGGED, "return jnp.bincount(x.astype(int))"),
    jitted("segment_sum without a number", RAGGED, "return jax.ops.segment_sum(x, x.astype(int))"),
    jitted("repeat by counts", RAGGED, "return jnp.repeat(x, x.astype(int))"),
    program(
        "flatnonzero under vmap",
        RAGGED,
        "g(X[None])",
        "def f(x):\n    return jnp.flatnonzero(x > 1)\n\ng = jax.vmap(f)\n",
    ),
    program(
        "a mask in a helper",
        RAGGED,
        "f(X)",
        """
        def positive(x):
            return x[x > 0]

        @jax.jit
        def f(x):
            return positive(x * 2).sum()
        """,
    ),
    jitted("where with a size", None, "return jnp.where(x > n, size=3)[0]"),
    jitted("unique with a size", None, "return jnp.unique(x, size=6)"),
    jitted("where of three", None, "return jnp.where(x > 0, x, 0.0)"),
    jitted("bincount with a length", None, "return jnp.bincount(x.astype(int), length=8)"),
    jitted("segment_sum with a number", None, "return jax.ops.segment_sum(x, x.astype(int), num_segments=8)"),
    jitted("segment_sum with a number by place", None, "return jax.ops.segment_sum(x, x.astype(int), 8)"),
    jitted("repeat a known number of times", None, "return jnp.repeat(x, 3)"),
    jitted("an integer index", None, "return x[jnp.argsort(x)] + x[n]"),
    jitted("a mask of NumPy", None, "return x[np.array([True, False, True, False, True, False])]"),
    jitted("a reduction with a mask", None, "return jnp.sum(x, where=x > 0)"),
    program("a mask outside of a trace", None, "f(X)", "def f(x):\n    return x[x > 0]\n"),
    program("a mask under grad alone", None, "jax.grad(f)(X)", "def f(x):\n    return x[x > 0].sum()\n"),
    program(
        "a mask of a static argument",
        None,
        "f(X, (0, 2))",
        """
        @partial(jax.jit, static_argnames="kept")
        def f(x, kept):
            return x[np.array(kept)]
        """,
    ),
    program(
        "unique in a callback",
        None,
        "f(X)",
        """
        def count(x):
            return np.float32(len(np.unique(x[x > 0])))

        @jax.jit
        def f(x):
            return jax.pure_callback(count, jax.ShapeDtypeStruct((), jnp.float32), x)
        """,
    ),
    program(
        "at compile time",
        None,
        "f(X)",
        """
        @jax.jit
        def f(x):
            with jax.ensure_compile_time_eval():
                places = jnp.nonzero(jnp.array([1, 0, 1]))[0]
            return x[places]
        """,
    ),
    program(
        "a failure that is caught",
        None,
        "f(X)",
        """
        @jax.jit
        def f(x):
            try:
                return x[x > 0].sum()
            except Exception:
                return x.sum()
        """,
    ),
]
SIZES = [
    jitted("zeros of an argument", SIZE, "return jnp.zeros(n) + x[0]"),
    jitted("zeros of a tuple", SIZE, "return jnp.zeros((n, 3))"),
    jitted("ones of a sum", SIZE, "m = n + 1\nreturn jnp.ones(m)"),
    jitted("arange of an argument", SIZE, "return jnp.arange(n)"),
    jitted("arange from an argument", SIZE, "return jnp.arange(n, n + 3)"),
    jitted("linspace with a number", SIZE, "return jnp.linspace(0.0, 1.0, num=n)"),
    jitted("eye", SIZE, "return jnp.eye(n)"),
    jitted("the method reshape", SIZE, "return x.reshape(n, -1)"),
    jitted("the function reshape", SIZE, "return jnp.reshape(x, (n, -1))"),
    jitted("broadcast_to", SIZE, "return jnp.broadcast_to(x, (n, 6))"),
    jitted("a slice up to an argument", SIZE, "return x[:n]"),
    jitted("a window at an argument", SIZE, "return x[n : n + 3]"),
    jitted("a window behind at", SIZE, "return x.at[n : n + 3].set(0.0)"),
    jitted("top_k", SIZE, "return lax.top_k(x, n)[0]"),
    jitted("an axis by keyword", SIZE, "return x.sum(axis=n)", "X", "0"),
    jitted("an axis by place", SIZE, "return jnp.mean(x, n)", "X", "0"),
    jitted("concatenate along an argument", SIZE, "return jnp.concatenate([x, x], axis=n)", "X", "0"),
    jitted("split", SIZE, "return jnp.split(x, n)"),
    jitted("one_hot", SIZE, "return jax.nn.one_hot(x.astype(int), n)"),
    jitted("tile", SIZE, "return jnp.tile(x, n)"),
    jitted("pad", SIZE, "return jnp.pad(x, n)"),
    jitted("the shape of random numbers", SIZE, "return jax.random.normal(jax.random.key(0), (n,))"),
    jitted("random keys", SIZE, "return jax.random.split(jax.random.key(0), n)"),
    jitted("the length of a scan", SIZE, "return lax.scan(lambda c, _: (c + x, None), x, None, length=n)[0]"),
    jitted("a size that is computed", SIZE, "m = jnp.sum(x > 0)\nreturn jnp.zeros(m)"),
    jitted("dynamic_slice with a traced length", SIZE, "return lax.dynamic_slice_in_dim(x, 0, n)"),
    jitted("an int of an argument", SIZE, "return jnp.zeros(int(n))"),
    jitted("an int of a sum", SIZE, "count = int(jnp.sum(x > 0))\nreturn jnp.zeros(count)"),
    program(
        "a size in a helper",
        SIZE,
        "f(X, 3)",
        """
        def head(x, count):
            return x[:count]

        @jax.jit
        def f(x, k):
            return head(x, k).sum()
        """,
    ),
    program(
        "a slice up to the index of a loop",
        SIZE,
        "f(X)",
        """
        @jax.jit
        def f(x):
            return lax.fori_loop(1, 5, lambda i, total: total + x[:i].sum(), 0.0)
        """,
    ),
    program("a slice under vmap", SIZE, "f(jnp.arange(3))", "@jax.vmap\ndef f(i):\n    return X[:i].sum()\n"),
    jitted("the size of a shape", None, "return jnp.zeros(x.shape[0]) + jnp.arange(len(x)) + jnp.ones(x.size)"),
    jitted("the number of axes", None, "return jnp.expand_dims(x, x.ndim).reshape(x.shape[0], -1)"),
    jitted("a slice of known bounds", None, "return x[: x.shape[0] // 2] * n"),
    jitted("ends of a linspace", None, "return jnp.linspace(0.0, n, 5)"),
    jitted("a traced start of dynamic_slice", None, "return lax.dynamic_slice_in_dim(x, n, 3)"),
    jitted("a traced value of full", None, "return jnp.full(3, n)"),
    jitted("a traced shift of roll", None, "return jnp.roll(x, n)"),
    jitted("the bounds of randint", None, "return jax.random.randint(jax.random.key(0), (3,), 0, n)"),
    jitted("an array in the place of a number", None, "return jnp.zeros_like(x, shape=(3,)) + jnp.array(n)"),
    program(
        "an axis of None",
        None,
        "g()",
        "@jax.jit\ndef f(x, axis):\n    return x.sum(axis=axis)\n\ndef g():\n    return f(X, None)\n",
    ),
    program(
        "a static field of a registered dataclass",
        None,
        "f(Model(X, 2))",
        """
        from dataclasses import dataclass

        @partial(jax.tree_util.register_dataclass, data_fields=["w"], meta_fields=["k"])
        @dataclass
        class Model:
            w: jax.Array
            k: int

        @jax.jit
        def f(model: Model):
            return model.w[: model.k] + jnp.zeros(model.k) + (1, 2, 3)[model.k]
        """,
    ),
    program(
        "static data of a tree of which nothing is said",
        None,
        "f(Model(X, 2))",
        """
        @jax.tree_util.register_pytree_node_class
        class Model:
            def __init__(self, w, k):
                self.w, self.k = w, k

            def tree_flatten(self):
                return (self.w,), self.k

            @classmethod
            def tree_unflatten(cls, k, children):
                return cls(*children, k)

        @jax.jit
        def f(model):
            return model.w[: model.k].reshape(model.k, 1) + (1, 2, 3)[model.k]
        """,
    ),
    program(
        "a field that is traced",
        SIZE,
        "f(Model(X, 2))",
        """
        from typing import NamedTuple

        class Model(NamedTuple):
            w: jax.Array
            k: jax.Array

        @jax.jit
        def f(model: Model):
            return model.w[: model.k]
        """,
    ),
    program(
        "one function in another",
        None,
        "f(X, 3)",
        """
        @jax.jit
        def f(x, n):
            def head(count):
                return x[:count]

            return head(3) * n + jax.vmap(lambda row: row[:2])(x[None])[0, 0]
        """,
    ),
    program(
        "an array for its own dtype", None, "f(X, X)", "@jax.jit\ndef f(x, y):\n    return x.astype(y.dtype) + y\n"
    ),
    program(
        "a static size",
        None,
        "f(X, 3)",
        """
        @partial(jax.jit, static_argnames=("n",))
        def f(x, n):
            return jnp.zeros(n) + x[:n] + jnp.arange(n)
        """,
    ),
    program(
        "a static size by place",
        None,
        "f(X, 3)",
        """
        @partial(jax.jit, static_argnums=1)
        def f(x, n):
            return x[:n].reshape(n, 1)
        """,
    ),
    program(
        "a size given by partial", None, "f(X)", "def g(x, n):\n    return x[:n]\n\nf = jax.jit(partial(g, n=3))\n"
    ),
    program("a size outside of a trace", None, "f(X, jnp.array(3))", "def f(x, n):\n    return x[:n] + jnp.zeros(n)\n"),
    program(
        "an unmapped size",
        None,
        "jax.vmap(f, in_axes=(0, None))(X[None], 3)",
        "def f(x, n):\n    return x[:n] + jnp.zeros(n)\n",
    ),
    program("a size by default", None, "f(X)", "@jax.jit\ndef f(x, n=3):\n    return x[:n]\n"),
    program(
        "a size in a loop of Python",
        None,
        "f(X)",
        "@jax.jit\ndef f(x):\n    return [x[:i].reshape(i, 1) for i in range(1, 4)]\n",
    ),
    program(
        "a size from a table of Python",
        None,
        "f(X)",
        "SIZES = (2, 3)\n\n@jax.jit\ndef f(x):\n    return x[: SIZES[0]] + jnp.zeros(SIZES[0])\n",
    ),
]
WRITES = [
    jitted("an item is set", ASSIGNMENT, "x[0] = 1.0\nreturn x + n"),
    jitted("an item of what is made here", ASSIGNMENT, "y = jnp.zeros(3)\ny[0] = n\nreturn y"),
    jitted("an item is added to", ASSIGNMENT, "y = x * 2\ny[n] += 1.0\nreturn y"),
    jitted("a slice is set", ASSIGNMENT, "y = jnp.sin(x)\ny[1:3] = 0.0\nreturn y"),
    jitted("a mask is set", ASSIGNMENT, "y = jnp.sin(x)\ny[y > 0] = 0.0\nreturn y"),
    jitted("items of two axes", ASSIGNMENT, "y = jnp.zeros((2, 3))\ny[0, 1] = n\nreturn y"),
    program(
        "an item outside of a trace",
        ASSIGNMENT,
        "f(3)",
        """
        def f(n):
            out = jnp.zeros(n)
            for i in range(n):
                out[i] = i * 2.0
            return out
        """,
    ),
    program(
        "an item of a carry",
        ASSIGNMENT,
        "f(X)",
        """
        @jax.jit
        def f(x):
            def body(i, acc):
                acc[i] = x[i] * 2
                return acc

            return lax.fori_loop(0, 3, body, jnp.zeros(6))
        """,
    ),
    jitted("an update", None, "return x.at[0].set(1.0).at[n].add(2.0)"),
    jitted("an item of a list", None, "ys = [x, x]\nys[0] = x * n\nreturn ys"),
    jitted("an item of a dict", None, "ys = {}\nys['a'] = x * n\nreturn ys"),
    jitted("an item of an array of NumPy", None, "y = np.zeros(3)\ny[0] = 1.0\nreturn x[:3] * y * n"),
    program(
        "NumPy on the host", None, "f(3)", "def f(n):\n    out = np.zeros(n)\n    out[0] = jnp.sum(X)\n    return out\n"
    ),
    program(
        "a dict of arrays",
        None,
        "f({'w': X})",
        "@jax.jit\ndef f(params):\n    params['w'] = params['w'] * 2\n    return params\n",
    ),
    program(
        "a copy in NumPy",
        None,
        "f(X)",
        "def f(x):\n    y = jnp.sin(x)\n    y = np.array(y)\n    y[0] = 1.0\n    return y\n",
    ),
]
LOOKUPS = [
    jitted("a list of numbers", LOOKUP, "return [0.1, 0.2, 0.3][n] * x"),
    jitted("a tuple of arrays", LOOKUP, "return (x, 2 * x, 3 * x)[n]"),
    jitted("a dict", LOOKUP, "return {0: x, 2: x * 2}[n]"),
    jitted("a range", LOOKUP, "return range(5)[n] * x"),
    jitted("the shape", LOOKUP, "return x.shape[n] * x", "X", "0"),
    program(
        "a list of the module", LOOKUP, "f(1)", "RATES = [0.1, 0.2]\n\n@jax.jit\ndef f(i):\n    return RATES[i] * X\n"
    ),
    program(
        "a table of NumPy", LOOKUP, "f(1)", "TABLE = np.arange(5.0)\n\n@jax.jit\ndef f(i):\n    return TABLE[i] * X\n"
    ),
    program(
        "functions by number",
        LOOKUP,
        "f(X, 1)",
        "STEPS = [jnp.sin, jnp.cos]\n\n@jax.jit\ndef f(x, i):\n    return STEPS[i](x)\n",
    ),
    program(
        "a list by the index of a loop",
        LOOKUP,
        "f(X)",
        """
        @jax.jit
        def f(x):
            rates = [0.1, 0.2, 0.3]
            return lax.fori_loop(0, 3, lambda i, y: y * rates[i], x)
        """,
    ),
    jitted("an array of a list", None, "return jnp.array([0.1, 0.2, 0.3])[n] * x"),
    jitted("a list by a known number", None, "return [sum([0.1, 0.2][i] * x for i in range(2)), n]"),
    program(
        "a list by a static argument",
        None,
        "f(X, 1)",
        """
        STEPS = [jnp.sin, jnp.cos]

        @partial(jax.jit, static_argnames="i")
        def f(x, i):
            return STEPS[i](x)
        """,
    ),
    program(
        "functions by a number of Python",
        None,
        "f(X)",
        "STEPS = [jnp.sin, jnp.cos]\n\n@jax.jit\ndef f(x):\n    for i in range(2):\n        x = STEPS[i](x)\n    return x\n",
    ),
    jitted("a switch", None, "return lax.switch(n, [jnp.sin, jnp.cos], x)", "X", "1"),
    program(
        "a table of JAX", None, "f(1)", "TABLE = jnp.arange(5.0)\n\n@jax.jit\ndef f(i):\n    return TABLE[i] * X\n"
    ),
    program("a table on the host", None, "f(1)", "TABLE = np.arange(5.0)\n\ndef f(i):\n    return TABLE[i] * X\n"),
]
MODEL = """
class Model:
    def __init__(self):
        self.w = jnp.ones(6)

"""
METHODS = [
    program(
        "a method", METHOD, "Model().f(X)", MODEL + "    @jax.jit\n    def f(self, x):\n        return self.w * x\n"
    ),
    program(
        "a method by partial",
        METHOD,
        "Model().f(X, 1)",
        MODEL + "    @partial(jax.jit, static_argnums=2)\n    def f(self, x, k):\n        return self.w * x\n",
    ),
    program(
        "a method of a dataclass",
        METHOD,
        "Model(2.0).f(X)",
        """
        from dataclasses import dataclass

        @dataclass
        class Model:
            rate: float

            @jax.jit
            def f(self, x):
                return self.rate * x
        """,
    ),
    program(
        "a method of a class below",
        METHOD,
        "Below().f(X)",
        MODEL + "class Below(Model):\n    @jax.jit\n    def f(self, x):\n        return self.w * x\n",
    ),
    program(
        "a static object",
        None,
        "Model().f(X)",
        MODEL + "    @partial(jax.jit, static_argnums=0)\n    def f(self, x):\n        return self.w * x\n",
    ),
    program(
        "a static object by name",
        None,
        "Model().f(X)",
        MODEL + "    @partial(jax.jit, static_argnames='self')\n    def f(self, x):\n        return self.w * x\n",
    ),
    program(
        "a static method",
        None,
        "Model.f(X)",
        MODEL + "    @staticmethod\n    @jax.jit\n    def f(x):\n        return x\n",
    ),
    program(
        "a method that is bound before",
        None,
        "Model().f(X)",
        """
        class Model:
            def __init__(self):
                self.w = jnp.ones(6)
                self.f = jax.jit(self._f)

            def _f(self, x):
                return self.w * x
        """,
    ),
    program(
        "a NamedTuple",
        None,
        "Model(X).f(X)",
        """
        from typing import NamedTuple

        class Model(NamedTuple):
            w: jax.Array

            @jax.jit
            def f(self, x):
                return self.w * x
        """,
    ),
    program(
        "a registered class",
        None,
        "Model(X).f(X)",
        """
        @jax.tree_util.register_pytree_node_class
        class Model:
            def __init__(self, w):
                self.w = w

            def tree_flatten(self):
                return (self.w,), None

            @classmethod
            def tree_unflatten(cls, aux, children):
                return cls(*children)

            @jax.jit
            def f(self, x):
                return self.w * x
        """,
    ),
    program(
        "a class that is registered by a call",
        None,
        "Model(X).f(X)",
        """
        class Model:
            def __init__(self, w):
                self.w = w

            @jax.jit
            def f(self, x):
                return self.w * x

        jax.tree_util.register_pytree_node(Model, lambda m: ((m.w,), None), lambda aux, parts: Model(*parts))
        """,
    ),
    program(
        "a registered dataclass",
        None,
        "Model(X, 2).f(X)",
        """
        from dataclasses import dataclass

        @partial(jax.tree_util.register_dataclass, data_fields=["w"], meta_fields=["k"])
        @dataclass
        class Model:
            w: jax.Array
            k: int

            @jax.jit
            def f(self, x):
                return self.w * x * self.k
        """,
    ),
]
APPLIED = "@jax.jit\ndef f(x, how):\n    return x\n\ndef g():\n    return f(X, {})\n"
HANDED = [
    program("a function of JAX is handed in", FLAG, "g()", APPLIED.format("jnp.sin")),
    program("a lambda is handed in", FLAG, "g()", APPLIED.format("lambda x: 2 * x")),
    program(
        "a function of the file is handed in", FLAG, "g()", "def h(x):\n    return x\n\n" + APPLIED.format("how=h")
    ),
    program("a string is handed in", FLAG, "g()", APPLIED.format("'mean'")),
    program("a dtype is handed in", FLAG, "g()", APPLIED.format("jnp.float16")),
    program("a type of Python is handed in", FLAG, "g()", APPLIED.format("int")),
    program("a constant is handed in", None, "g()", APPLIED.format("jnp.pi")),
    program("None is handed in", None, "g()", APPLIED.format("None")),
    program("a Partial is handed in", None, "g()", APPLIED.format("jax.tree_util.Partial(jnp.sin)")),
    program(
        "a function is static",
        None,
        "g()",
        APPLIED.format("jnp.sin").replace("@jax.jit", "@partial(jax.jit, static_argnums=1)"),
    ),
    program(
        "another function of that name",
        None,
        "g()",
        "def g():\n    def f(x, how):\n        return how(x)\n\n"
        "    return f(X, jnp.sin)\n\n@jax.jit\ndef f(x, how):\n    return x * how\n",
    ),
]
SPELLINGS = [
    program(
        "zeros from import (another spelling)",
        SIZE,
        "f(X,3)",
        "from jax.numpy import zeros\n@jax.jit\ndef f(x, n):\n    return zeros(n)\n",
    ),
    program(
        "jnp as np (another spelling)",
        ASSIGNMENT,
        "f(X,3)",
        "import jax.numpy as np\n@jax.jit\ndef f(x, n):\n    y = np.sin(x)\n    y[0] = 1.0\n    return y\n",
    ),
    program(
        "chain (another spelling)", RAGGED, "f(X,3)", "@jax.jit\ndef f(x, n):\n    return jnp.sin(x)[jnp.cos(x) > 0]\n"
    ),
    program(
        "at mask add (another spelling)", RAGGED, "f(X,3)", "@jax.jit\ndef f(x, n):\n    return x.at[x > 1].add(1.0)\n"
    ),
    program(
        "inner jit (another spelling)",
        ASSIGNMENT,
        "outer(X)",
        "def outer(x):\n    @jax.jit\n    def inner(y):\n        y[0] = 1.0\n        return y * 2\n    return inner(x)\n",
    ),
    program("lambda (another spelling)", RAGGED, "g(X)", "def g(x):\n    return jax.jit(lambda y: y[y > 0] * 2)(x)\n"),
    program(
        "scan body (another spelling)",
        SIZE,
        "f(X,3)",
        "@jax.jit\ndef f(x, n):\n    return lax.scan(lambda c, i: (c + jnp.zeros(i).sum(), None), 0.0, jnp.arange(3))[0]\n",
    ),
    program("full (another spelling)", SIZE, "f(X,3)", "@jax.jit\ndef f(x, n):\n    return jnp.full((n,), 0.0)\n"),
    program(
        "like shape (another spelling)",
        SIZE,
        "f(X,3)",
        "@jax.jit\ndef f(x, n):\n    return jnp.ones_like(x, shape=(n,))\n",
    ),
    program("method repeat (another spelling)", RAGGED, "f(X,3)", "@jax.jit\ndef f(x, n):\n    return x.repeat(n)\n"),
    program(
        "repeat axis (another spelling)",
        RAGGED,
        "f(X,3)",
        "@jax.jit\ndef f(x, n):\n    return jnp.repeat(x, n, axis=0)\n",
    ),
    program("method sum place (another spelling)", SIZE, "f(X,0)", "@jax.jit\ndef f(x, n):\n    return x.sum(n)\n"),
    program("axis tuple (another spelling)", SIZE, "f(X,0)", "@jax.jit\ndef f(x, n):\n    return x.sum(axis=(n,))\n"),
    program("from n (another spelling)", SIZE, "f(X,3)", "@jax.jit\ndef f(x, n):\n    return x[n:]\n"),
    program("step n (another spelling)", SIZE, "f(X,3)", "@jax.jit\ndef f(x, n):\n    return x[::n]\n"),
    program("last n (another spelling)", SIZE, "f(X,3)", "@jax.jit\ndef f(x, n):\n    return x[-n:]\n"),
    program(
        "second axis (another spelling)", SIZE, "f(X,3)", "@jax.jit\ndef f(x, n):\n    return x.reshape(2, 3)[:, :n]\n"
    ),
    program(
        "arange step (another spelling)", SIZE, "f(X,3)", "@jax.jit\ndef f(x, n):\n    return jnp.arange(0, n, 2)\n"
    ),
    program(
        "int cast mask (another spelling)",
        SIZE,
        "f(X,3)",
        "@jax.jit\ndef f(x, n):\n    k = (x > 0).sum()\n    return x[:k]\n",
    ),
    program(
        "float mask (another spelling)",
        RAGGED,
        "f(X,3)",
        "@jax.jit\ndef f(x, n):\n    mask = jnp.logical_and(x > 0, x < 3)\n    return x[mask].mean()\n",
    ),
    program(
        "isin (another spelling)",
        RAGGED,
        "f(X,3)",
        "@jax.jit\ndef f(x, n):\n    return x[jnp.isin(x, jnp.arange(2.0))]\n",
    ),
    program(
        "bool param (another spelling)",
        RAGGED,
        "f(X,X>1)",
        "@jax.jit\ndef f(x, mask: jax.Array):\n    return x[mask.astype(bool)]\n",
    ),
    program(
        "grad in jit (another spelling)",
        RAGGED,
        "g(X)",
        "def f(x):\n    return x[x > 1].sum()\n@jax.jit\ndef g(x):\n    return jax.grad(f)(x)\n",
    ),
    program(
        "partial jit (another spelling)",
        SIZE,
        "f(X,3)",
        "@partial(jax.jit, donate_argnums=0)\ndef f(x, n):\n    return x[:n]\n",
    ),
    program(
        "jit call (another spelling)", SIZE, "g(X,3)", "def f(x, n):\n    return jnp.zeros(n) + x[0]\ng = jax.jit(f)\n"
    ),
    program(
        "jit call elsewhere (another spelling)",
        SIZE,
        "main()",
        "def f(x, n):\n    return jnp.zeros(n) + x[0]\ndef main():\n    fast = jax.jit(f)\n    return fast(X, 3)\n",
    ),
    program(
        "bincount len (another spelling)",
        SIZE,
        "f(X,3)",
        "@jax.jit\ndef f(x, n):\n    return jnp.bincount(x.astype(int), length=n)\n",
    ),
    program(
        "segment n (another spelling)",
        SIZE,
        "f(X,3)",
        "@jax.jit\ndef f(x, n):\n    return jax.ops.segment_sum(x, x.astype(int), num_segments=n)\n",
    ),
    program(
        "one hot kw (another spelling)",
        SIZE,
        "f(X,3)",
        "@jax.jit\ndef f(x, n):\n    return jax.nn.one_hot(x, num_classes=n)\n",
    ),
    program(
        "size traced (another spelling)", SIZE, "f(X,3)", "@jax.jit\ndef f(x, n):\n    return jnp.nonzero(x, size=n)\n"
    ),
    program(
        "host helper (another spelling)",
        ASSIGNMENT,
        "put(3)",
        "def put(n):\n    key = jax.random.key(0)\n    x = jax.random.normal(key, (n,))\n    x[0] = 0.0\n    return x\n",
    ),
    program(
        "host updated (another spelling)",
        ASSIGNMENT,
        "put(3)",
        "def put(n):\n    x = jnp.zeros(n)\n    x = x.at[0].set(1.0)\n    x[1] = 0.0\n    return x\n",
    ),
    program(
        "swap (another spelling)",
        ASSIGNMENT,
        "f(X,3)",
        "@jax.jit\ndef f(x, n):\n    y = x * 1\n    y[0], y[1] = y[1], y[0]\n    return y\n",
    ),
    program(
        "vmap arange (another spelling)",
        SIZE,
        "g()",
        "def f(i):\n    return jnp.arange(i).sum()\ndef g():\n    return jax.vmap(f)(jnp.arange(3))\n",
    ),
    program(
        "list of jax in loop (another spelling)",
        LOOKUP,
        "f(X,3)",
        "@jax.jit\ndef f(x, n):\n    layers = [jnp.sin, jnp.cos, jnp.tan]\n    return lax.fori_loop(0, 3, lambda i, y: layers[i](y), x)\n",
    ),
    program(
        "unpacked shape (another spelling)",
        SIZE,
        "f(X,3)",
        "@jax.jit\ndef f(x, n):\n    m = n * 2\n    return x.reshape((m, -1))\n",
    ),
    program(
        "cond (another spelling)",
        SIZE,
        "f(X,3)",
        "@jax.jit\ndef f(x, n):\n    return lax.cond(n > 1, lambda: x[:2], lambda: x[n:n+2])\n",
    ),
    program(
        "meshgrid (another spelling)",
        SIZE,
        "f(X,3)",
        "@jax.jit\ndef f(x, n):\n    return jnp.meshgrid(jnp.arange(n), jnp.arange(2))\n",
    ),
    program(
        "while body (another spelling)",
        SIZE,
        "f(X,3)",
        "@jax.jit\ndef f(x, n):\n    return lax.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, s[1] + x[: s[0]].sum()), (0, 0.0))\n",
    ),
    program(
        "dict by enum (another spelling)",
        LOOKUP,
        "f(X,1)",
        "TABLE = {0: 1.0, 1: 2.0}\n@jax.jit\ndef f(x, n):\n    return TABLE[n] * x\n",
    ),
    program(
        "np table of table (another spelling)",
        LOOKUP,
        "f(X,1)",
        "T = np.eye(3)\n@jax.jit\ndef f(x, n):\n    return T[n, 0] * x\n",
    ),
    program("np nonzero (another spelling)", RAGGED, "f(X,1)", "@jax.jit\ndef f(x, n):\n    return np.nonzero(x)[0]\n"),
    program("np unique (another spelling)", RAGGED, "f(X,1)", "@jax.jit\ndef f(x, n):\n    return np.unique(x)\n"),
]
CARRIES = [
    jitted("a number becomes an array", CARRY, "y = jnp.zeros(3)\nreturn lax.fori_loop(0, 3, lambda i, s: s + y, 0.0)"),
    jitted("a body of scan without a pair", CARRY, "return lax.scan(lambda c, r: c + r, 0.0, x)"),
    jitted("a body of scan with three", CARRY, "return lax.scan(lambda c, r: (c, r, r), 0.0, x)"),
    jitted("a carry with one more", CARRY, "return lax.scan(lambda c, r: ((c[0], c[1], r), r), (0.0, 1.0), x)"),
    jitted("a tuple becomes a list", CARRY, "return lax.fori_loop(0, 3, lambda i, s: [s[0], s[1]], (0.0, 1.0))"),
    jitted("a tuple becomes a number", CARRY, "return lax.while_loop(lambda s: s[0] < 3, lambda s: s[0] + 1, (0, x))"),
    jitted("arms of other dtypes", CARRY, "return lax.cond(n > 1, lambda: 1, lambda: 1.0)"),
    jitted("an arm of None", CARRY, "return lax.cond(n > 1, lambda: jnp.sin(x), lambda: None)"),
    jitted("arms of other lengths", CARRY, "return lax.switch(n, [lambda: (x, x), lambda: (x, x, x), lambda: (x, x)])"),
    program(
        "a body with a name",
        CARRY,
        "f(X)",
        """
        @jax.jit
        def f(x):
            def body(carry, row):
                total, count = carry
                return total + row, None

            return lax.scan(body, (0.0, 0), x)
        """,
    ),
    program(
        "a function that a class below defines",
        None,
        "f(X, Below())",
        """
        class Base:
            def step(self, s):
                ...

        class Below(Base):
            def step(self, s):
                return s * 2

        def f(x, model):
            return lax.fori_loop(0, 3, lambda i, s: model.step(s), x)
        """,
    ),
    jitted("a start of an int", None, "return lax.fori_loop(0, 3, lambda i, s: s + x[i], 0)"),
    jitted("a start of None in a tuple", None, "return lax.fori_loop(0, 3, lambda i, s: (s[0] + x, None), (x, None))"),
    jitted("a list of two as a pair", None, "return lax.scan(lambda c, r: [c + r, None], 0.0, x)[0]"),
    jitted("a carry in a dict", None, "return lax.fori_loop(0, 3, lambda i, s: {'a': s['a'] + x}, {'a': x})"),
    jitted("a vector stays one", None, "return lax.fori_loop(0, 3, lambda i, s: s * x[i] + x, jnp.zeros(6))"),
    jitted("arms that agree", None, "return lax.cond(n > 1, lambda: (x, 1.0), lambda: (2 * x, 0.0))"),
    jitted("arms by operands", None, "return lax.cond(n > 1, lambda y: y + 1, lambda y: y * 2, x)"),
    jitted(
        "a count beside an array",
        None,
        "return lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] * 2), (0, x))",
    ),
    jitted("an empty carry", None, "return lax.scan(lambda c, r: ((), r * 2), (), x)[1]"),
]
PROGRAMS = [*CARRIES, *HANDED, *SHAPES, *SIZES, *WRITES, *LOOKUPS, *METHODS, *SPELLINGS]
