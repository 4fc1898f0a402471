"""How code runs: on the host or under a trace, and below which transforms."""

from __future__ import annotations

from typing import NamedTuple

from scanlint.jaxapi.words import words
from scanlint.trace.domain.contexts import REVERSE_MODE
from scanlint.trace.domain.evidence import Reason

UNSTAGED = words(
    "jax.vmap jax.numpy.vectorize jax.grad jax.value_and_grad jax.jacrev jax.jacfwd jax.hessian jax.custom_jvp "
    "jax.custom_vjp jax.custom_gradient jax.vjp jax.jvp jax.linearize jax.shard_map jax.custom_vmap "
    "jax.numpy.apply_along_axis jax.experimental.jet.jet"
)


class Above(NamedTuple):
    """What matters of the transforms above a function: whether one is there, stages, differentiates backwards."""

    some: bool = False
    stages: bool = False
    reverse: bool = False

    def with_(self, other: Above) -> Above:
        """The transforms of both."""
        return Above(*(mine or its for mine, its in zip(self, other, strict=True)))

    def within(self, other: Above) -> bool:
        """Whether these add nothing to others."""
        return self.with_(other) == other


def one_above(transform: str) -> Above:
    """A transform by its canonical name."""
    return Above(True, transform not in UNSTAGED, transform in REVERSE_MODE)


class Mode(NamedTuple):
    """How code runs: under a trace or not, below which transforms, and why."""

    traced: bool = False
    above: Above = Above()
    chain: tuple[Reason, ...] = ()

    @property
    def batched(self) -> bool:
        """Whether nothing but `vmap` traces: what is made of no tracer is concrete there."""
        return self.traced and self.above.some and not self.above.stages


HOST = Mode()
