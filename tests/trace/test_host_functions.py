"""Each row of the functions of the host: they fail for tracers, and their twins give the same."""

from __future__ import annotations

import importlib
import itertools
import warnings
from collections.abc import Callable, Iterator

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from scanlint.jaxapi.host_functions import METHODS_OF, TWINS

SCALARS = [np.float32(v) for v in (0.3, -0.6, 0.0, 1.0, 2.5, -3.5, np.nan, np.inf)]
MATRIX = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 5.0]], np.float32)
VECTOR = np.array([0.3, -0.2, 0.9], np.float32)
ARRAYS = [(VECTOR,), (MATRIX,), (VECTOR, VECTOR), (MATRIX, VECTOR), (VECTOR > 0, VECTOR, -VECTOR), (VECTOR,) * 3]
LISTS = [([VECTOR, VECTOR],), ([VECTOR[0], VECTOR[1]],)]


def named(name: str) -> Callable[..., object]:
    """A function by its dotted name."""
    parts = name.split(".")
    cut = 2 if name.startswith("numpy.linalg.") else 1
    cut = 3 if name.startswith(("jax.scipy.", "jax.numpy.linalg.")) else 2 if parts[0] == "jax" else cut
    return getattr(importlib.import_module(".".join(parts[:cut])), parts[cut])  # type: ignore[no-any-return]


def cases(name: str) -> Iterator[tuple[object, ...]]:
    """Arguments of every kind that a function of the host may take."""
    twin = TWINS[name]
    yield from ((value,) for value in SCALARS)
    yield from itertools.pairwise(SCALARS) if twin.most > 1 else ()
    if name.startswith("numpy."):
        yield from (case for case in (*ARRAYS, *(LISTS if twin.listed else ())) if len(case) <= twin.most)


def results(name: str) -> Iterator[tuple[object, object]]:
    """What a function gives, and what its twin gives, for all that both take."""
    host, twin = named(name), named(TWINS[name].name)
    for case in cases(name):
        given = jax.tree.map(jnp.asarray, case)
        try:
            expected = host(*given)
        except (ValueError, TypeError, IndexError, ArithmeticError, np.linalg.LinAlgError):
            continue
        with pytest.raises((TypeError, jax.errors.ConcretizationTypeError)):
            jax.eval_shape(lambda *a: (host(*a), 0)[1], *given)
        try:
            found = twin(*given)
        except (ValueError, TypeError):
            continue  # refused where the two versions are run
        yield expected, found.astype(int) if TWINS[name].gives == "int" else found  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", [n for n in TWINS if not n.startswith(("numpy.int", "numpy.uint"))])
def test_a_function_of_the_host_fails_for_tracers_and_its_twin_means_the_same(name: str) -> None:
    count = 0
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for expected, found in results(name):
            assert np.shape(expected) == np.shape(found)
            before, after = np.asarray(expected, complex), np.asarray(found, complex)
            np.testing.assert_allclose(after, before, rtol=1e-4, atol=1e-5)
            count += 1
    assert count


@pytest.mark.parametrize("name", sorted(METHODS_OF))
def test_what_numpy_leaves_to_a_method_works_for_tracers(name: str) -> None:
    function = named(name)
    traced, plain = jax.jit(lambda x: function(x))(jnp.asarray(VECTOR)), function(VECTOR)
    np.testing.assert_allclose(traced, plain, rtol=1e-5)
