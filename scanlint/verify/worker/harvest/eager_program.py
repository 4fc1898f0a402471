"""Run a program op by op: its own `jit` does nothing and its loops of `lax` are Python's, while library functions stay
compiled. A traced `if` anywhere in it then ends no run."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator

import jax

from ..proof.paths import deciding
from ..runtime.jax_functions import rebound
from .caught_calls import concrete

Function = Callable[..., object]
PASSED = ("jit", "pmap", "checkpoint", "remat")
STAGED = ("scan", "map", "while_loop", "fori_loop", "cond", "switch", "associative_scan")


@contextlib.contextmanager
def eagerly() -> Iterator[None]:
    """For what is imported and called within: `jax.jit` gives its function, and nothing is staged."""
    passed = {name: _passing(getattr(jax, name)) for name in PASSED}
    unstaged = {name: _unstaged(getattr(jax.lax, name)) for name in STAGED}
    with rebound(vars(jax), passed), rebound(vars(jax.lax), unstaged), deciding(_truth):
        yield


def _passing(original: Function) -> Function:
    """A transformation that gives the function itself, with the name of the one that it replaces."""

    def passed(*positional: object, **named: object) -> object:
        if not positional:  # with options alone it gives a decorator
            return passed
        return _called(positional[0]) if callable(positional[0]) else positional[0]

    return functools.wraps(original)(passed)


def _called(function: Function) -> Function:
    """The function under another identity, as what is jitted has: attributes may be set on it."""

    @functools.wraps(function)
    def direct(*positional: object, **keywords: object) -> object:
        return function(*positional, **keywords)

    return direct


def _unstaged(original: Function) -> Function:
    """A loop or branch of `lax` that runs in Python, with library functions compiled in its parts."""

    @functools.wraps(original)
    def unstaged(*positional: object, **keywords: object) -> object:
        given = [_compiling(p) for p in positional]
        named = {k: _compiling(v) for k, v in keywords.items()}
        with jax.disable_jit():
            return original(*given, **named)

    return unstaged


def _compiling(value: object) -> object:
    """A function that is called with compilation enabled; functions in a list likewise."""
    if isinstance(value, list | tuple) and value and all(map(callable, value)):
        return [_compiling(v) for v in value]
    if not callable(value):
        return value

    @functools.wraps(value)
    def compiling(*positional: object, **keywords: object) -> object:
        with jax.disable_jit(False):
            return value(*positional, **keywords)

    return compiling


def _truth(tracer: object) -> bool:
    """The truth of a value that is mapped or differentiated: that of its first row, or of its primal."""
    return bool(concrete(tracer))
