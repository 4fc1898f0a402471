"""Tests that trips or data answer differently: each answer is followed, and what both give is joined by a choice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
from jax import lax

from ..polynomials import NotProved
from .python_values import NO_RESULT, UNBOUND, SymbolicInt, UnknownNumber, Value, equal, objects

MOST_ASKED = 5
MOST_START = 2**30 - 1
"""The largest whole number of Python that data may choose: a little more still has a place in 32 bits."""


@dataclass
class _Path:
    """The answers to follow, what was asked so far, and the answers by question."""

    answers: Sequence[bool]
    asked: list[tuple[jax.Array, bool]] = field(default_factory=list)
    known: dict[object, bool] = field(default_factory=dict)
    held: list[object] = field(default_factory=list)


class FollowedPaths:
    """The paths that are being followed, the innermost last."""

    def __init__(self) -> None:
        self.paths: list[_Path] = []

    def of_array(self, value: jax.Array) -> bool:
        """The truth of an array without axes."""
        self.paths[-1].held.append(value)  # no other one gets its identity
        return self.truth(lambda: value if value.dtype == bool else value != 0, id(value))

    def truth(self, condition: Callable[[], jax.Array], key: object = None) -> bool:
        """The answer of the path that is followed; a question that was asked before has the answer that it had."""
        path = self.paths[-1]
        if key is not None and key in path.known:
            return path.known[key]
        if len(path.asked) >= MOST_ASKED:
            raise NotProved("too many paths")
        at = len(path.asked)
        answer = path.answers[at] if at < len(path.answers) else True
        path.asked.append((condition(), answer))
        if key is not None:
            path.known[key] = answer
        return answer

    def alone(self, before: Callable[[], None], run: Callable[[], Value]) -> Value:
        """What `run` gives where it asks nothing, else None."""
        path = _Path(())
        self.paths.append(path)
        try:
            before()
            found = run()
        finally:
            self.paths.pop()
        return None if path.asked else found

    def explored(self, run: Callable[[], list[Value]], answers: Sequence[bool] = ()) -> list[Value]:
        """What `run` gives, joined over all paths; it begins anew each time."""
        path = _Path(answers)
        self.paths.append(path)
        try:
            result = run()
        finally:
            self.paths.pop()
        for k in reversed(range(len(answers), len(path.asked))):
            other = self.explored(run, [*(answer for _, answer in path.asked[:k]), False])
            if len(other) != len(result):
                raise NotProved("not each path adds as much")
            result = [joined(path.asked[k][0], a, b) for a, b in zip(result, other, strict=True)]
        return result


def joined(condition: jax.Array, yes: Value, no: Value) -> Value:
    """One value where both paths have equal ones, else a choice between arrays of one type."""
    if yes is no or no is NO_RESULT:
        return yes
    if yes is NO_RESULT:
        return no
    if yes is UNBOUND or no is UNBOUND:
        return UNBOUND
    yes, no = _unknown(yes, no)
    if isinstance(yes, SymbolicInt) or isinstance(no, SymbolicInt):
        if yes == no:
            return yes
        raise NotProved("the paths of a trip give other whole numbers of Python")
    if any(True for value in (yes, no) for _ in objects(value)):
        raise NotProved("the paths of a trip give other objects")
    (ones, form), (others, other) = jax.tree_util.tree_flatten(yes), jax.tree_util.tree_flatten(no)
    if not equal(form, other):
        raise NotProved("the paths of a trip give other structures")
    return jax.tree_util.tree_unflatten(form, [_chosen(condition, a, b) for a, b in zip(ones, others, strict=True)])


def _unknown(yes: Value, no: Value) -> tuple[Value, Value]:
    """Numbers and truths of Python that differ are one that is not known."""
    kinds = {type(x) for x in (yes, no) if type(x) in (bool, int, float)}
    if kinds == {int} and any(type(x) is int and abs(x) > MOST_START for x in (yes, no)):
        return yes, no
    if (
        len(kinds) == 1
        and all(isinstance(x, UnknownNumber) or type(x) in kinds for x in (yes, no))
        and repr(yes) != repr(no)
    ):
        yes, no = (x if isinstance(x, UnknownNumber) else UnknownNumber(jnp.asarray(x)) for x in (yes, no))
    return yes, no


def _chosen(condition: jax.Array, yes: object, no: object) -> object:
    if yes is no or (type(yes) is type(no) and isinstance(yes, str | bool | int | float) and repr(yes) == repr(no)):
        return yes
    if not isinstance(yes, jax.Array) or not isinstance(no, jax.Array):
        raise NotProved("the paths of a trip differ in what is no array")
    if yes.shape != no.shape or yes.dtype != no.dtype or yes.weak_type != no.weak_type:
        raise NotProved("the paths of a trip give other types")
    return lax.select(jnp.broadcast_to(condition, yes.shape), yes, no)
