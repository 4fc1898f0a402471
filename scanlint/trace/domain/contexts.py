"""How one function is run: under which transforms, by whom, with which arguments static."""

from __future__ import annotations

import ast
from typing import NamedTuple

from scanlint.syntax.bindings import Function
from scanlint.trace.domain.evidence import Reason

REVERSE_MODE = frozenset({"jax.grad", "jax.value_and_grad", "jax.vjp", "jax.jacrev", "jax.hessian", "jax.linearize"})


class Jit(NamedTuple):
    """The `jax.jit` that wraps a function: a decorator, or a call elsewhere in the same file.

    `given` are the parameters that a `partial` inside it has given.
    """

    node: ast.expr
    decorator: bool
    given: frozenset[str] = frozenset()


class FunctionContext(NamedTuple):
    """How one function (the unit or one nested in it) is run.

    `traced`: its array arguments are tracers. `chain`: why, innermost reason first, each link readable on its
    own. `differentiated`: reverse-mode differentiation is known to pass through it. `jit`: the jit that wraps exactly
    this function. `begins`: a transform runs it, so that a trace begins and ends with it.
    """

    node: Function
    qualname: str
    traced: bool = False
    chain: tuple[Reason, ...] = ()
    differentiated: bool = False
    static: frozenset[str] = frozenset()
    jit: Jit | None = None
    begins: bool = False
