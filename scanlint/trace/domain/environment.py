"""Names and what is known of them, where paths meet."""

from __future__ import annotations

from scanlint.trace.domain.values import UNKNOWN, Value, join

Env = dict[str, Value]

MOST_STEPS = 32
"""How often what is known of one name may change at a loop head; only names that hold ever more take so many steps."""


def merge(a: Env, b: Env, *, loop: bool = False) -> Env:
    """Joins the values of each name where two paths meet."""
    merged = dict(a)
    for name, value in b.items():
        mine = merged.get(name)
        if mine is None:
            merged[name] = value
        elif mine is not value:
            merged[name] = join(mine, value, loop=loop)
    return merged


class Widening:
    """Counts the steps that each name takes up the lattice at one loop head; a name that takes too many is given up.

    What is given up stays unknown, so that the heads of a loop are an ascending chain that ends.
    """

    def __init__(self) -> None:
        self._steps: dict[str, int] = {}

    def __call__(self, head: Env, after: Env) -> Env:
        """The environment at the head of the next trip."""
        for name, value in after.items():
            before = head.get(name)
            if value is before or value == before:
                continue
            self._steps[name] = self._steps.get(name, 0) + 1
            if self._steps[name] > MOST_STEPS:
                after[name] = UNKNOWN
        return after
