"""Decorators that hand a function's arguments on to it and do nothing else with them; any other may read them."""

from __future__ import annotations

import ast
from collections.abc import Callable

from scanlint.jaxapi.words import words

HANDED_ON = words(
    "jax.checkpoint jax.remat jax.ad_checkpoint.checkpoint jax.jit jax.named_call jax.custom_jvp jax.custom_vjp "
    "jax.vmap functools.cache functools.lru_cache typing.override typing.no_type_check"
)
Resolve = Callable[[ast.expr], str | None]


def plain(resolve: Resolve, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Only the body of the function reads what it is called with."""
    return all(applied(resolve, decorator) in HANDED_ON for decorator in function.decorator_list)


def applied(resolve: Resolve, decorator: ast.expr) -> str | None:
    """The name of a decorator: of `jax.jit` in `@jax.jit`, `@jax.jit(...)` and `@functools.partial(jax.jit, ...)`."""
    match decorator:
        case ast.Call(func=function, args=[inner, *_]) if resolve(function) == "functools.partial":
            return applied(resolve, inner)
        case ast.Call(func=function):
            return applied(resolve, function)
    return resolve(decorator)
