"""What expressions are while a function is traced."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import pytest

from scanlint.settings import Settings
from scanlint.trace.domain.evidence import trail
from scanlint.trace.domain.values import Kind, Value
from scanlint.trace.program.project import Project
from scanlint.trace.unit import Unit

HEADER = (
    "import jax\nimport jax.numpy as jnp\nimport numpy as np\nfrom functools import partial\n"
    "from typing import NamedTuple\nfrom jax import lax\nCOUNT = 12\n"
)


def unit_of(folder: Path, text: str, name: str = "f") -> Unit:
    path = folder / "program.py"
    path.write_text(HEADER + textwrap.dedent(text))
    return next(u for u in Project.load([path], Settings(root=folder)).units() if u.qualname == name)


def conditions(unit: Unit) -> list[Value]:
    """The values of the tests in a unit, in the order of the text."""
    found = [n for n in ast.walk(unit.node) if isinstance(n, ast.If | ast.While | ast.IfExp | ast.Assert)]
    return [unit.value(n.test) for n in sorted(found, key=lambda n: n.lineno)]


def iterables(unit: Unit) -> list[Value]:
    return [unit.value(n.iter) for n in ast.walk(unit.node) if isinstance(n, ast.For)]


def jitted(parameters: str, body: str, before: str = "") -> str:
    return f"{before}\n@jax.jit\ndef f({parameters}):\n" + textwrap.indent(textwrap.dedent(body).strip(), "    ") + "\n"


TRACED = [
    pytest.param("x", "if x > 0:\n    return x", id="a comparison of a parameter"),
    pytest.param("x", "if jnp.any(x):\n    return x", id="a jnp call"),
    pytest.param("x", "done = jnp.all(x)\nif done:\n    return x", id="a name that holds a jnp call"),
    pytest.param("x", "if jnp.zeros(3).sum() > x.ndim:\n    return x", id="an array made under the trace"),
    pytest.param("x", "y = x * 2\ny += 1\nif y[0] > 1:\n    return x", id="arithmetic, then an index"),
    pytest.param("params", "if params['w'] > 1:\n    return params", id="a leaf of a dict"),
    pytest.param("x: jax.Array", "if x:\n    return x", id="the truth of an annotated array"),
    pytest.param("x", "a, b = x, 2\nif a > b:\n    return x", id="unpacking"),
    pytest.param("x", "g = lambda v: v + x\nif g(1) > 0:\n    return x", id="what a lambda returns"),
    pytest.param("x", "def g(v):\n    return v > x\nif g(1):\n    return x", id="what a nested function returns"),
    pytest.param("x", "if not x.any():\n    return x", id="a negated method"),
    pytest.param("x", "if x.shape[0] > 3 and x[0] > 0:\n    return x", id="a static test and a traced one"),
    pytest.param("x", "e = 1.0\nwhile e > 0.1:\n    e = jnp.abs(x)", id="a carry that is traced after one trip"),
    pytest.param("x", "s = 0.0\nfor _ in range(3):\n    s = s + x\nif s > 1:\n    return x", id="a sum over trips"),
    pytest.param("x, ok", "for i in range(x.shape[0]):\n    if ok[i]:\n        return x", id="an element by a loop variable"),
    pytest.param("x, mask", "if mask[0, 1]:\n    return x", id="an element by two numbers"),
    pytest.param("x, n: int", "if n > 1:\n    return x", id="a number that jit traces"),
    pytest.param("x", "if helper(x) > 0:\n    return x", id="what a helper returns"),
    pytest.param("s: State", "if s.done:\n    return s", id="an array field of a NamedTuple"),
    pytest.param("key", "k1, k2 = jax.random.split(key)\nif jax.random.uniform(k1) > 0.5:\n    return key", id="a random number"),
    pytest.param("x", "c, ys = lax.scan(lambda c, r: (c + r, c), 0.0, x)\nif c > 1:\n    return x", id="the carry of a scan"),
    pytest.param("x", "y = jax.tree.map(lambda v: v * 2, {'a': x})\nif y['a'] > 1:\n    return x", id="a mapped tree"),
]  # fmt: skip

SILENT = [
    pytest.param("x", "if x.shape[0] > 3:\n    return x", id="a shape"),
    pytest.param("x", "if x.ndim == 2 and len(x) > 3:\n    return x", id="an ndim and a len"),
    pytest.param("x", "if jnp.issubdtype(x.dtype, jnp.floating):\n    return x", id="a dtype"),
    pytest.param("x, y=None", "if y is None:\n    return x", id="is None"),
    pytest.param("x", "if isinstance(x, tuple):\n    return x", id="isinstance"),
    pytest.param("params", "if 'w' in params:\n    return params", id="a key of a dict"),
    pytest.param("x, mode", "if mode == 'train':\n    return x", id="a string"),
    pytest.param("x, flag", "if flag:\n    return x", id="the truth of a bare parameter"),
    pytest.param("x, flag=False", "if flag:\n    return x", id="a flag with a default"),
    pytest.param("x, options", "if options['fast'] or options[0]:\n    return x", id="the truth of one entry"),
    pytest.param("x, options", "for name in ('a', 'b'):\n    if options[name]:\n        return x", id="an entry by a name"),
    pytest.param("state", "if state.training:\n    return state", id="an attribute of an unknown object"),
    pytest.param("x", "if np.prod(x.shape) > 3:\n    return x", id="NumPy on a shape"),
    pytest.param("x", "if COUNT > 3:\n    return x", id="a module constant"),
    pytest.param("x", "ys = []\nfor i in range(3):\n    ys.append(x)\nif ys:\n    return x", id="the truth of a list"),
    pytest.param("x", "for k, v in {'a': x}.items():\n    if k == 'a':\n        return v", id="the key of an item"),
    pytest.param("x, *rest", "if len(rest) > 1:\n    return x", id="the number of arguments"),
    pytest.param("x", "if not isinstance(x, jax.core.Tracer):\n    if x > 0:\n        return x", id="behind a test for tracers"),
    pytest.param("x", "with jax.ensure_compile_time_eval():\n    if jnp.ones(3).sum() > 1:\n        return x", id="evaluated at compile time"),
    pytest.param("x", "if hasattr(x, 'shape') or callable(x):\n    return x", id="hasattr"),
    pytest.param("x", "if x.dtype == jnp.float32:\n    return x", id="the comparison of a dtype"),
    pytest.param("x", "for i in range(3):\n    if i == 0:\n        x = x + 1", id="the index of a static range"),
    pytest.param("s: State", "if s.size > 2:\n    return s", id="a field that is a Python int"),
]  # fmt: skip

BEFORE = """
class State(NamedTuple):
    done: jax.Array
    size: int

def helper(v):
    return v * 2
"""


@pytest.mark.parametrize(("parameters", "body"), TRACED)
def test_a_traced_test_is_seen(tmp_path: Path, parameters: str, body: str) -> None:
    value = conditions(unit_of(tmp_path, jitted(parameters, body, BEFORE)))[0]
    assert value.traced


@pytest.mark.parametrize(("parameters", "body"), SILENT)
def test_a_static_test_is_never_called_traced(tmp_path: Path, parameters: str, body: str) -> None:
    assert not any(v.traced for v in conditions(unit_of(tmp_path, jitted(parameters, body, BEFORE))))


RANGES = [
    pytest.param("for i in range(COUNT):\n    x = x + 1", 12, id="a module constant"),
    pytest.param("n = 5\nfor i in range(1, n + 2, 2):\n    x = x + 1", 3, id="arithmetic on a local constant"),
    pytest.param("for i in range(len([1, 2, 3])):\n    x = x + 1", 3, id="the length of a literal"),
    pytest.param("for i in reversed(range(7)):\n    x = x + 1", 7, id="a reversed range"),
]


@pytest.mark.parametrize(("body", "trips"), RANGES)
def test_trip_counts_are_folded(tmp_path: Path, body: str, trips: int) -> None:
    known = iterables(unit_of(tmp_path, jitted("x", body)))[0].constant
    assert isinstance(known, range) and len(known) == trips


def test_the_default_of_a_static_argument_is_a_trip_count(tmp_path: Path) -> None:
    text = "@partial(jax.jit, static_argnames='n')\ndef f(x, n=20):\n    for _ in range(n):\n        x = x * 2\n    return x\n"
    assert iterables(unit_of(tmp_path, text))[0].constant == range(20)


def test_a_default_that_a_call_overrides_is_not_known(tmp_path: Path) -> None:
    text = """
    @partial(jax.jit, static_argnames='n')
    def f(x, n=20):
        for _ in range(n):
            x = x * 2
        return x
    @jax.jit
    def g(x):
        return f(x, n=3)
    """
    value = iterables(unit_of(tmp_path, text))[0]
    assert value.constant != range(20)


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        pytest.param(
            "@jax.jit\ndef f(x):\n    for i in range(x.shape[0] - 1):\n        x = x + 1\n", "shape", id="shape"
        ),
        pytest.param(
            "@jax.jit\ndef f(x):\n    for i in range(x.shape[-1]):\n        x = x + 1\n", "feature", id="last axis"
        ),
        pytest.param(
            "@partial(jax.jit, static_argnums=1)\ndef f(x, n):\n    for i in range(2 * n):\n        x = x + 1\n",
            "argument",
            id="static argument",
        ),
    ],
)
def test_an_unknown_bound_says_where_it_comes_from(tmp_path: Path, text: str, origin: str) -> None:
    unit = unit_of(tmp_path, text)
    loop = next(n for n in ast.walk(unit.node) if isinstance(n, ast.For))
    assert isinstance(loop.iter, ast.Call)
    assert unit.value(loop.iter.args[0]).origin == origin


def test_iterating_an_array_gives_traced_rows(tmp_path: Path) -> None:
    unit = unit_of(tmp_path, "@jax.jit\ndef f(xs):\n    t = 0.0\n    for x in xs:\n        t = t + x\n    return t\n")
    value = iterables(unit)[0]
    assert value.traced and value.array and value.container is None


def test_iterating_parameters_of_layers_is_not_iterating_an_array(tmp_path: Path) -> None:
    unit = unit_of(
        tmp_path, "@jax.jit\ndef f(layers, x):\n    for w, b in layers:\n        x = x @ w + b\n    return x\n"
    )
    assert not iterables(unit)[0].array


def test_on_the_host_arrays_are_concrete(tmp_path: Path) -> None:
    text = "def f(xs):\n    ys = jnp.sin(xs)\n    if ys.sum() > 0:\n        return [jnp.cos(y) for y in ys]\n    return jax.jit(f)\n"
    value = conditions(unit_of(tmp_path, text + "def g(x):\n    return f(x)\n"))[0]
    assert value.kind is Kind.TRACED or value.array


def test_evidence_names_the_value(tmp_path: Path) -> None:
    unit = unit_of(tmp_path, jitted("x", "err = jnp.abs(x)\nif err > 0:\n    return x"))
    value = conditions(unit)[0]
    nearest = trail(value.why)[0]
    assert (nearest.text, nearest.line) == ("`err` = `jnp.abs(x)`", 11)


def test_a_unit_can_be_analysed_again_in_a_changed_text(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(HEADER + jitted("x", "for i in range(30):\n    x = x * i\nreturn x"))
    project = Project.load([path], Settings(root=tmp_path))
    unit = next(iter(project.units()))
    body = "def body(i, x):\n    if i > 3:\n        return x\n    return x * i\nreturn lax.fori_loop(0, 30, body, x)"
    again = project.reanalyse(unit, HEADER + jitted("x", body))
    assert again is not None
    assert [v.traced for v in conditions(again)] == [True]
    assert project.reanalyse(unit, "def g(): ...") is None


def test_a_chosen_unrolled_form_is_silent(tmp_path: Path) -> None:
    body = "if unroll:\n    for i in range(99):\n        x = x * i\nelse:\n    x = lax.fori_loop(0, 99, lambda i, x: x * i, x)\nreturn x"
    unit = unit_of(tmp_path, jitted("x, unroll", body))
    loop = next(n for n in ast.walk(unit.node) if isinstance(n, ast.For))
    assert loop in unit.silent


def test_a_helper_parameter_is_static_where_every_caller_passes_a_constant(tmp_path: Path) -> None:
    text = """
    def f(x, n, k):
        for _ in range(n):
            x = x * k
        if k > 2:
            return x
        return -x
    @jax.jit
    def g(x, y):
        return f(x, 15, y) + f(y, 15, 3)
    """
    unit = unit_of(tmp_path, text)
    assert iterables(unit)[0].constant == range(15)
    assert not conditions(unit)[0].traced


NO_ARRAYS = [
    pytest.param("def f(bias, z):\n    b = [b(z) for b in bias]\n    return b * 2\n", id="a variable of a comprehension is its own"),
    pytest.param("def f(xs, z):\n    if isinstance(xs, list):\n        for x in xs:\n            z = z * x\n    return z\n", id="isinstance of a list"),
    pytest.param("def f(params, z):\n    for p in params:\n        z = z + jnp.sum(p**2)\n    return z\n", id="parameters"),
]  # fmt: skip


@pytest.mark.parametrize("text", NO_ARRAYS)
def test_a_list_of_arrays_is_not_taken_for_an_array(tmp_path: Path, text: str) -> None:
    unit = unit_of(tmp_path, "@jax.jit\n" + text)
    loops = [n.iter for n in ast.walk(unit.node) if isinstance(n, ast.For | ast.comprehension)]
    assert loops and not any(unit.value(i).array for i in loops)


def test_a_python_number_of_the_host_is_no_array_in_a_function_nested_there(tmp_path: Path) -> None:
    text = "def f(deg):\n    n = deg**2 + 1\n    @jax.jit\n    def inner(x):\n        for i in range(deg + 1):\n            x = x * n\n        return x\n    return inner\n"
    unit = unit_of(tmp_path, text)
    loop = next(n for n in ast.walk(unit.node) if isinstance(n, ast.For))
    assert isinstance(loop.iter, ast.Call)
    assert not unit.value(loop.iter.args[0]).traced


@pytest.mark.parametrize(
    ("made", "dtype"),
    [
        ("jnp.zeros(4)", "float"),
        ("jnp.zeros(4, int)", None),
        ("jnp.ones((2,), jnp.int8)", None),
        ("jnp.int8(1)", "int"),
    ],
)
def test_an_array_has_the_dtype_that_it_is_made_with(tmp_path: Path, made: str, dtype: str | None) -> None:
    unit = unit_of(tmp_path, jitted("x", f"y = {made}\nif x > 0:\n    return y"))
    value = next(n.value for n in ast.walk(unit.node) if isinstance(n, ast.Assign))
    assert unit.value(value).dtype == dtype
