"""The dtypes that local names have when the old version ends: those of the loop's carries in Python."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import islice

from ..infer.specs import Specs
from ..runtime.calling import TookTooLong
from ..runtime.jax_functions import attribute, weakly_typed
from ..runtime.line_marks import LocalNames
from ..runtime.version_pair import VersionPair
from .case_values import make, modes

MOST = 20
"""Runs of the old version, with different values: a rarely taken branch may determine a dtype."""


def ended(
    pair: VersionPair, function: str, specs: Specs, floats: Sequence[float], wanted: Collection[str], *, decides: bool
) -> dict[str, str]:
    """The final dtype of each wanted local name that is strongly typed in some run.

    `floats` are the numbers that the function compares with. `decides`: whether it branches on values.
    """
    found: dict[str, str] = {}
    for mode in islice(modes(specs, floats, ()), MOST if decides else 1):
        if len(found) == len(wanted):
            break
        names = LocalNames(function=function.rpartition(".")[2])
        try:
            with names.watching():
                pair.run_old(make(specs, mode, ()))
        except (Exception, TookTooLong):  # noqa: BLE001 - the next kind of values is tried
            continue
        dtypes = {n: attribute(x, "dtype") for n, x in names.found.items() if n in wanted and not weakly_typed(x)}
        found |= {n: str(dtype) for n, dtype in dtypes.items() if dtype is not None}
    return found
