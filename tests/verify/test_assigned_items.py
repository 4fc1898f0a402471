"""Assignments to items of arrays of JAX mean in the old version what they mean for arrays of NumPy."""

from __future__ import annotations

import ast

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from scanlint.verify.worker.session.assigned_items import GIVEN, with_assigned_items


def run(text: str, x: object) -> object:
    """What `f(x)` gives in the changed tree of a text."""
    names: dict[str, object] = {"jnp": jnp, "np": np, **GIVEN}
    exec(compile(with_assigned_items(ast.parse(text)), "old.py", "exec"), names)
    return names["f"](x)  # type: ignore[operator]


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param("x[0] = 1", id="one item"),
        pytest.param("x[-1] += 2", id="one from the end is added to"),
        pytest.param("x[1:3] = 5", id="a slice"),
        pytest.param("x[::2] *= 3", id="every other one"),
        pytest.param("x[x > 2] = 0", id="a mask"),
        pytest.param("x[np.array([1, 1])] += 1", id="one place twice counts once"),
        pytest.param("x[0] = 2.9", id="a value of another type"),
        pytest.param(
            "def g(i):\n        z = 1 * x\n        z[i] = 7\n        return z\n    x = g(2)", id="in a function"
        ),
    ],
)
def test_an_array_of_jax_gets_the_items_that_one_of_numpy_gets(lines: str) -> None:
    text = f"def f(x):\n    x = x * 1\n    {lines}\n    return x\n"
    expected, found = run(text, np.arange(5)), run(text, jnp.arange(5))
    assert isinstance(found, jax.Array)
    np.testing.assert_array_equal(np.asarray(found), np.asarray(expected))


def test_lists_and_dicts_change_in_place() -> None:
    held: dict[str, object] = {"a": [1, 2]}
    run("def f(x):\n    x['b'] = 3\n    y = x['a']\n    y[0] += 4\n", held)
    assert held == {"a": [5, 2], "b": 3}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("def f(x):\n    def g():\n        x[0] = 1\n    g()\n", id="a name of the function around"),
        pytest.param("def f(x):\n    x[0], y = 3, x[1]\n", id="several targets"),
    ],
)
def test_what_is_not_understood_fails_as_it_did(text: str) -> None:
    with pytest.raises(TypeError, match="immutable"):
        run(text, jnp.arange(3))


def test_a_tracer_is_asked_for_its_values() -> None:
    with pytest.raises(jax.errors.TracerArrayConversionError):
        jax.jit(lambda x: run("def f(x):\n    x = 2 * x\n    x[0] = 1\n    return x\n", x))(jnp.arange(3))


IN_PLACE = {
    "a list in a dict grows, whoever holds it": "def f(x):\n    first = []\n    held = {'a': first}\n    held['a'] += [x]\n    return len(first)\n",
    "a list takes what is no list": "def f(x):\n    held = {'a': []}\n    held['a'] += (x, x)\n    return len(held['a'])\n",
    "a value is worked out before its place": "def f(x):\n    seen = iter([1, 2])\n    held = {}\n    held[next(seen)] = next(seen)\n    return held\n",
    "a place is worked out before what is added": "def f(x):\n    seen = iter([1, 2])\n    held = {1: 5}\n    held[next(seen)] += next(seen)\n    return held\n",
    "a comprehension has names of its own": "def f(x):\n    out = []\n    [out for out in range(3)]\n    out.append(x)\n    return len(out)\n",
}  # fmt: skip


@pytest.mark.parametrize("text", IN_PLACE.values(), ids=IN_PLACE)
def test_what_is_no_array_means_what_it_does_in_python(text: str) -> None:
    plain: dict[str, object] = {}
    exec(text, plain)
    assert run(text, 3) == plain["f"](3)  # type: ignore[operator]
