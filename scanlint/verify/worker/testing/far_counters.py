"""Loops so long that whole numbers made of their counters leave 32 bits in the new version, and not in Python."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

import jax

from ..comparing.judge import Unknown
from ..proof.counted import LONG, first_trip, leaves_its_type
from ..runtime.calling import TookTooLong, Values, limited, plain, split
from ..runtime.version_pair import VersionPair

if TYPE_CHECKING:
    from ..proof.equations import ClosedJaxpr

SECONDS = 2.0


class LeavesInt32(NamedTuple):
    """A whole number leaves its type within so many trips; `written`: within as many as the texts say there are."""

    trips: int
    written: bool

    def __str__(self) -> str:
        return f"within {self.trips} trips a whole number that a loop counts with leaves int32, where Python's does not"


def leaving(pair: VersionPair, values: Values, before: VersionPair) -> LeavesInt32 | None:
    """Where only the new version computes with counters in 32 bits; `before` has the old version with short loops."""
    program = _traced(pair, values, new=True)
    constants = (n for t in (pair.old.tree, pair.new.tree) for n in ast.walk(t) if isinstance(n, ast.Constant))
    exact = {n.value for n in constants if isinstance(n.value, int)}
    found = first_trip(program, exact) if program is not None else None
    if program is None or found is None:
        return None
    old = _traced(before, values, new=False)
    if old is not None and first_trip(old, exact) is not None:
        return None  # it wraps there as well
    return LeavesInt32(found, bool(leaves_its_type(program, exact, 0)))


def unless_far(found: LeavesInt32 | None, *, whole: bool) -> str:
    """What is to be said of it, "" where nothing is; raises Unknown where loops of usual lengths are concerned.

    `whole`: the loops made all their trips on the inputs that were compared.
    """
    if found is None or (found.written and whole):
        return ""
    if found.trips <= LONG:
        raise Unknown(f"{found}: no input tried has so many")
    return f"not for loops so long: {found}"


def _traced(pair: VersionPair, values: Values, *, new: bool) -> ClosedJaxpr | None:
    """The program of one version, whole numbers as parameters or, where it needs them, as they are; None without."""
    whole = frozenset(name for name, value in values.items() if isinstance(value, int))
    function, own = (pair.after, pair.moved(values)) if new else (plain(pair.before), pair.own(values))
    for static in dict.fromkeys((pair.signature.static, pair.signature.static | whole)):
        parts = split(own, static, numbers=True)
        try:
            with limited(SECONDS):
                return jax.make_jaxpr(lambda *ls, p=parts: pair.arrays(function, p, ls))(*parts.leaves)
        except (Exception, TookTooLong):  # noqa: BLE001 - a version that does not trace has no program to look at
            continue
    return None
