"""The dtypes of the names that a run of the old version ends with: a loop carried them where Python only had names."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import islice

from ..infer.specs import Specs
from ..runtime.calling import TookTooLong
from ..runtime.jax_functions import weakly_typed
from ..runtime.line_marks import LocalNames
from ..runtime.version_pair import VersionPair
from .case_values import make, modes

MOST = 20
"""Runs of the old version, with different values: a branch that few take may be what gives a name its dtype."""


def ended(
    pair: VersionPair, function: str, specs: Specs, floats: Sequence[float], wanted: Collection[str], *, decides: bool
) -> dict[str, str]:
    """The dtype of each wanted local name in the end, but of those that are as weakly typed as a number on every run.

    `floats` are the numbers that the function compares with. `decides`: what it does depends on values at all.
    """
    found: dict[str, str] = {}
    for mode in islice(modes(specs, floats, ()), MOST if decides else 1):
        if len(found) == len(wanted):
            break
        names = LocalNames(function=function.rpartition(".")[2])
        try:
            with names.watching():
                pair.run_old(make(specs, mode, ()))
        except (Exception, TookTooLong):  # noqa: BLE001
            continue
        strong = {n: x for n, x in names.found.items() if n in wanted and hasattr(x, "dtype") and not weakly_typed(x)}
        found |= {n: str(x.dtype) for n, x in strong.items()}
    return found
