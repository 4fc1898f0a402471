"""Whole numbers that leave 32 bits under a `jit`: Python's own have no end."""

from __future__ import annotations

import jax

from ..runtime.calling import Values, in_time, jitted
from ..runtime.stored_results import copied
from ..runtime.version_pair import VersionPair, counted
from .agreement import ASKED, Difference, compare, describe
from .refutations import Refuted

LARGE = 100
"""A number of Python from which on its products may leave 32 bits."""


def wraps(pair: VersionPair, values: Values, result: Difference) -> bool:
    """Whether a large number of Python makes whole numbers that 32 bits do not hold: no rounding tells them apart.

    Double precision comes with 64 bits for whole numbers.
    """
    if result.relative <= ASKED or not any(type(v) is int and abs(v) >= LARGE for v in values.values()):
        return False

    def both() -> tuple[object, object]:
        with jax.disable_jit():
            exact, narrow = (
                pair.signature.call(pair.before, pair.own(copied(v))) for v in (values, counted(values, pair))
            )
        return exact, narrow

    made = in_time(both, pair.pace.patience)  # None where it needs these numbers
    return made is not None and isinstance(compare(*made), Difference)


def jitted_alone(pair: VersionPair, values: Values, expected: object, *, free: bool) -> None:
    """Raise Refuted where only the old version is jitted, and whole numbers of Python wrap under its `jit`."""
    traced = counted(values, pair)
    if not free or traced is values or jitted(pair.after) or not jitted(pair.before):
        return
    made = in_time(lambda: (pair.run_old(traced),))  # None where it needs these numbers
    result = compare(made[0], expected) if made is not None else None
    if isinstance(result, Difference) and (result.discrete or result.relative > ASKED):
        raise Refuted(f"{describe(values)}: {result.text}, for only the old version is jitted")
