"""Pairs of versions in `pairs/`: the right ones are proved for all sizes, of the wrong ones none."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator
from pathlib import Path

import jax
import pytest

from scanlint.verify.worker.proof.symbolic.prove_for_all import ForAllSizes, Version, prove
from scanlint.verify.worker.runtime.calling import Signature
from scanlint.verify.worker.runtime.loading import Loaded

pytest.importorskip("jax.export", reason="without absl this JAX has no symbols for sizes", exc_type=ImportError)
HEAD = """\
import dataclasses
from functools import partial
from typing import NamedTuple
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
"""
CARRIED = jax.lax.scan(lambda c, x: (c, None), 1, jax.numpy.ones(2))[0]
FAULTS = ("TypeError", "AttributeError", "KeyError", "IndexError", "NameError", "AssertionError", "Concretization")
"""What the prover does not understand it says; an exception is a fault of its own."""


def pairs(pattern: str) -> Iterator[object]:
    """Each as `## name: arguments`, the old version, `---`, and the new one."""
    for path in sorted((Path(__file__).parent / "pairs").glob(pattern)):
        for part in ("\n" + path.read_text()).split("\n## ")[1:]:
            title, _, text = part.partition("\n")
            name, _, arguments = title.partition(": ")
            old, _, new = text.partition("\n---\n")
            yield pytest.param(arguments, old, new, id=f"{path.stem}: {name}")


def version(text: str) -> Version:
    module = types.ModuleType("version")
    exec(compile(text, "<version>", "exec"), module.__dict__)
    tree = ast.parse(text)
    node = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "f"][-1]
    loaded = Loaded(module, tree, node, text=text)
    return Version(loaded, node)


def by_one_trip(old: str, new: str, arguments: str) -> ForAllSizes:
    versions = [version(HEAD + text) for text in (old, new)]
    signature = Signature.of(versions[0].node, frozenset())
    given = eval(arguments, dict(versions[0].loaded.module.__dict__))
    values = dict(zip(signature.positional, given, strict=True))
    fixed = frozenset(name for name, value in values.items() if type(value) is int)
    return prove(*(Version(v.loaded, v.node, fixed) for v in versions), signature, (values, values))


@pytest.mark.parametrize(("arguments", "old", "new"), [*pairs("right.txt")])
def test_right_ones_are_proved(arguments: str, old: str, new: str) -> None:
    found = by_one_trip(old, new, arguments)
    assert found.proved, found.reason
    assert found.least == 1
    assert found.sizes


@pytest.mark.parametrize(("arguments", "old", "new"), [*pairs("right_*.txt")])
def test_right_ones_are_proved_from_two_rows_on_at_the_latest(arguments: str, old: str, new: str) -> None:
    found = by_one_trip(old, new, arguments)
    assert found.proved, found.reason
    assert found.least <= 2
    assert found.sizes


@pytest.mark.parametrize(("arguments", "old", "new"), [*pairs("from_two_rows.txt")])
def test_those_that_differ_with_one_row_are_proved_from_two_rows_on(arguments: str, old: str, new: str) -> None:
    found = by_one_trip(old, new, arguments)
    assert not found.proved or found.least == 2


@pytest.mark.parametrize(("arguments", "old", "new"), [*pairs("wrong*.txt")])
def test_wrong_ones_are_not(arguments: str, old: str, new: str) -> None:
    found = by_one_trip(old, new, arguments)
    assert not found.proved
    assert not found.reason.startswith(FAULTS), found.reason


@pytest.mark.skipif(type(CARRIED) is not int, reason="this JAX makes an array of every carry")
@pytest.mark.parametrize(("arguments", "old", "new"), [*pairs("handed_on.txt")])
def test_what_a_scan_hands_on_unchanged_is_a_number_of_python(arguments: str, old: str, new: str) -> None:
    assert not by_one_trip(old, new, arguments).proved


def test_a_version_is_the_same_as_itself_for_all_sizes() -> None:
    old = "def f(xs, v):\n    for x in xs:\n        v = v * 0.5 + x\n    return v"
    found = by_one_trip(old, old, "(jnp.ones((12, 4)), jnp.ones(4))")
    assert found.proved
    assert found.sizes == {4, 12}


def test_a_size_that_stands_in_the_text_is_kept() -> None:
    old = "def f(xs):\n    return xs + 12"
    assert by_one_trip(old, old, "(jnp.ones((12, 5)),)").sizes == {5}


def test_what_a_test_adds_up_has_a_place_in_its_type() -> None:
    old = "def f(x, n):\n    for i in range(n):\n        x = x * 0.5 + 1\n    return x"
    new = """def f(x, n):
    m = jnp.int32(n) * jnp.int32(n)
    return lax.while_loop(lambda s: s[0] + m < m + n, lambda s: (s[0] + 1, s[1] * 0.5 + 1), (0, x))[1]"""
    found = by_one_trip(old, new, "(jnp.float32(1), 700)")
    assert found.proved
    assert found.most == 46340


def test_whole_numbers_of_a_jitted_function_are_arrays() -> None:
    body = "def f(v, n):\n    return v * (n * n % 7)"
    found = by_one_trip("@jax.jit\n" + body, body, "(jnp.ones(12), 700)")
    assert found.proved
    assert found.most == 46340


def test_an_array_of_numpy_may_be_changed_in_place() -> None:
    old = "def f(xs):\n    ys = xs\n    xs *= 2\n    return ys"
    assert "NumPy" in by_one_trip(old, "def f(xs):\n    return xs", "(np.ones((12, 5), np.float32),)").reason
