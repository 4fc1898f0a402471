"""Arrays of one more axis than was guessed: what counts along the last axis may have counted along the first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from .guess import FRESH
from .specs import Array, sizes

if TYPE_CHECKING:
    from .inputs import Inputs
    from .values import Specs

MAX_ALONE = 3


class _Asked(Exception):
    """The truth of a traced value is asked for."""


def further(inputs: Inputs, after: Callable[..., object], specs: Specs) -> Iterator[tuple[str, Specs]]:
    """The specs with an axis more, for all arrays of numbers together or else for some, where both versions take it.

    Only where the old version decides nothing: with arms of different shapes, nobody means what it gives.
    """

    def straight(asked: int) -> bool:
        raise _Asked

    def accepted(changed: Specs) -> bool:
        if inputs.attempt(changed, truth=straight) is not None:
            return False
        return inputs.attempt(changed, after) is None

    if inputs.owner is not None:
        return
    arrays = [n for n, s in specs.items() if isinstance(s, Array) and s.dtype == "float32" and len(s.shape) in (1, 2)]
    fresh = next(n for n in FRESH if n not in sizes(list(specs.values())))
    for names in dict.fromkeys([tuple(arrays), *((n,) for n in arrays[:MAX_ALONE])]):
        for size in dict.fromkeys([fresh, 3, None]):
            changed = {n: _longer(s, size) if n in names else s for n, s in specs.items()}
            if names and accepted(changed):
                yield f"one more axis for {', '.join(names)}", changed
                break


def _longer(spec: object, size: int | None) -> Array:
    """With an axis of that size at the end; without a size one as long as the first, as a wrong axis may want it."""
    assert isinstance(spec, Array)
    return Array((*spec.shape, size or spec.shape[0]), spec.dtype)
