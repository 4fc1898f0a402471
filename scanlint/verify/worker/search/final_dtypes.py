"""The dtypes that local names have when the old version ends: those of the loop's carries in Python."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
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
    pair: VersionPair,
    function: str,
    specs: Specs,
    floats: Sequence[float],
    wanted: Collection[str],
    trace: Callable[[LocalNames], object] | None,
) -> dict[str, str]:
    """The final dtype of each wanted local name that is strongly typed in some run.

    `floats` are the numbers that the function compares with. `trace` traces the old version with these inputs, and is
    None where it branches on values: then it is run, since each way may end with other dtypes.
    """
    name = function.rpartition(".")[2]
    if trace is not None:
        names = LocalNames(function=name)
        trace(names)
        return _strong(names, wanted)
    found: dict[str, str] = {}
    for mode in islice(modes(specs, floats, ()), MOST):
        if len(found) == len(wanted):
            break
        names = LocalNames(function=name)
        try:
            with names.watching():
                pair.run_old(make(specs, mode, ()))
        except (Exception, TookTooLong):  # noqa: BLE001 - the next kind of values is tried
            continue
        found |= _strong(names, wanted)
    return found


def _strong(names: LocalNames, wanted: Collection[str]) -> dict[str, str]:
    dtypes = {n: attribute(x, "dtype") for n, x in names.found.items() if n in wanted and not weakly_typed(x)}
    return {n: str(dtype) for n, dtype in dtypes.items() if dtype is not None}
