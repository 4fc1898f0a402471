"""The dtypes of the names that a run of the old version ends with: a loop carried them where Python only had names."""

from __future__ import annotations

import sys
import types
from collections.abc import Sequence
from itertools import islice

from .call import TookTooLong
from .judge import Judge
from .values import Specs, make, modes
from .weak import weakly_typed

MOST = 20
"""Runs of the old version, with different values: a branch that few take may be what gives a name its dtype."""


def ended(judge: Judge, function: str, specs: Specs, floats: Sequence[float]) -> dict[str, str]:
    """The dtype of each local name in the end, but of those that are as weakly typed as a number on every run.

    `floats` are the numbers that the function compares with.
    """
    found: dict[str, str] = {}
    name = function.rpartition(".")[2]

    def event(frame: types.FrameType, kind: str, argument: object) -> None:
        code = frame.f_code
        if kind == "return" and code.co_name == name and code.co_filename == judge.old.module.__file__:
            for local, value in frame.f_locals.items():
                if hasattr(value, "dtype") and not weakly_typed(value):
                    found[local] = str(value.dtype)

    for mode in islice(modes(specs, floats, ()), MOST):
        previous = sys.getprofile()
        sys.setprofile(event)
        try:
            judge.run_old(make(specs, mode, ()))
        except (Exception, TookTooLong):  # noqa: BLE001
            continue
        finally:
            sys.setprofile(previous)
    return found
