"""What is measured beside compiling: several trips of a rolled loop in one step of the program."""

from __future__ import annotations

from types import SimpleNamespace

import jax
import jax.numpy as jnp
import pytest

from scanlint.verify.process_environment import cleaned
from scanlint.verify.worker.session import measure
from scanlint.verify.worker.session.measure import unrolled

PAIR = SimpleNamespace(before=None, after=None, own=lambda values: values, moved=lambda values: values)
CASE = SimpleNamespace(make=tuple)


def summed(xs: jax.Array) -> jax.Array:
    return jax.lax.scan(lambda s, x: (s + x, s), jnp.zeros(()), xs)[0]


def counted(x: jax.Array) -> jax.Array:
    return jax.lax.fori_loop(0, 8, lambda i, x: x * i, x)


@pytest.mark.parametrize(("function", "given"), [(summed, jnp.ones(8)), (counted, jnp.ones(()))])
def test_loops_traced_inside_are_unrolled_and_later_ones_are_not(function, given) -> None:
    with unrolled(4):
        assert "unroll=4" in str(jax.make_jaxpr(lambda x: function(x))(given))
    assert "unroll=1" in str(jax.make_jaxpr(lambda x: function(x))(given))
    assert jnp.allclose(function(given), jax.jit(lambda x: function(x))(given))


def said(monkeypatch: pytest.MonkeyPatch, *runs: float) -> list[str]:
    """The notes where the old version, the new one, and it with each factor take these seconds, a second to compile."""
    left = list(runs)
    monkeypatch.setattr(measure, "_compiled", lambda *_: (1.0, left.pop(0)))
    notes = measure.measured(PAIR, CASE)[1]
    assert not left
    return notes


def test_a_rolled_loop_that_is_slower_is_told_what_unroll_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    ran = "one run takes 1 ms before and 8 ms after"
    assert said(monkeypatch, 1e-3, 8e-3, 4e-3, 2e-3) == [
        ran,
        "with `unroll=16` one run takes 2 ms, and compiling 1 s",
    ]
    assert said(monkeypatch, 1e-3, 8e-3, 3e-3, 5e-3)[1].startswith("with `unroll=4`")
    assert said(monkeypatch, 1e-3, 8e-3, 7e-3, 9e-3) == [ran]


def test_a_rolled_loop_that_is_as_quick_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(said(monkeypatch, 1e-3, 1.1e-3)) == 1


def test_only_what_is_measured_runs_on_the_users_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAX_PLATFORMS", "cuda")
    assert cleaned()["JAX_PLATFORMS"] == "cpu"
    assert cleaned(measure=True)["JAX_PLATFORMS"] == "cuda"
