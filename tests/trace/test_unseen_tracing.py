"""Tracing that the text of a function does not show: wrappers of the project, registries, functions handed in, tests."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from scanlint.loops.loop import LoopModel
from scanlint.policy.worth import worth_rolling
from scanlint.settings import Settings
from tests.trace.test_traced import HEADER, contexts, load, load_files

STEP = "def step(x):\n    if x > 0:\n        return x\n    return -x\n"

WRAPPED = [
    pytest.param(
        f"def fast(f):\n    def wrapper(*args, **kwargs):\n        return jax.jit(f)(*args, **kwargs)\n    return wrapper\n@fast\n{STEP}",
        id="a decorator that jits when it is called",
    ),
    pytest.param(
        f"from functools import wraps\ndef fast(f):\n    @wraps(f)\n    def wrapper(x):\n        return jax.jit(f)(x)\n    return wrapper\n@fast\n{STEP}",
        id="the same with functools.wraps",
    ),
    pytest.param(
        f"def fast(f):\n    jitted = jax.jit(f)\n    def wrapper(*args):\n        return jitted(*args)\n    return wrapper\n@fast\n{STEP}",
        id="a decorator that jits at once",
    ),
    pytest.param(
        f"def fast(**options):\n    return lambda f: jax.jit(f, **options)\n@fast()\n{STEP}",
        id="a decorator with options",
    ),
    pytest.param(
        f"def call(f, *args):\n    return jax.jit(f)(*args)\n{STEP}def run(x):\n    return call(step, x)\n",
        id="a function that jits its argument",
    ),
    pytest.param(
        f"{STEP}def scan(f, init, xs):\n    return jax.lax.scan(f, init, xs)\ndef run(xs):\n    return scan(lambda c, x: (c, step(x)), 0.0, xs)\n",
        id="a function that scans its argument",
    ),
    pytest.param(
        f"from jax.tree_util import Partial\n{STEP}f = Partial(step)\n@jax.jit\ndef run(x):\n    return f(x)\n",
        id="a tree_util.Partial",
    ),
    pytest.param(
        f"from dataclasses import dataclass\n@dataclass\nclass Problem:\n    cost: object\n{STEP}PROBLEM = Problem(step)\n@jax.jit\ndef run(x):\n    return PROBLEM.cost(x)\n",
        id="a field of a dataclass",
    ),
    pytest.param(
        "class Base:\n    def step(self, x):\n        raise NotImplementedError\n    def total(self, x):\n        return self.step(x)\n"
        "class Derived(Base):\n    def step(self, x):\n        if x > 0:\n            return x\n        return -x\n"
        "MODELS = {'derived': Derived}\ndef make(name):\n    return MODELS[name]()\n"
        "def run(x, name):\n    return jax.jit(make(name).total)(x)\n",
        id="a method of a base class of an object out of a registry",
    ),
]  # fmt: skip


@pytest.mark.parametrize("text", WRAPPED)
def test_a_function_is_traced_through_what_the_project_makes_of_jax(tmp_path: Path, text: str) -> None:
    assert contexts(load(tmp_path, program=HEADER + text))["step"].traced


def test_a_function_is_traced_that_a_test_in_another_file_jits(tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "",
        "pkg/core.py": f"import jax\n{STEP}",
        "tests/test_core.py": "import jax\nfrom pkg.core import step\n\n\ndef test_step():\n    assert jax.jit(step)(1.0) == 1.0\n",
    }
    assert contexts(load_files(tmp_path, files))["step"].traced


def decided(folder: Path, text: str) -> list[bool]:
    """Whether each test in a program is traced, in the order of the text."""
    project = load(folder, program=HEADER + text)
    found = [(node.lineno, unit.value(node.test).traced) for unit in project.units() for node in branches_in(unit.node)]
    return [traced for _, traced in sorted(found)]


def branches_in(node: ast.AST) -> list[ast.If | ast.While]:
    return [part for part in ast.walk(node) if isinstance(part, ast.If | ast.While)]


JIT = "@jax.jit\ndef f(x, cfg):\n    s = jnp.sum(x)\n    j = 0\n"
TESTS = [
    pytest.param("while j < cfg.depth and s == 1:\n        s = s * 2\n        j += 1", True, id="unknown and traced"),
    pytest.param("while s == 1 and j < cfg.depth:\n        s = s * 2\n        j += 1", True, id="traced and unknown"),
    pytest.param("if cfg.always or s > 1:\n        s = s * 2", True, id="unknown or traced"),
    pytest.param("if s > 1 or cfg.always:\n        s = s * 2", True, id="traced or unknown"),
    pytest.param("if cfg.always or cfg.never:\n        s = s * 2", False, id="unknown or unknown"),
    pytest.param("if False and s > 1:\n        s = s * 2", False, id="what is never asked"),
    pytest.param("if cfg is None or x.ndim > 1:\n        s = s * 2", False, id="what is known of a tracer"),
]


@pytest.mark.parametrize(("statement", "traced"), TESTS)
def test_a_test_is_traced_as_soon_as_one_operand_is(tmp_path: Path, statement: str, traced: bool) -> None:
    assert decided(tmp_path, f"{JIT}    {statement}\n    return s\n") == [traced]


HANDED_IN = [
    pytest.param(
        "def f(loss, params, x):\n    if loss(params, x) > 3:\n        return params\n    return x\nrun = jax.jit(f, static_argnums=0)\n",
        True,
        id="a static argument",
    ),
    pytest.param(
        "class Model:\n    def __init__(self, f):\n        self.f = f\n    def run(self, x):\n        if self.f(x) > 0:\n            return x\n        return -x\n"
        "    @partial(jax.jit, static_argnums=0)\n    def go(self, x):\n        return self.run(x)\n",
        True,
        id="an attribute that an object was given",
    ),
    pytest.param(
        "class Model:\n    def __call__(self, x):\n        return jnp.sin(x)\n    @partial(jax.jit, static_argnums=0)\n    def go(self, x):\n        if self(x) > 0:\n            return x\n        return -x\n",
        True,
        id="the object itself",
    ),
    pytest.param(
        "from somewhere import names\nclass Model:\n    def __init__(self):\n        self.f = names\n    @partial(jax.jit, static_argnums=0)\n    def go(self, x):\n        if self.f(x) > 0:\n            return x\n        return -x\n",
        False,
        id="an attribute that stands for something else",
    ),
    pytest.param(
        "@jax.jit\ndef f(inputs):\n    seq, pos = inputs\n    if pos > 3:\n        return seq\n    return pos\n",
        True,
        id="an element of an unpacked argument",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "traced"), HANDED_IN)
def test_what_a_function_makes_of_tracers_is_traced(tmp_path: Path, text: str, traced: bool) -> None:
    assert decided(tmp_path, text) == [traced]


ROWS = "@jax.jit\ndef f(X, Y):\n    out = 0.0\n    for x, y in zip({first}, {second}):\n        out = out + jnp.sum({work})\n    return out\n"
WORK = " * ".join(["jnp.sin(x)", *[f"jnp.exp({k}.0 * x - y)" for k in range(12)]])
SLICES = [
    pytest.param("X[:2, :]", "Y[:2, :]", False, id="two rows of each"),
    pytest.param("X", "Y[:2]", False, id="two rows of one"),
    pytest.param("X[1:4]", "Y", False, id="rows from one to four"),
    pytest.param("X[-3:]", "Y", False, id="the last three rows"),
    pytest.param("X[:200]", "Y", True, id="many rows"),
    pytest.param("X[1:]", "Y[:-1]", True, id="all rows but one"),
]


@pytest.mark.parametrize(("first", "second", "reported"), SLICES)
def test_a_slice_says_how_many_trips_there_are_at_most(tmp_path: Path, first: str, second: str, reported: bool) -> None:
    project = load(tmp_path, program=HEADER + ROWS.format(first=first, second=second, work=WORK))
    (unit,) = project.units()
    (loop,) = unit.every(ast.For)
    assert worth_rolling(LoopModel(unit, loop), Settings(), lambda model: False) is reported


CALLEES = [
    pytest.param("def g(x, n):\n    return jnp.moveaxis(x, n, 0)\n", "x = g(x, i)", "index-needs-int", id="an axis"),
    pytest.param("def g(x, n):\n    return x + jnp.sum(jnp.zeros(n + 1))\n", "x = g(x, i)", "index-needs-int", id="a shape"),
    pytest.param("def h(x, n):\n    return jnp.sum(x, axis=n)\ndef g(x, n):\n    return x + h(x, n)\n", "x = g(x, i)", "index-needs-int", id="an axis two calls further"),
    pytest.param("def g(x, n):\n    for k in range(n):\n        x = x + k\n    return x\n", "x = g(x, i)", "index-needs-int", id="a range"),
    pytest.param("def g(n, x):\n    return jnp.moveaxis(x, n, 0)\n", "x = partial(g, i)(x)", "index-needs-int", id="an axis through a partial that is made with it"),
    pytest.param("def g(s, x, n):\n    return s * jnp.moveaxis(x, n, 0)\nh = partial(g, 2)\n", "x = h(x, i)", "index-needs-int", id="an axis through a partial"),
    pytest.param("def g(x, n):\n    return jnp.sin(x) if n > 2 else x\n", "x = g(x, i)", "callee-branches", id="a branch"),
    pytest.param("def g(x):\n    return jnp.kron(jnp.eye(2), x)\n", "x = g(x)", "carry-shape-grows", id="a Kronecker product"),
    pytest.param("def g(x):\n    y = jnp.concatenate([x, x])\n    return 2 * y\n", "x = g(x)", "carry-shape-grows", id="a concatenation"),
    pytest.param("v = jnp.ones(2)\n", "x = jnp.tensordot(v, x, axes=0)", "carry-shape-grows", id="an outer product"),
    pytest.param("v = jnp.ones(2)\n", "x = jnp.tensordot(v, x, 0)", "carry-shape-grows", id="an outer product by place"),
    pytest.param("", "x = jnp.expand_dims(x, 0)", "carry-shape-grows", id="an axis more"),
    pytest.param("", "x = jnp.concatenate([x, 2 * v[:, None]], axis=1)", "carry-shape-grows", id="a column more"),
    pytest.param("v = jnp.eye(2)\n", "x = jnp.tensordot(v, x, axes=1)", None, id="a product over an axis"),
    pytest.param("def g(x, n):\n    return x * n + jnp.roll(x, n)\n", "x = g(x, i)", None, id="arithmetic"),
    pytest.param("def g(x):\n    return jnp.concatenate([x[1:], x[:1]])\n", "x = g(x)", None, id="a shift"),
]  # fmt: skip


@pytest.mark.parametrize(("callee", "statement", "code"), CALLEES)
def test_what_a_callee_does_with_it_is_an_obstacle(
    tmp_path: Path, callee: str, statement: str, code: str | None
) -> None:
    text = f"{callee}@partial(jax.jit, static_argnums=1)\ndef f(x, m):\n    for i in range(m):\n        {statement}\n    return x\n"
    project = load(tmp_path, program=HEADER + text)
    (unit,) = [u for u in project.units() if u.qualname == "f"]
    (loop,) = unit.every(ast.For)
    assert [o.code for o in LoopModel(unit, loop).obstacles] == ([code] if code else [])
