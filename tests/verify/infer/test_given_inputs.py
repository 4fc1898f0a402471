"""Inputs that the user gives: every part of the notation, and what is said of one that cannot be read."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from scanlint.finding import Verification

Judge = Callable[..., Verification]
CLASSES = """\
    import dataclasses
    from typing import NamedTuple


    class State(NamedTuple):
        pos: jax.Array
        vel: jax.Array


    @jax.tree_util.register_dataclass
    @dataclasses.dataclass
    class Layer:
        w: jax.Array
        inner: State
    """


def versions(check: str, parameters: str) -> tuple[str, str]:
    """A function that only runs on the inputs that are checked for, before and after."""
    head = f"\n\n    def f({parameters}):\n        assert {check}\n"
    return (
        CLASSES + head + "        return sum(jnp.sin(jnp.float32(k)) for k in range(3))\n",
        CLASSES + head + "        return sum([jnp.sin(jnp.float32(k)) for k in range(3)])\n",
    )


@pytest.mark.parametrize(
    ("parameters", "given", "check"),
    [
        pytest.param("x", "x: f32[8, 3]", "x.shape == (8, 3) and x.dtype == jnp.float32", id="an array"),
        pytest.param("x", "x: bf16[4]", "x.dtype == jnp.bfloat16", id="bfloat16"),
        pytest.param("x", "x: c64[2,2]", "x.dtype == jnp.complex64", id="complex"),
        pytest.param("x", "x: i32[]", "x.shape == () and x.dtype == jnp.int32", id="an integer array without axes"),
        pytest.param("x", "x: bool[]", "x.shape == () and x.dtype == bool", id="a truth value as an array"),
        pytest.param("key", "key: key", "jnp.issubdtype(key.dtype, jax.dtypes.prng_key)", id="a typed key"),
        pytest.param("keys", "keys: key[4]", "keys.shape == (4,)", id="a batch of keys"),
        pytest.param("n", "n: static 5", "n == 5", id="a static number"),
        pytest.param("n", "n: static (3, 'a, b')", "n == (3, 'a, b')", id="a static tuple with a comma in a string"),
        pytest.param("f_", "f_: jnp.sin", "f_ is jnp.sin", id="a function by name"),
        pytest.param("f_, x", "f_: lambda a, b: a, x: f32[2]", "f_(1, 2) == 1 and x.shape == (2,)", id="a lambda"),
        pytest.param(
            "p",
            "p: {w: f32[3, 3], inner: {b: f32[3], rest: [f32[2], f32[4]]}}",
            "p['inner']['rest'][1].shape == (4,)",
            id="dictionaries and lists, nested",
        ),
        pytest.param("p", "p: (f32[2], (i32[3], f32))", "p[1][0].shape == (3,) and p[1][1].shape == ()", id="tuples"),
        pytest.param(
            "s", "s: State(pos: f32[3], vel: f32[4])", "isinstance(s, State) and s.vel.shape == (4,)", id="a NamedTuple"
        ),
        pytest.param("s", "s: State(f32[3], f32[4])", "s.vel.shape == (4,)", id="a NamedTuple by position"),
        pytest.param(
            "s",
            "s: Layer(w: f32[2], inner: State(pos: f32[3], vel: f32[4]))",
            "isinstance(s, Layer) and s.inner.vel.shape == (4,)",
            id="a dataclass with a NamedTuple in it",
        ),
        pytest.param("x", "x: f32[3] = 0.5", "isinstance(x, jax.core.Tracer) or bool((x == 0.5).all())", id="a value"),
        pytest.param("x, y", "y: float = 0.5, x: static 2", "x == 2", id="a Python number with a value"),
        pytest.param("x, n", "(x: f32[7], n: static 2)", "x.shape == (7,) and n == 2", id="in brackets"),
    ],
)
def test_the_notation_says_what_a_function_is_called_with(
    parameters: str, given: str, check: str, judge: Judge
) -> None:
    old, new = versions(check, parameters)
    found = judge(old, new, given=((given, "module.py:1"),), static=frozenset({"n", "f_"}))
    assert found.verdict in ("proved", "tested"), found.reason
    assert found.inputs == "given"


def test_a_class_that_the_function_does_not_name_is_found(judge: Judge) -> None:
    old = CLASSES + "\n\n    def f(s):\n        return sum(s.pos * k for k in range(3)) + s.vel\n"
    found = judge(old, old + "\n", given=(("s: State(pos: f32[3], vel: f32[3])", "module.py:1"),))
    assert (found.verdict, found.inputs) == ("proved", "given"), found.reason


def test_several_specifications_are_all_tried(judge: Judge) -> None:
    old = "def f(x):\n    return x + (1.0 if x.shape[0] == 5 else 0.0)\n"
    new = "def f(x):\n    return x + 0.0\n"
    one, two = ("x: f32[3]", "module.py:1"), ("x: f32[5]", "module.py:2")
    assert judge(old, new, given=(one, two)).verdict == "refuted"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        pytest.param("x: f32[3", "module.py:4: expected `]` at the end", id="a bracket that is not closed"),
        pytest.param(
            "x: f33[3]", "`f33[3]` is neither a dtype nor a name of the module; did you mean `f32`?", id="a dtype"
        ),
        pytest.param("x: f32[n]", "`n` is not an axis size; shapes are numbers", id="a shape that is no number"),
        pytest.param("x f32[3]", "expected `:` before `f32[3]`", id="a colon that is missing"),
        pytest.param("x: f32[3] y: f32[2]", "expected `,` before `y: f32[2]`", id="a comma that is missing"),
        pytest.param("z: f32[3]", "there is no parameter `z`, only `x`, `y`", id="a name that is no parameter"),
        pytest.param("x: f32, x: f32", "`x` is given twice", id="a name that is given twice"),
        pytest.param("x: Stat(pos: f32)", "`Stat` is no class of the module", id="a class that is not there"),
        pytest.param("x: f32[3] = [1, 2]", "does not fill an array of shape (3,)", id="values of another shape"),
        pytest.param("x: static 1 +", "is neither a dtype with a shape nor Python", id="an expression that is none"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_place_and_the_remedy(given: str, said: str, judge: Judge) -> None:
    text = "def f(x, y):\n    return x + y\n"
    found = judge(text, text + "\n", given=((given, "module.py:4"),))
    assert found.verdict == "unknown"
    assert found.reason is not None
    assert "the input specification cannot be read: module.py:4: " in found.reason
    assert said in found.reason
    assert "write `x: f32[8, 3], n: static 5`" in found.reason
