"""Loops of JAX with several trips in one step of the program, as if the text said `unroll=k`."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager

import jax

ROLLED = ("scan", "fori_loop")


@contextmanager
def unrolled(factor: int) -> Iterator[None]:
    """Every `jax.lax.scan` and `fori_loop` that is traced inside, and names no `unroll`, unrolls so many trips.

    What a module imported by name (`from jax.lax import scan`) stays as it is.
    """
    kept = {name: getattr(jax.lax, name) for name in ROLLED}
    try:
        for name, function in kept.items():
            setattr(jax.lax, name, functools.partial(function, unroll=factor))
        yield
    finally:
        for name, function in kept.items():
            setattr(jax.lax, name, function)
