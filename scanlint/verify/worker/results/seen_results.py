"""What the comparison has seen of the results: where nothing could differ, nothing was compared."""

from __future__ import annotations

from collections.abc import Sequence

NOTHING_GIVEN = "it gives nothing that could be compared"
NO_ELEMENTS = "the results compared have no elements"


def unseen_results(told: Sequence[Sequence[bool | None]], *, effects: bool, proved: bool) -> str:
    """Why the results say nothing, or "": a result that has elements is a finite number on at least one input.

    `told`: of each case, for each result, whether a difference could be seen there, None where it has no elements.
    `effects`: what calls leave in their arguments was compared. Programs that are equal are equal for all values, if
    they give anything.
    """
    if not any(told):
        return "" if effects else NOTHING_GIVEN
    if proved:
        return ""
    if all(tells is None for case in told for tells in case):
        return NO_ELEMENTS
    for at in range(max(map(len, told))):
        seen = [case[at] for case in told if at < len(case)]
        if not any(seen) and False in seen:
            place = f"result {at}" if max(map(len, told)) > 1 else "the result"
            return f"{place} is no finite number on any input tried"
    return ""
